"""Circumstances of the attempts besides their verdicts: changed settings, timeouts, truncated replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from proctor.run import Attempt, Run, Stage
from proctor.score import ImportedFrom
from proctor.spending.providers import Source, is_loopback, source_in

_RETRIED = "retried_timeouts"
_MANY = 3
_LARGE = 0.05
"""Share of attempts (or `_MANY` of them) that must time out before advice is given."""
LONGER = 5
"""Factor by which a longer time limit is suggested."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedSetting:
    """Attempts played with a setting that differs from the run's."""

    setting: str
    """timeout, concurrency or retries."""
    value: float
    own: float
    """The run's own value."""
    attempts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeOuts:
    """Timeouts of calls to one server or one part of the run."""

    stage: Stage
    """The role that was called: agent, examiner or reviewer."""
    host: str
    """Host, as named in `[limits]`; empty if unknown."""
    limited: bool
    """Whether `[limits]` applies, because it is a model called by Proctor itself."""
    local: bool
    """Whether the server is on this machine."""
    count: int
    attempts: int
    """Number of attempts played."""
    seconds: float
    """The time limit in seconds."""
    concurrency: int
    """Maximum number of attempts in flight at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Circumstances:
    """Unusual circumstances in which the attempts of a run were played."""

    replies: int = 0
    cut_off: int = 0
    """Replies truncated at the model's output limit."""
    changed: tuple[ChangedSetting, ...] = ()
    """Settings of some attempts that differ from the run's."""
    retried_timeouts: int = 0
    """Attempts that were played again after a timeout."""
    timeouts: tuple[TimeOuts, ...] = ()
    """Frequent timeouts, most first."""


@dataclass(slots=True)
class CircumstanceTally:
    """Accumulates the circumstances of attempts."""

    attempts: int = 0
    replies: int = 0
    cut_off: int = 0
    retried: int = 0
    changed: Counter[tuple[str, float]] = field(default_factory=Counter)
    """(setting, value) → number of attempts."""
    late: Counter[tuple[Stage, str, float | None, float | None]] = field(default_factory=Counter)
    """(stage, host, time limit, concurrency) → number of timeouts."""

    def add(self, attempt: Attempt) -> None:
        """Count one finished attempt."""
        failure, changed = attempt.failure, attempt.changed
        self.attempts += 1
        unanswered = failure is not None and failure.stage == "agent"
        self.replies += max(0, len(attempt.turn_passed) - unanswered)
        self.cut_off += attempt.cut_off
        if changed:
            self.retried += _RETRIED in changed
            self.changed.update(pair for pair in changed.items() if pair[0] != _RETRIED)
        if failure is not None and failure.kind == "timeout":
            self.late[failure.stage, failure.host, changed.get("timeout"), changed.get("concurrency")] += 1

    def findings(self, run: Run) -> Circumstances:
        """Return the circumstances counted so far."""
        changed = [
            ChangedSetting(setting=name, value=value, own=getattr(run.settings, name), attempts=count)
            for (name, value), count in sorted(self.changed.items())
        ]
        timeouts = sorted(self._timeouts(run), key=lambda each: -each.count)
        return Circumstances(
            replies=self.replies,
            cut_off=self.cut_off,
            changed=tuple(changed),
            retried_timeouts=self.retried,
            timeouts=tuple(each for each in timeouts if _are_many(each)),
        )

    def _timeouts(self, run: Run) -> Iterator[TimeOuts]:
        """Yield the timeouts per stage and host, with the time limit that expired most often."""
        places = {(stage, host) for stage, host, _, _ in self.late}
        for stage, host in sorted(places):
            late = Counter({key[2:]: count for key, count in self.late.items() if key[:2] == (stage, host)})
            (seconds, concurrency), _ = late.most_common(1)[0]
            source = _source(run, stage)
            limited = source is not None and host in ("", source.host)
            yield TimeOuts(
                stage=stage,
                host=_name(source) if limited and source is not None else host,
                limited=limited,
                local=limited and source is not None and is_loopback(source),
                count=late.total(),
                attempts=self.attempts,
                seconds=run.settings.timeout if seconds is None else seconds,
                concurrency=_at_once(run, run.settings.concurrency if concurrency is None else int(concurrency)),
            )


def _at_once(run: Run, concurrency: int) -> int:
    """Return the maximum number of attempts in flight: the concurrency, capped at the planned attempts."""
    return min(concurrency, run.planned or concurrency)


def _are_many(late: TimeOuts) -> bool:
    return late.count >= _MANY or late.count > _LARGE * late.attempts


def _source(run: Run, stage: Stage) -> Source | None:
    """Return where the called model runs, or None if it is not a model or not known."""
    spec = run.settings.paid_reviewer if stage == "reviewer" else run.settings.built.get(stage)
    return None if spec is None else source_in(spec.spec, spec.options)


def _name(source: Source) -> str:
    return source.host or source.provider


def sentences(run: Run, found: Circumstances) -> Iterator[str]:
    """Yield notes on the circumstances and on what helps."""
    if run.imported is not None:
        yield _origin(run.imported)
    for late in found.timeouts:
        yield f"{_late(late)} {_cure(late)}" if run.imported is None else _late(late)
    if found.cut_off:
        yield f"{_ratio(found.cut_off, found.replies, 'replies')} cut off at the output limit{_limit(run)}; raise it."
    if found.retried_timeouts:
        yield (
            f"{_attempts(found.retried_timeouts)} had timed out and {_were(found.retried_timeouts)} run again: "
            "not comparable to a run whose time-outs were not."
        )
    done = "judged" if run.rescored_from is not None else "played"
    for each in found.changed:
        yield f"{_attempts(each.attempts)} {_were(each.attempts)} {done} with {_setting(each)}."


def _setting(changed: ChangedSetting) -> str:
    """Describe a changed setting, such as `up to 20 attempts at once; the run began with 3`."""
    phrases = {
        "concurrency": f"up to {changed.value:g} attempts at once",
        "timeout": f"a time limit of {changed.value:g} s",
        "retries": f"{changed.value:g} {'retry' if changed.value == 1 else 'retries'}",
    }
    phrase = phrases.get(changed.setting, f"{changed.setting} {changed.value:g}")
    return f"{phrase}; the run began with {changed.own:g}{' s' if changed.setting == 'timeout' else ''}"


def _origin(imported: ImportedFrom) -> str:
    tool = f"{imported.tool} {imported.version}".strip()
    return f"Imported from {tool} ({imported.file}): played there, and its verdicts are those of {imported.judge}."


def _late(late: TimeOuts) -> str:
    who = late.host or f"the {late.stage}"
    once = f", with up to {late.concurrency} attempts in flight at once" if late.concurrency > 1 else ""
    return f"In {late.count} of {late.attempts} attempts {who} did not answer within {late.seconds:g} s{once}."


def _cure(late: TimeOuts) -> str:
    """Return advice on what to change before playing the attempts again."""
    longer = f"{LONGER * late.seconds:g} s for a reply"
    if late.concurrency == 1:
        return f"If it needs longer, allow {longer}."
    if late.limited:
        table = f'[limits."{late.host}"]' if set(late.host) & set(".:") else f"[limits.{late.host}]"
        now = " (2 unless set, on this machine)" if late.local else ""
        return (
            f"If fewer calls at once help, set {table} concurrency = {fewer_at_once(late)} in proctor.toml{now}; if it "
            f"needs longer, allow {longer}."
        )
    return f"If it is overloaded, run {fewer_at_once(late)} at once; if it needs longer, allow {longer}."


def fewer_at_once(late: TimeOuts) -> int:
    """Return the number of concurrent calls that the server can probably answer in time."""
    if late.local and late.limited:
        return 1
    return max(1, min(late.concurrency // 2, int(late.concurrency * (1 - late.count / late.attempts))))


def _limit(run: Run) -> str:
    spec = run.settings.built.get("agent")
    given = None if spec is None else spec.options.get("max_output_tokens")
    return "" if given is None else f" (max_output_tokens = {given})"


def _ratio(count: int, total: int, what: str) -> str:
    return f"{count} of {total} {what} {_were(count)}"


def _attempts(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def runs_of_same_replies(run: Run, find: Callable[[str], Run | None]) -> list[Run]:
    """Return the run and those it was rescored from, one after the other, as far as they are stored."""
    runs = [run]
    while (before := runs[-1].rescored_from) is not None:
        found = find(before)
        if found is None:
            break
        runs.append(found)
    return runs


def origin_of(runs: Sequence[Run]) -> str:
    """Return the id of the run that produced the replies, which may no longer be stored."""
    return runs[-1].rescored_from or runs[-1].id
