"""Bytes are text in UTF-8 or UTF-16, or it is said where they are not and how to convert them."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.formats.charset import decode

at_leisure = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
TEXT = '"Où?";"Là, à côté 😀"\n'


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
)
def test_the_byte_order_mark_decides_and_is_not_part_of_the_text(data: bytes) -> None:
    assert decode(data).text == TEXT
    assert decode(data).problem is None


def test_a_byte_that_is_not_utf_8_is_named_with_its_offset_and_the_cure() -> None:
    found = decode(codecs.BOM_UTF8 + '"é";"'.encode() + b'\xe9t\xe9"\n')
    assert found.problem is not None
    assert found.problem.startswith("byte 0xE9 at offset 9 is not UTF-8 (the first of 2 such places)")
    assert "iconv -f WINDOWS-1252 -t UTF-8" in found.problem
    assert found.text[found.problem_at] == "\udce9"


@pytest.mark.parametrize(
    ("tail", "offset"), [(b"\x3d\xd8", 4), (b"\x3d\xd8a\0", 4), (b"\x00\xdc", 4), (b"b", 4), (b"\x3d\xd8b", 4)]
)
def test_half_a_character_in_utf_16_is_named_with_its_offset(tail: bytes, offset: int) -> None:
    found = decode(codecs.BOM_UTF16_LE + b"a\0" + tail)
    assert found.problem is not None
    assert f"byte 0x{tail[0]:02X} at offset {offset} is not UTF-16-LE" in found.problem
    assert found.text.startswith("a")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (TEXT.encode("utf-32"), "UTF-32"),
        (codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"), "UTF-32"),
        ('"q";"a"'.encode("utf-16-le"), "iconv -f UTF-16LE"),
        ('"q";"a"'.encode("utf-16-be"), "iconv -f UTF-16BE"),
        (b"PK\x03\x04 and so on", "proctor convert FILE.xlsx"),
    ],
)
def test_a_file_of_another_kind_is_told_by_its_first_bytes(data: bytes, said: str) -> None:
    found = decode(data)
    assert found.problem is not None
    assert said in found.problem
    assert "offset" in found.problem
    assert found.text == ""


@at_leisure
@given(st.binary() | st.binary().map(lambda data: codecs.BOM_UTF16_LE + data))
def test_any_bytes_are_read_and_flawed_exactly_where_they_are_no_text(data: bytes) -> None:
    found = decode(data)
    if found.problem is None:
        assert found.problem_at == -1
        found.text.encode()
    else:
        assert 0 <= found.problem_at <= len(found.text)
        found.text[: found.problem_at].encode()


def test_what_is_no_text_is_told_once_and_not_row_by_row() -> None:
    decoded = decode(bytes(range(256)) * 20)
    assert decoded.text == ""
    assert decoded.problem is not None
    assert decoded.problem.startswith("the file is not text: 11% of its first bytes are control characters")


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "gb18030", "koi8-r"])
def test_text_in_another_encoding_is_still_taken_for_text(encoding: str) -> None:
    words = {"cp1252": "Grüße", "shift_jis": "日本語の質問", "gb18030": "中文问题", "koi8-r": "вопрос"}[encoding]
    problem = decode(f'"{words}";"{words}"\n'.encode(encoding) * 30).problem
    assert problem is not None
    assert "is not UTF-8" in problem
