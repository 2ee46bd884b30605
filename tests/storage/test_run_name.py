"""What people call a run."""

from __future__ import annotations

import pytest

from proctor.errors import NoSuchRun
from proctor.storage.run_name import resolve

KNOWN = [("26-b2", "weekly"), ("26-b1", "nightly"), ("26-a1", "nightly"), ("nightly-9", "x"), ("25", "26-b")]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("last", "26-b2"),
        ("26-b1", "26-b1"),
        ("weekly", "26-b2"),
        ("26-a", "26-a1"),
        ("26-b", "25"),
        ("night", "nightly-9"),
    ],
)
def test_an_id_comes_before_a_name_and_a_name_before_a_prefix(wanted: str, found: str) -> None:
    assert resolve(wanted, KNOWN) == found


def test_several_matches_are_named() -> None:
    with pytest.raises(NoSuchRun, match=r"2 runs have the name 'nightly' \(26-b1, 26-a1\): give the whole id"):
        resolve("nightly", KNOWN)


def test_a_name_that_is_nearly_one_is_answered_with_that_one() -> None:
    with pytest.raises(NoSuchRun, match=r"'flakey', .*; did you mean 'flaky'\? `proctor list` shows all"):
        resolve("flakey", [("26-a", "flaky"), ("26-b", "other")])


def test_many_matches_are_counted() -> None:
    with pytest.raises(NoSuchRun, match=r"any of r0, r1, r2, r3, r4 and 4 more"):
        resolve("r", [(f"r{number}", "") for number in range(9)])


@pytest.mark.parametrize("wanted", ["", "27", "NIGHTLY", "%", "_"])
def test_no_match_says_where_to_look(wanted: str) -> None:
    with pytest.raises(NoSuchRun, match="proctor list"):
        resolve(wanted, KNOWN)
