"""Build a history from runs and their verdicts: series, segments of comparable runs, and significant changes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeVar

from proctor.errors import UsageError
from proctor.findings.battle.units import Units
from proctor.findings.comparison import SettingDifference, unlike
from proctor.findings.history.changes import CountedRun, Counts, Order, looked_at
from proctor.findings.history.series import Entry, History, Segment, Series
from proctor.findings.run.circumstances import origin_of, runs_of_same_replies
from proctor.findings.run.cost import cost_of_pass
from proctor.findings.run.people import PeopleFinding
from proctor.run import Run
from proctor.spending.providers import PROVIDERS
from proctor.statistics.estimate import Estimate
from proctor.statistics.pass_at_k import over_cases, pass_at_k, rate_of_counts
from proctor.usage import Usage

AGENT, MODEL = "agent", "model"
T = TypeVar("T")


def value_of(run: Run, by: str) -> str:
    """Return the run's agent, model or value of a label; empty if it has none."""
    if by in run.labels:
        return run.labels[by]
    if by == AGENT:
        return run.agent
    return _model(run) if by == MODEL else ""


def _model(run: Run) -> str:
    """Return the configured model: the agent's option `model`, or the one its spec names."""
    built = run.settings.built.get("agent")
    if built is None:
        return ""
    kind, _, rest = built.spec.partition(":")
    return str(built.options.get("model") or (rest if kind in PROVIDERS else ""))


def group_by_value(items: Iterable[tuple[Run, T]], by: str | None) -> dict[str, list[T]]:
    """Group items by the value of their run, in order of first appearance."""
    groups: dict[str, list[T]] = {}
    for run, item in items:
        groups.setdefault(value_of(run, by) if by else "", []).append(item)
    return groups


def check_by(runs: Sequence[Run], by: str) -> None:
    """Refuse to group by a label that no run has."""
    if by == AGENT or any(value_of(run, by) for run in runs):
        return
    known = sorted({label for run in runs for label in run.labels})
    labels = f"; labels here: {', '.join(known)}" if known else ""
    raise UsageError(
        f"no run has a label {by!r}{labels}. Group by agent, or give runs a label {by}",
        terminal=f" with `proctor run --label {by}=VALUE`",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _TracedRun:
    """A run with its verdicts and the origin of its replies."""

    run: Run
    counts: Counts
    order: Callable[[], Order]
    when: float
    origin: str
    """Id of the run that produced the replies: itself unless it was rescored."""
    people: PeopleFinding | None = None
    """The findings from human labels."""
    spent: Usage | None = None
    """The run's usage."""


def build_history(
    known: Sequence[tuple[Run, Counts]],
    *,
    benchmark: str,
    by: str | None = None,
    strict: bool = False,
    last: int | None = None,
    others: tuple[str, ...] = (),
    order_of: Callable[[Run], Order] | None = None,
    people: Mapping[str, PeopleFinding] | None = None,
    spent: Mapping[str, Usage] | None = None,
) -> History:
    """Build the history of these runs of one benchmark; each series keeps only its newest `last` runs for display.

    Every run is tested whether it is shown or not, so that marks do not depend on `last`. `order_of` loads a run's
    verdicts in trial order, for runs with different numbers of trials. `people` (findings from human labels) and
    `spent` (usage) are by run id.
    """
    if by:
        check_by([run for run, _ in known], by)
    traced = _trace_origins(known, order_of, people or {}, spent or {})
    played = sorted(traced, key=lambda each: (each.when, each.run.created, each.run.id))
    groups = group_by_value(((each.run, each) for each in played), by)
    series = [_series(value, inside, strict=strict, last=last) for value, inside in groups.items()]
    return History(benchmark=benchmark, by=by, strict=strict, series=tuple(series), others=others)


def _trace_origins(
    known: Sequence[tuple[Run, Counts]],
    order_of: Callable[[Run], Order] | None,
    people: Mapping[str, PeopleFinding],
    spent: Mapping[str, Usage],
) -> Iterator[_TracedRun]:
    """Yield each run with the time and origin of its replies, traced through rescored runs as far as possible."""
    runs = {run.id: run for run, _ in known}
    for run, counts in known:
        sources = runs_of_same_replies(run, runs.get)
        order = cache(partial(order_of, run)) if order_of is not None else dict
        yield _TracedRun(
            run=run, counts=counts, order=order, when=sources[-1].created, origin=origin_of(sources),
            people=people.get(run.id), spent=spent.get(run.id),
        )  # fmt: skip


def _series(value: str, played: Sequence[_TracedRun], *, strict: bool, last: int | None) -> Series:
    shown = {each.run.id for each in (played if last is None else played[-last:])}
    segments = [_entries(inside, strict=strict, shown=shown) for inside in _group_comparable(played)]
    kept = [[entry for entry in segment if entry.run.id in shown] for segment in segments]
    kept = [segment for segment in kept if segment]
    return Series(
        value=value,
        segments=tuple(_segment(segment, kept[:number]) for number, segment in enumerate(kept)),
        earlier=len(played) - len(shown),
    )


def _group_comparable(played: Iterable[_TracedRun]) -> list[list[_TracedRun]]:
    """Group comparable runs, each group in time order; the group with the newest replies comes last.

    Among groups with the same replies, rescored ones come after the original. A run that cannot be read stays in the
    group before it, since its settings are unknown.
    """
    segments: list[list[_TracedRun]] = []
    for each in played:
        if segments and not each.run.planned:
            home: list[_TracedRun] | None = segments[-1]
        else:
            home = next((inside for inside in segments if not unlike(inside[0].run, each.run)), None)
        if home is None:
            segments.append(home := [])
        home.append(each)
    return sorted(segments, key=lambda inside: (inside[-1].when, inside[-1].run.created))


def _entries(played: Sequence[_TracedRun], *, strict: bool, shown: Container[str]) -> list[Entry]:
    """Turn comparable runs into entries and add the changes of those that count."""
    seen: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    counted_runs: list[CountedRun] = []
    for each in played:
        entry = _entry(each, seen)
        entries[each.run.id] = entry
        if not entry.left_out:
            seen[each.origin] = each.run.id
            counted_runs.append(CountedRun(entry=entry, counts=each.counts, order=each.order))
    entries |= {entry.run.id: entry for entry in looked_at(counted_runs, strict=strict, shown=shown)}
    return list(entries.values())


def _entry(played: _TracedRun, seen: Mapping[str, str]) -> Entry:
    rate = rate_of(played.run, played.counts)
    left_out = _why_left_out(played, rate, seen)
    return Entry(
        run=played.run, when=played.when, rate=rate, left_out=left_out, relabelled={}, people=played.people,
        cost_per_pass=_cost_per_pass(played, rate),
    )  # fmt: skip


def _cost_per_pass(played: _TracedRun, rate: Estimate | None) -> Estimate | None:
    """Return the cost per passed case, or None for several conditions, whose cost is not the plain run's."""
    if played.spent is None or len(played.run.settings.conditions) > 1:
        return None
    counted = sum(counted for counted, _ in played.counts.values())
    return cost_of_pass(played.run, played.spent, counted, rate)


def rate_of(run: Run, counts: Counts) -> Estimate | None:
    """Return the pass rate (in battles, the held rate) from the verdicts alone, as in the run's findings."""
    if not run.planned:
        return None
    if run.settings.type != "standard":
        return _held_rate(run, counts)
    settings = run.settings
    if run.cut and settings.repeats > 1:  # cases asked less often by early stopping are not missing
        return over_cases(pass_at_k, counts.values(), 1)
    each = settings.rated_conditions
    own = {case: trials * each for case, trials in settings.case_trials.items()}
    return rate_of_counts(counts, cases=run.exams, trials=settings.trials * each, own=own)


def _held_rate(run: Run, counts: Counts) -> Estimate:
    settings = run.settings
    units = Units(seeds=settings.type == "abm-dynamic", repeats=settings.trials * settings.rated_conditions)
    for exam, (counted, held) in counts.items():
        for number in range(counted):
            units.add(exam, float(number < held))
    planned = run.planned if run.cut else run.planned // len(settings.conditions) * settings.rated_conditions
    return units.estimate(missing=planned - sum(counted for counted, _ in counts.values()))


def _why_left_out(played: _TracedRun, rate: Estimate | None, seen: Mapping[str, str]) -> str:
    run = played.run
    if run.status != "completed":
        return f"{run.status}: {run.reason}" if run.reason else run.status
    if rate is None or rate.value is None:
        return "no attempt has a verdict"
    if played.origin in seen:
        return f"the same replies as {seen[played.origin]}, judged again"
    return ""


def _representative(entries: Sequence[Entry]) -> Run:
    """Return the newest run of a segment, preferably one that can be read."""
    return next((entry.run for entry in reversed(entries) if entry.run.planned), entries[-1].run)


def _segment(entries: Sequence[Entry], before: Sequence[Sequence[Entry]]) -> Segment:
    previous = [before[-1][-1].run if before else None, *(entry.run for entry in entries)]
    return Segment(
        entries=tuple(
            replace(entry, relabelled=_changed_labels(earlier, entry.run))
            for earlier, entry in zip(previous, entries, strict=False)
        ),
        apart=tuple(_setting_differences(entries, before)),
    )


def _setting_differences(entries: Sequence[Entry], before: Sequence[Sequence[Entry]]) -> list[SettingDifference]:
    """Return how these runs' settings differ from the most similar earlier segment."""
    own = _representative(entries)
    found = [unlike(_representative(segment), own) for segment in reversed(before)]
    return min(found, key=len, default=[])


def _changed_labels(before: Run | None, run: Run) -> dict[str, str]:
    """Return the labels that differ from the previous run; for the first run, all labels."""
    if before is None:
        return dict(run.labels)
    changed = {name: value for name, value in run.labels.items() if before.labels.get(name) != value}
    gone = {name: "" for name in before.labels if name not in run.labels}
    agent = {AGENT: run.agent} if run.agent != before.agent else {}
    return agent | changed | gone
