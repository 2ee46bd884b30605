"""Any agent as examiner: it sees the exam from the examiner's side, and its reply is the next question."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor import plugins
from proctor.benchmark import Exam
from proctor.examiners.prompt import LIMIT, conversation, next_turn, system_prompt
from proctor.examiners.record import seed_of
from proctor.findings.battle.strategies import OTHER
from proctor.roles import Agent, Examiner
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage

_FORM = (
    "Reply with the strategy's name in square brackets and the question after it, such as `[source] Where does it say "
    "so?`, and with nothing else. Reply with DONE alone to end the exam."
)
_BRACKETED = re.compile(r"\s*\[(?P<strategy>[A-Za-z _-]{1,40})\]\s*(?P<question>.*)", re.DOTALL)
_DONE = re.compile(r"[\W_]*done[\W_]*", re.IGNORECASE)


def load(spec: str, options: Mapping[str, Any]) -> Examiner:
    """Load the agent of a spec such as `python:module:attribute`, with its own options, as an examiner."""
    return AgentExaminer(plugins.build("agents", spec, options))


class AgentExaminer:
    """Passes task and exam to the agent each time, as text and as a Request, under a constant conversation id."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._task = system_prompt(_FORM)
        self.settles: bool = getattr(agent, "settles", False)

    @property
    def name(self) -> str:
        """Name of the agent."""
        return self._agent.name

    async def ask(
        self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None, conversation: str | None = None
    ) -> Turn | Usage | None:
        """Return the agent's reply as the next question; DONE or an empty reply ends the exam. Its failures are raised.

        Without a `conversation`, nobody reports its end, so the agent is told to forget it at once.
        """
        key = f"examiner-{uuid.uuid4().hex}" if conversation is None else _examiner_conversation(conversation)
        try:
            reply = await self._agent.reply(self._request(exam, turns, note, key))
        finally:
            if conversation is None:
                await self._agent.forget(key)
        if not reply.text.strip() or _DONE.fullmatch(reply.text):
            return reply.usage
        found = _BRACKETED.fullmatch(reply.text)
        strategy, question = (found["strategy"], found["question"]) if found else (OTHER, reply.text)
        turn = next_turn(exam, turns, question=question.strip(), strategy=strategy)
        return replace(turn, examiner_usage=reply.usage)

    def _request(self, exam: Exam, turns: Sequence[Turn], note: str | None, key: str) -> Request:
        """Build a request with everything in the question text, and the conversation as the examiner sees it."""
        seed = seed_of(exam)
        return Request(
            question=f"{self._task}\n\n{conversation(exam, turns, limit=LIMIT, note=note)}",
            conversation=key,
            context=seed.context,
            history=tuple(_from_its_side(self._task, turns)),
            case=seed.id,
            turn=len(turns) + 1,
        )

    async def forget(self, conversation: str) -> None:
        """Tell the agent that the exam is over."""
        await self._agent.forget(_examiner_conversation(conversation))

    async def close(self) -> None:
        """Close the agent's connections and processes."""
        await self._agent.close()


def _examiner_conversation(conversation: str) -> str:
    """Return the examiner's conversation id, distinct since the same agent may be on both sides."""
    return f"{conversation}/examiner"


def _from_its_side(task: str, turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield turns from the examiner's side: prompted by the task or a reply, it answers with a question."""
    prompt = task
    for turn in turns:
        yield replace(turn, question=prompt, reply=Reply(text=turn.question, usage=turn.examiner_usage))
        prompt = turn.reply.text if turn.reply is not None else ""
