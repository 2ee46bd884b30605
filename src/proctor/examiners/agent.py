"""Any agent as examiner: it is told the conversation in words, and its reply is the next question."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor import plugins
from proctor.benchmark import Exam
from proctor.examiners.prompt import LIMIT, conversation, next_turn, system_prompt
from proctor.examiners.strategies import OTHER
from proctor.roles import Agent, Examiner
from proctor.transcript import Request, Turn
from proctor.usage import Usage

_FORM = (
    "Reply with the strategy's name in square brackets and the question after it, such as `[source] Where does it say "
    "so?`, and with nothing else. Reply with DONE alone to end the exam."
)
_BRACKETED = re.compile(r"\s*\[(?P<strategy>[A-Za-z _-]{1,40})\]\s*(?P<question>.*)", re.DOTALL)
_DONE = re.compile(r"[\W_]*done[\W_]*", re.IGNORECASE)


def load(spec: str, options: Mapping[str, Any]) -> Examiner:
    """The agent of a spec such as `python:module:attribute`, with that agent's own options, as examiner."""
    return AgentExaminer(plugins.build("agents", spec, options))


class AgentExaminer:
    """Hands the agent the whole exam each time, in a conversation of its own: no two exams can mix in its memory."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._task = system_prompt(_FORM)
        self.settles: bool = getattr(agent, "settles", False)

    @property
    def name(self) -> str:
        """The agent's own."""
        return self._agent.name

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | Usage | None:
        """The agent's reply as the next question; DONE or nothing ends the exam. Its failures are raised."""
        words = f"{self._task}\n\n{conversation(exam, turns, limit=LIMIT, note=note)}"
        key = f"examiner-{uuid.uuid4().hex}"
        try:
            reply = await self._agent.reply(Request(question=words, conversation=key))
        finally:
            await self._agent.forget(key)
        if not reply.text.strip() or _DONE.fullmatch(reply.text):
            return reply.usage
        found = _BRACKETED.fullmatch(reply.text)
        strategy, question = (found["strategy"], found["question"]) if found else (OTHER, reply.text)
        turn = next_turn(exam, turns, question=question.strip(), strategy=strategy)
        return replace(turn, examiner_usage=reply.usage)

    async def close(self) -> None:
        """Let go of the agent's connections and processes."""
        await self._agent.close()
