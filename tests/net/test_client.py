"""The one HTTP client against servers that behave and servers that do not."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.net.serving import hear, raw, self_signed, serving

from proctor.errors import AgentFault, CallError, EnvironmentFault, InputError, Misconfigured
from proctor.net.client import Client, post
from proctor.net.errors import fault_of_status
from proctor.net.exchange import ExchangeLimits
from proctor.running.deadline import Late, within

BOMB = gzip.compress(b"\0" * 50_000_000, compresslevel=1)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    made = Client(bounds=ExchangeLimits(bytes=100))
    yield made
    await made.close()


async def echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read(), headers={"X-Method": request.method})


# --- what works --------------------------------------------------------------------------------


async def test_body_headers_and_method_arrive(client: Client) -> None:
    async with serving(echo) as server:
        response = await client.send("PUT", f"{server.url}/a?b=c", body="größer".encode(), headers={"X-A": "1"})
    assert (response.status, response.body.decode()) == (200, "größer")
    assert response.headers["x-method"] == "PUT"
    assert server.requests == ["PUT /a?b=c"]


async def test_a_body_that_does_not_fit_into_the_socket_arrives_whole() -> None:
    async def count(request: web.Request) -> web.Response:
        return web.Response(text=str(len(await request.read())))

    async with serving(count) as server:
        assert (await post(server.url, b"x" * 30_000_000)).body == b"30000000"


async def test_a_stream_that_ends_after_what_was_read_of_it_gives_its_connection_back() -> None:
    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"last word")
        await asyncio.sleep(0.02)
        await response.write_eof()
        return response

    client = Client()
    async with serving(stream) as server:
        for _ in range(3):
            async with client.open("GET", server.url) as incoming:
                assert await anext(aiter(incoming.chunks())) == b"last word"
            await asyncio.sleep(0.1)
        await client.close()
    assert len(server.peers) == 1


@pytest.mark.parametrize("how", ["left", "closed", "failed"])
async def test_a_stream_without_end_is_let_go_of(how: str) -> None:
    gone = asyncio.Event()

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first word")
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        return response

    client = Client()
    async with serving(stream) as server:
        with pytest.raises(ZeroDivisionError) if how == "failed" else nullcontext():
            async with client.open("GET", server.url) as incoming:
                await anext(aiter(incoming.chunks()))
                if how == "failed":
                    raise ZeroDivisionError
        if how == "closed":
            await client.close()
        async with asyncio.timeout(2.0):
            await gone.wait()
        await client.close()


async def test_connections_are_reused() -> None:
    client = Client()
    async with serving(echo) as server:
        for _ in range(5):
            await asyncio.gather(*(client.send("POST", server.url, body=b"x") for _ in range(10)))
        await client.close()
    assert len(server.requests) == 50
    assert len(server.peers) == 10


async def test_cookies_do_not_leak_from_one_request_into_another(client: Client) -> None:
    seen: list[str | None] = []

    async def bake(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Cookie"))
        return web.Response(headers={"Set-Cookie": "who=me"})

    async with serving(bake) as server:
        await client.send("GET", server.url)
        await client.send("GET", server.url)
    assert seen == [None, None]


def test_a_client_can_be_used_in_one_loop_after_another() -> None:
    client = Client()

    async def once() -> int:
        async with serving(echo) as server:
            try:
                return (await client.send("GET", server.url)).status
            finally:
                await client.close()

    assert [asyncio.run(once()), asyncio.run(once())] == [200, 200]


async def test_post_returns_any_status_without_raising() -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=503, text="later", headers={"Retry-After": "7"})

    async with serving(refuse) as server:
        response = await post(server.url, b"{}", {"Content-Type": "application/json"})
    assert (response.status, response.body, response.headers["retry-after"]) == (503, b"later", "7")


# --- servers that misbehave --------------------------------------------------------------------


async def hang(_: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError


async def drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b".")
        await asyncio.sleep(0.001)


async def stall(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"so far")
    await asyncio.Event().wait()
    return response


async def flood(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b"x" * 65_536)


async def announce_too_much(_: web.Request) -> web.Response:
    return web.Response(body=b"x" * 101)


async def bomb(_: web.Request) -> web.Response:
    return web.Response(body=BOMB, headers={"Content-Encoding": "gzip"})


async def broken_gzip(_: web.Request) -> web.Response:
    return web.Response(body=b"no gzip at all", headers={"Content-Encoding": "gzip"})


async def loop(_: web.Request) -> web.Response:
    raise web.HTTPTemporaryRedirect("/again")


async def nowhere(_: web.Request) -> web.Response:
    return web.Response(status=307, headers={"Location": "ftp://example.org/"})


@pytest.mark.parametrize(
    ("handler", "bounds", "words"),
    [
        (hang, ExchangeLimits(idle=0.1), r"sent nothing for 0\.1 s"),
        (stall, ExchangeLimits(idle=0.1), r"sent nothing for 0\.1 s"),
        (hang, ExchangeLimits(seconds=0.1), r"did not answer completely within 0\.1 s"),
        (drip, ExchangeLimits(seconds=0.1), r"did not answer completely within 0\.1 s"),
    ],
)
async def test_a_server_that_takes_too_long_is_at_fault(handler: Any, bounds: ExchangeLimits, words: str) -> None:
    async with serving(handler) as server:
        with pytest.raises(AgentFault, match=rf"http://127\.0\.0\.1:\d+/ {words}"):
            await post(f"{server.url}/", b"?", bounds=bounds)


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (drip, "more than 100 bytes"),
        (flood, "more than 100 bytes"),
        (announce_too_much, "more than 100 bytes"),
        (bomb, "more than 100 bytes"),
        (broken_gzip, "not as it announced it"),
        (loop, "redirected more than 5 times"),
        (nowhere, "redirected to something that is not an HTTP address"),
    ],
)
async def test_a_server_that_misbehaves_is_at_fault_and_hurts_no_other_request(
    client: Client, handler: Callable[[web.Request], Any], words: str
) -> None:
    async with serving(handler) as bad, serving(echo) as good:
        asking = asyncio.gather(*(client.send("POST", good.url, body=b"x") for _ in range(20)))
        with pytest.raises(AgentFault, match=rf"http://127\.0\.0\.1:\d+/ .*{words}"):
            await client.send("POST", f"{bad.url}/", body=b"?")
        assert {response.status for response in await asking} == {200}
        assert (await client.send("GET", good.url)).status == 200


async def vanish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await hear(reader)


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """In the middle of its reply."""
    await hear(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await hear(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")


async def huge_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await hear(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nX-Much: " + b"x" * 1_000_000 + b"\r\n\r\n")


async def many_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await hear(reader)
    writer.write(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(5000)) + b"\r\n")


async def gibberish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await hear(reader)
    writer.write(b"220 smtp.example.org hush-hush-hush\r\n\r\n")


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (vanish, "took the request and dropped the connection"),
        (reset, "did not send its reply to the end|took the request and dropped"),
        (half, "did not send its reply to the end"),
        (huge_headers, "did not answer with valid HTTP"),
        (many_headers, "did not answer with valid HTTP"),
        (gibberish, "did not answer with valid HTTP"),
    ],
)
async def test_a_server_that_breaks_off_or_speaks_no_http_is_at_fault(client: Client, handler: Any, words: str) -> None:
    async with raw(handler) as url:
        with pytest.raises(AgentFault, match=words) as caught:
            await client.send("POST", url, body=b"?")
    assert caught.value.kind in ("dropped", "http")
    assert caught.value.host == url.partition("://")[2]
    assert "hush" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
async def test_a_request_that_was_taken_is_not_sent_again(client: Client, method: str) -> None:
    heard = 0

    async def vanish_and_count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        await hear(reader)
        heard += 1

    async with raw(vanish_and_count) as url:
        with pytest.raises(AgentFault, match="dropped the connection"):
            await client.send(method, url)
    assert heard == 1


# --- the network -------------------------------------------------------------------------------


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_refused_connection_is_the_environments(client: Client) -> None:
    port = unused_port()
    with pytest.raises(
        EnvironmentFault, match=r"cannot connect to http://127.0.0.1:\d+/ask: Connection refused"
    ) as caught:
        await client.send("POST", f"http://user:pass@127.0.0.1:{port}/ask?key=hush", body=b"?")
    assert (caught.value.kind, caught.value.host) == ("refused", f"127.0.0.1:{port}")


async def test_a_name_that_nobody_knows_is_the_environments(client: Client) -> None:
    with pytest.raises(EnvironmentFault, match=r"cannot find the host of http://nobody\.invalid/") as caught:
        await client.send("GET", "http://nobody.invalid/")
    assert (caught.value.kind, caught.value.host) == ("dns", "nobody.invalid:80")


@contextmanager
def unreachable() -> Iterator[str]:
    """HOST:PORT of a server that takes no connection: its queue is full, and further knocks go unanswered."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        yield f"127.0.0.1:{full.getsockname()[1]}"
        for one in waiting:
            one.close()


async def test_a_server_that_takes_no_connection_is_the_environments() -> None:
    client = Client(bounds=ExchangeLimits(connect=0.2))
    with unreachable() as place:
        with pytest.raises(EnvironmentFault, match=r"could not connect to .* within 0\.2 s") as caught:
            await client.send("GET", f"http://{place}/")
        assert (caught.value.kind, caught.value.host) == ("unreachable", place)
    await client.close()


async def test_a_call_whose_time_is_over_before_there_is_a_connection_is_the_environments(client: Client) -> None:
    with unreachable() as place:
        with pytest.raises(EnvironmentFault, match=r"could not connect to .* within the time limit") as caught:
            await within(0.2, client.send("POST", f"http://{place}/"))
        assert (caught.value.kind, caught.value.host) == ("unreachable", place)


async def test_a_call_that_somebody_cancels_before_there_is_a_connection_is_cancelled(client: Client) -> None:
    with unreachable() as place:
        calling = asyncio.ensure_future(within(60, client.send("POST", f"http://{place}/")))
        await asyncio.sleep(0.1)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling


async def test_a_call_that_was_taken_and_not_answered_in_time_is_late(client: Client) -> None:
    async def never(request: web.Request) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    async with serving(never) as server:
        with pytest.raises(Late):
            await within(0.2, client.send("POST", server.url))


async def test_a_certificate_that_nobody_vouches_for_is_the_environments(tmp_path: Path) -> None:
    tls, certificate = self_signed(tmp_path)
    async with serving(echo, tls=tls) as server:
        with pytest.raises(EnvironmentFault, match="is not trusted: self-signed certificate") as caught:
            await post(server.url, b"?")
        assert caught.value.kind == "tls"
        assert (await post(server.url, b"?", ca=str(certificate))).body == b"?"
    assert server.requests == ["POST /"]


async def test_plain_http_where_tls_is_expected_is_the_environments(client: Client) -> None:
    async with serving(echo) as server:
        with pytest.raises(EnvironmentFault, match="cannot speak TLS with https://"):
            await client.send("GET", server.url.replace("http:", "https:"))


async def test_a_header_that_cannot_be_sent_is_a_misconfiguration_that_does_not_repeat_it(client: Client) -> None:
    async with serving(echo) as server:
        with pytest.raises(Misconfigured, match="check its headers") as caught:
            await client.send("POST", server.url, headers={"Authorization": "Bearer hush\nhush"})
    assert "hush" not in str(caught.value)
    assert server.requests == []


def test_a_ca_that_cannot_be_read_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ca='.*none\.pem' cannot be read"):
        Client(ca=str(tmp_path / "none.pem"))


@pytest.mark.parametrize("url", ["gopher://host/", "/path", "http://", "http://host:99999999/", "http://[oops/"])
async def test_what_is_no_address_is_a_misconfiguration_that_does_not_repeat_it(client: Client, url: str) -> None:
    with pytest.raises(Misconfigured, match="cannot be called") as caught:
        await client.send("GET", url)
    assert url not in str(caught.value)


# --- redirects ---------------------------------------------------------------------------------


def to(target: str, status: int = 307) -> Callable[[web.Request], Any]:
    async def redirect(request: web.Request) -> web.Response:
        if request.path == "/new":
            return web.Response(text=f"{request.method} {request.headers.get('Authorization')} {await request.text()}")
        return web.Response(status=status, headers={"Location": target})

    return redirect


async def test_a_redirect_within_the_host_carries_body_and_credentials(client: Client) -> None:
    async with serving(to("/new")) as server:
        response = await client.send("POST", server.url, body=b"why?", headers={"Authorization": "Bearer t"})
    assert response.body == b"POST Bearer t why?"
    assert response.url.endswith("/new")


async def test_see_other_is_fetched_without_the_body(client: Client) -> None:
    async with serving(to("/new", 303)) as server:
        response = await client.send("POST", server.url, body=b"why?", headers={"Content-Type": "text/plain"})
    assert response.body == b"GET None "


@pytest.mark.parametrize("status", [301, 302])
async def test_a_redirect_that_would_lose_the_body_is_refused(client: Client, status: int) -> None:
    async with serving(to("/new?key=hush", status)) as server:
        with pytest.raises(Misconfigured, match=rf"{status} .*/new, but without what was sent") as caught:
            await client.send("POST", server.url, body=b"why?")
    assert "hush" not in str(caught.value)


async def test_credentials_do_not_follow_a_redirect_to_another_host(client: Client) -> None:
    async with serving(echo) as other, serving(to(f"{other.url}/new")) as server:
        with pytest.raises(Misconfigured, match="not sent to the other"):
            await client.send("POST", server.url, body=b"why?", headers={"X-Api-Key": "hush"})
        assert other.requests == []
        assert (await client.send("POST", server.url, body=b"why?")).body == b"why?"
    assert other.requests == ["POST /new"]


async def test_https_is_never_left_for_http(tmp_path: Path) -> None:
    tls, certificate = self_signed(tmp_path)
    async with serving(echo) as plain, serving(to(plain.url), tls=tls) as server:
        with pytest.raises(Misconfigured, match="not sent to the other"):
            await post(server.url, b"why?", ca=str(certificate))
    assert plain.requests == []


# --- proxies -----------------------------------------------------------------------------------


async def test_a_proxy_is_used_only_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(echo) as proxy, serving(echo) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "")
        await post(server.url, b"?")
        assert (len(proxy.requests), len(server.requests)) == (0, 1)
        await post(f"{server.url}/far", b"?", proxy=True)
        assert (len(proxy.requests), len(server.requests)) == (1, 1)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        await post(server.url, b"?", proxy=True)
        assert (len(proxy.requests), len(server.requests)) == (1, 2)


async def test_a_proxy_that_is_named_without_a_scheme_is_one_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving(echo) as proxy, serving(echo) as server:
        monkeypatch.setenv("http_proxy", proxy.url.removeprefix("http://"))
        monkeypatch.setenv("no_proxy", "")
        await post(f"{server.url}/far", b"?", proxy=True)
    assert (len(proxy.requests), len(server.requests)) == (1, 0)


async def test_a_proxy_of_another_kind_is_a_misconfiguration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "socks5://me:hush@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(Misconfigured, match="kind 'socks5' cannot be used") as caught:
        await post("http://127.0.0.1:1", b"?", proxy=True)
    assert "hush" not in str(caught.value)


# --- statuses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        *((status, EnvironmentFault) for status in (408, 425, 429, 502, 503, 504)),
        *((status, Misconfigured) for status in (401, 403, 404)),
        *((status, AgentFault) for status in (400, 405, 409, 422, 500, 501, 599)),
        (200, None),
        (204, None),
    ],
)
async def test_whose_fault_a_status_is(client: Client, status: int, fault: type[CallError] | None) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    async with serving(answer) as server:
        found = fault_of_status(await client.send("POST", server.url, body=b"?"))
    assert type(found) is (fault or type(None))
    assert found is None or f"answered {status}" in str(found)
    assert found is None or found.kind == ("rate_limit" if status == 429 else "http")
    assert found is None or found.host == server.url.partition("://")[2]


async def test_the_wait_that_a_server_asks_for_is_kept(client: Client) -> None:
    async def busy(_: web.Request) -> web.Response:
        return web.Response(status=429, headers={"Retry-After": "7"})

    async with serving(busy) as server:
        found = fault_of_status(await client.send("GET", server.url))
    assert isinstance(found, EnvironmentFault)
    assert found.retry_after == 7


async def test_what_a_server_says_of_its_error_is_shown_in_short_and_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "hush-hush-hush")

    async def fail(_: web.Request) -> web.Response:
        return web.Response(status=500, text="no\n memory hush-hush-hush " + "x" * 10_000)

    async with serving(fail) as server:
        found = str(fault_of_status(await post(server.url, b"?")))
    assert "500 Internal Server Error: no memory $SOME_TOKEN xxx" in found
    assert len(found) < 300


def _keeping(calls: list[str]) -> Any:
    """A server that answers the first request of a connection, and closes it when the second has come."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            calls.append(head.split()[0].decode())
            if len(calls) == 2:
                return
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    return serve


@pytest.fixture
def idle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every kept connection has been idle for long."""
    monkeypatch.setattr("proctor.net.client._IDLE", 0.0)


async def test_a_get_over_an_idle_connection_that_is_closed_unanswered_is_sent_again_over_a_new_one(
    client: Client, idle_at_once: None
) -> None:
    calls: list[str] = []
    async with raw(_keeping(calls)) as url:
        for _ in range(3):
            assert (await client.send("GET", url)).body == b"ok"
    assert calls == ["GET"] * 4


async def test_a_connection_in_use_that_is_closed_unanswered_is_the_servers_failure(client: Client) -> None:
    calls: list[str] = []
    async with raw(_keeping(calls)) as url:
        assert (await client.send("POST", url)).body == b"ok"
        with pytest.raises(AgentFault, match="dropped the connection"):
            await client.send("POST", url)
    assert calls == ["POST"] * 2


async def test_anything_else_is_not_and_nobody_is_blamed_for_it(client: Client, idle_at_once: None) -> None:
    calls: list[str] = []
    async with raw(_keeping(calls)) as url:
        assert (await client.send("POST", url)).body == b"ok"
        with pytest.raises(EnvironmentFault, match="a connection that was kept open"):
            await client.send("POST", url)
        assert calls == ["POST"] * 2
        assert (await client.send("POST", url)).body == b"ok"
