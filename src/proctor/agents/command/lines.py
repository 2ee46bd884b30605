"""Programs that stay: each gets one JSON request a line, and answers with one JSON line of the same id."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace

from proctor.agents.command.dialogue import PendingQuestions
from proctor.agents.command.worker import Worker
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault
from proctor.net.limits import Throttle
from proctor.redaction import without_secrets
from proctor.telemetry.messages import reply_in
from proctor.transcript import Reply, Request

_SAID = 500


class LinesAgent:
    """A number of processes of one program. A conversation stays with the one it began with."""

    takes_request = True

    def __init__(self, words: list[str], *, processes: int, concurrency: int, restarts: int, max_bytes: int) -> None:
        self.name = f"command:{shlex.join(words)}"
        self._places = [
            (
                Worker(lambda: PendingQuestions(words, max_bytes=max_bytes), restarts=restarts),
                Throttle(concurrency=concurrency),
            )
            for _ in range(processes)
        ]
        self._place_of: dict[str, int] = {}

    async def reply(self, request: Request) -> Reply:
        """Hand it to a process. Time spent waiting for our own limits is not the agent's."""
        worker, throttle = self._places[self._place(request.conversation)]
        question = {name: getattr(request, name) for name in Request.__slots__}
        worker.load += 1
        try:
            async with throttle.slot():
                started = time.perf_counter()
                answer = await worker.ask(lambda: question)
        finally:
            worker.load -= 1
        if (error := answer.message.get("error")) is not None:
            raise AgentFault(f"the program answered with an error: {without_secrets(str(error))[:_SAID]}")
        said = to_reply(reply_in(answer.message) or answer.message)
        seconds = said.seconds if said.seconds is not None else time.perf_counter() - started
        return replace(said, seconds=seconds, stderr=answer.stderr)

    async def forget(self, conversation: str) -> None:
        """The process is free of it."""
        self._place_of.pop(conversation, None)

    async def close(self) -> None:
        """Close their standard input, then end those that stay all the same."""
        self._place_of.clear()
        for worker, _ in self._places:
            await worker.close()

    def _place(self, conversation: str) -> int:
        """Where the conversation began, else where the least is to be done."""
        place = self._place_of.get(conversation)
        if place is None:
            place = min(range(len(self._places)), key=lambda each: self._places[each][0].load)
            self._place_of[conversation] = place
        return place
