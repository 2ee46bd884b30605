"""Exceptions that report failed cases and missing verdicts to pytest."""

from __future__ import annotations


class PlainMessageError(Exception):
    """An error shown as plain text without a traceback; its first line is a summary."""

    __module__ = "proctor.pytest_plugin"

    def __init__(self, text: str) -> None:
        from proctor.reports.words import harmless  # imported lazily, so that pytest starts without it

        super().__init__(harmless(text))


class NotPassed(PlainMessageError, AssertionError):
    """The agent did not pass a case."""

    __module__ = "proctor.pytest_plugin"


class NoVerdict(PlainMessageError):
    """There is no verdict: the environment failed, or no score could be given."""

    __module__ = "proctor.pytest_plugin"
