"""What went wrong in an exchange → whose fault it is, in one sentence without secrets."""

from __future__ import annotations

import asyncio
import os
from http import HTTPStatus

import aiohttp
from yarl import URL

from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured
from proctor.failures import FATAL, TRANSIENT, parse_retry_after, said
from proctor.net.addresses import shown
from proctor.net.exchange import Bounds, Response
from proctor.redaction import without_secrets

_EXCERPT = 200
_CHECK = {
    401: "check the key that its headers carry",
    403: "check what the key in its headers may do",
    404: "check the address",
}


def fault_of_status(response: Response) -> CallError | None:
    """What a status means to a run; None: it is fine."""
    if 200 <= response.status < 300:
        return None
    answered = f"{shown(response.url)} answered {named(response.status)}"
    if response.status in TRANSIENT:
        return EnvironmentFault(answered, retry_after=parse_retry_after(response.headers.get("Retry-After")))
    if response.status in FATAL:
        return Misconfigured(f"{answered}; {_CHECK[response.status]}")
    told = excerpt(response)
    return AgentFault(f"{answered}: {told}" if told else answered)


def named(status: int) -> str:
    """`404 Not Found`."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def excerpt(response: Response) -> str:
    """The beginning of what the server said, on one line; nothing where it is a page for people."""
    if "html" in response.headers.get("Content-Type", ""):
        return ""
    text = " ".join(without_secrets(response.body[: 8 * _EXCERPT].decode(errors="replace")).split())
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"


def fault_of(error: Exception, url: URL, bounds: Bounds) -> CallError:
    """Whose fault it is that there was no whole response.

    Before the request was taken it is the network's. From then on it is the server's: asking again might find it in a
    better mood, and that would not be a measurement.
    """
    where = shown(url)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return EnvironmentFault(f"could not connect to {where} within {bounds.connect:g} s")
    if isinstance(error, aiohttp.ClientConnectorError):
        return EnvironmentFault(_unreachable(error, where))
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return EnvironmentFault(f"the proxy refused to reach {where}: {named(error.status)}")
    if isinstance(error, aiohttp.SocketTimeoutError):
        return AgentFault(f"{where} sent nothing for {bounds.idle:g} s")
    if isinstance(error, asyncio.TimeoutError):
        return AgentFault(f"{where} did not answer completely within {bounds.seconds:g} s")
    if isinstance(error, (aiohttp.ClientConnectionError, ConnectionError)):
        return AgentFault(f"{where} took the request and dropped the connection")
    if isinstance(error, aiohttp.ClientPayloadError):
        return AgentFault(f"{where} did not send its reply to the end, or not as it announced it")
    if isinstance(error, aiohttp.ClientResponseError):
        return AgentFault(f"{where} did not answer with valid HTTP: {_message(error)}")
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError)):
        return Misconfigured(f"{where} is no address that can be called")
    return AgentFault(f"{where} could not be asked: {type(error).__name__}")


def _unreachable(error: aiohttp.ClientConnectorError, where: str) -> str:
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else said(error.os_error, 200)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        problem = getattr(error.certificate_error, "verify_message", "") or said(error.certificate_error, 200)
        return (
            f"the certificate of {where} is not trusted: {problem}; expected one from a known authority, or from `ca`"
        )
    if isinstance(error, aiohttp.ClientSSLError):
        return f"cannot speak TLS with {where}: {said(error.os_error, 200)}"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"cannot find the host of {where}: {said(error.os_error, 200)}"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return f"cannot reach the proxy on the way to {where}: {reason}"
    return f"cannot connect to {where}: {reason}; is it running?"


def _message(error: aiohttp.ClientResponseError) -> str:
    """The parser's complaint alone: what follows it are the server's own bytes."""
    return " ".join(without_secrets(error.message).split("\n")[0].split(":")[0].split())[:_EXCERPT]
