"""Forms are read while they stream, and what is too large is dropped while it streams."""

from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from starlette.requests import Request

from proctor.errors import InputError
from proctor.web.site.forms import FIELD_LIMIT, MOST_PARTS, Form, read_form, read_limited_body

BOUNDARY = b"xYzZY"


def request_of(chunks: Iterable[bytes], kind: str = f"multipart/form-data; boundary={BOUNDARY.decode()}") -> Request:
    stream = iter(chunks)

    async def receive() -> dict[str, Any]:
        chunk = next(stream, None)
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    return Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)


def part(name: str, content: bytes, file: str | None = None) -> bytes:
    named = f'; filename="{file}"' if file is not None else ""
    head = f'--{BOUNDARY.decode()}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n'
    return head.encode() + content + b"\r\n"


END = b"--" + BOUNDARY + b"--\r\n"


async def read(*chunks: bytes, limit: int = 1000) -> Form:
    return await read_form(request_of(chunks), file_limit=lambda _: limit)


async def test_fields_and_files_arrive_however_the_body_is_cut() -> None:
    body = part("name", "Gezeiten ≈".encode()) + part("file", b'"a";"b"\r\n', "q.csv") + part("name", b"again") + END
    for size in (1, 7, len(body)):
        form = await read(*(body[at : at + size] for at in range(0, len(body), size)))
        assert form.texts("name") == ["Gezeiten ≈", "again"]
        assert form.text("name") == "again"
        assert (form.files["file"].name, form.files["file"].content) == ("q.csv", b'"a";"b"\r\n')


async def test_a_field_without_a_file_is_none() -> None:
    form = await read(part("file", b"", "") + END)
    assert form.files == {}
    assert form.text("nothing", "else") == "else"


@pytest.mark.parametrize("sent", ["../../etc/passwd", "C:\\fakepath\\passwd", "/etc/passwd", "..\\..\\passwd"])
async def test_a_file_keeps_its_name_but_no_folder(sent: str) -> None:
    form = await read(part("file", b"x", sent.replace("\\", "\\\\")) + END)
    assert form.files["file"].name == "passwd"


async def test_a_file_over_its_limit_is_dropped_and_what_follows_is_still_read() -> None:
    form = await read(part("file", b"x" * 1001, "big.csv"), part("name", b"kept") + END)
    assert (form.files["file"].too_large, form.files["file"].content) == (True, b"")
    assert form.text("name") == "kept"
    exact = await read(part("file", b"x" * 1000, "fits.csv") + END)
    assert (exact.files["file"].too_large, len(exact.files["file"].content)) == (False, 1000)


async def test_memory_does_not_grow_with_what_is_sent() -> None:
    def endless() -> Iterable[bytes]:
        yield part("file", b"", "big.csv")[:-2]
        for _ in range(30 * 16):  # 30 MiB
            yield b"x" * 65536
        yield b"\r\n" + END

    tracemalloc.start()
    form = await read_form(request_of(endless()), file_limit=lambda _: 2**20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert form.files["file"].too_large
    assert peak < 4 * 2**20


async def test_an_upload_without_an_end_is_given_up() -> None:
    sent = 0

    def endless() -> Iterable[bytes]:
        nonlocal sent
        yield part("file", b"", "big.csv")[:-2]
        while True:
            sent += 2**20
            yield b"x" * 2**20

    with pytest.raises(InputError, match="more than"):
        await read_form(request_of(endless()), file_limit=lambda _: 10)
    assert sent < 70 * 2**20


async def test_a_body_is_taken_up_to_its_limit_and_dropped_beyond() -> None:
    assert await read_limited_body(request_of([b"x" * 10]), 10) == b"x" * 10
    tracemalloc.start()
    assert await read_limited_body(request_of(b"x" * 2**20 for _ in range(40)), 2**20) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * 2**20


@pytest.mark.parametrize(
    "chunks",
    [
        [part("name", b"x" * (FIELD_LIMIT + 1)) + END],
        [part(f"n{number}", b"x" * (FIELD_LIMIT // 10)) for number in range(12)] + [END],
        [part("n", b"") for _ in range(MOST_PARTS + 1)] + [END],
        [b"--" + BOUNDARY + b"\r\nno header at all"],
        [b"nothing of the kind"],
        [part("name", b"\xff\xfe") + END],
        [b"--" + BOUNDARY + b"\r\n" + b"X-Header: y\r\n" * 100 + b"\r\n\r\n" + END],
    ],
    ids=["a large field", "many fields", "many parts", "no header", "no parts", "no text", "many headers"],
)
async def test_what_is_no_form_of_ours_is_refused(chunks: list[bytes]) -> None:
    with pytest.raises(InputError):
        await read(*chunks)


@pytest.mark.parametrize("kind", ["multipart/form-data", "application/json", "text/plain"])
async def test_other_types_are_no_forms(kind: str) -> None:
    with pytest.raises(InputError):
        await read_form(request_of([b"{}"], kind), file_limit=lambda _: 1)


async def test_plain_forms_are_limited_too() -> None:
    async def plain(body: bytes) -> Form:
        return await read_form(request_of([body], "application/x-www-form-urlencoded"), file_limit=lambda _: 1)

    form = await plain(b"a=1&b=%E2%89%88&a=2&c=")
    assert (form.texts("a"), form.text("b"), form.texts("c")) == (["1", "2"], "≈", [""])
    for body in (b"a=" + b"x" * FIELD_LIMIT, b"a=1&" * (MOST_PARTS + 1), b"a=%ff"):
        with pytest.raises(InputError):
            await plain(body)


async def test_a_browser_that_hangs_up_is_no_bug_of_ours() -> None:
    async def receive() -> AsyncIterator[Any] | dict[str, Any]:
        return {"type": "http.disconnect"}

    headers = [(b"content-type", b"multipart/form-data; boundary=x")]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cut off on its way"):
        await read_form(request, file_limit=lambda _: 1)
