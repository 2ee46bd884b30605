"""What an exception shows of what went wrong, told by types, names and numbers, without importing any client."""

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
from proctor.failures.messages import retry_after, told

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


TRANSIENT = frozenset({408, 425, 429, 502, 503, 504, 521, 522, 523, 529})
"""The last are what proxies say of a server that they do not reach, and Anthropic of one that is overloaded."""
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
"""What clients call a connection that never came about."""
_DROPPED = frozenset({
    "AutoReconnect", "BadStatusLine", "ChunkedEncodingError", "ClientConnectionResetError", "ClientOSError",
    "ClientPayloadError", "CloseError", "ConnectionClosedError", "IncompleteRead", "IncompleteReadError",
    "ProtocolError", "ReadError", "RemoteDisconnected", "RemoteProtocolError", "ServerDisconnectedError", "WriteError",
})  # fmt: skip
"""What they call one that ended after the request was on its way."""
_UNSURE = frozenset({
    "AMQPConnectionError", "APIConnectionError", "ClientConnectionError", "ConnectionError", "ModelConnectionError",
})  # fmt: skip
"""What they call either: it counts only where nothing behind it says more."""
_ADDRESSES = frozenset({"InvalidSchema", "InvalidURL", "LocalProtocolError", "MissingSchema", "UnsupportedProtocol"})
"""What they call an address that nobody could call."""
_CONNECTING = frozenset({
    "_connect", "_connect_sock", "_create_connection", "connect", "connect_tcp", "create_connection", "do_handshake",
    "getaddrinfo", "open_connection", "sock_connect", "start_tls", "wrap_socket",
})  # fmt: skip
"""Functions of theirs in which a connection comes about."""
_RECEIVING = frozenset({"getresponse", "read"})
_STATUS_OF_NAME = {
    "ModelInvalidRequestError": 400,
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
}
"""What LangChain calls the exception of a provider that does not number it."""
_STATUS_OF_RPC = {
    "UNAVAILABLE": 503,
    "RESOURCE_EXHAUSTED": 429,
    "DEADLINE_EXCEEDED": 504,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What is known of something that went wrong."""

    kind: FailureKind = "exception"
    """What it was."""
    status: int | None = None
    """The HTTP status that says so."""
    host: str = ""
    """HOST:PORT of the server, where it is known."""
    retry_after: float | None = None
    """The seconds that the server asked to wait."""
    connecting: bool = False
    """Whether the request was not yet taken."""
    by_model: bool = False
    """Whether the server is a model's."""
    cause: BaseException | None = None
    """The exception that shows it."""


def of_status(status: int, *, host: str = "", retry_after: float | None = None) -> Evidence:
    """What a status shows that is no success."""
    kind: FailureKind = "rate_limit" if status == 429 else "http"
    return Evidence(kind=kind, status=status, host=host, retry_after=retry_after)


def evidence_of(error: BaseException) -> Evidence:
    """What an exception and its causes show. Of equal weight, what came first decides, which stands deepest.

    An outage weighs most: whoever fails in handling one would not have failed without it.
    """
    if isinstance(error, CallError):
        return _known(error)
    links = tuple(chain(error))
    meant = {id(link) for link in chain(error, implicit=False)}
    for look in (_outage, _refusal, _break, _answer, _doubt):
        seen = links if look is not _refusal else [link for link in links if id(link) in meant or is_models(link)]
        if found := [shown for link in seen if (shown := look(link)) is not None]:
            host = next(filter(None, map(host_of, links)), "")
            by_model = found[-1].kind == "dropped" and any(map(is_models, links))
            return replace(found[-1], host=host, retry_after=retry_after(error), by_model=by_model)
    return Evidence()


def _known(fault: CallError) -> Evidence:
    """What a fault of our own client carries."""
    asked = fault.retry_after if isinstance(fault, EnvironmentFault) else None
    return Evidence(kind=fault.kind, status=fault.status, host=fault.host, retry_after=asked, cause=fault)


def status_of(error: BaseException) -> int | None:
    """The HTTP status of an error that an exception or one of its causes carries."""
    known = (status for link in chain(error) if (status := _status_of(link)) is not None and 400 <= status <= 599)
    return next(known, None)


def is_wrong_address(error: BaseException) -> bool:
    """Whether nobody could be called at the address that was meant."""
    return any(names_of(link) & _ADDRESSES for link in chain(error))


def is_late(error: BaseException) -> bool:
    """Whether nobody waited for the answer any longer; it may have been given, and paid for, all the same."""
    return any(_is_late(link) for link in chain(error))


def _is_late(link: BaseException) -> bool:
    if isinstance(link, CallError):
        return link.kind == "timeout"
    return any("Timeout" in name for name in names_of(link))


def is_exhausted(error: BaseException) -> bool:
    """Whether this machine has no thread, process, memory or file handle left."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, RuntimeError):
        return _NO_THREAD.match(told(error)) is not None
    number = read(error, "errno") if isinstance(error, OSError) else None
    return number in _EXHAUSTED or (number == errno.EAGAIN and came_through(error, _STARTS_PROCESSES))


def _outage(link: BaseException) -> Evidence | None:
    """A connection that never came about, a server that is out of order, a machine that has nothing left."""
    if is_exhausted(link):
        return Evidence(kind="resources", cause=link)
    if (status := _status_of(link)) is not None and status in TRANSIENT:
        return replace(of_status(status), cause=link)
    if (kind := _connection_failure(link)) is not None:
        return Evidence(kind=kind, connecting=True, cause=link)
    return None


def _refusal(link: BaseException) -> Evidence | None:
    """A key, address or name that the server does not accept; a tool that finds nothing tells it in other ways."""
    status = _number(read(link, "status_code")) or _number(read(link, "api_error_status")) or _status_by_name(link)
    if status is None and is_models(link):
        status = _status_of(link)
    return replace(of_status(status), cause=link) if status is not None and status in FATAL else None


def _break(link: BaseException) -> Evidence | None:
    """An exchange that ended, or took too long, after the request was on its way."""
    names = names_of(link)
    if names & _DROPPED or (isinstance(link, ConnectionError) and came_through(link, {"http"}, _RECEIVING)):
        return Evidence(kind="dropped", cause=link)
    return Evidence(kind="timeout", cause=link) if any("Timeout" in name for name in names) else None


def _answer(link: BaseException) -> Evidence | None:
    """Any other status, and an address that nobody could call."""
    status = _status_of(link)
    if status is not None and 400 <= status <= 599:
        return Evidence(kind="http", status=None if status in FATAL else status, cause=link)
    return Evidence(cause=link) if names_of(link) & _ADDRESSES else None


def _doubt(link: BaseException) -> Evidence | None:
    """Trouble with a connection of which nobody says that a request was taken."""
    if isinstance(link, ssl.SSLError):
        return Evidence(kind="tls", connecting=True, cause=link)
    if isinstance(link, (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)):
        return Evidence(kind="dropped", connecting=True, cause=link)
    # the Claude Agent SDK has the exception of another program, and knows only that its model gave no answer
    unsure = names_of(link) & _UNSURE or read(link, "terminal_reason") == "api_error"
    return Evidence(kind="refused", connecting=True, cause=link) if unsure else None


def _connection_failure(link: BaseException) -> FailureKind | None:
    number = read(link, "errno") if isinstance(link, OSError) else None
    if isinstance(link, socket.gaierror):
        return "dns"
    if isinstance(link, ssl.SSLError):  # one that ends in the middle may have done so at any time
        return None if isinstance(link, (ssl.SSLEOFError, ssl.SSLZeroReturnError)) else "tls"
    if isinstance(link, ConnectionRefusedError) or number in _UNREACHABLE:
        return "refused"
    if number == errno.ETIMEDOUT or _timed_out_connecting(link):
        return "unreachable"
    # asyncio tells of several addresses that all failed in a message alone, without a number or a cause
    if isinstance(link, OSError) and number is None and told(link).startswith("Multiple exceptions: "):
        return "refused"
    names = names_of(link)
    return next((kind for name, kind in _UNCONNECTED.items() if name in names), None) or connection_failure(link)


def _timed_out_connecting(link: BaseException) -> bool:
    """Whether a time-out came while connecting though its name does not say so."""
    if "URLError" in names_of(link):  # urllib wraps what goes wrong until the request is sent, and nothing after it
        return isinstance(read(link, "reason"), TimeoutError)
    if not isinstance(link, TimeoutError):
        return False
    stopped = (link, read(link, "__cause__"), read(link, "__context__"))
    return any(was_at_work_in(each, _CONNECTING) for each in stopped if isinstance(each, BaseException))


def _status_of(link: BaseException) -> int | None:
    """The HTTP status, under any of the names that clients give it."""
    if not isinstance(link, Exception):
        return None  # sys.exit has a code, too
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
