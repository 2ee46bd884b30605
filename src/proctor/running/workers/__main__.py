"""python -m proctor.running.workers DESCRIPTOR: a worker, connected to its driver by this socket (see `processes`)."""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress

from proctor.plugins import exits
from proctor.plugins.exits import exit_now
from proctor.running.workers.messages import Brief, Order
from proctor.running.workers.processes import receive, send
from proctor.running.workers.worker import CrewWorker, scrub_streams, take_place


def main() -> None:
    """Play until the run is over or the driver is gone."""
    pipe = socket.socket(fileno=int(sys.argv[1]))
    os.set_inheritable(pipe.fileno(), False)
    exits.install()
    scrub_streams()
    try:
        brief: Brief = receive(pipe)
        take_place(brief)
        worker = CrewWorker(brief)
        with worker.ready() as hello:
            send(pipe, hello)
            is_over = bool(hello.refusal)
            while not is_over:
                order: Order = receive(pipe)
                report = worker.exchange(order)
                send(pipe, report)
                is_over = report.over
    except (EOFError, OSError):  # the driver is gone
        _end_all()
    with suppress(OSError):
        pipe.recv(1)  # wait until the driver has read everything


def _end_all() -> None:
    """Kill this process group, including processes that an agent started, as nobody else would clean them up."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    exit_now(0)


if __name__ == "__main__":
    main()
