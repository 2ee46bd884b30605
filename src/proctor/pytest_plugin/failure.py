"""How a case that did not pass, or has no verdict, is told to pytest."""

from __future__ import annotations


class PlainMessageError(Exception):
    """Text for a person instead of a traceback; its first line says it all."""

    __module__ = "proctor.pytest_plugin"

    def __init__(self, text: str) -> None:
        from proctor.reports.words import harmless  # only where something is told: pytest starts without it

        super().__init__(harmless(text))


class NotPassed(PlainMessageError, AssertionError):
    """The agent did not pass a case."""

    __module__ = "proctor.pytest_plugin"


class NoVerdict(PlainMessageError):
    """Nobody can say whether the agent passed: the environment failed, or no mark could be given."""

    __module__ = "proctor.pytest_plugin"
