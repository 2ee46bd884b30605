"""Length bias: whether a judge prefers longer replies beyond what people's labels explain."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, sqrt, tanh
from statistics import NormalDist, fmean
from typing import NamedTuple

from proctor.statistics.estimate import Estimate

METHOD = "partial rank correlation, Fisher z"
FEWEST = 10
"""Minimum number of labelled replies."""


class LabelledMark(NamedTuple):
    """A judge's score of a reply that people have labelled, with its length."""

    mark: float
    words: int
    people: bool


def length_preference(marks: Sequence[LabelledMark], *, level: float = 0.95) -> Estimate:
    """Partial rank correlation of score and length, given people's label, with Fisher's interval (Fisher 1924).

    It is the correlation of the ranks after subtracting each label's mean: 0 if length adds nothing to what the label
    says about the score.
    """
    n = len(marks)
    if n < FEWEST:
        return _nothing(n, level, f"{n} labelled replies with a score; {FEWEST} or more are needed")
    labels = [each.people for each in marks]
    x = _residuals(_ranks([each.mark for each in marks]), labels)
    y = _residuals(_ranks([float(each.words) for each in marks]), labels)
    spread = sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    if spread <= 1e-9:
        return _nothing(n, level, "scores or lengths do not differ within what people say")
    value = max(-1.0, min(1.0, sum(a * b for a, b in zip(x, y, strict=True)) / spread))
    half = NormalDist().inv_cdf((1 + level) / 2) / sqrt(n - 4)
    z = atanh(max(-0.999999, min(0.999999, value)))
    return Estimate(value=value, low=tanh(z - half), high=tanh(z + half), n=n, method=METHOD, attempts=n, level=level)


def _nothing(n: int, level: float, note: str) -> Estimate:
    return Estimate(value=None, low=None, high=None, n=n, method=METHOD, attempts=n, level=level, note=note)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return ranks from 1; ties get their mean rank."""
    ordered = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and values[ordered[end]] == values[ordered[start]]:
            end += 1
        for place in ordered[start:end]:
            ranks[place] = (start + end + 1) / 2
        start = end
    return ranks


def _residuals(ranks: Sequence[float], labels: Sequence[bool]) -> list[float]:
    """Subtract the mean rank of each label."""
    means = {
        label: fmean(rank for rank, each in zip(ranks, labels, strict=True) if each is label) for label in set(labels)
    }
    return [rank - means[label] for rank, label in zip(ranks, labels, strict=True)]
