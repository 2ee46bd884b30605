"""Categories with too few cases to say anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from proctor.benchmark import Case
from proctor.doctor.problem import BenchmarkProblem, complaint, plural
from proctor.statistics.intervals import wilson

_FEWEST = 10
"""Cases below which a pass rate is known to no better than about a quarter either way."""
_LISTED = 8


def small_categories(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Pass rates that will be hardly known, each with how well it will be."""
    sizes = Counter(category for case in cases for category in dict.fromkeys(case.categories))
    small = {name: size for name, size in sizes.items() if size < _FEWEST}
    if len(cases) < _FEWEST:
        yield complaint(
            "few-cases",
            "information",
            [],
            f"with {plural(len(cases), 'case')} the pass rate will be known to {_margin(len(cases))}",
            f"add cases: with 30 it is {_margin(30)}, with 100 {_margin(100)}",
        )
    elif small:
        told = ", ".join(f"{name} ({size}: {_margin(size)})" for name, size in list(small.items())[:_LISTED])
        more = f" and {len(small) - _LISTED} more" if len(small) > _LISTED else ""
        yield complaint(
            "small-category",
            "information",
            [case for case in cases if small.keys() & set(case.categories)],
            f"too few cases to know the pass rate by category: {told}{more}",
            f"add cases, or join categories: with 30 cases a pass rate is known to {_margin(30)}",
        )


def _margin(cases: int) -> str:
    """Half the width of the 95 % interval of a pass rate near one half, in points."""
    low, high = wilson(0.5, cases)
    return f"±{50 * (high - low):.0f} points"
