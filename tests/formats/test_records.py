"""The one expression reads a text just as a reader that goes character by character."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.formats.records import KEPT, fields_of, scan

BROKEN = "File parsing error"


class _Break(Exception):
    pass


def _read_field(text: str, at: int) -> tuple[str, int]:
    """The value of the field that starts here, and where it ends."""
    if text[at : at + 1] != '"':
        raise _Break
    value, at = "", at + 1
    while at < len(text):
        if text[at] != '"':
            value, at = value + text[at], at + 1
        elif text[at : at + 2] == '""':
            value, at = value + '"', at + 2
        else:
            return value, at + 1
    raise _Break


def _words(index: int, value: str) -> str | None:
    if index < 2 and not value.strip():
        return ("Question", "Answer")[index] + " field is required"
    return BROKEN if "\0" in value or "\r" in value.replace("\r\n", "") else None


def slowly(text: str) -> tuple[list[list[str]], list[tuple[int, str]]]:
    """The fields of every valid row, and every fault by its place and first words: the rules, spelled out."""
    rows: list[list[str]] = []
    faults: list[tuple[int, str]] = []
    start = 0
    while start < len(text):
        next_line = text.find("\n", start) + 1 or len(text)
        line = text[start:next_line].removesuffix("\n")
        if line.removesuffix("\r" if text[next_line - 1] == "\n" else "").strip(" \t") == "":
            start = next_line
            continue
        places, values, at = [], [], start
        try:
            while True:
                places.append(at)
                value, at = _read_field(text, at)
                values.append(value)
                if at == len(text) or text[at] == "\n" or text[at : at + 2] == "\r\n":
                    break
                if text[at] != ";":
                    raise _Break
                at += 1
        except _Break:
            faults.append((places[-1], BROKEN))
            start = next_line
            continue
        start = text.find("\n", at) + 1 or len(text)
        if not 2 <= len(values) <= 4:
            faults.append((places[0], "Invalid number of fields"))
            continue
        wrong = [(place, _words(index, value)) for index, (place, value) in enumerate(zip(places, values, strict=True))]
        faults.extend((place, words) for place, words in wrong if words)
        if not any(words for _, words in wrong):
            rows.append(values + [""] * (4 - len(values)))
    return rows, faults


PIECES = ['"', '""', ";", '";"', '"\n"', "\n", "\r\n", "\r", "\0", " ", "\t", "a", "é", "😀", "\u2028"]


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_it_reads_like_a_reader_that_goes_character_by_character(text: str) -> None:
    rows, faults = slowly(text)
    found = scan(text)
    assert [fields_of(text, start) for start in found.rows] == rows
    assert [(at, message.partition(":")[0]) for at, message in found.faults] == faults[:KEPT]
    assert found.more == max(0, len(faults) - KEPT)


@pytest.mark.parametrize("blank", [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()])
def test_every_blank_that_is_trimmed_is_seen_by_the_expression(blank: str) -> None:
    found = scan(f'"{blank}";"a"\n"q";"{blank}"\n')
    assert not found.rows
    assert len(found.faults) == 2


HOSTILE = ['"\n', '"a\n', '""\n', '"";""\n', '"""\n', '"a" b\n', '"";"\n', '"a\n"";""x\n', "x\n", "\n", ";", '"', '"";']


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length_of_a_hostile_text_not_with_its_square(piece: str) -> None:
    text = piece * (262_144 // len(piece))
    start = time.process_time()
    scan(text)
    scan('"' + text)
    assert time.process_time() - start < 10  # a second at most; the square would take minutes


def test_faults_beyond_a_hundred_are_counted() -> None:
    found = scan("x\n" * 130 + '"only"\n' * 70 + '"q";"a"\n')
    assert len(found.faults) == 100
    assert found.more == 100
    assert len(found.rows) == 1
