"""A run on its way to one destination: what is new goes out, everything gets a verdict. Shipment."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.exporters.contract import Exporter, Played
from proctor.exporters.marks import Mark
from proctor.exporters.memory import digest
from proctor.exporters.outcome import UNCHANGED, Outcome, Report, Verdict
from proctor.run import Key


class Shipment:
    """Sends attempts as they come, and keeps count."""

    def __init__(self, exporter: Exporter, run: str) -> None:
        self._exporter = exporter
        self._run = run
        self._outcomes: list[Outcome] = []
        self._refused: Verdict | None = None

    async def begin(self) -> None:
        """Make the destination ready; where that fails, everything else gets the same verdict untried."""
        verdict = await self._exporter.begin()
        self._refused = None if verdict.arrived else verdict

    async def send(self, played: Sequence[Played]) -> None:
        """Send those that were not sent before, or that have changed since."""
        contents = [self._content(each) for each in played]
        known = self._exporter.memory.knows
        new = [place for place, each in enumerate(played) if not known(_item(each.attempt.key), contents[place])]
        verdicts = [UNCHANGED] * len(played)
        for place, verdict in zip(new, await self._verdicts([played[place] for place in new]), strict=True):
            verdicts[place] = verdict
        self._exporter.memory.note(
            {_item(played[place].attempt.key): contents[place] for place in new if verdicts[place].arrived}
        )
        for each, verdict in zip(played, verdicts, strict=True):
            key = each.attempt.key
            self._outcomes.append(Outcome(kind="attempt", name=key.exam, key=key, verdict=verdict))

    async def conclude(self, marks: Sequence[Mark]) -> None:
        """Send the scores of the whole run, where there is a place for them."""
        if not self._exporter.keeps_run_marks:
            return
        contents = [f"{self._fingerprint}{digest(mark)}" for mark in marks]
        known = self._exporter.memory.knows
        new = [place for place, mark in enumerate(marks) if not known(_score(mark), contents[place])]
        verdicts = [UNCHANGED] * len(marks)
        for place, verdict in zip(new, await self._concluded([marks[place] for place in new]), strict=True):
            verdicts[place] = verdict
        self._exporter.memory.note({_score(marks[place]): contents[place] for place in new if verdicts[place].arrived})
        for mark, verdict in zip(marks, verdicts, strict=True):
            self._outcomes.append(Outcome(kind="run score", name=mark.name, verdict=verdict))

    def skip(self, keys: Sequence[Key], verdict: Verdict) -> None:
        """Note attempts that were never handed over."""
        self._outcomes += [Outcome(kind="attempt", name=key.exam, key=key, verdict=verdict) for key in keys]

    def report(self, *, pending: int = 0) -> Report:
        """What became of everything so far."""
        trouble = self._exporter.memory.trouble
        return Report(
            destination=self._exporter.name,
            where=self._exporter.where,
            run=self._run,
            outcomes=tuple(self._outcomes),
            pending=pending,
            notes=(trouble,) if trouble else (),
        )

    @property
    def _fingerprint(self) -> str:
        return "" if self._refused is not None else self._exporter.fingerprint

    def _content(self, played: Played) -> str:
        return digest(self._fingerprint, played.exam, played.attempt)

    async def _verdicts(self, played: Sequence[Played]) -> list[Verdict]:
        if self._refused is not None:
            return [self._refused] * len(played)
        return await self._exporter.send(played) if played else []

    async def _concluded(self, marks: Sequence[Mark]) -> list[Verdict]:
        if self._refused is not None:
            return [self._refused] * len(marks)
        return await self._exporter.conclude(marks) if marks else []


def _item(key: Key) -> str:
    return "/".join(("attempt", key.exam, key.condition, str(key.trial)))


def _score(mark: Mark) -> str:
    return f"run score/{mark.name}"
