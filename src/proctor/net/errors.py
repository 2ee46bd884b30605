"""Describe errors of an HTTP exchange in one sentence without secrets; `failures` decides whose fault they are."""

from __future__ import annotations

import asyncio
import os
from http import HTTPStatus

import aiohttp
from yarl import URL

from proctor.errors import AgentFault, CallError, FailureKind, Misconfigured
from proctor.failures import Evidence, blame, host_in, is_exhausted, of_status, parse_retry_after, short_message
from proctor.net.addresses import shown
from proctor.net.exchange import ExchangeLimits, Response
from proctor.redaction import without_secrets

_EXCERPT = 200
_CHECK = {
    401: "check the key that its headers carry",
    403: "check what the key in its headers may do",
    404: "check the address",
}


def fault_of_status(response: Response) -> CallError | None:
    """Return the fault for a status, or None on success."""
    status = response.status
    if 200 <= status < 300:
        return None
    answered = f"{shown(response.url)} answered {status_phrase(status)}"
    wait = parse_retry_after(response.headers.get("Retry-After"))
    fault = blame(of_status(status, host=host_in(response.url), retry_after=wait), answered)
    if status in _CHECK:
        fault.args = (f"{answered}; {_CHECK[status]}",)
    elif isinstance(fault, AgentFault) and (detail := excerpt(response)):
        fault.args = (f"{answered}: {detail}",)
    return fault


def status_phrase(status: int) -> str:
    """Format a status, such as `404 Not Found`."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def excerpt(response: Response) -> str:
    """Return the start of the response body on one line; empty for HTML."""
    if "html" in response.headers.get("Content-Type", ""):
        return ""
    text = " ".join(without_secrets(response.body[: 8 * _EXCERPT].decode(errors="replace")).split())
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"


def was_dropped_unanswered(error: Exception) -> bool:
    """Whether the connection was closed before the first byte of the response."""
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return isinstance(error.message, str)  # otherwise it holds the partial response
    return isinstance(error, (aiohttp.ClientOSError, ConnectionError)) and not isinstance(
        error, (aiohttp.ClientConnectorError, aiohttp.ClientProxyConnectionError)
    )


def fault_of(error: Exception, url: URL, bounds: ExchangeLimits, *, stale: bool = False) -> CallError:
    """Return the fault for an incomplete response.

    Until the request was accepted, the network is to blame; afterwards the server, since a retry might succeed and
    would bias the measurement. `stale`: an idle connection was closed without a response; servers may do that at any
    time, and whether this one had accepted the request cannot be known.
    """
    where, host = shown(url), host_in(str(url))
    if is_exhausted(error):
        return blame(
            Evidence(kind="resources", host=host), f"this machine could not call {where}: {short_message(error, 200)}"
        )
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return Misconfigured(f"{where} is not an address that can be called", host=host)
    if isinstance(error, ValueError) and not isinstance(error, aiohttp.ClientError):
        message = f"{where} cannot be asked like this: {short_message(error, 200)}; check its headers and the proxy"
        return Misconfigured(message, host=host)
    if (missed := _connection_failure(error, where, bounds)) is not None:
        return blame(Evidence(kind=missed[0], host=host, connecting=True), missed[1])
    if stale:
        message = f"{where} closed a connection that was kept open when a request was on its way"
        return blame(Evidence(kind="dropped", host=host, connecting=True), message)
    kind, words = _broken_off(error, where, bounds)
    return blame(Evidence(kind=kind, host=host), words)


def not_connected(url: URL) -> CallError:
    """For a call whose time was over before there was a connection: nobody had been asked yet."""
    evidence = Evidence(kind="unreachable", host=host_in(str(url)), connecting=True)
    return blame(evidence, f"could not connect to {shown(url)} within the time limit of the call")


def _connection_failure(error: Exception, where: str, bounds: ExchangeLimits) -> tuple[FailureKind, str] | None:
    """Return why the connection could not be established, or None if it was."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "unreachable", f"could not connect to {where} within {bounds.connect:g} s"
    if isinstance(error, aiohttp.ClientConnectorError):
        return _kind_of(error), _unreachable(error, where)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return "refused", f"the proxy refused to reach {where}: {status_phrase(error.status)}"
    return None


def _broken_off(error: Exception, where: str, bounds: ExchangeLimits) -> tuple[FailureKind, str]:
    """Return what went wrong after the request was accepted."""
    if isinstance(error, aiohttp.SocketTimeoutError):
        return "timeout", f"{where} sent nothing for {bounds.idle:g} s"
    if isinstance(error, asyncio.TimeoutError):
        return "timeout", f"{where} did not answer completely within {bounds.seconds:g} s"
    if isinstance(error, (aiohttp.ClientConnectionError, ConnectionError)):
        return "dropped", f"{where} took the request and dropped the connection"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "dropped", f"{where} did not send its reply to the end, or not as it announced it"
    if isinstance(error, aiohttp.ClientResponseError):
        return "http", f"{where} did not answer with valid HTTP: {_message(error)}"
    return "exception", f"{where} could not be asked: {type(error).__name__}"


def _kind_of(error: aiohttp.ClientConnectorError) -> FailureKind:
    if isinstance(error, aiohttp.ClientSSLError):
        return "tls"
    return "dns" if isinstance(error, aiohttp.ClientConnectorDNSError) else "refused"


def _unreachable(error: aiohttp.ClientConnectorError, where: str) -> str:
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else short_message(error.os_error, 200)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        problem = getattr(error.certificate_error, "verify_message", "") or short_message(error.certificate_error, 200)
        return (
            f"the certificate of {where} is not trusted: {problem}; expected one from a known authority, or from `ca`"
        )
    if isinstance(error, aiohttp.ClientSSLError):
        return f"cannot speak TLS with {where}: {short_message(error.os_error, 200)}"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"cannot find the host of {where}: {short_message(error.os_error, 200)}"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"cannot reach the proxy on the way to {where}: {reason}"
    return f"cannot connect to {where}: {reason}; is it running?"


def _message(error: aiohttp.ClientResponseError) -> str:
    """Return the parser's error without the server's bytes that follow it."""
    return " ".join(without_secrets(error.message).split("\n")[0].split(":")[0].split())[:_EXCERPT]
