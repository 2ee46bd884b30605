"""A model's server dropped a connection: is it still there?"""

from __future__ import annotations

import asyncio

import pytest
from tests.net.serving import raw

from proctor.errors import AgentFault, CallError, EnvironmentFault
from proctor.net.probe import reclassify_drop
from proctor.usage import Usage


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy is in the way."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def dropped(url: str, **others: bool) -> AgentFault:
    return AgentFault("dropped", kind="dropped", host=url.partition("://")[2], **{"by_model": True, **others})


async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    pass


async def test_a_server_that_is_gone_makes_it_the_environments_failure_with_what_was_spent() -> None:
    async with raw(keep) as url:
        pass
    fault = dropped(url)
    vars(fault)["spent"] = Usage(calls=2)
    settled = await reclassify_drop(fault)
    assert isinstance(settled, EnvironmentFault)
    assert (settled.kind, settled.host) == ("dropped", fault.host)
    assert str(settled) == "dropped, and takes no other: is it down?"
    assert vars(settled)["spent"] == Usage(calls=2)


@pytest.mark.parametrize("serve", [keep, drop])
async def test_a_server_that_still_takes_connections_has_dropped_this_one_itself(serve: object) -> None:
    async with raw(serve) as url:  # type: ignore[arg-type]
        fault = dropped(url)
        assert await reclassify_drop(fault) is fault


async def test_a_server_that_ends_while_it_is_looked_after_is_gone() -> None:
    server: asyncio.Server

    async def end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.close()
        writer.close()

    server = await asyncio.start_server(end, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert isinstance(await reclassify_drop(dropped(f"http://127.0.0.1:{port}")), EnvironmentFault)


@pytest.mark.parametrize(
    "fault",
    [
        AgentFault("not a model's", kind="dropped", host="127.0.0.1:9"),
        AgentFault("late", kind="timeout", host="127.0.0.1:9", by_model=True),
        AgentFault("nobody knows where", kind="dropped", by_model=True),
        EnvironmentFault("refused", kind="refused", host="127.0.0.1:9"),
    ],
    ids=str,
)
async def test_nobody_else_is_looked_after(fault: CallError) -> None:
    assert await reclassify_drop(fault) is fault
