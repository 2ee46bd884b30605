"""A program as an agent: the question on standard input, the reply on standard output."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

from proctor import codec
from proctor.errors import AgentFault, EnvironmentFault, InputError, Misconfigured
from proctor.faults import said, without_secrets
from proctor.roles import Agent
from proctor.transcript import Reply, Request

_STDERR_KEPT = 4000
_GRACE = 0.5  # seconds for what the program's children still have to print once it has ended itself
_DEATH = 5.0  # seconds for a killed process to be gone; one that waits for a disk may take longer
_UNUSABLE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC})


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """The program that a shell line names; no shell is involved."""
    unknown = sorted(set(options) - {"input"})
    if unknown:
        raise InputError(f"a command: agent has no option {unknown[0]!r}; the one it knows is input = plain or json")
    how = options.get("input", "plain")
    if how not in ("plain", "json"):
        raise InputError(f"input={how!r} is not known; expected plain (the question) or json (the whole request)")
    return Command(_words(spec), as_json=how == "json")


def _words(spec: str) -> list[str]:
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise InputError(f"cannot read the command {spec!r}: {error}") from error
    if not words:
        raise InputError("command: names no program; expected something like command:./agent.sh")
    if shutil.which(words[0]) is None:
        raise InputError(f"there is no program {words[0]!r} here; give a path or install it")
    return words


class Command:
    """One process per question."""

    def __init__(self, words: list[str], *, as_json: bool) -> None:
        self.name = f"command:{shlex.join(words)}"
        self.takes_request = as_json
        self._words = words

    async def reply(self, request: Request) -> Reply:
        """Start the program, hand it the question, read what it prints."""
        asked = codec.encode(request) if self.takes_request else request.question
        program = await _start(self._words)
        try:
            await program.hear_out(asked.encode("utf-8", "replace"))
        finally:
            await program.end()
        stderr = without_secrets(program.printed[2].decode(errors="replace"))[-_STDERR_KEPT:]
        return _read(program.printed[1], stderr, program.code)

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


class _Program(asyncio.SubprocessProtocol):
    """A running program and what it has printed.

    `asyncio.subprocess.Process` waits until the pipes are closed, and a child left in the background holds them open;
    this waits for the program itself.
    """

    def __init__(self) -> None:
        self.printed = {1: bytearray(), 2: bytearray()}
        self._open = {1, 2}
        self._silent = asyncio.Event()
        self._exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.printed[fd] += data

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self._silent.set()

    def process_exited(self) -> None:
        self._exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport.close()

    @property
    def code(self) -> int | None:
        """Its exit code; None: it runs."""
        return self._transport.get_returncode()

    async def hear_out(self, asked: bytes) -> None:
        """Hand it the question and wait for its end, and a little for the children that print for it."""
        self._stdin.write(asked)
        self._stdin.write_eof()
        await self._exited.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._silent.wait(), _GRACE)

    async def end(self) -> None:
        """End the program and whatever it started."""
        with suppress(ProcessLookupError, PermissionError):  # nobody is left; macOS says it the second way
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        self._close_pipes()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._exited.wait(), _DEATH)

    def _close_pipes(self) -> None:
        """Let go of what somebody who left the group may still hold open."""
        if self._stdin.get_write_buffer_size():  # else it is closed already, and must not be aborted
            self._stdin.abort()
        for fd in (1, 2):
            cast("asyncio.ReadTransport", self._transport.get_pipe_transport(fd)).close()


async def _start(words: list[str]) -> _Program:
    loop = asyncio.get_running_loop()
    try:
        _, program = await loop.subprocess_exec(_Program, *words, start_new_session=True)
    except OSError as error:
        if error.errno in _UNUSABLE:
            raise Misconfigured(f"cannot start {words[0]!r}: {said(error)}; expected a program that can run") from error
        raise EnvironmentFault(f"this machine could not start {words[0]!r}: {said(error)}") from error
    return program


def _read(output: bytes | bytearray, stderr: str, code: int | None) -> Reply:
    if code != 0:
        last = stderr.strip().splitlines()[-1:] or ["nothing on standard error"]
        raise AgentFault(f"the program ended with exit code {code}: {last[0]}")
    text = output.decode(errors="replace")
    if text.lstrip().startswith("{"):
        try:
            value = codec.decode(text, dict[str, Any])
        except ValueError:
            value = {}
        if "text" in value:
            return replace(codec.to_reply(value), stderr=stderr)
    return Reply(text=text.removesuffix("\n").removesuffix("\r"), stderr=stderr)
