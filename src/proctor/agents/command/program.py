"""A running program: its pipes, its exit, and its standard error."""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

from proctor import plugins
from proctor.errors import EnvironmentFault, InputError, Misconfigured
from proctor.failures import short_message
from proctor.redaction import without_secrets

_STDERR_KEPT = 4000
_STDERR_HELD = 16 * _STDERR_KEPT  # bytes: secrets are redacted before truncation, and a character takes up to four
_LAST_WORDS = 0.5  # seconds to wait for output of child processes after the program has ended
_DEATH = 5.0  # seconds to wait for a killed process to exit; one blocked on disk I/O may take longer
_FIRST_LINE = 512
"""Bytes of a script to read when looking for its shebang line."""
_UNUSABLE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC})


def words_of(spec: str, *, scheme: str) -> list[str]:
    """Split a command line into program and arguments, without a shell. A `${NAME}` is filled in only at the start."""
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise InputError(f"cannot read the command {spec!r}: {error}") from error
    if not words:
        raise InputError(f"{scheme}: names no program; expected something like {scheme}:./agent.sh")
    program = plugins.filled_in(words)[0]
    found = shutil.which(program)
    wrong = _why_not_run(words[0], program) if found is None else _why_no_interpreter(words[0], found)
    if wrong:
        raise InputError(wrong)
    return words


def _why_not_run(named: str, program: str) -> str:
    """Explain why a program cannot be found: it does not exist, or is not executable."""
    path = Path(program)
    if path.is_dir():
        return f"{named!r} is a folder; expected a program, such as one in it"
    if not path.is_file():
        return f"there is no program {named!r} here; give a path or install it"
    if os.sep not in program:
        return f"there is no program {named!r} on the PATH, but a file of this name here; write ./{named}"
    return f"{named!r} is not executable; make it so with `chmod +x {shlex.quote(named)}`, or name what runs it first"


def _why_no_interpreter(named: str, found: str) -> str:
    """Explain why a script's interpreter cannot be found; empty if it can, or if the program is no script."""
    try:
        with open(found, "rb") as file:
            start = file.read(_FIRST_LINE)
    except OSError:  # executable, but not readable
        return ""
    if not start.startswith(b"#!"):
        return ""
    line = start[2:].split(b"\n")[0].decode(errors="replace")
    words = line.split()
    interpreter = words[0] if words else ""
    if interpreter and Path(interpreter).is_file():
        inner = words[1] if Path(interpreter).name == "env" and len(words) == 2 else ""
        if not inner or "=" in inner or inner.startswith("-") or shutil.which(inner):
            return ""
        interpreter = inner
    ends = "; its lines end in CR LF, as on Windows: save it with LF" if line.endswith("\r") else ""
    advice = ends or "; install that, or correct the line"
    return f"the script {named!r} cannot start: its first line wants {interpreter!r}, which is not here{advice}"


class Program(asyncio.SubprocessProtocol):
    """A running program.

    `asyncio.subprocess.Process` waits until the pipes are closed, which a child process in the background can delay;
    this class waits for the program itself.
    """

    def __init__(self, on_output: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        """`on_output` is called with each chunk of standard output, `ended` when the program exits."""
        self._on_output = on_output
        self._ended = ended
        self._stderr = bytearray()
        self._stderr_length = 0
        self._open = {1, 2}
        self._silent = asyncio.Event()
        self.exited = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport and the pipe of the running program."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass on standard output; keep only the tail of standard error."""
        if fd == 1:
            self._on_output(data)
            return
        self._stderr += data
        self._stderr_length += len(data)
        del self._stderr[:-_STDERR_HELD]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that a pipe was closed by all processes that had it open."""
        self._open.discard(fd)
        if not self._open:
            self._silent.set()

    def process_exited(self) -> None:
        """Note that the program has exited; its children may still keep the pipes open."""
        self.exited.set()
        self._ended()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the transport: the program has exited and its pipes are closed."""
        self._transport.close()

    @property
    def code(self) -> int | None:
        """Exit code, or None while it runs."""
        return self._transport.get_returncode()

    @property
    def stderr_length(self) -> int:
        """Total bytes received on standard error."""
        return self._stderr_length

    def stderr(self, since: int = 0) -> str:
        """Return the tail of standard error after the first `since` bytes, with secrets redacted."""
        fresh = min(self._stderr_length - since, len(self._stderr))
        text = self._stderr[len(self._stderr) - fresh :].decode(errors="replace")
        return without_secrets(text)[-_STDERR_KEPT:]

    def exit_message(self, since: int = 0) -> str:
        """Return `ended with exit code 3: …` or `was killed by SIGKILL: …`, with the last line of standard error."""
        last = self.stderr(since).strip().splitlines()[-1:] or ["nothing on standard error"]
        code = self.code
        ended = (
            f"was killed by {_signal_name(-code)}" if code is not None and code < 0 else f"ended with exit code {code}"
        )
        return f"{ended}: {last[0]}"

    def write(self, data: bytes) -> None:
        """Write to its standard input."""
        if not self._stdin.is_closing():
            self._stdin.write(data)

    def finish(self) -> None:
        """Close its standard input."""
        if not self._stdin.is_closing():
            self._stdin.write_eof()

    async def drain(self) -> None:
        """After the exit, wait briefly for output of its child processes."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._silent.wait(), _LAST_WORDS)

    def kill(self) -> None:
        """Send SIGKILL to its process group, without waiting."""
        self._signal(signal.SIGKILL)

    async def shut_down(self, grace: float) -> None:
        """Let the program exit by itself, then send SIGTERM, then kill its process group."""
        self.finish()
        if not await self._gone(grace):
            self._signal(signal.SIGTERM)
            await self._gone(grace)
        await self.end()

    async def end(self) -> None:
        """Kill the program and its process group, and wait for the exit."""
        self.kill()
        self._close_pipes()
        await self._gone(_DEATH)

    async def _gone(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # already gone; macOS raises the second one
            os.killpg(self._transport.get_pid(), number)

    def _close_pipes(self) -> None:
        """Close our ends of the pipes, which a process outside the group may still hold open."""
        if self._stdin.get_write_buffer_size():  # without unwritten data, closing loses nothing
            self._stdin.abort()
        elif not self._stdin.is_closing():
            self._stdin.close()
        for fd in (1, 2):
            cast("asyncio.ReadTransport", self._transport.get_pipe_transport(fd)).close()


async def start(
    words: list[str], on_output: Callable[[bytes], None], ended: Callable[[], None] = lambda: None
) -> Program:
    """Start a program in its own process group."""
    loop = asyncio.get_running_loop()
    try:
        filled = plugins.filled_in(words)
        _, program = await loop.subprocess_exec(lambda: Program(on_output, ended), *filled, start_new_session=True)
    except OSError as error:
        if error.errno in _UNUSABLE:
            raise Misconfigured(
                f"cannot start {words[0]!r}: {short_message(error)}; expected a program that can run"
            ) from error
        message = f"this machine could not start {words[0]!r}: {short_message(error)}"
        raise EnvironmentFault(message, kind="resources") from error
    return program


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
