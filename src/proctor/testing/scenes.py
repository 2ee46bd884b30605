"""Scenes that executors are tested with: exams, a scripted agent, judges, and a log of all calls.

A scene is plain data, so that it can be sent to another process; calls are logged to a file.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from proctor import fault_injection
from proctor.benchmark import Case, Exam
from proctor.errors import EnvironmentFault, Misconfigured
from proctor.run import Attempt, Key, PendingAttempt, Settings
from proctor.score import Part, Review
from proctor.spending.budget import Budget
from proctor.spending.limits import Limits
from proctor.spending.providers import Source
from proctor.spending.run_limits import RunLimits, current, enforce_limits
from proctor.transcript import Reply, Request, Transcript, Turn
from proctor.usage import Usage

Behaviour = Literal["answers", "hangs", "is unreachable", "has no key", "spends", "uses a tool", "calls a model"]
TOKENS = 100
"""Tokens that each call uses if the agent spends tokens."""
_MOMENT = 0.01
_MODEL = Source(provider="openai", host="model.example")


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A run for an executor to play."""

    folder: Path
    """Folder of the call log."""
    behaviour: Behaviour = "answers"
    """What the agent does; one that hangs answers only the first case."""
    cases: int = 10
    turns: int = 1
    """Number of questions in each exam."""
    open: bool = False
    """Whether an examiner asks further questions after the first."""
    settings: Settings = field(default_factory=lambda: Settings(concurrency=4, retries=0))
    faults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    per_minute: float | None = None
    """Rate limit of the agent's model in calls a minute, shared by all workers; None: unlimited."""

    @property
    def exams(self) -> tuple[Exam, ...]:
        """The exams to play."""
        return tuple(self._exam(number) for number in range(1, self.cases + 1))

    @property
    def agent(self) -> SceneAgent:
        """The agent to examine."""
        return SceneAgent(self)

    @property
    def reviewers(self) -> tuple[SceneReviewer, ...]:
        """The judges of the replies."""
        return (SceneReviewer(),)

    @property
    def examiner(self) -> SceneExaminer | None:
        """The examiner, if the exams are open."""
        return SceneExaminer() if self.open else None

    def pending(self) -> list[PendingAttempt]:
        """Return all attempts as not yet started."""
        return [
            PendingAttempt(
                exam=exam,
                attempt=Attempt(key=Key(run="scene", exam=exam.id, condition=condition, trial=trial)),
            )
            for trial in range(1, self.settings.trials + 1)
            for condition in self.settings.conditions
            for exam in self.exams
        ]

    def answered(self, *turns: int) -> list[PendingAttempt]:
        """Return all attempts with these of their turns already stored."""
        return [
            replace(pending, attempt=replace(pending.attempt, transcript=_transcript(pending.exam, turns)))
            for pending in self.pending()
        ]

    @contextmanager
    def limits(self, budget: Budget | None = None) -> Iterator[None]:
        """Apply the run's budget and rate limits; in a worker, with the `budget` that it received."""
        tokens = self.settings.max_tokens
        if budget is None and tokens is not None:
            budget = Budget(tokens=tokens)
        rates = {} if self.per_minute is None else {_MODEL.provider: {"requests_per_minute": self.per_minute}}
        limits = Limits(rates, shared=self.folder / "limits")
        try:
            with enforce_limits(RunLimits(limits=limits, budget=budget)):
                yield
        finally:
            limits.close()

    def note(self, what: str) -> None:
        """Append a line to the log; safe across processes."""
        descriptor = os.open(self.folder / "calls", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(descriptor, f"{what}\n".encode())
        finally:
            os.close(descriptor)

    def notes(self) -> list[str]:
        """Return all lines logged so far."""
        path = self.folder / "calls"
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def calls(self) -> Counter[tuple[str, str, int, int]]:
        """Count the agent's calls by exam, condition, trial and turn."""
        begun = (line.split("|")[1:] for line in self.notes() if line.startswith("begin|"))
        return Counter((exam, condition, int(trial), int(turn)) for exam, condition, trial, turn in begun)

    def most_at_once(self) -> int:
        """Return the maximum number of concurrent calls."""
        now = most = 0
        for line in self.notes():
            now += 1 if line.startswith("begin|") else -1
            most = max(most, now)
        return most

    def _exam(self, number: int) -> Exam:
        cases = tuple(
            Case(id=f"c{number}.{turn}", question=f"{number}.{turn}?", answer="yes")
            for turn in range(1, self.turns + 1)
        )
        return Exam(id=f"c{number}", cases=cases, open=self.open)


def _transcript(exam: Exam, turns: Sequence[int]) -> Any:
    return Transcript(
        turns=tuple(
            Turn(number=number, question=exam.cases[number - 1].question, case=exam.cases[number - 1].id,
                 reply=Reply(text="yes, as before"), started=1.0, ended=2.0)
            for number in turns
        )
    )  # fmt: skip


class SceneAgent:
    """Agent with one fixed behaviour that logs every call."""

    name = "scene"
    takes_request = True

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    async def reply(self, request: Request) -> Reply:
        """Act out the scene's behaviour."""
        exam = request.conversation.split("/")[1]
        self._scene.note(f"begin|{exam}|{request.condition or ''}|{request.trial}|{request.turn}")
        try:
            await asyncio.sleep(_MOMENT)
            return await self._act(exam)
        finally:
            self._scene.note(f"end|{exam}")

    async def _act(self, exam: str) -> Reply:
        behaviour = self._scene.behaviour
        if behaviour == "hangs" and exam != "c1":
            await asyncio.Event().wait()
        if behaviour == "is unreachable":
            raise EnvironmentFault("nobody is home")
        if behaviour == "has no key":
            raise Misconfigured("HTTP 401: bad key")
        if behaviour == "uses a tool":
            return Reply(text=_ask_tool())
        if behaviour == "calls a model":
            return Reply(text=await _ask_model())
        used = Usage(input_tokens=TOKENS, calls=1, cost=0.01) if behaviour == "spends" else None
        return Reply(text="yes", usage=used)

    async def forget(self, conversation: str) -> None:
        """Do nothing: there is no conversation state."""

    async def close(self) -> None:
        """Do nothing: there are no resources."""


async def _ask_model() -> str:
    limits = current()
    assert limits is not None, "workers are built inside `Scene.limits`"
    used = Usage(input_tokens=1, calls=1)
    async with limits.call(_MODEL, used) as call:
        call.count_answer(used)
    return "yes"


@fault_injection.tool(name="lookup")
def _look_up() -> str:
    return "yes"


def _ask_tool() -> str:
    try:
        return _look_up()
    except fault_injection.ToolFailed:
        return "no"


class SceneReviewer:
    """Reviewer that passes replies containing "yes"."""

    name = "scene"
    rubric = "scene-1"
    judges_improvised = True
    asks_nobody = True

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Pass the reply if it contains "yes"."""
        reply = turns[-1].reply
        says_yes = reply is not None and reply.text.startswith("yes")
        return Review(parts=(Part(name="correctness", value=float(says_yes)),))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return None: there is no verdict on the whole conversation."""
        return None


class SceneExaminer:
    """Examiner that keeps asking until it is stopped."""

    name = "scene"

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | None:
        """Return one more question."""
        return Turn(number=0, question=f"and {len(turns)}?")
