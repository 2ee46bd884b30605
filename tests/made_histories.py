"""Made-up runs of one benchmark over a fortnight: what histories are tested on, and what the documentation shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from proctor.findings.history import Counts, History, build_history
from proctor.run import Run, Settings

Known = tuple[Run, Counts]
CASES = 60
DIGEST = "9f2c1a77b0e4d512"


def day(number: int, hour: int = 2) -> float:
    """Of November 2026."""
    return datetime(2026, 11, number, hour, tzinfo=UTC).timestamp()


def counts(fails: Collection[int] = (), flaky: Collection[int] = (), *, cases: int = CASES, trials: int = 3) -> Counts:
    """Verdicts of cases that pass, but for those that fail, and those that fail once."""
    passed = {number: 0 if number in fails else trials - (number in flaky) for number in range(cases)}
    return {f"case-{number}": (trials, right) for number, right in passed.items()}


def a_run(number: int, /, *, trials: int = 3, cases: int = CASES, **others: Any) -> Run:
    """A run on this day, completed unless told otherwise."""
    settings = {name: others.pop(name) for name in list(others) if name in Settings.__dataclass_fields__}
    known: dict[str, Any] = {
        "id": f"2611{number:02}-020000-{number:04x}",
        "name": "librarian on handbook",
        "benchmark": "handbook",
        "digest": DIGEST,
        "agent": "python:agent:librarian",
        "status": "completed",
        "planned": cases * trials,
        "created": day(number),
    }
    return Run(**{**known, "settings": Settings(trials=trials, **settings), **others})


def story() -> list[Known]:
    """A prompt that helped, a model that did not, a run that was cut off, and an older version of the benchmark."""
    v1, small = {"prompt": "v1", "model": "large"}, {"prompt": "v3", "model": "small"}
    v2, v3 = {**v1, "prompt": "v2"}, {**v1, "prompt": "v3"}
    cut_off: dict[str, Any] = {"status": "paused", "reason": "its process ended", "name": "weekend"}
    return [
        (a_run(2, digest="41d0c2b8e7a95f63", labels={**v1, "commit": "0be1f3a"}), counts(range(14))),
        (a_run(3, labels={**v1, "commit": "3fa2c1b"}), counts(range(12), {20, 21})),
        (a_run(4, labels={**v1, "commit": "3fa2c1b"}), counts(range(11), {20, 22, 23})),
        (a_run(5, labels={**v2, "commit": "77e01d9"}), counts(range(9), {12})),
        (a_run(6, labels={**v2, "commit": "77e01d9"}, **cut_off), counts({1}, cases=8)),
        (a_run(9, labels={**v3, "commit": "9f2c1a7"}, name="prompt v3"), counts({0, 1}, {20})),
        (a_run(10, labels={**v3, "commit": "9f2c1a7-dirty"}), counts({0, 1, 30}, {21})),
        (a_run(11, labels={**small, "commit": "c40d5e2"}), counts({0, *range(30, 42)}, {20, 21})),
        (a_run(12, labels={**v3, "commit": "e81b960"}), counts({0, 1}, {20, 30})),
    ]


def told(known: Sequence[Known] | None = None, **options: Any) -> History:
    """Their history."""
    return build_history(story() if known is None else known, benchmark="handbook", **options)
