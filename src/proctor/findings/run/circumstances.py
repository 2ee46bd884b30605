"""What befell the attempts besides their verdicts: other settings, time-outs, replies that were cut off."""

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
"""So many time-outs, or such a share of the attempts, and it is said what helps."""
LONGER = 5
"""How much longer a time limit is proposed to be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedSetting:
    """Attempts that were played with another setting than the run's own."""

    setting: str
    """timeout, concurrency or retries."""
    value: float
    own: float
    """The run's."""
    attempts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeOuts:
    """Calls to one server, or to one part of the run, that were not answered in time."""

    stage: Stage
    """Who was called: agent, examiner or reviewer."""
    host: str
    """Where, as `[limits]` would name it; empty: not known."""
    limited: bool
    """Whether `[limits]` holds for it: it is a model that is called from here."""
    local: bool
    """Whether it is on this machine."""
    count: int
    attempts: int
    """Played in all."""
    seconds: float
    """The time limit."""
    concurrency: int
    """Attempts that may have been under way at once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Circumstances:
    """How the attempts of a run were played, as far as it was out of the ordinary."""

    replies: int = 0
    cut_off: int = 0
    """Replies that the model stopped in the middle, at its output limit."""
    changed: tuple[ChangedSetting, ...] = ()
    """Settings that some attempts were played with and that are not the run's own."""
    retried_timeouts: int = 0
    """Attempts that were played again because they had timed out."""
    timeouts: tuple[TimeOuts, ...] = ()
    """Where there were many; most first."""


@dataclass(slots=True)
class CircumstanceTally:
    """The same while attempts stream by."""

    attempts: int = 0
    replies: int = 0
    cut_off: int = 0
    retried: int = 0
    changed: Counter[tuple[str, float]] = field(default_factory=Counter)
    """Setting and value → attempts."""
    late: Counter[tuple[Stage, str, float | None, float | None]] = field(default_factory=Counter)
    """Who was called, where, with which time limit and how many at once → time-outs."""

    def add(self, attempt: Attempt) -> None:
        """Count one attempt that is over."""
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
        """What was counted."""
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
        """By who was called and where; of several time limits, the one that ran out most often."""
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
    """How many attempts may have been in flight at the same time: no more than there are."""
    return min(concurrency, run.planned or concurrency)


def _are_many(late: TimeOuts) -> bool:
    return late.count >= _MANY or late.count > _LARGE * late.attempts


def _source(run: Run, stage: Stage) -> Source | None:
    """Where the model is that was called; None: it is no model, or nobody knows."""
    spec = run.settings.paid_reviewer if stage == "reviewer" else run.settings.built.get(stage)
    return None if spec is None else source_in(spec.spec, spec.options)


def _name(source: Source) -> str:
    return source.host or source.provider


def sentences(run: Run, found: Circumstances) -> Iterator[str]:
    """What a reader has to know of it, and what helps."""
    if run.imported is not None:
        yield _origin(run.imported)
    for late in found.timeouts:
        yield f"{_late(late)} {_cure(late)}" if run.imported is None else _late(late)
    if found.cut_off:
        yield f"{_of(found.cut_off, found.replies, 'replies')} cut off at the output limit{_limit(run)}; raise it."
    if found.retried_timeouts:
        yield (
            f"{_attempts(found.retried_timeouts)} had timed out and {_were(found.retried_timeouts)} run again: "
            "not comparable to a run whose time-outs were not."
        )
    done = "judged" if run.rescored_from is not None else "played"
    for each in found.changed:
        yield f"{_attempts(each.attempts)} {_were(each.attempts)} {done} with {_setting(each)}."


def _setting(changed: ChangedSetting) -> str:
    """`up to 20 attempts at once; the run began with 3`."""
    said = {
        "concurrency": f"up to {changed.value:g} attempts at once",
        "timeout": f"a time limit of {changed.value:g} s",
        "retries": f"{changed.value:g} {'retry' if changed.value == 1 else 'retries'}",
    }
    told = said.get(changed.setting, f"{changed.setting} {changed.value:g}")
    return f"{told}; the run began with {changed.own:g}{' s' if changed.setting == 'timeout' else ''}"


def _origin(imported: ImportedFrom) -> str:
    tool = f"{imported.tool} {imported.version}".strip()
    return f"Imported from {tool} ({imported.file}): played there, and its verdicts are those of {imported.judge}."


def _late(late: TimeOuts) -> str:
    who = late.host or f"the {late.stage}"
    once = f", with up to {late.concurrency} attempts in flight at once" if late.concurrency > 1 else ""
    return f"In {late.count} of {late.attempts} attempts {who} did not answer within {late.seconds:g} s{once}."


def _cure(late: TimeOuts) -> str:
    """What to change when they are played again."""
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
    """How many calls at once a server may be able to answer in time."""
    if late.local and late.limited:
        return 1
    return max(1, min(late.concurrency // 2, int(late.concurrency * (1 - late.count / late.attempts))))


def _limit(run: Run) -> str:
    spec = run.settings.built.get("agent")
    given = None if spec is None else spec.options.get("max_output_tokens")
    return "" if given is None else f" (max_output_tokens = {given})"


def _of(count: int, total: int, what: str) -> str:
    return f"{count} of {total} {what} {_were(count)}"


def _attempts(count: int) -> str:
    return "1 attempt" if count == 1 else f"{count} attempts"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def runs_of_same_replies(run: Run, find: Callable[[str], Run | None]) -> list[Run]:
    """The run itself, and those that it was rescored from, one after the other, as far as they are there."""
    runs = [run]
    while (before := runs[-1].rescored_from) is not None:
        found = find(before)
        if found is None:
            break
        runs.append(found)
    return runs


def origin_of(runs: Sequence[Run]) -> str:
    """The id of the run whose replies all of these judge, which need not be there any more."""
    return runs[-1].rescored_from or runs[-1].id
