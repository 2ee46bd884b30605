"""Reading files that people name, never more than a bound, and without waiting for who may never write."""

from __future__ import annotations

import os

from proctor.errors import InputError
from proctor.settings import check_path, shown_path


def read_start(path: str | os.PathLike[str], most: int, *, expected: str) -> bytes:
    """The first so many bytes of a file; a pipe that nobody writes to is empty."""
    check_path("the path", path)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            os.set_blocking(descriptor, True)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)
    except OSError as error:
        said = error.strerror or str(error)
        raise InputError(f"cannot read {shown_path(path)}: {said}; give the path of {expected}") from error
