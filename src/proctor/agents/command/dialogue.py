"""Dialogue with a running program in JSON lines: a question and its answer carry the same id."""

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
_GRACE = 2.0  # seconds to wait for an exit after closing standard input, and again after SIGTERM

Message = dict[str, Any]


class PendingQuestions:
    """The unanswered questions of one running program."""

    def __init__(
        self,
        words: list[str],
        *,
        max_bytes: int,
        aside: Callable[[Message], bool] = lambda _: False,
        give_up: Callable[[int], Message] | None = None,
    ) -> None:
        """`aside` handles messages that answer no question and returns whether they are allowed.

        `give_up` builds the message that cancels a question by its id.
        """
        self._words = words
        self._max_bytes = max_bytes
        self._aside = aside
        self._give_up = give_up
        self._pending: dict[int, asyncio.Future[Message]] = {}
        self._last = 0
        self._unfinished = bytearray()
        self._noise = 0
        """Bytes of stray output since the last answer."""
        self._failing_pending: asyncio.Task[None] | None = None
        self.answers = 0
        """Number of answers received."""

    async def begin(self) -> None:
        """Start the program."""
        self.program: Program = await start(self._words, self._take, self._on_exit)

    @property
    def alive(self) -> bool:
        """Whether the program runs."""
        return not self.program.exited.is_set()

    @property
    def idle(self) -> bool:
        """Whether no question is waiting for an answer."""
        return not self._pending

    async def ask(self, question: Mapping[str, Any]) -> Message:
        """Send a question with a new id and return its answer."""
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
        """Send a message that needs no answer."""
        self.program.write(codec.encode(message).encode("utf-8", "replace") + b"\n")

    async def end(self, *, patiently: bool) -> None:
        """Stop the program: close its standard input and wait, or kill it at once."""
        await (self.program.shut_down(_GRACE) if patiently else self.program.end())
        if self._failing_pending is not None:
            await self._failing_pending

    def _take(self, data: bytes) -> None:
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = bytes(self._unfinished) + end
            self._unfinished.clear()
            if not self._too_long(line):
                self._handle_line(line)
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

    def _handle_line(self, line: bytes) -> None:
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
        """Kill a program that prints much without answering: reading it would delay everything else."""
        self._noise += len(line) + 1
        if self._noise > self._max_bytes:
            self._fail(f"the program printed more than {self._max_bytes:,} bytes that answer nothing, and was ended")
            self.program.kill()

    def _is_answer(self, message: Message) -> bool:
        """Whether a message answers a question or is otherwise allowed."""
        number = message.get("id")
        if self._aside(message):
            return True
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= self._last:
            return False
        answer = self._pending.get(number)  # None: the question was cancelled, and the answer comes too late
        if answer is not None and not answer.done():
            self.answers += 1
            self._noise = 0
            answer.set_result(message)
        return True

    def _on_exit(self) -> None:
        self._failing_pending = asyncio.create_task(self._fail_pending())

    async def _fail_pending(self) -> None:
        """Fail all pending questions once the program has ended and its remaining output is read."""
        await self.program.drain()
        self._fail(f"the program {self.program.exit_message()}", kind="exit")

    def _fail(self, reason: str, *, kind: FailureKind = "wrong_type") -> None:
        """Fail every pending question, because it is unknown which one caused the failure."""
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(AgentFault(reason, kind=kind))


def _quote_line(line: bytes) -> str:
    text = without_secrets(line[: 8 * _QUOTED].decode(errors="replace"))
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")
