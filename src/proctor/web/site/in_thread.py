"""What takes long is made in a thread of its own: whoever asks waits a moment, and asks again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_thread(name: str, make: Callable[[], T]) -> Future[T]:
    """What is being made, or why it cannot be; the thread does not keep the server from ending."""
    made: Future[T] = Future()

    def work() -> None:
        try:
            made.set_result(make())
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=work, name=f"proctor-{name}", daemon=True).start()
    return made
