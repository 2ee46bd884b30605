"""All exceptions of Proctor.

    ProctorError                 anything a person can act on; the CLI prints it as one sentence
    ├── UsageError               exit 2   wrong command or setting
    │   ├── GateError            exit 2   a gate that is invalid, or does not apply to this run
    │   ├── InputError           exit 2   a file or value that cannot be used
    │   └── OutputFull           exit 4   no space left for the output
    ├── StoreError               exit 2   the store cannot be opened, read or written
    │   ├── NoSuchRun            exit 2
    │   ├── RunBusy              exit 2   another process is writing this run
    │   └── RunLost              exit 4   another process has taken over the run that this one was writing
    └── CallError                a call to an agent, examiner or reviewer failed
        ├── AgentFault           the agent's own failure; never retried
        ├── EnvironmentFault     failure of the network or provider; retried, then left for `resume`
        └── Misconfigured        exit 4   wrong key or address: the run stops at once
            └── BudgetSpent      exit 4   the remaining budget is too small for the next call: the run is paused

A message says what happened, the value, what was expected and what to do next. Settings in it are `Given` objects,
because their names differ between Python, the terminal and web forms.
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
    "unknown",  # stored by versions without failure kinds
    "timeout",
    "blocked",  # the agent blocked the event loop
    "refused",
    "unreachable",  # connecting timed out
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
"""Machine-readable kind of failure; the message is for people."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Given:
    """A setting and its value in a message, under the name used by each interface."""

    name: str
    """Name in Python and the API: `passing_score`."""
    value: str
    """Value as written in Python."""
    option: str
    """Command line option: `--passing-score`."""
    label: str
    """Label in web forms: `Passing score`."""
    typed: str = ""
    """Value as typed on the command line, if it differs from Python's notation."""

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @property
    def plain(self) -> str:
        """Value for people: `none` for `'none'`, 7 for 7.0; texts with spaces or special characters stay quoted."""
        text = self.value
        return self.typed or (text[1:-1] if _WORD.fullmatch(text) else text.removesuffix(".0"))


class ProctorError(Exception):
    """An error that a person can act on."""

    exit_code = 2

    def __init__(self, *message: str | Given, terminal: str = "", page: str = "") -> None:
        """`terminal` ends the message with advice for the terminal, `page` with advice for the browser."""
        super().__init__("".join(map(str, message)) + terminal)
        self.given = tuple(piece for piece in message if isinstance(piece, Given))
        """Settings mentioned in the message."""
        self._message, self._terminal, self._page = message, terminal, page

    @property
    def in_terminal(self) -> str:
        """Message for the command line, with option names."""
        return self._render_message(lambda each: f"{each.option} {each.plain}", self._terminal)

    @property
    def on_page(self) -> str:
        """Message for web forms, with labels."""
        return self.in_form({})

    def in_form(self, labels: Mapping[str, str]) -> str:
        """Return the message for a form that labels some settings differently."""
        return self._render_message(lambda each: f"“{labels.get(each.name, each.label)}” {each.plain}", self._page)

    @property
    def by_key(self) -> str:
        """Message for API clients, with setting names."""
        return self._render_message(str, self._page)

    def _render_message(self, name: Callable[[Given], str], end: str) -> str:
        if not self.given and end == self._terminal:
            return str(self)  # secrets may have been redacted from it since
        return "".join(name(piece) if isinstance(piece, Given) else piece for piece in self._message) + end


class UsageError(ProctorError):
    """An invalid command or setting."""


class GateError(UsageError):
    """A gate that is invalid or does not apply to this run."""


class InputError(UsageError):
    """A file or value that cannot be used."""


class OutputFull(UsageError):
    """No space is left for the output."""

    exit_code = 4


class StoreError(ProctorError):
    """The store cannot be opened, read or written."""


class NoSuchRun(StoreError):
    """No stored run, or more than one, has this id, prefix or name."""


class RunBusy(StoreError):
    """Another process is writing this run."""


class RunLost(StoreError):
    """Another process has taken over the run that this one was writing."""

    exit_code = 4


class CallError(ProctorError):
    """A call to an agent, examiner or reviewer failed."""

    exit_code = 4

    def __init__(self, message: str = "", *, kind: FailureKind = "exception", host: str = "") -> None:
        super().__init__(message or f"{type(self).__name__} was raised without a message")
        self.kind: FailureKind = kind
        self.host = host
        """HOST:PORT of the called server, if known."""
        self.status: int | None = None
        """HTTP status of its response, if there was one."""


class AgentFault(CallError):
    """The agent's own failure: counts as not passed, and is not retried."""

    def __init__(
        self, message: str = "", *, kind: FailureKind = "exception", host: str = "", by_model: bool = False
    ) -> None:
        super().__init__(message, kind=kind, host=host)
        self.by_model = by_model
        """Whether a model server caused it: one that drops a connection and then refuses others is down."""


class EnvironmentFault(CallError):
    """Not the agent's fault: retried unless it `lasts`, then left for `proctor resume`."""

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
    """A wrong key, address or name that no retry can fix: the run stops at once."""


class BudgetSpent(Misconfigured):
    """The remaining budget is not enough for the next call.

    As with a wrong key, no retry helps and the run stops at once; but nothing is wrong: the run is paused and can be
    resumed with a larger budget.
    """
