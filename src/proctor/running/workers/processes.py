"""Workers as local processes: connected by sockets, with nothing but the descriptor on the command line."""

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
    """Send one message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.sendall(_LENGTH.pack(len(data)) + data)


def receive(pipe: socket.socket) -> Any:
    """Receive the next message; raises EOFError if the connection is closed."""
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
        """Start a process for a worker; raises WorkerLost if the system refuses."""
        return _Process(brief)

    def close(self) -> None:
        """Do nothing: no resources are held."""


class _Process:
    """A worker in a process and process group of its own, so that Ctrl-C does not reach it."""

    def __init__(self, brief: Brief) -> None:
        self.name = f"worker {brief.number}"
        self._lock = threading.Lock()
        self._is_closed = False
        self._pipe, child_socket = socket.socketpair()
        command = [sys.executable, "-P", "-m", "proctor.running.workers", str(child_socket.fileno())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[child_socket.fileno()],
                env=_without_secrets(brief.environment),
                process_group=0,
            )
        except OSError as error:
            self._pipe.close()
            raise WorkerLost(f"no process could be started: {error.strerror or error}") from error
        finally:
            child_socket.close()
        self.process = self._process.pid
        self.name = f"worker {brief.number} (process {self.process})"
        self._brief: Brief | None = brief

    def hello(self) -> Hello:
        """Send the brief and return the worker's hello."""
        brief, self._brief = self._brief, None
        hello: Hello = self._ask(brief, within=messages.START)
        return hello

    def exchange(self, order: Order) -> WorkerReport:
        """Send an order and wait for the report."""
        report: WorkerReport = self._ask(order, within=messages.SILENCE)
        return report

    def close(self, within: float) -> None:
        """Give the worker `within` seconds to end by itself, then kill it and everything it has started."""
        with self._lock:
            if self._is_closed:
                return
            if within:
                self._wait_for_end(within)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            with suppress(OSError):
                self._pipe.shutdown(socket.SHUT_RDWR)  # wake a thread that is still reading
            self._pipe.close()
            self._is_closed = True

    def _wait_for_end(self, within: float) -> None:
        """Wait for the worker to close its end of the pipe; reaping it would free its process id for reuse."""
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
        """Describe how the process ended, without reaping it, which is left to `close`."""
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
    """Return the variables that may be visible in the process table; secrets are sent with the brief."""
    return {name: value for name, value in environment.items() if not says_secret(name, keys=True)}
