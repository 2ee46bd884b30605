"""Workers as processes of this machine: a socket to each, and nothing but its number on the command line."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from proctor.redaction.names import says_secret
from proctor.running.workers import messages
from proctor.running.workers.link import Link, WorkerLost
from proctor.running.workers.messages import Brief, Hello, Order, WorkerReport

_LENGTH = struct.Struct("!Q")
_PIECE = 2**20


def send(pipe: socket.socket, message: object) -> None:
    """One message, whole."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.sendall(_LENGTH.pack(len(data)) + data)


def receive(pipe: socket.socket) -> Any:
    """The next message; raises EOFError where nobody is left who could send one."""
    (length,) = _LENGTH.unpack(_read(pipe, _LENGTH.size))
    return pickle.loads(_read(pipe, length))


def _read(pipe: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        piece = pipe.recv(min(length - len(data), _PIECE))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


class Processes:
    """Starts workers on this machine."""

    kind = "processes"

    def start(self, brief: Brief) -> Link:
        """A new process with its brief; raises WorkerLost where the system has none to give."""
        return _Process(brief)

    def close(self) -> None:
        """Nothing is open."""


class _Process:
    """One worker in a process and process group of its own, so that a Ctrl-C here is not one there."""

    def __init__(self, brief: Brief) -> None:
        self.name = f"worker {brief.number}"
        self._lock = threading.Lock()
        self._is_closed = False
        self._pipe, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "proctor.running.workers", str(theirs.fileno())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_without_secrets(brief.environment),
                process_group=0,
            )
        except OSError as error:
            self._pipe.close()
            raise WorkerLost(f"no process could be started: {error.strerror or error}") from error
        finally:
            theirs.close()
        self.process = self._process.pid
        self.name = f"worker {brief.number} (process {self.process})"
        self._brief: Brief | None = brief

    def hello(self) -> Hello:
        """Give it the brief, and hear what it has to say."""
        brief, self._brief = self._brief, None
        hello: Hello = self._ask(brief, within=messages.START)
        return hello

    def exchange(self, order: Order) -> WorkerReport:
        """Give an order and wait for the report."""
        report: WorkerReport = self._ask(order, within=messages.SILENCE)
        return report

    def close(self, within: float) -> None:
        """Let it end by itself in so many seconds; then it is killed, and what it has started with it."""
        with self._lock:
            if self._is_closed:
                return
            if within:
                self._wait_for_end(within)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            with suppress(OSError):
                self._pipe.shutdown(socket.SHUT_RDWR)  # wakes whoever still listens
            self._pipe.close()
            self._is_closed = True

    def _wait_for_end(self, within: float) -> None:
        """Until its end of the pipe is closed: to ask for its exit code would give its number to others."""
        with suppress(OSError):
            self._pipe.shutdown(socket.SHUT_WR)
            self._pipe.settimeout(within)
            self._pipe.recv(1)

    def _ask(self, message: object, *, within: float) -> Any:
        try:
            self._pipe.settimeout(within)
            send(self._pipe, message)
            return receive(self._pipe)
        except TimeoutError:
            raise WorkerLost(f"it did not answer for {within:g} s") from None
        except (EOFError, OSError) as error:
            raise WorkerLost(self._describe_end()) from error

    def _describe_end(self) -> str:
        """How it ended, without taking its exit code: that is left to `close`."""
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            with suppress(OSError, AttributeError):
                ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
                if ended is not None:
                    by_signal = ended.si_code != os.CLD_EXITED
                    return f"it was ended by {_signal_name(ended.si_status)}" if by_signal else (
                        f"it ended with exit code {ended.si_status}"
                    )  # fmt: skip
            time.sleep(0.01)
        return "it closed the connection"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _without_secrets(environment: dict[str, str]) -> dict[str, str]:
    """What the system may know of a process; the rest travels with the brief."""
    return {name: value for name, value in environment.items() if not says_secret(name, keys=True)}
