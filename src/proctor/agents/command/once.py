"""One process per question: the question on standard input, the reply on standard output."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import replace
from typing import Any

from proctor import codec
from proctor.agents.command.program import Program, start
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault
from proctor.telemetry.messages import reply_in
from proctor.transcript import Reply, Request


class CommandAgent:
    """A program that is started for each question."""

    def __init__(self, words: list[str], *, as_json: bool, max_bytes: int) -> None:
        self.name = f"command:{shlex.join(words)}"
        self.takes_request = as_json
        self._words = words
        self._max_bytes = max_bytes

    async def reply(self, request: Request) -> Reply:
        """Start the program, hand it the question, read what it prints."""
        asked = codec.encode(request) if self.takes_request else request.question
        output = _Output(self._max_bytes)
        program = await start(self._words, output.take, output.over.set)
        try:
            program.write(asked.encode("utf-8", "replace"))
            program.finish()
            await output.over.wait()
            if not output.too_much:
                await program.drain()
        finally:
            await program.end()
        return _read(output.text(), program)

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


class _Output:
    """What a program prints, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._printed = bytearray()
        self._limit = limit
        self.over = asyncio.Event()
        """Set at the program's end, and when it has printed too much."""

    def take(self, data: bytes) -> None:
        if not self.too_much:
            self._printed += data
        if self.too_much:
            self.over.set()

    @property
    def too_much(self) -> bool:
        return len(self._printed) > self._limit

    def text(self) -> str:
        if self.too_much:
            raise AgentFault(
                f"the program printed more than {self._limit:,} bytes and was ended; a larger max_bytes allows more"
            )
        return self._printed.decode(errors="replace")


def _read(text: str, program: Program) -> Reply:
    if program.code != 0:
        raise AgentFault(f"the program {program.exit_message()}", kind="exit")
    stderr = program.stderr()
    if text.lstrip().startswith("{"):
        try:
            value = codec.read_json(text, dict[str, Any])
        except (ValueError, RecursionError):
            value = {}
        said = value if "text" in value else reply_in(value)
        if said is not None:
            return replace(to_reply(said), stderr=stderr)
    return replace(to_reply(text.removesuffix("\n").removesuffix("\r")), stderr=stderr)
