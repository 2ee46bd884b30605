"""Phrase a history, the same for all renderings: the summary sentence, and the notes beside each run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from proctor.findings.comparison.comparability import BENCHMARK
from proctor.findings.history import Change, Entry, History, Segment, Series
from proctor.reports import numbers
from proctor.reports.numbers import difference_of, p_value, passed_unit, per_pass, plural, points
from proctor.reports.outcomes import BETTER, WORSE, OutcomeLabel
from proctor.reports.people import labels_behind
from proctor.reports.words import one_line
from proctor.run import Run
from proctor.statistics.estimate import Estimate
from proctor.statistics.looks import CHART_LEVEL, STRICT_LEVEL


class Calendar:
    """Formats the times of a history consistently, in UTC."""

    def __init__(self, moments: Iterable[float]) -> None:
        days = [_utc(moment).date() for moment in set(moments)]
        self._year = len({day.year for day in days}) > 1
        self._clock = len(set(days)) < len(days)
        self._day = len(set(days)) > 1 or not self._clock

    def __call__(self, moment: float) -> str:
        """Format a time."""
        time = _utc(moment)
        pieces = [f"{time.day} {time:%b}"] if self._day else []
        pieces += [f"{time:%Y}"] if self._year else []
        pieces += [f"{time:%H:%M}"] if self._clock else []
        return " ".join(pieces)

    def say_when(self, moment: float) -> str:
        """Format a time with its preposition: `on 3 Nov`, `at 14:02`."""
        return f"{'on' if self._day or self._year else 'at'} {self(moment)}"


def _utc(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, UTC)


LEFT_OUT = OutcomeLabel(name="left_out", sign="·", word="not compared", style="pending")
_MARKS = {"better": BETTER, "worse": WORSE}
_NOTABLE = 0.05
"""Maximum p-value of an unmarked change that is mentioned, with the reason why it is not marked."""
_HASH = 12
"""Number of digits of a digest that distinguish versions."""


def calendar_of(history: History) -> Calendar:
    """Return a calendar for the times of all runs shown."""
    return Calendar(entry.when for entry in history.entries)


def sentence(history: History, series: Series, calendar: Calendar) -> str:
    """Summarise the current rate, and whether it really changed."""
    entry = series.latest
    if entry is None or entry.rate is None:
        return f"{subject(history, series)}: no run counts yet."
    rate_text = numbers.say(entry.rate)
    held = "" if entry.run.settings.type == "standard" else " of conversations held"
    now = f"{subject(history, series)}: {rate_text.value}{held} now ({rate_text.interval})"
    if entry.change is None:
        return f"{now}, the first run of its kind: nothing to compare it with yet."
    return f"{now}, {_since(entry.change, calendar)}."


def measure(entries: Iterable[Entry]) -> str:
    """Name the rates of these runs: battles have held rates, others pass rates."""
    held = {is_held(entry) for entry in entries}
    return "rate" if len(held) > 1 else "held rate" if True in held else "pass rate"


def is_held(entry: Entry) -> bool:
    """Whether the rate of a run is a held rate."""
    return entry.run.settings.type != "standard"


def legend(entries: Iterable[Entry]) -> str:
    """Explain the marks of a chart."""
    measure_name = {
        "pass rate": "Pass rates",
        "held rate": "Held rates (conversations without a failed reply)",
        "rate": "Pass rates, of battles held rates (conversations without a failed reply)",
    }[measure(entries)]
    return f"{measure_name} with 95 % intervals. Dashed: the baseline. Hollow: not compared."


def unit(entries: Iterable[Entry]) -> str:
    """Return what the rates of these runs count."""
    return {"pass rate": "cases", "held rate": "conversations", "rate": "rests on"}[measure(entries)]


def subject(history: History, series: Series) -> str:
    """Name a series: `handbook-30`, or `handbook-30, model small`."""
    if history.by is None:
        return one_line(history.benchmark, 60)
    value = f"{history.by} {series.value}" if series.value else f"without {history.by}"
    return one_line(f"{history.benchmark}, {value}", 80)


def _since(change: Change, calendar: Calendar) -> str:
    since = calendar(change.baseline.when)
    looks = numbers.plural(change.look, "comparison")
    if change.verdict != "not shown":
        return f"{_movement(change)} since {since} ({_span(change.difference)}), real after {looks}"
    difference, span = difference_of(change.difference)
    unsure = f"no real change since {since} ({difference} points, {span})"
    earlier = change.baseline.change
    if earlier is None:
        return f"{unsure} in {looks}"
    return f"{unsure}, when it went {_movement(earlier)} ({_span(earlier.difference)})"


def _movement(change: Change) -> str:
    value = change.difference.value or 0.0
    return f"{'up' if value > 0 else 'down'} {points(value)}"


def _span(estimate: Estimate) -> str:
    """Format an interval, without signs if both ends agree: `1 to 11`."""
    low, high = estimate.low or 0.0, estimate.high or 0.0
    if low * high <= 0:
        return difference_of(estimate)[1]
    ends = sorted((abs(low), abs(high)))
    return difference_of(replace(estimate, low=ends[0], high=ends[1]))[1].replace("+", "")


def mark_of(entry: Entry) -> OutcomeLabel | None:
    """Return the mark of a run: better, worse or not compared; None if it has none."""
    if entry.left_out:
        return LEFT_OUT
    return _MARKS.get(entry.change.verdict) if entry.change else None


def change_of(change: Change, calendar: Calendar) -> str:
    """Format a change: `+6 points (+1 to +11) since 3 Nov, p = 0.0012`; empty if it may be chance."""
    if change.verdict == "not shown" and change.p_value > _NOTABLE:
        return ""
    difference, span = difference_of(change.difference)
    change_text = f"{difference} points ({span}) since {calendar(change.baseline.when)}, {p_value(change.p_value)}"
    return change_text if change.verdict != "not shown" else f"{change_text}: {_why_not(change)}"


def _why_not(change: Change) -> str:
    """Explain why a notable change is not marked."""
    if change.p_value > change.level:
        return "not enough after so many comparisons"
    if (change.difference.low or 0.0) <= 0 <= (change.difference.high or 0.0):
        return "not marked, as its interval contains 0"
    if not change.difference.side:
        return "not marked, as missing attempts could undo it"
    return "not marked, as the trials that only one run has speak against it"


def notes(entry: Entry) -> Iterator[str]:
    """Yield the notes below a run: changed labels, exclusion, missing attempts, rescoring, human labels, cost."""
    labels = changed_labels(entry)
    if labels:
        yield labels
    if entry.left_out:
        yield f"not compared; {one_line(entry.left_out, 200)}"
    elif entry.run.rescored_from is not None:
        yield f"judged again from {entry.run.rescored_from}"
    if entry.rate is not None and entry.rate.missing and not entry.left_out:
        rate_text = numbers.say(entry.rate)
        yield f"{rate_text.missing}: {rate_text.bounds}"
    if entry.people is not None:
        rate_text = numbers.say(entry.people.rate)
        yield f"{rate_text.value} ({rate_text.interval}) as people judge, from {labels_behind(entry.people)}"
    if entry.cost_per_pass is not None and entry.cost_per_pass.value is not None:
        yield f"a {passed_unit(entry.run)} cost {per_pass(entry.cost_per_pass)}"


def changed_labels(entry: Entry) -> str:
    """Format changed labels: `commit 9f2c1a7, prompt v2, no branch`."""
    pieces = [f"{name} {value}" if value else f"no {name}" for name, value in entry.relabelled.items()]
    return ", ".join(one_line(piece, 60) for piece in pieces)


def short_name(run: Run) -> str:
    """Return the name of a run without that of the benchmark, which is shown above."""
    return one_line(run.name.replace(f" on {run.benchmark}", "", 1)) or run.id


def basis(entry: Entry) -> str:
    """Format the size of a run: `30 × 3` for counted cases and trials; for battles the number of conversations."""
    if entry.rate is None:
        return numbers.NOTHING
    settings, rate, n = entry.run.settings, entry.rate, numbers.whole(entry.rate.n)
    trials, up_to = settings.most_trials * settings.rated_conditions, "up to " if settings.case_trials else ""
    if rate.n and (entry.run.cut or not up_to):  # it stopped early: some cases were asked less often
        trials, up_to = -(-rate.attempts // rate.n), "up to " if rate.attempts % rate.n else ""
    return f"{n} × {up_to}{trials}" if trials > 1 and settings.type == "standard" else n


def apart(segment: Segment) -> str:
    """Explain why a segment is not compared with the previous one; empty if there is none."""
    return "; ".join(_difference(one.what, one.a, one.b) for one in segment.apart)


def letter(place: int) -> str:
    """Return the letter of a segment, if segments alternate: a, b … z, a2, b2 …"""
    turn, number = divmod(place, 26)
    return chr(ord("a") + number) + (str(turn + 1) if turn else "")


def explain_letters(series: Series) -> Iterator[str]:
    """Explain the letters: how each kind of run differs in examination from the most similar one."""
    named = [letter(place) for place in range(len(series.segments))]
    yield f"{', '.join(named[:-1])} and {named[-1]} were examined differently; only runs of one letter are compared."
    for name, segment in zip(named, series.segments, strict=True):
        if segment.apart:
            yield f"{name}: {apart(segment)}."


def _difference(what: str, a: str, b: str) -> str:
    """Format a difference: `passing score 0.7 → 0.9`; digests are truncated."""
    if what == BENCHMARK:
        return f"another version of the benchmark ({a.split()[-1][:_HASH]} → {b.split()[-1][:_HASH]})"
    return f"{what} {one_line(a, 60)} → {one_line(b, 60)}"


def setting(history: History) -> Iterator[str]:
    """Yield the context of all runs: how many, of which agents, and what is not shown."""
    runs = [entry.run for entry in history.entries]
    earlier = sum(series.earlier for series in history.series)
    all_of_one = max(len(series.entries) + series.earlier for series in history.series)
    agents = sorted({run.agent for run in runs})
    shown = numbers.plural(len(runs), "run")
    yield f"{shown} of {agents[0] if len(agents) == 1 else numbers.plural(len(agents), 'agent')}"
    if earlier:
        yield f"{numbers.plural(earlier, 'earlier run')} looked at and not shown: --last {all_of_one} shows them"
    if len(agents) > 1 and history.by is None:
        yield "--by agent separates the agents"
    if history.others:
        listed = ", ".join(one_line(name, 40) for name in history.others[:3])
        more = f" and {len(history.others) - 3} more" if len(history.others) > 3 else ""
        yield f"--benchmark for {listed}{more}"


def rule(history: History, *, baseline: str = ":") -> str:
    """Explain when a change counts as real; `baseline` is the symbol of the baseline."""
    if history.strict:
        how = f"by LOND: on average at most {numbers.percent(STRICT_LEVEL)} of all marks are false"
    else:
        how = f"at p ≤ {CHART_LEVEL:g}: one false alarm in {1 / CHART_LEVEL:.0f} comparisons"
    return (
        f"✓ better or ✗ worse than the baseline ({baseline}), paired by case, exact sign-flip test, "
        f"{how}. A marked run is the next baseline."
    )


def next_command(series: Series) -> tuple[str, str] | None:
    """Return the suggested next command and its purpose, or None."""
    entry = series.latest
    if entry is None:
        return None
    if entry.change is None:
        return f"proctor show {entry.run.id}", "what it found"
    return f"proctor compare {entry.change.baseline.run.id} {entry.run.id}", "what was fixed, what broke"


_NAMED = 3
"""Maximum number of changes listed individually, newest first."""


def opening(series: Series, calendar: Calendar) -> list[str]:
    """State the real changes and what remains open; empty if there is nothing to compare yet."""
    compared = [entry for entry in series.entries if entry.change is not None]
    if not compared:
        return []
    return [*_real_changes(series, compared, calendar), *_open(series), *_left_out(series)]


def _real_changes(series: Series, compared: list[Entry], calendar: Calendar) -> Iterator[str]:
    real = [entry for entry in compared if entry.marked][::-1]
    if not real:
        first = series.latest is not None and series.latest.change is None
        runs = [sum(entry.change is not None for entry in segment.entries) + 1 for segment in series.segments]
        text = plural(sum(each for each in runs if each > 1), "run")
        among = f"{text}, examined in another way," if first else text
        yield f"Nothing in {among} is shown to be more than chance."
        return
    text = "; ".join(_describe_change(entry, calendar) for entry in real[:_NAMED])
    more = f"; and {plural(len(real) - _NAMED, 'earlier one')}" if len(real) > _NAMED else ""
    yield f"Real changes: {text}{more}."


def _describe_change(entry: Entry, calendar: Calendar) -> str:
    """Describe a change: `down 20 points on 11 Nov (with model small)`; the label need not be the cause."""
    assert entry.change is not None
    value = entry.change.difference.value or 0.0
    labels = changed_labels(entry)
    label_note = f" (with {labels})" if labels else ""
    return f"{'up' if value > 0 else 'down'} {points(value)} {calendar.say_when(entry.when)}{label_note}"


def _open(series: Series) -> Iterator[str]:
    """Say how large an undetected change of the newest run may be."""
    change = series.latest.change if series.latest is not None else None
    if change is None or change.verdict != "not shown":
        return
    low, high = change.difference.low, change.difference.high
    if low is not None and high is not None and low < 0 < high:
        yield f"The newest run may be anything from {_about(low)} worse to {_about(high)} better than its baseline."


def _about(share: float) -> str:
    """Format a share in whole points, with decimals if it is less than one."""
    return points(round(share, 2) or share)


def _left_out(series: Series) -> Iterator[str]:
    left = sum(bool(entry.left_out) for entry in series.entries)
    if left:
        yield f"{plural(left, 'run')} {'is' if left == 1 else 'are'} shown and not compared."
