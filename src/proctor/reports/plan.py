"""What it takes to see a difference or to meet a gate: for the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.comparison.sample_size import DifferencePlan
from proctor.findings.gates.look_plan import LookPlan
from proctor.findings.gates.sample_size import GatePlan
from proctor.findings.run.label_plan import LabelPlan
from proctor.reports import numbers
from proctor.reports.points import points
from proctor.reports.terminal import Page
from proctor.reports.values import plain
from proctor.reports.words import one_line

if TYPE_CHECKING:
    from proctor.statistics.sequential import ExpectedCourse, LookBounds, Plan

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
    if first.floor > 1:
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


def render_early(planned: LookPlan) -> RenderableType:
    """The bounds of every look, and how many calls runs make on average."""
    return Page(lambda _: _early(planned) if planned.exact else _early_by_z(planned))


def _early(planned: LookPlan) -> Iterator[RenderableType]:
    bounds, upper = planned.counts, planned.gate.upper
    counted = "failures" if upper else "passes"
    yield _looked_at(planned)
    yield Text()
    rows = [(numbers.whole(look.cases), _few(look), _many(look)) for look in bounds.looks]
    yield _table(("cases", f"not met: {counted} ≤", f"met: {counted} ≥"), rows)
    yield Text()
    yield _table(
        ("true rate", "calls", "met", "not met", "open"),
        [_course(each, upper=upper) for each in planned.courses()],
    )
    yield Text()
    yield Text(
        "At one trial. – cannot be reached at that look. Calls are the mean share of all; a run with no verdict in "
        f"sight stops too. Looking costs some certainty: {_cost_of_looking(bounds, counted)}"
    )


def _early_by_z(planned: LookPlan) -> Iterator[RenderableType]:
    yield _looked_at(planned)
    yield Text()
    rows = [(numbers.whole(size), f"{z:.2f}") for size, z in zip(planned.sizes, planned.z, strict=True)]
    yield _table(("conversations" if planned.gate.metric == "held_rate" else "attempts", "ends at z ±"), rows)
    yield Text()
    what = "the difference lies from the margin" if planned.gate.baseline is not None else "the rate lies from the gate"
    rests = "how often cases flip" if planned.gate.baseline is not None else "how alike the trials of a case are"
    yield Text(
        f"z is how far {what}, in standard errors: above + it is met, below − it is not. A run with no verdict in "
        f"sight stops too. How many calls that takes depends on {rests}."
    )


def _looked_at(planned: LookPlan) -> Text:
    times = planned.units // planned.cases
    often = f" × {numbers.plural(times, 'trial')}" if times > 1 else ""
    cases = numbers.plural(planned.cases, "conversation" if planned.gate.metric == "held_rate" else "case")
    return Text(f"{one_line(planned.gate.text)} on {cases}{often}, looked at every 5 %:", style="bold")


def _few(look: LookBounds) -> str:
    return "–" if look.not_met is None else numbers.whole(look.not_met)


def _many(look: LookBounds) -> str:
    return numbers.whole(look.met) if look.reachable else "–"


def _course(course: ExpectedCourse, *, upper: bool) -> tuple[str, ...]:
    rate = 1 - course.rate if upper else course.rate
    shares = (rate, course.calls, course.met, course.not_met, course.inconclusive)
    return tuple(f"{100 * share:.1f} %" for share in shares)


def _cost_of_looking(bounds: Plan, counted: str) -> str:
    """What the same run would need without looks."""
    from proctor.statistics.intervals import wilson

    needed = next(
        (n for n in range(bounds.cases + 1) if wilson(n / bounds.cases, bounds.cases)[0] >= bounds.bound), None
    )
    if needed is None:
        return "without looks no number would meet it."
    last = bounds.looks[-1]
    with_looks = f"{numbers.whole(last.met)} are needed then" if last.reachable else "the last look has no such bound"
    cases = numbers.plural(bounds.cases, "case")
    return f"without looks {numbers.whole(needed)} {counted} in {cases} meet it at the end, {with_looks}."


def early_dict(planned: LookPlan) -> dict[str, Any]:
    """What `proctor plan --gate … --stop-early --json` prints. Keys may be added; these stay."""
    told = {"gate": planned.gate.text, "cases": planned.cases, "attempts": planned.units, "bound": planned.gate.bound}
    if not planned.exact:
        looks = [{"attempts": size, "z": z} for size, z in zip(planned.sizes, planned.z, strict=True)]
        return {**told, "counted": None, "looks": looks, "spent": None, "courses": []}
    upper = planned.gate.upper
    counts = [
        {"cases": each.cases, "not_met": each.not_met, "met": each.met if each.reachable else None}
        for each in planned.counts.looks
    ]
    courses = [{**plain(each), "rate": 1 - each.rate if upper else each.rate} for each in planned.courses()]
    spent = dict(zip(("met", "not_met"), map(float, planned.counts.spent), strict=True))
    return {
        **told, "counted": "failures" if upper else "passes", "looks": counts, "spent": spent, "courses": courses
    }  # fmt: skip


def render_labels(planned: LabelPlan) -> RenderableType:
    """Labels for judges that agree with people more or less."""
    return Page(lambda _: _labels(planned))


def _labels(planned: LabelPlan) -> Iterator[RenderableType]:
    yield Text(f"For a pass rate as people judge of ± {points(planned.half_width)}:", style="bold")
    yield Text()
    rows = [
        ("without a judge" if not phi else f"{phi:g}", numbers.whole(labels)) for phi, labels in planned.needed.items()
    ]
    yield _table(("judge and people correlate", "labels"), rows)
    yield Text()
    yield Text(f"Rests on {planned.basis}, and on many cases: few leave more open than labels can close.")


def labels_dict(planned: LabelPlan) -> dict[str, Any]:
    """What `proctor plan --labels … --json` prints. Keys may be added; these stay."""
    return {
        "half_width": planned.half_width,
        "rate": planned.rate,
        "needed": [{"correlation": phi, "labels": labels} for phi, labels in planned.needed.items()],
        "labels": planned.labels,
        "basis": planned.basis,
    }


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
