"""Whose fault is it?"""

from __future__ import annotations

import errno
import socket
import ssl
import urllib.error
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime

import aiohttp
import httpx
import pytest
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from proctor.errors import AgentFault, EnvironmentFault, Misconfigured
from proctor.failures import classify, parse_retry_after, said
from proctor.redaction import keep_secret, without_credentials, without_secrets


class HttpError(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"status {status}")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers or {}})()


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_a_passing_status_is_the_environments(status: int) -> None:
    assert isinstance(classify(HttpError(status)), EnvironmentFault)


def by_httpx(status: int) -> Exception:
    return httpx.HTTPStatusError("", request=httpx.Request("GET", "http://x"), response=httpx.Response(status))


def by_aiohttp(status: int) -> Exception:
    asked = aiohttp.RequestInfo(URL("http://x"), "GET", CIMultiDictProxy(CIMultiDict()), URL("http://x"))
    return aiohttp.ClientResponseError(asked, (), status=status)


def by_urllib(status: int) -> Exception:
    return urllib.error.HTTPError("http://x", status, "", Message(), None)


@pytest.mark.parametrize("raised", [by_httpx, by_aiohttp, by_urllib])
def test_an_outage_is_known_however_a_client_tells_it(raised: Callable[[int], Exception]) -> None:
    assert isinstance(classify(raised(429)), EnvironmentFault)
    assert isinstance(classify(raised(503)), EnvironmentFault)
    assert isinstance(classify(raised(500)), AgentFault)
    assert isinstance(classify(raised(404)), AgentFault), "something that a tool did not find"
    assert isinstance(classify(SystemExit(503)), AgentFault)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusing_status_is_a_misconfiguration(status: int) -> None:
    assert isinstance(classify(HttpError(status)), Misconfigured)


@pytest.mark.parametrize("status", [500, 501, 400, 422])
def test_the_servers_own_error_is_the_agents(status: int) -> None:
    assert isinstance(classify(HttpError(status)), AgentFault)


class ContextWindowExceededError(Exception):
    """As a client names it."""


def refusing(message: str, status: int = 400) -> HttpError:
    error = HttpError(status)
    error.args = (message,)
    return error


@pytest.mark.parametrize(
    "error",
    [
        refusing("Error code: 400 - {'error': {'code': 'context_length_exceeded'}}"),
        refusing("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."),
        refusing("prompt is too long: 210000 tokens > 200000 maximum"),
        refusing("Input is too long for requested model."),
        refusing("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        refusing("the request exceeds the available context size, try increasing it"),
        ContextWindowExceededError("no more room"),
        ValueError("Requested tokens (600) exceed context window of 512"),
    ],
)
def test_a_conversation_that_outgrew_the_models_window_is_the_agents_and_said_to_be(error: Exception) -> None:
    wrapped = RuntimeError("the call failed")
    wrapped.__cause__ = error
    for raised in (error, wrapped):
        fault = classify(raised)
        assert isinstance(fault, AgentFault)
        assert str(fault).startswith("the conversation outgrew the model's window (")


@pytest.mark.parametrize("message", ["context is missing", "the context manager exceeded its time", "too long a wait"])
def test_other_complaints_are_not_taken_for_a_window_outgrown(message: str) -> None:
    assert str(classify(ValueError(message))) == f"ValueError: {message}"


def test_a_limit_on_tokens_a_minute_is_still_the_environments() -> None:
    assert isinstance(classify(refusing("exceeds the context length per minute", 429)), EnvironmentFault)


@pytest.mark.parametrize(
    "error", [ConnectionRefusedError("no"), ConnectionResetError(), socket.gaierror(-2, "no name"), ssl.SSLError("bad")]
)
def test_the_network_is_the_environment(error: Exception) -> None:
    assert isinstance(classify(error), EnvironmentFault)


def test_a_clients_own_exception_raised_from_a_refused_connection_is_the_environments() -> None:
    wrapped = RuntimeError("could not connect")
    wrapped.__cause__ = ConnectionRefusedError("refused")
    assert isinstance(classify(wrapped), EnvironmentFault)


def test_connections_refused_at_every_address_of_a_server_are_the_environments() -> None:
    group = ExceptionGroup("multiple connection attempts failed", [ConnectionRefusedError("v6"), OSError("v4")])
    wrapped = OSError("All connection attempts failed")
    wrapped.__cause__ = group
    assert isinstance(classify(wrapped), EnvironmentFault)
    assert isinstance(classify(ExceptionGroup("tasks", [group])), EnvironmentFault)
    assert isinstance(classify(ExceptionGroup("tasks", [ValueError("its own")])), AgentFault)


@pytest.mark.parametrize(
    "error",
    [
        *(OSError(number, "no way there") for number in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EHOSTDOWN)),
        OSError(errno.ENETDOWN, "the network is down"),
        OSError(errno.ETIMEDOUT, "the connection timed out"),
        OSError("Multiple exceptions: [Errno 111] Connect call failed, [Errno 99] Cannot assign requested address"),
    ],
)
def test_a_host_that_cannot_be_reached_is_the_environments(error: Exception) -> None:
    assert isinstance(classify(error), EnvironmentFault)


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "no file"), OSError("odd"), TimeoutError("gave up")])
def test_another_error_of_the_system_is_the_agents(error: Exception) -> None:
    assert isinstance(classify(error), AgentFault)


def test_an_exception_raised_while_handling_another_is_judged_by_itself() -> None:
    error = ValueError("the fallback is broken")
    error.__context__ = ConnectionRefusedError("refused")
    assert isinstance(classify(error), AgentFault)


def test_a_chain_that_bites_its_tail_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert isinstance(classify(first), AgentFault)


def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    fault = classify(HttpError(429, {"retry-after": "7"}))
    assert isinstance(fault, EnvironmentFault)
    assert fault.retry_after == 7.0


def test_the_wait_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    waited = parse_retry_after(later)
    assert waited is not None
    assert 80 < waited <= 90


@pytest.mark.parametrize("value", ["", None, "soon", "Mon, 99 Foo 2026"])
def test_a_wait_that_cannot_be_read_is_none(value: str | None) -> None:
    assert parse_retry_after(value) is None


def test_a_long_message_is_cut_and_put_on_one_line() -> None:
    fault = classify(ValueError("x\n" * 5000))
    assert "\n" not in str(fault)
    assert len(str(fault)) < 600


def test_an_exception_that_cannot_say_what_it_is_goes_by_its_name() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    assert str(classify(Mute())) == "Mute"


@pytest.mark.parametrize("ending", ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASS", "PAT", "AUTH", "CREDENTIALS"])
def test_a_variable_named_like_a_secret_is_scrubbed(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"SOME_{ending}", "hush-hush-hush")
    assert without_secrets("it is hush-hush-hush!") == f"it is $SOME_{ending}!"


def test_a_variable_of_any_name_is_scrubbed_once_it_is_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ENTRANCE", "open-sesame")
    assert without_secrets("say open-sesame") == "say open-sesame"
    keep_secret("SOME_ENTRANCE")
    assert without_secrets("say open-sesame") == "say $SOME_ENTRANCE"


def test_a_secret_that_holds_another_is_scrubbed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "hush-hush")
    monkeypatch.setenv("B_TOKEN", "hush-hush-and-more")
    assert without_secrets("hush-hush-and-more, hush-hush") == "$B_TOKEN, $A_TOKEN"


def test_a_secret_is_scrubbed_before_the_message_is_folded_and_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "first line\n  second line")
    assert said(ValueError("x" * 490 + " first line\n  second line")) == "x" * 490 + " $SOME_KEY"


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("http://user:hunter2@127.0.0.1:1/ask", "http://…@127.0.0.1:1/ask"),
        ("http://127.0.0.1:1/ask?api_key=hunter2", "http://127.0.0.1:1/ask?…"),
        ("openai-compatible:tiny@http://u:p@host/v1", "openai-compatible:tiny@http://…@host/v1"),
        ("openai-compatible:tiny@http://host/v1", "openai-compatible:tiny@http://host/v1"),
        ("python:my_agent:answer", "python:my_agent:answer"),
    ],
)
def test_a_spec_is_shown_without_what_may_be_a_secret(spec: str, shown: str) -> None:
    assert without_credentials(spec) == shown
