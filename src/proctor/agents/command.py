"""A program as an agent: the question on standard input, the reply on standard output."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor import codec
from proctor.errors import AgentFault, InputError
from proctor.roles import Agent
from proctor.transcript import Reply, Request

_STDERR_KEPT = 4000


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
        said = codec.encode(request) if self.takes_request else request.question
        process = await asyncio.create_subprocess_exec(
            *self._words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, errors = await process.communicate(said.encode("utf-8", "replace"))
        finally:
            _end(process)
        return _read(output, errors.decode(errors="replace")[-_STDERR_KEPT:], process.returncode)

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


def _end(process: asyncio.subprocess.Process) -> None:
    """After a time-out, end the program and whatever it started."""
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _read(output: bytes, stderr: str, code: int | None) -> Reply:
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
