"""A dialogue with one running program, in lines of JSON: a question and its answer carry the same id."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from proctor import codec
from proctor.agents.command.program import Program, start
from proctor.codec import read_json
from proctor.errors import AgentFault, FailureKind
from proctor.redaction import without_secrets

_QUOTED = 200
_GRACE = 2.0  # seconds to end by itself once standard input is closed, and again once it was asked to

Message = dict[str, Any]


class PendingQuestions:
    """The questions that one running program has not answered yet."""

    def __init__(
        self,
        words: list[str],
        *,
        max_bytes: int,
        aside: Callable[[Message], bool] = lambda _: False,
        give_up: Callable[[int], Message] | None = None,
    ) -> None:
        """`aside` is shown what answers no question, and says whether it is meant to be said.

        `give_up` is how the program is told that the answer to a question is not waited for any more.
        """
        self._words = words
        self._max_bytes = max_bytes
        self._aside = aside
        self._give_up = give_up
        self._pending: dict[int, asyncio.Future[Message]] = {}
        self._last = 0
        self._unfinished = bytearray()
        self._noise = 0
        """Bytes that answered nothing, since the last answer."""
        self._failing_pending: asyncio.Task[None] | None = None
        self.answers = 0
        """How many it has given."""

    async def begin(self) -> None:
        """Start the program."""
        self.program: Program = await start(self._words, self._take, self._on_exit)

    @property
    def alive(self) -> bool:
        """Whether the program runs."""
        return not self.program.exited.is_set()

    @property
    def idle(self) -> bool:
        """Whether every question has been answered or given up."""
        return not self._pending

    async def ask(self, question: Mapping[str, Any]) -> Message:
        """The answer to a question, which is given an id here."""
        self._last += 1
        number = self._last
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        try:
            self.tell({"id": number, **question})
            return await answer
        except asyncio.CancelledError:
            if self._give_up is not None:
                self.tell(self._give_up(number))
            raise
        finally:
            self._pending.pop(number, None)

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something that needs no answer."""
        self.program.write(codec.encode(message).encode("utf-8", "replace") + b"\n")

    async def end(self, *, patiently: bool) -> None:
        """Close its standard input and end it, patiently or at once."""
        await (self.program.shut_down(_GRACE) if patiently else self.program.end())
        if self._failing_pending is not None:
            await self._failing_pending

    def _take(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = bytes(self._unfinished) + end
            self._unfinished.clear()
            if not self._too_long(line):
                self._hear(line)
        self._unfinished += rest
        if self._too_long(self._unfinished):
            self._unfinished.clear()

    def _too_long(self, line: bytes | bytearray) -> bool:
        if len(line) <= self._max_bytes:
            return False
        self._fail(
            f"the program printed a line of more than {self._max_bytes:,} bytes and was ended; "
            "a larger max_bytes allows more"
        )
        self.program.kill()
        return True

    def _hear(self, line: bytes) -> None:
        if not line.strip():
            self._check_stray_output(line)
            return
        try:
            message = read_json(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not self._is_answer(message):
            self._check_stray_output(line)
            self._fail(
                f"the program printed {_quote_line(line)}; expected one line of JSON with the id of its question "
                "(standard output is for answers alone: log to standard error)"
            )

    def _check_stray_output(self, line: bytes) -> None:
        """A program that prints much and answers nothing is ended: to listen to it would hold up everybody else."""
        self._noise += len(line) + 1
        if self._noise > self._max_bytes:
            self._fail(f"the program printed more than {self._max_bytes:,} bytes that answer nothing, and was ended")
            self.program.kill()

    def _is_answer(self, message: Message) -> bool:
        """Whether it answers a question, or is something else that may be said."""
        number = message.get("id")
        if self._aside(message):
            return True
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= self._last:
            return False
        answer = self._pending.get(number)  # None: it was given up, and the answer comes too late
        if answer is not None and not answer.done():
            self.answers += 1
            self._noise = 0
            answer.set_result(message)
        return True

    def _on_exit(self) -> None:
        self._failing_pending = asyncio.create_task(self._fail_pending())

    async def _fail_pending(self) -> None:
        """Once it has ended and its last words are read, nothing more will be answered."""
        await self.program.drain()
        self._fail(f"the program {self.program.exit_message()}", kind="exit")

    def _fail(self, reason: str, *, kind: FailureKind = "wrong_type") -> None:
        """Fail every question in flight: which one it was, nobody can tell."""
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(AgentFault(reason, kind=kind))


def _quote_line(line: bytes) -> str:
    text = without_secrets(line[: 8 * _QUOTED].decode(errors="replace"))
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")
