from __future__ import annotations

import pytest

from proctor.reviewers.checks.sources import among, is_address, relative_path

SAME = {
    "as it is": ("hr/remote.md", "hr/remote.md"),
    "dots and slashes": ("./hr//remote.md", "hr/remote.md"),
    "a way back": ("hr/old/../remote.md", "hr/remote.md"),
    "backslashes": ("hr\\remote.md", "hr/remote.md"),
    "from the root": ("/hr/remote.md", "hr/remote.md"),
    "case": ("HR/Remote.md", "hr/remote.md"),
    "blanks around": (" hr/remote.md ", "hr/remote.md"),
    "composed and decomposed": ("cafe\u0301.md", "café.md"),
    "no extension cited": ("hr/remote", "hr/remote.md"),
    "no extension expected": ("hr/remote.md", "hr/remote"),
    "an anchor cited": ("hr/remote.md#who", "hr/remote.md"),
    "an anchor expected": ("hr/remote.md", "hr/remote.md#who"),
    "neither extension nor anchor": ("hr/remote", "hr/remote.md#who"),
    "an id": ("doc-1", "doc-1"),
    "an address": ("https://a.example/hr/#who", "https://a.example/hr"),
}
DIFFERENT = {
    "another file": ("hr/leave.md", "hr/remote.md"),
    "another folder": ("it/remote.md", "hr/remote.md"),
    "the name alone": ("remote.md", "hr/remote.md"),
    "another extension": ("hr/remote.pdf", "hr/remote.md"),
    "another anchor": ("hr/remote.md#when", "hr/remote.md#who"),
    "a longer id": ("doc-12", "doc-1"),
    "a version is no extension": ("doc-1.2", "doc-1"),
    "out of the folder": ("../hr/remote.md", "hr/remote.md"),
    "another address": ("http://a.example/hr", "https://a.example/hr"),
    "an address's end is no extension": ("https://a", "https://a.com"),
    "nothing": ("", "hr/remote.md"),
}


@pytest.mark.parametrize(("cited", "expected"), SAME.values(), ids=SAME)
def test_names_of_one_source(cited: str, expected: str) -> None:
    assert among(cited, ["other.md", expected]) == expected


@pytest.mark.parametrize(("cited", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_names_of_different_sources(cited: str, expected: str) -> None:
    assert among(cited, ["other.md", expected]) is None


def test_the_very_name_goes_before_one_like_it() -> None:
    assert among("hr/remote", ["hr/remote.md", "hr/remote"]) == "hr/remote"


@pytest.mark.parametrize(
    "source", ["/etc/passwd", "C:\\x", "c:/x", "..", "../x", "a/../../x", "a\0b", "\\\\host\\share"]
)
def test_paths_that_lead_elsewhere_are_no_relative_paths(source: str) -> None:
    assert relative_path(source) is None


@pytest.mark.parametrize(("source", "path"), [("a/./b", "a/b"), ("a\\b", "a/b"), ("a/../b", "b"), ("..a", "..a")])
def test_relative_paths_are_worked_out(source: str, path: str) -> None:
    assert relative_path(source) == path


def test_addresses_are_told_from_paths_and_ids() -> None:
    assert all(map(is_address, ["https://a.example/b", "file:///etc/passwd", "S3://bucket/x", "https:/a.example"]))
    assert not any(map(is_address, ["hr/remote.md", "c:/x", "doc:1", "note: a // b"]))
