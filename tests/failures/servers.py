"""Servers on loopback that are not there, not trusted, or not to be relied on; they serve clients that block, too."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from tests.net.serving import self_signed

UNKNOWN = "http://nonexistent.invalid:81"
"""A host that no resolver knows, by RFC 6761."""


@contextmanager
def closed(folder: Path) -> Iterator[str]:
    """A port that nobody listens on."""
    del folder
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


@contextmanager
def unknown(folder: Path) -> Iterator[str]:
    """A host without an address."""
    del folder
    yield UNKNOWN


@contextmanager
def untrusted(folder: Path) -> Iterator[str]:
    """A server with a certificate that nobody vouches for."""
    context = _certified(folder)

    def shake_hands(taken: socket.socket, _: socket.socket) -> None:
        with suppress(OSError):
            context.wrap_socket(taken, server_side=True).close()

    with _listening(shake_hands) as port:
        yield f"https://127.0.0.1:{port}"


@lru_cache
def _certified(folder: Path) -> ssl.SSLContext:
    return self_signed(folder)[0]


@contextmanager
def full(folder: Path) -> Iterator[str]:
    """A server whose queue is full: it takes nobody, and refuses nobody."""
    del folder
    with ExitStack() as held:
        server = held.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def silent(folder: Path) -> Iterator[str]:
    """A server that takes the request and says nothing."""
    del folder
    with _listening(_hear, keeps=True) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def dropping(folder: Path, *, harshly: bool = False, midway: bool = False) -> Iterator[str]:
    """A server that takes the request and ends the connection, with each of them."""
    del folder

    def drop(taken: socket.socket, server: socket.socket) -> None:
        _hear(taken, server)
        if midway:
            taken.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"')
        if harshly:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with _listening(drop) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def dying(folder: Path) -> Iterator[str]:
    """A server that goes down with the first request under way."""
    del folder

    def die(taken: socket.socket, server: socket.socket) -> None:
        _hear(taken, server)
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()

    with _listening(die) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def answering(status: int, body: bytes = b"{}") -> Iterator[str]:
    """A server that has one answer."""
    said = b"HTTP/1.1 %d So\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"

    def answer(taken: socket.socket, server: socket.socket) -> None:
        _hear(taken, server)
        taken.sendall(said % (status, len(body)) + body)

    with _listening(answer) as port:
        yield f"http://127.0.0.1:{port}"


def _hear(taken: socket.socket, server: socket.socket) -> None:
    """One request to its end."""
    del server
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += (more := taken.recv(65_536))
        if not more:
            return
    head, _, body = heard.partition(b"\r\n\r\n")
    name = b"content-length: "
    rest = int(head.lower().split(name)[1].split(b"\r\n")[0]) - len(body) if name in head.lower() else 0
    while rest > 0 and (more := taken.recv(65_536)):
        rest -= len(more)


@contextmanager
def _listening(serve: object, *, keeps: bool = False) -> Iterator[int]:
    server = socket.create_server(("127.0.0.1", 0), backlog=50)
    kept: list[socket.socket] = []

    def handle(taken: socket.socket) -> None:
        with suppress(OSError, ssl.SSLError):
            serve(taken, server)  # type: ignore[operator]
        if keeps:
            kept.append(taken)
        else:
            taken.close()

    def accept() -> None:
        with suppress(OSError):
            while True:
                taken, _ = server.accept()
                threading.Thread(target=handle, args=(taken,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)
        for taken in kept:
            taken.close()
