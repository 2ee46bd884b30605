"""Whose failure it is, told from what the real clients raise against real sockets."""

from __future__ import annotations

import asyncio
import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from tests.failures import servers
from tests.failures.clients import CLIENTS, Client

from proctor.errors import AgentFault, EnvironmentFault, FailureKind, Misconfigured
from proctor.failures import classify
from proctor.net.probe import reclassify_drop

Server = Callable[[Path], AbstractContextManager[str]]

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json' was never awaited"),
]

every = pytest.mark.parametrize("client", CLIENTS, ids=[client.name for client in CLIENTS])
to_models = pytest.mark.parametrize(
    "client", [client for client in CLIENTS if client.to_model], ids=[each.name for each in CLIENTS if each.to_model]
)
by_http = pytest.mark.parametrize(
    "client", served := [each for each in CLIENTS if not each.name.startswith("plain_")], ids=[e.name for e in served]
)
"""Those that know what a request is."""


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy is in the way."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the certificate is; what packages leave open is collected here, and not in whatever test is next."""
    yield tmp_path_factory.mktemp("untrusted")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@every
@pytest.mark.parametrize(
    ("server", "kind"), [(servers.closed, "refused"), (servers.unknown, "dns"), (servers.untrusted, "tls")]
)
def test_a_connection_that_never_came_about_is_the_environments(
    client: Client, server: Server, kind: FailureKind, folder: Path
) -> None:
    with server(folder) as url:
        fault = classify(client.error_at(url))
    assert isinstance(fault, EnvironmentFault)
    assert fault.kind == kind
    assert fault.host in ("", url.partition("://")[2])
    assert fault.host or client.name.startswith("plain_") or client.name == "urllib3_without_retries"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a full queue refuses")
@every
def test_a_time_out_while_connecting_is_the_environments(client: Client, folder: Path) -> None:
    if client.name == "mcp_session":
        pytest.skip("it connects in a task of its own, and nobody hears how that went")
    with servers.full(folder) as url:
        fault = classify(client.error_at(url))
    assert isinstance(fault, EnvironmentFault)
    assert fault.kind == "unreachable"


@every
def test_a_time_out_after_the_request_was_taken_is_the_agents(client: Client, folder: Path) -> None:
    with servers.silent(folder) as url:
        fault = classify(client.error_at(url))
    assert isinstance(fault, AgentFault)
    assert fault.kind == "timeout"


@by_http
@pytest.mark.parametrize("harshly", [False, True], ids=["closing", "resetting"])
def test_a_connection_dropped_after_the_request_was_taken_is_the_agents(
    client: Client, harshly: bool, folder: Path
) -> None:
    with servers.dropping(folder, harshly=harshly) as url:
        fault = asyncio.run(reclassify_drop(classify(client.error_at(url))))
    assert isinstance(fault, AgentFault)
    assert fault.kind == "dropped"


@by_http
def test_a_reply_that_breaks_off_is_the_agents(client: Client, folder: Path) -> None:
    with servers.dropping(folder, midway=True) as url:
        fault = asyncio.run(reclassify_drop(classify(client.error_at(url))))
    assert isinstance(fault, AgentFault)
    assert fault.kind == "dropped"


@to_models
def test_a_models_server_that_drops_the_connection_and_then_refuses_is_the_environments(
    client: Client, folder: Path
) -> None:
    with servers.dying(folder) as url:
        error = client.error_at(url)
        fault = asyncio.run(reclassify_drop(classify(error)))
        wrapped = asyncio.run(reclassify_drop(classify(raised_while_handling(error))))
    for each in (fault, wrapped):
        assert isinstance(each, EnvironmentFault)
        assert each.kind in ("dropped", "refused"), "some try again by themselves"
        assert each.host == url.partition("://")[2]


@pytest.mark.parametrize("client", [each for each in CLIENTS if each.name in ("httpx_blocking", "requests_post")])
def test_another_server_that_goes_down_with_the_request_has_dropped_it(client: Client, folder: Path) -> None:
    with servers.dying(folder) as url:
        assert isinstance(asyncio.run(reclassify_drop(classify(client.error_at(url)))), AgentFault)


@pytest.mark.parametrize("client", [each for each in CLIENTS if each.name in ("httpx_blocking", "requests_post")])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/generate", "/v1beta/models/m:generateContent"])
def test_a_server_that_is_asked_as_models_are_is_a_models_by_any_client(
    client: Client, path: str, folder: Path
) -> None:
    with servers.dying(folder) as url:
        assert isinstance(asyncio.run(reclassify_drop(classify(client.error_at(url + path)))), EnvironmentFault)


def test_nobody_looks_after_a_server_that_is_called_by_a_proxy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = next(each for each in CLIENTS if each.name == "openai_blocking")
    with servers.dying(folder) as url:
        fault = classify(client.error_at(url))
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        assert asyncio.run(reclassify_drop(fault)) is fault


STATUSES = {
    EnvironmentFault: (429, 503),
    Misconfigured: (401, 403, 404),
    AgentFault: (400, 500, 501),
}


@to_models
def test_the_status_of_a_model_is_known_by_every_sdk(client: Client) -> None:
    for kind, statuses in STATUSES.items():
        for status in statuses:
            with servers.answering(status) as url:
                error = client.error_at(url)
            assert isinstance(classify(error), kind), status
            assert isinstance(classify(raised_while_handling(error)), kind), status


@every
def test_a_refused_connection_is_the_environments_however_it_is_wrapped(client: Client, folder: Path) -> None:
    with servers.closed(folder) as url:
        error = client.error_at(url)
    assert isinstance(error, Exception)
    wrapped = {
        "from it": raised_from(error),
        "while handling it": raised_while_handling(error),
        "from None": raised_from_none(error),
        "in a group": ExceptionGroup("tasks", [error]),
        "as an argument": MyError("no answer", error),
        "out of a thread": out_of_a_thread(error),
        "all at once": KeyError(raised_from_none(raised_from(error))),
    }
    for way, each in wrapped.items():
        assert isinstance(classify(each), EnvironmentFault), way


class MyError(Exception):
    """An agent's own."""


def raised_from(error: BaseException) -> Exception:
    try:
        raise MyError("it did not work") from error
    except MyError as caught:
        return caught


def raised_while_handling(error: BaseException) -> Exception:
    try:
        try:
            raise error
        except BaseException:
            raise MyError("it did not work")  # noqa: B904
    except MyError as caught:
        return caught


def raised_from_none(error: BaseException) -> Exception:
    try:
        try:
            raise error
        except BaseException:
            raise MyError("it did not work") from None
    except MyError as caught:
        return caught


def out_of_a_thread(error: BaseException) -> Exception:
    with ThreadPoolExecutor(1) as pool:
        caught = pool.submit(partial(raised_from_none, error)).result()
    return raised_while_handling(caught)
