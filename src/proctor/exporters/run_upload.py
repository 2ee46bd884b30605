"""Export of one run to one destination: only new items are sent, all get a verdict. RunUpload."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from proctor.exporters.contract import Exporter, FinishedAttempt
from proctor.exporters.delivery_log import digest
from proctor.exporters.marks import run_marks
from proctor.exporters.outcome import UNCHANGED, DeliveryVerdict, ItemOutcome, Report
from proctor.findings.run import Findings
from proctor.run import Key


class RunUpload:
    """Sends attempts as they finish, and collects the results."""

    def __init__(self, exporter: Exporter, run: str) -> None:
        self._exporter = exporter
        self._run = run
        self._outcomes: list[ItemOutcome] = []
        self._refused: DeliveryVerdict | None = None

    async def begin(self) -> None:
        """Prepare the destination; if that fails, all items get the same verdict without being tried."""
        verdict = await self._exporter.begin()
        self._refused = None if verdict.arrived else verdict

    async def send(self, played: Sequence[FinishedAttempt]) -> None:
        """Send attempts that are new or have changed."""
        keys = [each.attempt.key for each in played]
        contents = [(_item(each.attempt.key), digest(self._fingerprint, each.exam, each.attempt)) for each in played]
        verdicts = await self._new(contents, lambda new: self._exporter.send([played[place] for place in new]))
        for key, verdict in zip(keys, verdicts, strict=True):
            self._outcomes.append(ItemOutcome(kind="attempt", name=key.exam, key=key, verdict=verdict))

    async def conclude(self, findings: Findings) -> None:
        """Send the scores of the whole run, if the destination can store them."""
        if not self._exporter.keeps_run_marks:
            return
        run, marks = findings.run, run_marks(findings)
        contents = [(f"run score/{mark.name}", digest(self._fingerprint, mark)) for mark in marks]
        verdicts = await self._new(contents, lambda new: self._exporter.conclude(run, [marks[place] for place in new]))
        for mark, verdict in zip(marks, verdicts, strict=True):
            self._outcomes.append(ItemOutcome(kind="run score", name=mark.name, verdict=verdict))

    def skip(self, keys: Sequence[Key], verdict: DeliveryVerdict) -> None:
        """Record a verdict for attempts that were never passed to `send`."""
        self._outcomes += [ItemOutcome(kind="attempt", name=key.exam, key=key, verdict=verdict) for key in keys]

    def report(self, *, pending: int = 0) -> Report:
        """Return the results so far."""
        trouble = self._exporter.memory.trouble
        return Report(
            destination=self._exporter.name,
            where=self._exporter.where,
            run=self._run,
            outcomes=tuple(self._outcomes),
            link="" if self._refused is not None else self._exporter.link,
            pending=pending,
            notes=(trouble,) if trouble else (),
        )

    @property
    def _fingerprint(self) -> str:
        return "" if self._refused is not None else self._exporter.fingerprint

    async def _new(
        self, contents: Sequence[tuple[str, str]], send: Callable[[list[int]], Awaitable[list[DeliveryVerdict]]]
    ) -> list[DeliveryVerdict]:
        """Send the new ones of these (item, digest) pairs, remember what arrived, and return a verdict for each."""
        memory = self._exporter.memory
        new = [place for place, (item, content) in enumerate(contents) if not memory.knows(item, content)]
        new_verdicts = [self._refused] * len(new) if self._refused is not None else await send(new) if new else []
        verdicts = [UNCHANGED] * len(contents)
        for place, verdict in zip(new, new_verdicts, strict=True):
            verdicts[place] = verdict
        memory.note(dict(contents[place] for place in new if verdicts[place].arrived))
        return verdicts


def _item(key: Key) -> str:
    return "/".join(("attempt", key.exam, key.condition, str(key.trial)))
