"""Programs as agents: a new process for each question, or a long-running one that answers line by line."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor import codec
from proctor.agents.command.dialogue import PendingQuestions
from proctor.agents.command.program import Program, start, words_of
from proctor.agents.command.worker import Worker
from proctor.agents.options import MAX_BYTES, must_be_known, positive_integer
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault, InputError
from proctor.net.limits import Throttle
from proctor.redaction import without_secrets
from proctor.roles import Agent
from proctor.telemetry.messages import reply_in
from proctor.transcript import Reply, Request

_ONCE = ("mode", "input", "max_bytes")
_LINES = ("mode", "processes", "concurrency", "restarts", "max_bytes")


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent for a command line; no shell is involved."""
    mode = options.get("mode", "once")
    if mode not in ("once", "lines"):
        raise InputError(
            f"mode={mode!r} is not known; expected once (a process for each question) or lines (one that stays)"
        )
    _must_be_known(options, _LINES if mode == "lines" else _ONCE, mode)
    words, max_bytes = words_of(spec, scheme="command"), positive_integer(options, "max_bytes", MAX_BYTES)
    if mode == "once":
        return CommandAgent(words, as_json=_as_json(options), max_bytes=max_bytes)
    return LinesAgent(
        words,
        processes=positive_integer(options, "processes", 1),
        concurrency=positive_integer(options, "concurrency", 1),
        restarts=positive_integer(options, "restarts", 5),
        max_bytes=max_bytes,
    )


def _must_be_known(options: Mapping[str, Any], known: tuple[str, ...], mode: str) -> None:
    must_be_known(options, dict.fromkeys((*known, *_ONCE, *_LINES)), whose="a command: agent")
    for name in sorted(set(options) - set(known)):
        raise InputError(f"the option {name!r} has no effect with mode = {mode!r}; it knows {', '.join(known)}")


def _as_json(options: Mapping[str, Any]) -> bool:
    how = options.get("input", "plain")
    if how not in ("plain", "json"):
        raise InputError(f"input={how!r} is not known; expected plain (the question) or json (the whole request)")
    return bool(how == "json")


_SAID = 500


class LinesAgent:
    """A pool of long-running processes of one program. A conversation stays with the process it started with."""

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
        """Send the question to a process. Waiting for the concurrency limit does not count as agent time."""
        worker, throttle = self._places[self._worker_index(request.conversation)]
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
        reply = to_reply(reply_in(answer.message) or answer.message)
        seconds = reply.seconds if reply.seconds is not None else time.perf_counter() - started
        return replace(reply, seconds=seconds, stderr=answer.stderr)

    async def forget(self, conversation: str) -> None:
        """Forget which process the conversation belongs to."""
        self._place_of.pop(conversation, None)

    async def close(self) -> None:
        """Close the standard input of all processes, then kill those that do not exit."""
        self._place_of.clear()
        for worker, _ in self._places:
            await worker.close()

    def _worker_index(self, conversation: str) -> int:
        """Return the index of the conversation's process; for a new conversation, that of the least busy one."""
        place = self._place_of.get(conversation)
        if place is None:
            place = min(range(len(self._places)), key=lambda each: self._places[each][0].load)
            self._place_of[conversation] = place
        return place


class CommandAgent:
    """A program that is started anew for each question."""

    def __init__(self, words: list[str], *, as_json: bool, max_bytes: int) -> None:
        self.name = f"command:{shlex.join(words)}"
        self.takes_request = as_json
        self._words = words
        self._max_bytes = max_bytes

    async def reply(self, request: Request) -> Reply:
        """Start the program, write the question to it, read its output."""
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
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""


class _Output:
    """Output of a program, up to a size limit."""

    def __init__(self, limit: int) -> None:
        self._printed = bytearray()
        self._limit = limit
        self.over = asyncio.Event()
        """Set when the program ends, or has printed too much."""

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
        reply_value = value if "text" in value else reply_in(value)
        if reply_value is not None:
            return replace(to_reply(reply_value), stderr=stderr)
    return replace(to_reply(text.removesuffix("\n").removesuffix("\r")), stderr=stderr)
