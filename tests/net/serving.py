"""Real servers on loopback, well-behaved and otherwise."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
RawHandler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(kw_only=True, slots=True)
class Server:
    """A server that counts who comes."""

    url: str = ""
    requests: list[str] = field(default_factory=list)
    """`METHOD path?query`, in the order of their arrival."""
    peers: set[object] = field(default_factory=set)
    """One for each connection."""


@asynccontextmanager
async def serving(handler: Handler, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """An aiohttp server on a port of its own."""
    server = Server()

    async def count(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        server.peers.add(request.transport.get_extra_info("peername"))
        server.requests.append(f"{request.method} {request.path_qs}")
        return await handler(request)

    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", count)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
    await site.start()
    port = runner.addresses[0][1]
    server.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


@asynccontextmanager
async def raw(handler: RawHandler) -> AsyncIterator[str]:
    """A server that says whatever bytes it likes; gives its address."""

    at_work: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        at_work[task] = writer
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await handler(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.close()
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, *(writer.wait_closed() for writer in at_work.values()), return_exceptions=True)


async def hear(reader: asyncio.StreamReader) -> None:
    """One request with its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if b"content-length: " in head:
        await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))


def self_signed(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's TLS with a certificate that nobody vouches for, and that certificate."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no openssl to make a certificate with")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([program, *words], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context, certificate
