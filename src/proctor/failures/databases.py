"""Whether a database could not be connected to, told by what PEP 249 and the SQL standard have in common.

Their clients are written in C more often than not, so that no exception of Python's stands behind theirs.
"""

from __future__ import annotations

import re

from proctor.errors import FailureKind
from proctor.failures.causes import names_of, read
from proctor.failures.messages import told

_NAMES = frozenset({"DatabaseError", "InterfaceError", "OperationalError"})
"""What PEP 249 calls what is not the query's fault."""
_STATES = frozenset({"08001", "08004", "53300", "57P03"})
"""SQLSTATEs: cannot connect, connection rejected, too many connections, not ready for any."""
_STATE = re.compile(r"(?!HY000)[0-9A-Z]{5}")
"""HY000 is what they give to whatever has none."""
_WORDS: tuple[tuple[FailureKind, re.Pattern[str]], ...] = (
    (
        "dns",
        re.compile(r"(?i)name or service not known|nodename nor servname|name resolution|(?:translate|resolve) host"),
    ),
    (
        "unreachable",
        re.compile(
            r"(?i)no route to host|network is unreachable|failed: timeout expired"
            r"|(?<!from server: )(?<!to server: )connection time(?:d |-?)out"
        ),
    ),
    (
        "refused",
        re.compile(
            r"(?i)connection refused|is the server running|(?:can(?:no|')?t|could not|unable to) connect\b"
            r"|too many (?:clients|connections)|database system is (?:starting|shutting|not yet|in recovery)"
        ),
    ),
)
"""How the system, and servers that take nobody at the moment, are quoted where there is no SQLSTATE."""


def connection_failure(link: BaseException) -> FailureKind | None:
    """What kept a database's client from a connection; None: it had one, or is no such client."""
    if not names_of(link) & _NAMES:
        return None
    if (state := _state_of(link)) is not None:
        return "refused" if state in _STATES else None
    text = told(link)
    return next((kind for kind, words in _WORDS if words.search(text)), None)


def _state_of(link: BaseException) -> str | None:
    """The SQLSTATE, with which a server has answered; ODBC puts it first."""
    first = (read(link, "args") or (None,))[0]
    given = (read(link, "sqlstate"), read(link, "pgcode"), first)
    return next((state for state in given if isinstance(state, str) and _STATE.fullmatch(state)), None)
