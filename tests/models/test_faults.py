from __future__ import annotations

import socket
import ssl

import pytest
from langchain_core import exceptions
from tests.models.scripted import Status

from proctor.errors import EnvironmentFault, Misconfigured
from proctor.failures import short_message
from proctor.models.structured import ModelUnavailable, fault_of
from proctor.usage import Usage


class TransportError(Exception):
    """Named as in httpx."""


class ConnectError(TransportError):
    """Named as in httpx."""


class UnsupportedProtocol(TransportError):
    """Named as in httpx."""


class APIConnectionError(Exception):
    """Named as in the openai and anthropic packages."""


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def fault(error: Exception) -> object:
    return fault_of(error, spent=Usage())


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_passing_statuses_are_the_environments(status: int) -> None:
    assert isinstance(fault(Status(status)), EnvironmentFault)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_statuses_that_no_retry_can_mend_are_misconfigurations(status: int) -> None:
    assert isinstance(fault(Status(status)), Misconfigured)


@pytest.mark.parametrize("error", [Status(400), Status(422), ValueError("no"), KeyError("x")])
def test_everything_else_is_left_as_it_is(error: Exception) -> None:
    assert fault(error) is None


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        socket.gaierror(-2, "unknown host"),
        ssl.SSLError("bad certificate"),
        ConnectError("refused"),
        APIConnectionError("Connection error."),
        caused(RuntimeError("wrapped"), ConnectError("refused")),
        caused(RuntimeError("wrapped"), caused(RuntimeError("twice"), Status(503))),
        exceptions.ModelConnectionError(),
        exceptions.ModelTimeoutError(),
        exceptions.ModelRateLimitError(),
        exceptions.ModelAPIError(),
    ],
    ids=repr,
)
def test_an_unreachable_model_is_the_environments(error: Exception) -> None:
    assert isinstance(fault(error), EnvironmentFault)


@pytest.mark.parametrize(
    "error",
    [
        caused(APIConnectionError("Connection error."), UnsupportedProtocol("no http://")),
        exceptions.ModelAuthenticationError(),
        exceptions.ModelPermissionDeniedError(),
        exceptions.ModelNotFoundError(),
    ],
    ids=repr,
)
def test_an_address_or_key_that_cannot_work_is_a_misconfiguration(error: Exception) -> None:
    assert isinstance(fault(error), Misconfigured)


def test_retry_after_is_taken_from_the_cause_where_it_stands() -> None:
    found = fault(caused(RuntimeError("busy"), Status(429, {"retry-after": "12.5"})))
    assert isinstance(found, ModelUnavailable)
    assert found.retry_after == 12.5


def test_a_loop_of_causes_ends() -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert fault(first) is None


def test_no_key_of_the_environment_is_ever_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-value")
    told = short_message(Exception("invalid key sk-very-secret-value\ngiven"))
    assert told == "invalid key $SOME_API_KEY given"


def test_a_long_message_is_cut_and_an_empty_one_named() -> None:
    assert len(short_message(Exception("x" * 1000), 300)) == 300
    assert short_message(ValueError()) == "ValueError"
