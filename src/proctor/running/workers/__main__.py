"""python -m proctor.running.workers DESCRIPTOR: one worker, which hears its driver on this socket (see `processes`)."""

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
    """Play until the driver has heard everything, or is gone."""
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
        pipe.recv(1)  # until the driver has heard everything


def _end_all() -> None:
    """End at once, and with it whatever an agent has started here: nobody is left who would."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    exit_now(0)


if __name__ == "__main__":
    main()
