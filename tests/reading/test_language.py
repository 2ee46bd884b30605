from __future__ import annotations

import pytest

from proctor.reading.language import is_english, language


@pytest.mark.parametrize(
    ("text", "tongue"),
    [
        ("Who invented dynamite?", "en"),
        ("Wie viele Tage Urlaub haben Angestellte?", "de"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Quanti giorni di ferie hanno i dipendenti?", "it"),
        ("¿Cuántos días de vacaciones hay?", "es"),
        ("Quantos dias de férias tem um empregado?", "pt"),
        ("Hoeveel dagen vakantie hebben medewerkers?", "nl"),
        ("Сколько дней отпуска?", ""),
        ("休暇は何日ですか", ""),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_small_words(text: str, tongue: str) -> None:
    assert language(text) == tongue


def test_only_what_has_english_words_is_plainly_english() -> None:
    assert is_english("What is the capital of France?")
    assert not is_english("Quelle est la capitale de la France ?")
    assert not is_english("Capital France")
