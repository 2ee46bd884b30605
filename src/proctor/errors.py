"""Every exception that Proctor raises, map on top.

    ProctorError                 anything a person can act on; the CLI prints it as one sentence
    ├── UsageError               exit 2   wrong command, wrong setting
    │   ├── GateError            exit 2   a gate that cannot be read, or that this run cannot be held to
    │   ├── InputError           exit 2   a file or value that cannot be used
    │   └── OutputFull           exit 4   there is no room for what should be written
    ├── StoreError               exit 2   the store cannot be opened, read or written
    │   ├── NoSuchRun            exit 2
    │   ├── RunBusy              exit 2   another process is writing this run
    │   └── RunLost              exit 4   another process has taken over the run that this one was writing
    └── CallError                what went wrong in one call to an agent, examiner or reviewer
        ├── AgentFault           the agent's own failure; never retried
        ├── EnvironmentFault     the network's or the provider's; retried, then left for `resume`
        └── Misconfigured        exit 4   wrong key or address: the run stops at once
            └── BudgetSpent      exit 4   what is left is not enough for the next call: the run is paused

A message says what happened, the value, what was expected and what to do next. A setting in it is a `Given`, because
its name is another one in Python, in a terminal and in a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

_WORD = re.compile(r"'[\w.,:/@+-]+'")
ERROR_FILE = "PROCTOR_ERROR_FILE"
"""The environment variable with the file in which a command leaves its last error for the web app that began it."""
FailureKind = Literal[
    "unknown",  # stored before kinds were
    "timeout",
    "blocked",  # an agent that held the event loop
    "refused",
    "unreachable",  # no connection came about in time
    "dns",
    "tls",
    "dropped",
    "rate_limit",
    "http",
    "resources",
    "wrong_type",
    "cancelled",
    "exit",
    "exception",
    "bug",
]
"""What went wrong, for programs; the message says it to people."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """A setting and its value in a message, under the name that each reader knows it by."""

    name: str
    """In Python and in the API: `passing_score`."""
    value: str
    """As it is written there."""
    option: str
    """In a terminal: `--passing-score`."""
    label: str
    """In a form: `Passing score`."""
    typed: str = ""
    """The value as an option takes it, where that is not how Python shows it."""

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @property
    def plain(self) -> str:
        """The value for people: `none` for `'none'`, 7 for 7.0; what holds a blank or a sign stays in quotes."""
        said = self.value
        return self.typed or (said[1:-1] if _WORD.fullmatch(said) else said.removesuffix(".0"))


class ProctorError(Exception):
    """Something a person can act on."""

    exit_code = 2

    def __init__(self, *message: str | Given, terminal: str = "", page: str = "") -> None:
        """`terminal` ends the message with what to do there, `page` for whoever reads it in a browser."""
        super().__init__("".join(map(str, message)) + terminal)
        self.given = tuple(piece for piece in message if isinstance(piece, Given))
        """The settings that it is about."""
        self._message, self._terminal, self._page = message, terminal, page

    @property
    def in_terminal(self) -> str:
        """For whoever typed options."""
        return self._told(lambda each: f"{each.option} {each.plain}", self._terminal)

    @property
    def on_page(self) -> str:
        """For whoever filled in a form."""
        return self.in_form({})

    def in_form(self, labels: Mapping[str, str]) -> str:
        """The same for a form that calls some settings otherwise."""
        return self._told(lambda each: f"“{labels.get(each.name, each.label)}” {each.plain}", self._page)

    @property
    def by_key(self) -> str:
        """For a program that sent settings by their names."""
        return self._told(str, self._page)

    def _told(self, name: Callable[[Given], str], end: str) -> str:
        if not self.given and end == self._terminal:
            return str(self)  # secrets may have been taken out of it since
        return "".join(name(piece) if isinstance(piece, Given) else piece for piece in self._message) + end


class UsageError(ProctorError):
    """A command or setting that makes no sense."""


class GateError(UsageError):
    """A gate that cannot be read, or that this run cannot be held to."""


class InputError(UsageError):
    """A file or value that cannot be used."""


class OutputFull(UsageError):
    """There is no room for what should be written."""

    exit_code = 4


class StoreError(ProctorError):
    """The store cannot be opened, read or written."""


class NoSuchRun(StoreError):
    """No stored run has this id, prefix or name, or several have."""


class RunBusy(StoreError):
    """Another process is writing this run."""


class RunLost(StoreError):
    """Another process has taken over the run that this one was writing."""

    exit_code = 4


class CallError(ProctorError):
    """One call to an agent, examiner or reviewer went wrong."""

    exit_code = 4

    def __init__(self, message: str = "", *, kind: FailureKind = "exception", host: str = "") -> None:
        super().__init__(message or f"{type(self).__name__} was raised without a message")
        self.kind: FailureKind = kind
        self.host = host
        """HOST:PORT of the server that was called, where it is known."""
        self.status: int | None = None
        """The HTTP status that it answered with, where that says so."""


class AgentFault(CallError):
    """The agent's own failure: counts as not passed, and is not asked again."""

    def __init__(
        self, message: str = "", *, kind: FailureKind = "exception", host: str = "", by_model: bool = False
    ) -> None:
        super().__init__(message, kind=kind, host=host)
        self.by_model = by_model
        """Whether a model's server is behind it: one that drops a connection and then refuses others is down."""


class EnvironmentFault(CallError):
    """Not the agent's fault: tried again, unless it `lasts`, then left for `proctor resume`."""

    def __init__(
        self,
        message: str = "",
        *,
        retry_after: float | None = None,
        lasts: bool = False,
        kind: FailureKind = "exception",
        host: str = "",
    ) -> None:
        super().__init__(message, kind=kind, host=host)
        self.retry_after = retry_after
        self.lasts = lasts


class Misconfigured(CallError):
    """A wrong key, address or name, which no retry can mend: the run stops at once."""


class BudgetSpent(Misconfigured):
    """What is left of the budget is not enough for the next call.

    As with a wrong key, no retry can mend it and the run stops at once; but it is nobody's mistake: the run is paused,
    to be resumed with a larger budget.
    """
