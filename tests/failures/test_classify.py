"""Whose fault is it?"""

from __future__ import annotations

import errno
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from functools import reduce
from typing import cast

import aiohttp
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from proctor.errors import AgentFault, BudgetSpent, EnvironmentFault, Misconfigured
from proctor.failures import classify, detail_of, host_in, parse_retry_after, short_message


class HttpError(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"status {status}")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers or {}})()


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504, 521, 522, 523, 529])
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


class ResultError(Exception):
    """As the Claude Agent SDK tells of a model that gave its program no answer."""

    def __init__(self, status: int | None) -> None:
        super().__init__("Claude Code returned an error result: API Error")
        self.api_error_status = status
        self.terminal_reason = "api_error"


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (None, EnvironmentFault),
        (429, EnvironmentFault),
        (529, EnvironmentFault),
        (401, Misconfigured),
        (400, AgentFault),
    ],
)
def test_what_kept_the_model_of_another_program_from_answering_is_known(status: int | None, fault: type) -> None:
    assert type(classify(ResultError(status))) is fault


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
        assert str(fault).startswith("the conversation exceeded the model's context window (")


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


def test_a_secret_is_scrubbed_before_the_message_is_folded_and_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "first line\n  second line")
    assert short_message(ValueError("x" * 490 + " first line\n  second line")) == "x" * 490 + " $SOME_KEY"


# --- how it is wrapped ---------------------------------------------------------------------------


def outages() -> list[Exception]:
    return [
        ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
        socket.gaierror(-2, "Name or service not known"),
        ssl.SSLCertVerificationError(1, "certificate verify failed"),
        OSError(errno.ENETUNREACH, "no way there"),
        MemoryError(),
        RuntimeError("can't start new thread"),
        HttpError(503),
    ]


def own_failures() -> list[Exception]:
    return [ValueError("no"), KeyError("x"), AssertionError(), RecursionError(), HttpError(500), TimeoutError("late")]


class Wrapper(Exception):
    """Whatever an agent or a client makes of an exception."""


class Keeper(Exception):
    def __init__(self, reason: BaseException) -> None:
        super().__init__("see the reason")
        self.reason = reason


def by_cause(error: BaseException) -> BaseException:
    made = Wrapper("from it")
    made.__cause__ = error
    return made


def by_context(error: BaseException) -> BaseException:
    made = Wrapper("while handling it")
    made.__context__ = error
    return made


def by_context_suppressed(error: BaseException) -> BaseException:
    made = by_context(error)
    made.__suppress_context__ = True
    return made


def by_cause_of_another(error: BaseException) -> BaseException:
    made = by_context(error)
    made.__cause__ = ValueError("something else")
    return made


WAYS: list[Callable[[BaseException], BaseException]] = [
    by_cause,
    by_context,
    by_context_suppressed,
    by_cause_of_another,
    lambda error: BaseExceptionGroup("tasks", [error]),
    lambda error: Wrapper("it failed", error),
    lambda error: Wrapper([ValueError("one"), error]),
    Keeper,
]
wrappings = st.lists(st.sampled_from(WAYS), max_size=30)


@given(error=st.sampled_from(outages()), ways=wrappings)
def test_an_outage_is_the_environments_at_any_depth_and_in_any_order_of_wrappings(
    error: Exception, ways: list[Callable[[BaseException], BaseException]]
) -> None:
    wrapped = reduce(lambda inner, wrap: wrap(inner), ways, cast("BaseException", error))
    fault = classify(wrapped)
    assert isinstance(fault, EnvironmentFault)
    assert fault.kind == classify(error).kind


@given(error=st.sampled_from(own_failures()), ways=wrappings)
def test_the_agents_own_failure_stays_its_own_however_it_is_wrapped(
    error: Exception, ways: list[Callable[[BaseException], BaseException]]
) -> None:
    wrapped = reduce(lambda inner, wrap: wrap(inner), ways, cast("BaseException", error))
    assert isinstance(classify(wrapped), AgentFault)


@given(own=st.sampled_from(own_failures()), error=st.sampled_from(outages()), ways=wrappings)
def test_an_outage_that_an_agent_met_while_handling_a_failure_of_its_own_is_still_an_outage(
    own: Exception, error: Exception, ways: list[Callable[[BaseException], BaseException]]
) -> None:
    first = type(error)(*error.args) if not isinstance(error, HttpError) else HttpError(503)
    first.__context__ = own  # try: cache[question] except KeyError: ask(question)
    wrapped = reduce(lambda inner, wrap: wrap(inner), ways, cast("BaseException", first))
    assert isinstance(classify(wrapped), EnvironmentFault)


def test_a_failure_of_the_agents_in_handling_an_outage_would_not_be_without_it() -> None:
    fault = classify(by_context(ConnectionRefusedError("refused")))
    assert isinstance(fault, EnvironmentFault)
    assert str(fault) == "Wrapper: while handling it (ConnectionRefusedError: refused)"


def test_an_outage_that_an_agent_got_over_is_not_to_blame_for_what_comes_later() -> None:
    with suppress(ConnectionRefusedError):
        raise ConnectionRefusedError("refused")
    with pytest.raises(ValueError, match="fallback") as caught:
        raise ValueError("the fallback is broken")
    assert isinstance(classify(caught.value), AgentFault)


def test_a_fault_of_which_it_is_known_whose_it_is_stays_it_in_any_wrapping() -> None:
    spent = BudgetSpent("nothing left")
    assert classify(by_cause(by_context(spent))) is spent
    fault = EnvironmentFault("refused", kind="refused", host="127.0.0.1:9")
    assert classify(ExceptionGroup("tasks", [fault])) is fault
    assert classify(ExceptionGroup("tasks", [ValueError("x"), spent])) is spent


@pytest.mark.parametrize("error", [*outages(), EnvironmentFault("refused", kind="refused")])
def test_the_agents_own_failure_in_a_group_is_not_excused_by_an_outage_beside_it(error: Exception) -> None:
    for members in ([ValueError("its own"), error], [error, ExceptionGroup("inner", [error, ValueError("its own")])]):
        fault = classify(ExceptionGroup("tasks", members))
        assert isinstance(fault, AgentFault)
        assert "ValueError: its own" in str(fault)
    wrapped = RuntimeError("it did not work")
    wrapped.__cause__ = ExceptionGroup("tasks", [ValueError("its own"), error])
    assert isinstance(classify(wrapped), AgentFault)
    assert isinstance(classify(ExceptionGroup("tasks", [error, error])), EnvironmentFault)


def test_streams_that_closed_in_the_wake_of_an_outage_are_no_failures_of_their_own() -> None:
    class ClosedResourceError(Exception): ...

    refused = ConnectionRefusedError("refused")
    assert isinstance(classify(ExceptionGroup("tasks", [ClosedResourceError(), refused])), EnvironmentFault)


def test_a_group_whose_members_were_raised_from_it_ends() -> None:
    own, refused = ValueError("its own"), ConnectionRefusedError("refused")
    group = ExceptionGroup("tasks", [own, refused])
    own.__cause__ = refused.__cause__ = group
    assert isinstance(classify(group), (AgentFault, EnvironmentFault))


def test_an_endless_chain_ends() -> None:
    class Endless(Exception):
        @property
        def reason(self) -> Exception:
            return Endless()

    assert isinstance(classify(Endless()), AgentFault)


def test_what_a_tool_did_not_find_while_handling_something_does_not_stop_the_run() -> None:
    assert isinstance(classify(by_context(HttpError(404))), AgentFault)
    assert isinstance(classify(by_cause(HttpError(404))), Misconfigured)


# --- a machine that has nothing left -------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        *(OSError(number, "no more") for number in (errno.EMFILE, errno.ENFILE, errno.ENOMEM)),
    ],
    ids=repr,
)
def test_no_thread_memory_or_file_handle_left_is_ours(error: Exception) -> None:
    for raised in (error, by_context(error)):
        fault = classify(raised)
        assert isinstance(fault, EnvironmentFault)
        assert fault.kind == "resources"


def test_too_many_open_files_are_ours_by_the_real_clients() -> None:
    code = """
import asyncio, resource, socket
import aiohttp, httpx, requests, urllib.request
from proctor.errors import EnvironmentFault
from proctor.failures import classify
from proctor.net.client import post

server = socket.create_server(("127.0.0.1", 0))
url = f"http://127.0.0.1:{server.getsockname()[1]}"
client, session = httpx.Client(), requests.Session()

async def ours():
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    await post(url, b"")

def judged(call):
    try:
        call()
    except BaseException as error:
        return classify(error)

def by_loop():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(ours())

faults = [judged(by_loop)]
faults += [judged(lambda: client.get(url)), judged(lambda: session.get(url)), judged(lambda: open("/dev/null"))]
faults += [judged(lambda: urllib.request.urlopen(url)), judged(lambda: __import__("subprocess").run(["true"]))]
assert all(isinstance(fault, EnvironmentFault) for fault in faults), faults
print([fault.kind for fault in faults])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == str(["resources"] * 6), ended.stderr


def test_a_thread_that_the_system_does_not_give_is_ours() -> None:
    code = """
import asyncio, threading, time
from proctor import threads
from proctor.failures import classify

async def main():
    await threads.call(int)
    threading.stack_size(1 << 40)
    try:
        await asyncio.gather(*(threads.call(time.sleep, 0.1) for _ in range(3)))
    except BaseException as error:
        fault = classify(error)
        print(type(fault).__name__, fault.kind)

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.split() == ["EnvironmentFault", "resources"], ended.stderr


def test_a_process_that_cannot_be_forked_is_ours_and_a_socket_that_has_nothing_to_read_is_not() -> None:
    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        with pytest.raises(BlockingIOError) as caught:
            reader.recv(1)
        assert isinstance(classify(caught.value), AgentFault)
    refused = eval(  # as from the module that starts processes
        "lambda: (_ for _ in ()).throw(BlockingIOError(11, 'Resource temporarily unavailable'))",
        {"__name__": "subprocess"},
    )
    with pytest.raises(BlockingIOError) as forked:
        next(refused())
    assert classify(forked.value).kind == "resources"


# --- exceptions that do harm ---------------------------------------------------------------------


@pytest.mark.parametrize("harm", [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), ValueError("no")], ids=repr)
@pytest.mark.parametrize(
    "name",
    ["__cause__", "__context__", "args", "reason", "status_code", "response", "code", "errno", "host", "__traceback__",
     "__class__", "__notes__"],
)  # fmt: skip
def test_an_exception_whose_attribute_raises_takes_nobody_down(harm: BaseException, name: str) -> None:
    def do_harm(self: object) -> object:
        raise harm

    hostile = type("Hostile", (OSError,), {name: property(do_harm)})("boo")
    assert isinstance(classify(hostile), AgentFault)
    assert isinstance(classify(by_cause(hostile)), AgentFault)
    assert isinstance(detail_of(hostile), str)


def test_an_exception_that_exits_when_it_is_shown_takes_nobody_down() -> None:
    class Exiting(Exception):
        def __str__(self) -> str:
            raise SystemExit(3)

        __repr__ = __str__

    assert str(classify(Exiting())) == "Exiting"
    assert "Exiting" in detail_of(Exiting())


# --- messages of megabytes -----------------------------------------------------------------------


def test_a_message_of_megabytes_is_judged_and_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(200):
        monkeypatch.setenv(f"MANY_{number}_KEY", f"a-secret-of-some-length-{number}")
    error = ValueError("over the context of " * 1_000_000)
    began = time.thread_time()
    fault, detail = classify(error), detail_of(error)
    assert time.thread_time() - began < 0.5
    assert len(str(fault)) < 600
    assert len(detail) <= 4000


@pytest.mark.parametrize("before", range(31_900, 32_020, 7))
def test_no_half_of_a_secret_is_left_where_a_message_is_cut(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-and-hush-again")
    error = ValueError("x " * (before // 2) + "hush-hush-and-hush-again" + " y" * 10_000)
    assert "hush" not in short_message(error, 100_000).replace("$SOME_KEY", "")


def test_the_end_of_a_traceback_holds_no_half_of_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-and-hush-again")
    for length in range(1_900, 2_020, 5):
        told = detail_of(ValueError("z" * length + "hush-hush-and-hush-again" + "z" * 5_000))
        assert "hush" not in told


# --- kinds and hosts -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("x"), "exception"),
        (SystemExit(2), "exit"),
        (TimeoutError("late"), "timeout"),
        (HttpError(429), "rate_limit"),
        (HttpError(503), "http"),
        (HttpError(401), "http"),
        (HttpError(500), "http"),
        (ConnectionRefusedError("no"), "refused"),
        (ConnectionResetError("gone"), "dropped"),
    ],
    ids=repr,
)
def test_a_fault_has_a_kind(error: BaseException, kind: str) -> None:
    assert classify(error).kind == kind


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://example.test/v1?key=x", "example.test:80"),
        ("https://user:secret@example.test", "example.test:443"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://x:port", ""),
        ("nonsense", ""),
    ],
)
def test_the_host_of_an_address_is_told_without_anything_else(url: str, host: str) -> None:
    assert host_in(url) == host


def test_an_exception_that_takes_long_to_say_what_it_is_holds_nobody_up() -> None:
    hold = threading.Event()

    class Endless(Exception):
        def __str__(self) -> str:
            hold.wait(60)
            return "at last"

    class Shown:
        def __repr__(self) -> str:
            hold.wait(60)
            return "at last"

    for error in (Endless(), KeyError(Shown())):
        wrapped = RuntimeError("the call failed")
        wrapped.__cause__ = error
        began = time.monotonic()
        for raised in (error, wrapped, error):
            assert "at last" not in str(classify(raised)) + detail_of(raised)
        assert time.monotonic() - began < 20
    hold.set()
