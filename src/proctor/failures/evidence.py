"""Evidence of the cause of an exception, from types, names and numbers, without importing any client library."""

from __future__ import annotations

import errno
import re
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, replace

from proctor.errors import CallError, EnvironmentFault, FailureKind
from proctor.failures.causes import chain, names_of, read
from proctor.failures.exception_origin import came_through, host_of, is_models, was_at_work_in
from proctor.failures.messages import raw_message, retry_after

_NAMES = frozenset({"DatabaseError", "InterfaceError", "OperationalError"})
"""PEP 249 exceptions that are not caused by the query itself."""
_STATES = frozenset({"08001", "08004", "53300", "57P03"})
"""SQLSTATEs: cannot connect, connection rejected, too many connections, cannot accept connections now."""
_STATE = re.compile(r"(?!HY000)[0-9A-Z]{5}")
"""HY000 is excluded, because it is used for any error without a SQLSTATE."""
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
"""Messages of the system, and of servers not accepting connections, for errors without a SQLSTATE."""


def connection_failure(link: BaseException) -> FailureKind | None:
    """Return why a database client could not connect; None if it could, or is no such client."""
    if not names_of(link) & _NAMES:
        return None
    if (state := _state_of(link)) is not None:
        return "refused" if state in _STATES else None
    text = raw_message(link)
    return next((kind for kind, words in _WORDS if words.search(text)), None)


def _state_of(link: BaseException) -> str | None:
    """Return the SQLSTATE of a server's response; ODBC puts it first."""
    first = (read(link, "args") or (None,))[0]
    given = (read(link, "sqlstate"), read(link, "pgcode"), first)
    return next((state for state in given if isinstance(state, str) and _STATE.fullmatch(state)), None)


TRANSIENT = frozenset({408, 425, 429, 502, 503, 504, 521, 522, 523, 529})
"""52x are sent by proxies for unreachable servers, 529 by Anthropic when overloaded."""
FATAL = frozenset({401, 403, 404})

_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ENETDOWN})
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_NO_THREAD = re.compile(r"can't (?:start|create) new thread")
_STARTS_PROCESSES = frozenset({"subprocess", "multiprocessing", "os", "pty"})
_UNCONNECTED: dict[str, FailureKind] = {
    "ClientConnectorError": "refused",
    "ClientProxyConnectionError": "refused",
    "ClientSSLError": "tls",
    "ConnectError": "refused",
    "ConnectTimeout": "unreachable",
    "ConnectTimeoutError": "unreachable",
    "ConnectionTimeoutError": "unreachable",
    "EndpointConnectionError": "refused",
    "NameResolutionError": "dns",
    "NewConnectionError": "refused",
    "NoBrokersAvailable": "refused",
    "NoHostAvailable": "refused",
    "PoolTimeout": "timeout",
    "ProxyConnectionError": "refused",
    "ProxyError": "refused",
    "SSLError": "tls",
    "ServerSelectionTimeoutError": "refused",
    "ServiceUnavailable": "refused",
}
"""Exception names of failed connections."""
_DROPPED = frozenset({
    "AutoReconnect", "BadStatusLine", "ChunkedEncodingError", "ClientConnectionResetError", "ClientOSError",
    "ClientPayloadError", "CloseError", "ConnectionClosedError", "IncompleteRead", "IncompleteReadError",
    "ProtocolError", "ReadError", "RemoteDisconnected", "RemoteProtocolError", "ServerDisconnectedError", "WriteError",
})  # fmt: skip
"""Exception names of connections dropped after the request was sent."""
_UNSURE = frozenset({
    "AMQPConnectionError", "APIConnectionError", "ClientConnectionError", "ConnectionError", "ModelConnectionError",
})  # fmt: skip
"""Exception names used for either; they count only if no cause is more specific."""
_ADDRESSES = frozenset({"InvalidSchema", "InvalidURL", "LocalProtocolError", "MissingSchema", "UnsupportedProtocol"})
"""Exception names of invalid addresses."""
_CONNECTING = frozenset({
    "_connect", "_connect_sock", "_create_connection", "connect", "connect_tcp", "create_connection", "do_handshake",
    "getaddrinfo", "open_connection", "sock_connect", "start_tls", "wrap_socket",
})  # fmt: skip
"""Functions of clients that establish a connection."""
_RECEIVING = frozenset({"getresponse", "read"})
_STATUS_OF_NAME = {
    "ModelInvalidRequestError": 400,
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
}
"""LangChain's exception names for provider errors that have no number."""
_STATUS_OF_RPC = {
    "UNAVAILABLE": 503,
    "RESOURCE_EXHAUSTED": 429,
    "DEADLINE_EXCEEDED": 504,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What is known about a failure."""

    kind: FailureKind = "exception"
    status: int | None = None
    """HTTP status of the failure."""
    host: str = ""
    """HOST:PORT of the server, if known."""
    retry_after: float | None = None
    """Seconds to wait, as requested by the server."""
    connecting: bool = False
    """Whether the request had not been accepted yet."""
    by_model: bool = False
    """Whether the server is a model's."""
    cause: BaseException | None = None
    """The exception that shows it."""


def of_status(status: int, *, host: str = "", retry_after: float | None = None) -> Evidence:
    """Return the evidence in an unsuccessful HTTP status."""
    kind: FailureKind = "rate_limit" if status == 429 else "http"
    return Evidence(kind=kind, status=status, host=host, retry_after=retry_after)


def evidence_of(error: BaseException) -> Evidence:
    """Return the strongest evidence in an exception and its causes; among equals, the deepest one, which came first.

    An outage is strongest: a failure while handling one would not have happened without it.
    """
    if isinstance(error, CallError):
        return _evidence_in_fault(error)
    links = tuple(chain(error))
    meant = {id(link) for link in chain(error, implicit=False)}
    for look in (_outage, _refusal, _break, _answer, _doubt):
        seen = links if look is not _refusal else [link for link in links if id(link) in meant or is_models(link)]
        if found := [shown for link in seen if (shown := look(link)) is not None]:
            host = next(filter(None, map(host_of, links)), "")
            by_model = found[-1].kind == "dropped" and any(map(is_models, links))
            return replace(found[-1], host=host, retry_after=retry_after(error), by_model=by_model)
    return Evidence()


def _evidence_in_fault(fault: CallError) -> Evidence:
    """Return the evidence that a classified fault carries."""
    asked = fault.retry_after if isinstance(fault, EnvironmentFault) else None
    return Evidence(kind=fault.kind, status=fault.status, host=fault.host, retry_after=asked, cause=fault)


def status_of(error: BaseException) -> int | None:
    """Return the HTTP error status of an exception or one of its causes."""
    known = (status for link in chain(error) if (status := _status_of(link)) is not None and 400 <= status <= 599)
    return next(known, None)


def is_wrong_address(error: BaseException) -> bool:
    """Whether the intended address is invalid."""
    return any(names_of(link) & _ADDRESSES for link in chain(error))


def is_late(error: BaseException) -> bool:
    """Whether the call timed out; it may have been answered, and paid for, all the same."""
    return any(_is_late(link) for link in chain(error))


def _is_late(link: BaseException) -> bool:
    if isinstance(link, CallError):
        return link.kind == "timeout"
    return any("Timeout" in name for name in names_of(link))


def is_exhausted(error: BaseException) -> bool:
    """Whether this machine has run out of threads, processes, memory or file handles."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, RuntimeError):
        return _NO_THREAD.match(raw_message(error)) is not None
    number = read(error, "errno") if isinstance(error, OSError) else None
    return number in _EXHAUSTED or (number == errno.EAGAIN and came_through(error, _STARTS_PROCESSES))


def _outage(link: BaseException) -> Evidence | None:
    """Return evidence of a failed connection, a server that is out of order, or exhausted local resources."""
    if is_exhausted(link):
        return Evidence(kind="resources", cause=link)
    if (status := _status_of(link)) is not None and status in TRANSIENT:
        return replace(of_status(status), cause=link)
    if (kind := _connection_failure(link)) is not None:
        return Evidence(kind=kind, connecting=True, cause=link)
    return None


def _refusal(link: BaseException) -> Evidence | None:
    """Return evidence of a rejected key, address or name; tools that find nothing report it in other ways."""
    status = _number(read(link, "status_code")) or _number(read(link, "api_error_status")) or _status_by_name(link)
    if status is None and is_models(link):
        status = _status_of(link)
    return replace(of_status(status), cause=link) if status is not None and status in FATAL else None


def _break(link: BaseException) -> Evidence | None:
    """Return evidence of an exchange that broke off or timed out after the request was sent."""
    names = names_of(link)
    if names & _DROPPED or (isinstance(link, ConnectionError) and came_through(link, {"http"}, _RECEIVING)):
        return Evidence(kind="dropped", cause=link)
    return Evidence(kind="timeout", cause=link) if any("Timeout" in name for name in names) else None


def _answer(link: BaseException) -> Evidence | None:
    """Return evidence of any other HTTP status, or of an invalid address."""
    status = _status_of(link)
    if status is not None and 400 <= status <= 599:
        return Evidence(kind="http", status=None if status in FATAL else status, cause=link)
    return Evidence(cause=link) if names_of(link) & _ADDRESSES else None


def _doubt(link: BaseException) -> Evidence | None:
    """Return evidence of connection trouble when it is unclear whether the request was accepted."""
    if isinstance(link, ssl.SSLError):
        return Evidence(kind="tls", connecting=True, cause=link)
    if isinstance(link, (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)):
        return Evidence(kind="dropped", connecting=True, cause=link)
    # the Claude Agent SDK wraps another program's exception and only knows that its model gave no answer
    unsure = names_of(link) & _UNSURE or read(link, "terminal_reason") == "api_error"
    return Evidence(kind="refused", connecting=True, cause=link) if unsure else None


def _connection_failure(link: BaseException) -> FailureKind | None:
    number = read(link, "errno") if isinstance(link, OSError) else None
    if isinstance(link, socket.gaierror):
        return "dns"
    if isinstance(link, ssl.SSLError):  # an unexpected end may come at any time
        return None if isinstance(link, (ssl.SSLEOFError, ssl.SSLZeroReturnError)) else "tls"
    if isinstance(link, ConnectionRefusedError) or number in _UNREACHABLE:
        return "refused"
    if number == errno.ETIMEDOUT or _timed_out_connecting(link):
        return "unreachable"
    # asyncio reports several failed addresses in the message only, without errno or cause
    if isinstance(link, OSError) and number is None and raw_message(link).startswith("Multiple exceptions: "):
        return "refused"
    names = names_of(link)
    return next((kind for name, kind in _UNCONNECTED.items() if name in names), None) or connection_failure(link)


def _timed_out_connecting(link: BaseException) -> bool:
    """Whether a timeout occurred while connecting, though its name does not say so."""
    if "URLError" in names_of(link):  # urllib wraps errors up to sending the request, none after it
        return isinstance(read(link, "reason"), TimeoutError)
    if not isinstance(link, TimeoutError):
        return False
    stopped = (link, read(link, "__cause__"), read(link, "__context__"))
    return any(was_at_work_in(each, _CONNECTING) for each in stopped if isinstance(each, BaseException))


def _status_of(link: BaseException) -> int | None:
    """Return the HTTP status from any of the attributes that clients use."""
    if not isinstance(link, Exception):
        return None  # sys.exit has a code too
    response = read(link, "response")
    names = ("status_code", "status", "code", "api_error_status")
    places = ((link, names[0]), (response, names[0]), *((link, name) for name in names[1:]))
    numbers = (number for holder, name in places if (number := _number(read(holder, name))) is not None)
    return next(numbers, None) or _status_by_name(link)


def _status_by_name(link: BaseException) -> int | None:
    names = names_of(link)
    if "RpcError" in names:
        with suppress(BaseException):
            return _STATUS_OF_RPC.get(read(link, "code")().name)
    return next((status for name, status in _STATUS_OF_NAME.items() if name in names), None)


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None
