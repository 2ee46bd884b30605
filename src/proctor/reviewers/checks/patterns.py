"""Searching a pattern in a bounded time.

A pattern that can take only so many steps on a text is searched at once. Any other goes to a process of its own, which
ends itself when the time is up.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

from proctor.reviewers.checks import searching
from proctor.reviewers.checks.phrases import Span

SECONDS = 1.0
"""Of processor time that one search may take."""
_STEPS = 2_000_000
"""Searches that can take no more are done at once: a few hundredths of a second at worst."""
_MANY = 10
_QUANTIFIER = re.compile(r"[*+?{]")
_OPENING = re.compile(r"(?<!\\)\(\?")
_HARD = re.compile(r"\)[*+?{]|\\[1-9]|\(\?P=|\(\?[a-z]*x")
"""A repeated group, a back-reference, or blanks that do not count, which can hide the two."""


class Unsearchable(Exception):
    """A pattern that is none, or that takes too long on this text."""


def search(pattern: str, text: str) -> Span | None:
    """Where the pattern first matches the text, whatever the case; raises Unsearchable."""
    steps = _steps(pattern, len(text))
    found = searching.search(pattern, text) if steps <= _STEPS else _searcher.search(pattern, text)
    if isinstance(found, str):
        raise Unsearchable(found)
    return found


def _steps(pattern: str, length: int) -> float:
    """How many steps a search can take at most.

    Without a repeated group every way to match is told by where it starts, how often each quantifier repeats, and which
    branches it takes. What only looks like one of these, as in `[+]`, makes the bound higher, never lower.
    """
    quantifiers, branches = _shape(pattern)
    return len(pattern) * 2**branches * (length + 1) ** (quantifiers + 1) if quantifiers < _MANY else math.inf


@lru_cache(maxsize=1024)
def _shape(pattern: str) -> tuple[int, int]:
    """How many quantifiers and branches a pattern has."""
    if _HARD.search(pattern):
        return _MANY, 0
    return len(_QUANTIFIER.findall(_OPENING.sub("(", pattern))), pattern.count("|")


class _Searcher:
    """The process that searches; started when first needed, and again after it has ended itself."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()

    def search(self, pattern: str, text: str) -> Span | str | None:
        """Its answer; raises Unsearchable."""
        question = json.dumps([pattern, text, SECONDS]) + "\n"
        with self._lock:
            try:
                answer = self._ask(question)
            except OSError as error:
                self.close()
                raise Unsearchable(f"the process that searches patterns cannot be used ({error})") from error
            if not answer:
                raise Unsearchable(self._end())
        found = json.loads(answer)
        return (found[0], found[1]) if isinstance(found, list) else found

    def _ask(self, question: str) -> str:
        process = self._process
        if process is None:
            process = self._process = _started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(question)
        process.stdin.flush()
        return process.stdout.readline()

    def _end(self) -> str:
        """Why the process ended."""
        assert self._process is not None
        code = self._process.wait()
        self.close()
        if code == -signal.SIGPROF:
            return f"the pattern takes more than {SECONDS:g} s on this reply; simplify it"
        return f"the process that searches patterns ended with {code}"

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.communicate()

    def forget(self) -> None:
        """After a fork the process belongs to the parent."""
        self._process = None
        self._lock = threading.Lock()


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(searching.__file__))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        process_group=0,  # a Ctrl-C is meant for us
    )


_searcher = _Searcher()
atexit.register(_searcher.close)
os.register_at_fork(after_in_child=_searcher.forget)
