"""Scores the reviewer itself is unsure of, and the use of a second judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from proctor.run import Attempt, Run
from proctor.usage import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class UnsureMarks:
    """Numbers of unsure scores and of replies passed on to a second judge."""

    marks: int = 0
    """Number of scores given to the agent."""
    unsure: int = 0
    """Number of those that their reviewer is unsure of."""
    judged: int = 0
    """Number of replies judged, even if no score could be given."""
    passed_on: int = 0
    """Number of those passed on to the second judge."""
    calls_saved: float | None = None
    """Share of replies that the second judge was not asked about, or None without a second judge."""
    second: Usage = Usage()
    """Usage of the second judge."""
    cost_saved: float | None = None
    """Estimated cost of asking the second judge about the other replies, at its mean price, or None if unknown."""


@dataclass(slots=True)
class UnsureTally:
    """Accumulates unsure scores and the use of a second judge."""

    marks: int = 0
    unsure: int = 0
    judged: dict[str, int] = field(default_factory=dict)
    """Judge → replies it scored, or could not score even though a second judge was asked; a panel has several."""
    passed_on: int = 0
    second: Usage = field(default_factory=Usage)

    def add(self, attempt: Attempt) -> None:
        """Count one finished attempt."""
        for score in attempt.scores:
            if score.of == "agent":
                self.marks += 1
                self.unsure += score.unsure
                self._judge(score.by)
                self._pass_on(score.passed_on)
        for missing in attempt.unscored:
            if missing.passed_on is not None:
                self._judge(missing.by)
            self._pass_on(missing.passed_on)

    def _judge(self, by: str) -> None:
        self.judged[by] = self.judged.get(by, 0) + 1

    def _pass_on(self, used: Usage | None) -> None:
        if used is not None:
            self.passed_on += 1
            self.second += used

    def findings(self, run: Run) -> UnsureMarks:
        """Return the numbers counted so far."""
        panel = run.settings.panel
        judged = sum(count for by, count in self.judged.items() if not panel or "," in by)
        two = any(len(judge) > 1 for judge in run.settings.judges) or self.passed_on > 0
        kept = judged - self.passed_on
        priced = self.passed_on and self.second.cost is not None
        return UnsureMarks(
            marks=self.marks,
            unsure=self.unsure,
            judged=judged,
            passed_on=self.passed_on,
            calls_saved=kept / judged if two and judged else None,
            second=self.second,
            cost_saved=(self.second.cost or 0.0) / self.passed_on * kept if priced else None,
        )


def sentences(run: Run, found: UnsureMarks) -> Iterator[str]:
    """Yield notes on unsure scores and what to do about them."""
    if found.calls_saved is not None:
        yield _say_asked(run, found)
    if not found.unsure:
        return
    text = (
        f"{found.unsure:,} of {found.marks:,} scores {'is' if found.unsure == 1 else 'are'} unsure: read those replies"
    )
    if found.calls_saved is not None or "reviewer" not in run.settings.built:
        yield f"{text} yourself."
    else:
        yield (
            f"{text} yourself, or have a second judge decide them alone: rescore the run with the reviewer "
            f"{run.settings.reviewer},openai:MODEL."
        )


def _say_asked(run: Run, found: UnsureMarks) -> str:
    """Describe the use of the second judge: `23 of 200 replies went to the second judge, openai:MODEL, …`"""
    name = "" if run.settings.panel else (run.settings.reviewer or "").partition(",")[2]
    saved = found.judged - found.passed_on
    cost = f", about {found.cost_saved:.2g} of its cost" if found.cost_saved else ""
    return (
        f"{found.passed_on:,} of {found.judged:,} replies went to the second judge{f', {name},' if name else ''} whose "
        f"score decides: that saved {saved:,} of {found.judged:,} calls ({100 * (found.calls_saved or 0):.0f} %){cost}."
    )
