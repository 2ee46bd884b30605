"""Server-sent events, in pieces of any size."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import AgentFault
from proctor.net.events import ServerSentEvent, events

STREAM = (
    "\ufeff: a comment\r\n"
    "data: one\r\n\r\n"
    "event: named\ndata:two\ndata: lines\n\n"
    "id: 7\nretry: 10\n\n"
    "data: größer\r\rdata\n\n"
    "data: unfinished"
).encode()
EXPECTED = [
    ("message", "one"),
    ("named", "two\nlines"),
    ("message", "größer"),
    ("message", ""),
    ("message", "unfinished"),
]


async def read(*chunks: bytes) -> list[ServerSentEvent]:
    async def arrive() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return [event async for event in events(arrive())]


async def test_comments_names_lines_and_every_line_end_are_understood() -> None:
    assert [(event.name, event.data) for event in await read(STREAM)] == EXPECTED


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
async def test_it_does_not_matter_where_the_network_cuts(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[start:end] for start, end in itertools.pairwise(places)]
    assert [(event.name, event.data) for event in await read(*chunks)] == EXPECTED


async def test_one_byte_at_a_time_is_no_different() -> None:
    assert [event.data for event in await read(*(bytes([byte]) for byte in STREAM))] == [data for _, data in EXPECTED]


async def test_bytes_that_are_no_text_are_a_fault() -> None:
    with pytest.raises(AgentFault, match="not UTF-8"):
        await read(b"data: \xff\n\n")
