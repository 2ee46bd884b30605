"""Failure attribution: who is to blame for a failed call, its kind, host, and whether a retry makes sense.

    classify(error)                 for any exception
    blame(Evidence(...), "words")   for our own clients, which pass plain values

The root cause decides, however it is wrapped. Failed connections and exhausted local resources are blamed on the
environment; failures after the request was accepted are the server's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proctor.errors import AgentFault, CallError, EnvironmentFault, FailureKind, Misconfigured
from proctor.failures.causes import chain, members_of, names_of
from proctor.failures.evidence import FATAL, TRANSIENT, Evidence, evidence_of, is_exhausted, of_status
from proctor.failures.exception_origin import host_in
from proctor.failures.messages import (
    detail_of,
    is_too_long,
    message_with_name,
    parse_retry_after,
    says_too_long,
    short_message,
)
from proctor.usage import Usage

__all__ = [
    "Evidence",
    "blame",
    "chain",
    "classify",
    "detail_of",
    "host_in",
    "is_exhausted",
    "of_status",
    "parse_retry_after",
    "says_too_long",
    "short_message",
    "status_in",
    "with_spending",
]  # fmt: skip

_IN_THE_WAKE = frozenset({"BrokenResourceError", "CancelledError", "ClosedResourceError", "EndOfStream"})
"""Exceptions that tasks of a group raise because another task has ended."""
_NEVER_TAKEN: frozenset[FailureKind] = frozenset({"refused", "unreachable", "dns", "tls", "resources"})


def blame(evidence: Evidence, message: str, *, judging: bool = False) -> CallError:
    """Attribute a failure by the evidence. `judging` if the call was not to the agent under test."""
    kind, host, status = evidence.kind, evidence.host, evidence.status
    if status in FATAL:
        return Misconfigured(message, kind=kind, host=host)
    passing = status in TRANSIENT or (judging and status is not None and status >= 500)
    unanswered = kind in ("timeout", "dropped") and (evidence.connecting or judging)
    if kind in _NEVER_TAKEN or passing or unanswered:
        return EnvironmentFault(message, retry_after=evidence.retry_after, kind=kind, host=host)
    return AgentFault(message, kind=kind, host=host, by_model=evidence.by_model)


def classify(error: BaseException) -> CallError:
    """Return the fault behind an exception. If nothing else is to blame, it is the callee's own."""
    try:
        return _classify_group(error)
    except BaseException:  # a foreign exception that raises when inspected
        return AgentFault(type(error).__name__)


def _classify_group(error: BaseException, groups: frozenset[int] = frozenset()) -> CallError:
    return _own_among_several(error, groups) or _known_fault(error) or _fault_of(error)


def _own_among_several(error: BaseException, groups: frozenset[int]) -> AgentFault | None:
    """Return the agent's own failure in an exception group in which other members failed by an outage; else None.

    Failed attempts at one connection, and streams closed because another task ended, are not separate failures.
    `groups` are the ids of those already examined.
    """
    if isinstance(error, CallError):
        return None
    found = (link for link in chain(error, implicit=False) if isinstance(link, BaseExceptionGroup))
    group = next((link for link in found if id(link) not in groups), None)
    members = [] if group is None else [each for each in members_of(group) if not names_of(each) & _IN_THE_WAKE]
    if group is None or len(members) < 2 or all(isinstance(each, OSError) for each in members):
        return None
    faults = [_classify_group(each, groups | {id(group)}) for each in members]
    own = next((fault for fault in faults if isinstance(fault, AgentFault)), None)
    excused = any(isinstance(fault, EnvironmentFault) for fault in faults)
    if own is None or not excused or any(isinstance(fault, Misconfigured) for fault in faults):
        return None
    return AgentFault(f"{message_with_name(error)} ({own})", kind=own.kind, host=own.host, by_model=own.by_model)


def _known_fault(error: BaseException) -> CallError | None:
    """Return an already classified fault: the exception itself, or an environment or setup fault among its causes."""
    if isinstance(error, CallError):
        return error
    others = (link for link in chain(error) if isinstance(link, (EnvironmentFault, Misconfigured)))
    return next(others, None)


def _fault_of(error: BaseException) -> CallError:
    if isinstance(error, SystemExit):
        return AgentFault(f"called sys.exit({error.code!r})", kind="exit")
    found = evidence_of(error)
    fault = blame(found, message := _words_of(error, found))
    if isinstance(fault, AgentFault) and is_too_long(error):
        fault.args = (f"the conversation exceeded the model's context window ({message})",)
    elif found.status is not None and not isinstance(fault, AgentFault):
        fault.args = (f"HTTP {found.status}: {message}",)
    return fault


def _words_of(error: BaseException, found: Evidence) -> str:
    """Return the message, with that of the cause if it adds something; clients often say only "Connection error."."""
    words, cause = message_with_name(error), found.cause
    if (
        cause is None
        or found.status is not None
        or short_message(cause) == type(cause).__name__
        or short_message(cause) in words
    ):
        return words
    return f"{words} ({message_with_name(cause)})"


def with_spending(fault: CallError, spent: Usage) -> CallError:
    """Attach to the fault what was spent before it, so that the run counts it."""
    if spent:
        vars(fault)["spent"] = spent
    return fault


_PLACES = ("code", "status", "status_code", "statusCode", "type")
_STATUS_OF = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "rate_limited": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "server_error": 500,
    "overloaded": 503,
    "overloaded_error": 529,
    "server_overloaded": 503,
    "unavailable": 503,
    "service_unavailable": 503,
    "service_unavailable_error": 503,
    "gateway_timeout": 504,
    "deadline_exceeded": 504,
    "model_not_found": 404,
    "invalid_api_key": 401,
}
"""Error name → HTTP status, for servers that give no number."""
_WORDS = (
    (429, re.compile(r"(?i)\brate[- ]limit(?:s|ed)?\b|\btoo many requests\b")),
    (503, re.compile(r"(?i)\boverloaded\b|\bservice (?:is )?(?:temporarily )?unavailable\b")),
)
"""HTTP status and patterns for errors that are only described in words."""


def status_in(error: Any) -> int | None:
    """Return the HTTP status of an error by number, name, or wording as a last resort; None if unknown."""
    if isinstance(error, str):
        return _status_in_words(error)
    if not isinstance(error, Mapping):
        return None
    given = [error.get(name) for name in _PLACES]
    numbers = (number for value in given if (number := _number(value)) is not None)
    names = (_STATUS_OF[name] for value in given if isinstance(value, str) and (name := value.lower()) in _STATUS_OF)
    known = next(numbers, None) or next(names, None)
    if known is not None or any(isinstance(value, (str, int)) and value for value in given):
        return known
    message = error.get("message")
    return _status_in_words(message) if isinstance(message, str) else None


def _number(value: object) -> int | None:
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    return int(text) if re.fullmatch(r"[45]\d\d", text) else None


def _status_in_words(text: str) -> int | None:
    return next((status for status, words in _WORDS if words.search(text)), None)
