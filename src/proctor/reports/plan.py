"""What it takes to see a difference or to meet a gate: for the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.comparison.sample_size import DifferencePlan
from proctor.findings.gates.sample_size import GatePlan
from proctor.reports import numbers
from proctor.reports.points import points
from proctor.reports.terminal import Page
from proctor.reports.words import one_line

_INDENT = (0, 0, 0, 2)


def render_difference(planned: DifferencePlan) -> RenderableType:
    """Cases and attempts for each number of trials, the floor, and what that rests on."""
    return Page(lambda _: _difference(planned))


def _difference(planned: DifferencePlan) -> Iterator[RenderableType]:
    first = planned.plans[0]
    yield Text(
        f"To show a difference of {points(first.difference)} with a chance of {numbers.percent(first.power)}:",
        style="bold",
    )
    yield Text()
    yield _table(*_columns(planned))
    yield Text()
    yield Text(f"However many trials, it takes at least {numbers.plural(first.floor, 'case')}.")
    yield Text(f"Rests on {planned.basis}.")
    if planned.seconds_per_attempt is not None:
        yield Text("The time is that of both runs one after the other, at the speed of the stored ones.")
    if not planned.trials_help:
        yield Text(
            "Nothing is known of the chance from trial to trial, so further trials are taken not to help: "
            "plan from runs with 2 trials or more, or give --noise."
        )


def _columns(planned: DifferencePlan) -> tuple[list[str], list[tuple[str, ...]]]:
    """Headers and rows; the time only where it is known how long an attempt takes."""
    headers = ["trials", "cases", "attempts in both runs"]
    rows: list[tuple[str, ...]] = [
        (str(each.trials), numbers.whole(each.cases), numbers.whole(each.attempts)) for each in planned.plans
    ]
    seconds = planned.seconds_per_attempt
    if seconds is None:
        return headers, rows
    times = [f"about {numbers.duration(each.attempts * seconds)}" for each in planned.plans]
    return [*headers, "time"], [(*row, time) for row, time in zip(rows, times, strict=True)]


def render_gate(planned: GatePlan) -> RenderableType:
    """The fewest cases for each number of failures, or the cases that probably do."""
    return Page(lambda _: _gate(planned))


def _gate(planned: GatePlan) -> Iterator[RenderableType]:
    text = one_line(planned.gate.text)
    if planned.needed is not None:
        cases, chance = numbers.plural(planned.needed, "case"), numbers.percent(planned.power)
        yield Text(f"{text}: two equal agents meet it with a chance of {chance} on {cases}.", style="bold")
        return
    yield Text(f"The fewest cases with which {text} can be met:", style="bold")
    yield Text()
    rows = [(str(failures), numbers.whole(cases)) for failures, cases in planned.fewest]
    yield _table(("passes" if planned.gate.upper else "failures", "cases"), rows)


def _table(headers: Sequence[str], rows: Sequence[tuple[str, ...]]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return Padding(table, _INDENT)


def difference_dict(planned: DifferencePlan) -> dict[str, Any]:
    """What `proctor plan --difference … --json` prints. Keys may be added; these stay."""
    first, seconds = planned.plans[0], planned.seconds_per_attempt
    return {
        "difference": first.difference,
        "power": first.power,
        "level": first.level,
        "plans": [
            {
                "trials": each.trials,
                "cases": each.cases,
                "attempts": each.attempts,
                "seconds": None if seconds is None else each.attempts * seconds,
            }
            for each in planned.plans
        ],
        "floor": first.floor,
        "trials_help": planned.trials_help,
        "spread": {
            "between": planned.spread.between,
            "within_a": planned.spread.within_a,
            "within_b": planned.spread.within_b,
        },
        "basis": planned.basis,
    }


def gate_dict(planned: GatePlan) -> dict[str, Any]:
    """What `proctor plan --gate … --json` prints."""
    return {
        "gate": planned.gate.text,
        "bound": planned.gate.bound,
        "fewest": [{"failures": failures, "cases": cases} for failures, cases in planned.fewest],
        "needed": planned.needed,
        "power": planned.power if planned.needed is not None else None,
    }
