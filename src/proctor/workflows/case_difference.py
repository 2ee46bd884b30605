"""Differences between two versions of a benchmark: added, removed and changed cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from proctor.benchmark import Case
from proctor.reports.values import plain

_TEXTS = ("question", "answer", "reasoning", "context")
_BESIDE = ("id", "line", *_TEXTS)
"""Fields that are not listed among the other differences of a case."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseDifference:
    """A case that differs between the versions."""

    kind: Literal["added", "removed", "changed"]
    a: Case | None
    b: Case | None
    texts: tuple[tuple[str, str, str], ...]
    """Field, its text in A, and its text in B, for texts that differ."""
    others: tuple[str, ...]
    """Names of other fields that differ."""


def compare_cases(a: Sequence[Case], b: Sequence[Case]) -> list[CaseDifference]:
    """Compare cases in the order of the later version, matched by id, else by position between matched ones."""
    return [found for before, after in _pairs(a, b) if (found := _difference(before, after)) is not None]


def _pairs(a: Sequence[Case], b: Sequence[Case]) -> Iterator[tuple[Case | None, Case | None]]:
    known = {case.id: case for case in b}
    matcher = SequenceMatcher(None, [case.id for case in a], [case.id for case in b], autojunk=False)
    moved = {case.id for case in a if case.id in known}
    for kind, from_a, to_a, from_b, to_b in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(a[from_a:to_a], b[from_b:to_b], strict=True)
        else:
            gone = [case for case in a[from_a:to_a] if case.id not in moved]
            new = [case for case in b[from_b:to_b] if case.id not in moved]
            yield from zip_longest(gone, new)
            yield from ((case, known[case.id]) for case in a[from_a:to_a] if case.id in moved)


def _difference(a: Case | None, b: Case | None) -> CaseDifference | None:
    if a is None or b is None:
        return CaseDifference(kind="added" if a is None else "removed", a=a, b=b, texts=(), others=())
    texts = tuple(
        (name, before, after)
        for name in _TEXTS
        if (before := getattr(a, name) or "") != (after := getattr(b, name) or "")
    )
    left, right = plain(a), plain(b)
    others = tuple(name for name in {**left, **right} if name not in _BESIDE and left.get(name) != right.get(name))
    if not texts and not others:
        return None
    return CaseDifference(kind="changed", a=a, b=b, texts=texts, others=others)
