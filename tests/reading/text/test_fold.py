from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.reading.text.fold import fold, mend, squeeze, without_accents


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Paris", "paris"),
        ("ＰＡＲＩＳ", "paris"),
        ("Straße", "strasse"),
        ("“Quoted” ‘too’", "\"quoted\" 'too'"),
        ("don`t", "don't"),
        ("don`t, at the café", "don't, at the café"),
        ("1985–1986", "1985-1986"),
        ("jean‑paul", "jean-paul"),
        ("5½", "5 1/2"),
        ("m²", "m^2"),
        ("soft\u00adhyphen", "softhyphen"),
        ("100\u00a0°C", "100 °c"),
    ],
)
def test_case_width_quotes_and_dashes_become_one(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_accents_stay_unless_they_are_told_to_go() -> None:
    assert fold("Brasília") == "brasília"
    assert fold("Brasília", accents=False) == "brasilia"
    assert without_accents("Łódź") == "Lodz"
    assert without_accents("Tromsø") == "Tromso"


@pytest.mark.parametrize(
    ("garbled", "meant"),
    [("30â€“31 October", "30–31 October"), ("2.45Â\u00a0billion", "2.45\u00a0billion"), ("cafÃ©", "café")],
)
def test_utf8_that_was_read_as_windows_1252_is_mended(garbled: str, meant: str) -> None:
    assert mend(garbled) == meant


@pytest.mark.parametrize("text", ["Âge", "château", "naïve — café", "plain", "日本"])
def test_sound_text_is_not_mended(text: str) -> None:
    assert mend(text) == text


def test_squeezing_drops_blanks_quotes_and_final_punctuation() -> None:
    assert squeeze(' "New   York\n City." ') == "new york city"


def test_squeezing_keeps_a_leading_point_which_may_be_a_decimal() -> None:
    assert squeeze(".5") == ".5"
    assert squeeze(".5") != squeeze("5")


@given(st.text().filter(lambda text: mend(text) == text))
def test_folding_twice_is_folding_once(text: str) -> None:
    for accents in (True, False):
        once = fold(text, accents=accents)
        assert fold(once, accents=accents) == once


@given(st.text())
def test_folding_forgets_case_of_ascii(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert fold(plain.upper()) == fold(plain.lower())
