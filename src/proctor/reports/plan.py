"""Phrase a plan: the sample size needed to detect a difference or to meet a gate, for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.comparison.sample_size import DifferencePlan
from proctor.findings.gates.look_plan import LookPlan
from proctor.findings.gates.sample_size import GatePlan
from proctor.findings.run.people import LabelPlan
from proctor.reports import numbers
from proctor.reports.numbers import points
from proctor.reports.terminal import Page
from proctor.reports.values import plain
from proctor.reports.words import one_line
from proctor.statistics.intervals import wilson

if TYPE_CHECKING:
    from proctor.statistics.sequential import LookBounds, OperatingPoint, Plan

_INDENT = (0, 0, 0, 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanTable:
    """A table of numbers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanWords:
    """The text of a plan, for any rendering."""

    title: str
    tables: tuple[PlanTable, ...] = ()
    notes: tuple[str, ...] = ()


AnyPlan = DifferencePlan | GatePlan | LookPlan | LabelPlan


def render_plan(planned: AnyPlan) -> RenderableType:
    """Render for the terminal."""
    return Page(lambda _: _lines(words_of(planned)))


def _lines(words: PlanWords) -> Iterator[RenderableType]:
    yield Text(words.title, style="bold")
    for table in words.tables:
        yield Text()
        yield _table(table.headers, table.rows)
    if words.notes:
        yield Text()
    for note in words.notes:
        yield Text(note)


def words_of(planned: AnyPlan) -> PlanWords:
    """Return title, tables and notes of a plan."""
    if isinstance(planned, DifferencePlan):
        return _difference(planned)
    if isinstance(planned, GatePlan):
        return _gate(planned)
    if isinstance(planned, LabelPlan):
        return _labels(planned)
    return _early(planned) if planned.exact else _early_by_z(planned)


def dict_of(planned: AnyPlan) -> dict[str, Any]:
    """Return the output of `proctor plan --json`. Keys may be added, but not removed."""
    if isinstance(planned, DifferencePlan):
        return difference_dict(planned)
    if isinstance(planned, GatePlan):
        return gate_dict(planned)
    return labels_dict(planned) if isinstance(planned, LabelPlan) else early_dict(planned)


def _difference(planned: DifferencePlan) -> PlanWords:
    """Describe the cases and attempts for each number of trials, the minimum, and the basis."""
    first = planned.plans[0]
    chance, notes = numbers.percent(first.power), []
    if first.floor > 1:
        notes.append(f"However many trials, it takes at least {numbers.plural(first.floor, 'case')}.")
    notes.append(f"Rests on {planned.basis}.")
    if planned.seconds_per_attempt is not None:
        notes.append("The time is that of both runs one after the other, at the speed of the stored ones.")
    if not planned.trials_help:
        notes.append(
            "How much results vary between trials is not known, so more trials are assumed not to help: "
            "plan from runs with 2 trials or more, or give --noise."
        )
    return PlanWords(
        title=f"To show a difference of {points(first.difference)} with a chance of {chance}:",
        tables=(_columns(planned),),
        notes=tuple(notes),
    )


def _columns(planned: DifferencePlan) -> PlanTable:
    """Return headers and rows; with a time column only if the duration of an attempt is known."""
    headers = ("trials", "cases", "attempts in both runs")
    rows = [(str(each.trials), numbers.whole(each.cases), numbers.whole(each.attempts)) for each in planned.plans]
    seconds = planned.seconds_per_attempt
    if seconds is None:
        return PlanTable(headers=headers, rows=tuple(rows))
    times = [f"about {numbers.duration(each.attempts * seconds)}" for each in planned.plans]
    timed = tuple((*row, time) for row, time in zip(rows, times, strict=True))
    return PlanTable(headers=(*headers, "time"), rows=timed)


def _gate(planned: GatePlan) -> PlanWords:
    """Describe the minimum number of cases for each number of failures, or the number that probably suffices."""
    text = one_line(planned.gate.text)
    if planned.needed is not None:
        cases, chance = numbers.plural(planned.needed, "case"), numbers.percent(planned.power)
        return PlanWords(title=f"{text}: two equal agents meet it with a chance of {chance} on {cases}.")
    rows = tuple((str(failures), numbers.whole(cases)) for failures, cases in planned.fewest)
    headers = ("passes" if planned.gate.upper else "failures", "cases")
    return PlanWords(
        title=f"The fewest cases with which {text} can be met:", tables=(PlanTable(headers=headers, rows=rows),)
    )


def _early(planned: LookPlan) -> PlanWords:
    """Describe the bounds of every look, and how many calls runs make on average."""
    bounds, upper = planned.counts, planned.gate.upper
    counted = "failures" if upper else "passes"
    looks = tuple((numbers.whole(look.cases), _few(look), _many(look)) for look in bounds.looks)
    points = tuple(_operating_point(each, upper=upper) for each in planned.operating_points())
    return PlanWords(
        title=_looked_at(planned),
        tables=(
            PlanTable(headers=("cases", f"not met: {counted} ≤", f"met: {counted} ≥"), rows=looks),
            PlanTable(headers=("true rate", "calls", "met", "not met", "open"), rows=points),
        ),
        notes=(
            "At one trial. – cannot be reached at that look. Calls are the mean share of all; a run with no verdict in "
            f"sight stops too. Looking costs some certainty: {_cost_of_looking(bounds, counted)}",
        ),
    )


def _early_by_z(planned: LookPlan) -> PlanWords:
    rows = tuple((numbers.whole(size), f"{z:.2f}") for size, z in zip(planned.sizes, planned.z, strict=True))
    unit = "conversations" if planned.gate.metric == "held_rate" else "attempts"
    what = "the difference lies from the margin" if planned.gate.baseline is not None else "the rate lies from the gate"
    rests = "how often cases flip" if planned.gate.baseline is not None else "how alike the trials of a case are"
    return PlanWords(
        title=_looked_at(planned),
        tables=(PlanTable(headers=(unit, "ends at z ±"), rows=rows),),
        notes=(
            f"z is how far {what}, in standard errors: above + it is met, below − it is not. A run with no verdict in "
            f"sight stops too. How many calls that takes depends on {rests}.",
        ),
    )


def _looked_at(planned: LookPlan) -> str:
    times = planned.units // planned.cases
    often = f" × {numbers.plural(times, 'trial')}" if times > 1 else ""
    cases = numbers.plural(planned.cases, "conversation" if planned.gate.metric == "held_rate" else "case")
    return f"{one_line(planned.gate.text)} on {cases}{often}, looked at every 5 %:"


def _few(look: LookBounds) -> str:
    return "–" if look.not_met is None else numbers.whole(look.not_met)


def _many(look: LookBounds) -> str:
    return numbers.whole(look.met) if look.reachable else "–"


def _operating_point(point: OperatingPoint, *, upper: bool) -> tuple[str, ...]:
    rate = 1 - point.rate if upper else point.rate
    shares = (rate, point.calls, point.met, point.not_met, point.inconclusive)
    return tuple(f"{100 * share:.1f} %" for share in shares)


def _cost_of_looking(bounds: Plan, counted: str) -> str:
    """Describe what the same run would need without looks."""
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
    """Return the output of `proctor plan --gate … --stop-early --json`. Keys may be added, but not removed."""
    record = {"gate": planned.gate.text, "cases": planned.cases, "attempts": planned.units, "bound": planned.gate.bound}
    if not planned.exact:
        looks = [{"attempts": size, "z": z} for size, z in zip(planned.sizes, planned.z, strict=True)]
        return {**record, "counted": None, "looks": looks, "spent": None, "courses": []}
    upper = planned.gate.upper
    counts = [
        {"cases": each.cases, "not_met": each.not_met, "met": each.met if each.reachable else None}
        for each in planned.counts.looks
    ]
    points = [{**plain(each), "rate": 1 - each.rate if upper else each.rate} for each in planned.operating_points()]
    spent = dict(zip(("met", "not_met"), map(float, planned.counts.spent), strict=True))
    return {
        **record, "counted": "failures" if upper else "passes", "looks": counts, "spent": spent, "courses": points
    }  # fmt: skip


def _labels(planned: LabelPlan) -> PlanWords:
    """Describe the labels needed, by correlation between judge and people."""
    rows = tuple(
        ("without a judge" if not phi else f"{phi:g}", numbers.whole(labels)) for phi, labels in planned.needed.items()
    )
    return PlanWords(
        title=f"For a pass rate as people judge of ± {points(planned.half_width)}:",
        tables=(PlanTable(headers=("judge and people correlate", "labels"), rows=rows),),
        notes=(f"Rests on {planned.basis}, and on many cases: few leave more open than labels can close.",),
    )


def labels_dict(planned: LabelPlan) -> dict[str, Any]:
    """Return the output of `proctor plan --labels … --json`. Keys may be added, but not removed."""
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
    """Return the output of `proctor plan --difference … --json`. Keys may be added, but not removed."""
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
    """Return the output of `proctor plan --gate … --json`."""
    return {
        "gate": planned.gate.text,
        "bound": planned.gate.bound,
        "fewest": [{"failures": failures, "cases": cases} for failures, cases in planned.fewest],
        "needed": planned.needed,
        "power": planned.power if planned.needed is not None else None,
    }
