"""What a call of an MCP tool and of an A2A agent costs here, beside the clients of the official SDKs.

    python bench/protocols.py [calls]

Every client talks to the same server, the SDK's own, in a process apart; each is measured in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
WAYS = ("mcp over http", "mcp over stdio", "a2a", "a2a, streaming")
CALLS = 500
WARM_UP = 20
Ask = Callable[[], Awaitable[Any]]


async def serve(way: str) -> None:
    """Print the address of a server and stay."""
    if way == "mcp over http":
        from tests.agents.minded import mcp

        async with mcp.served("echoing") as url:
            print(url, flush=True)
            await asyncio.Event().wait()
    from tests.agents.minded import a2a

    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        await updater.add_artifact([a2a.part("hello")])
        await updater.complete()

    async with a2a.served(play, streaming=way == "a2a, streaming") as (url, _):
        print(url, flush=True)
        await asyncio.Event().wait()


@asynccontextmanager
async def ours(way: str, server: str) -> AsyncIterator[Ask]:
    from proctor.agents import a2a, mcp
    from proctor.transcript import Request

    agent = mcp.load(server, {"tool": "shout"}) if way.startswith("mcp") else a2a.load(server, {})
    yield lambda: agent.reply(Request(question="hello", conversation="one"))
    await agent.close()


@asynccontextmanager
async def sdk_of_mcp(way: str, server: str) -> AsyncIterator[Ask]:
    from mcp.client import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client

    program, *arguments = shlex.split(server)
    with open("/dev/null", "w") as nowhere:  # noqa: ASYNC230 - nothing waits for it
        opened: Any = (
            streamable_http_client(server)
            if way == "mcp over http"
            else stdio_client(StdioServerParameters(command=program, args=arguments), errlog=nowhere)
        )
        async with opened as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            yield lambda: session.call_tool("shout", {"words": "hello"})


@asynccontextmanager
async def sdk_of_a2a(way: str, server: str) -> AsyncIterator[Ask]:
    from a2a.client import create_client
    from a2a.helpers import new_text_message
    from a2a.types import Role, SendMessageRequest

    client = await create_client(server)

    async def ask() -> None:
        async for _ in client.send_message(SendMessageRequest(message=new_text_message("hello", role=Role.ROLE_USER))):
            pass

    yield ask
    await client.close()


async def measure(way: str, whose: str, server: str, calls: int) -> dict[str, float]:
    """What so many calls cost, one after the other."""
    started = time.process_time()
    client = ours if whose == "ours" else sdk_of_mcp if way.startswith("mcp") else sdk_of_a2a
    async with client(way, server) as ask:
        imported = time.process_time() - started
        for _ in range(WARM_UP):
            await ask()
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(calls):
            await ask()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"cpu": cpu / calls * 1e3, "wall": wall, "peak": peak / 1024, "start": imported}


def rows(calls: int) -> None:
    """Print one row for each way and client."""
    from tests.agents.minded import mcp

    print(f"{'':16} {'':5} {'CPU ms a call':>14} {f's for {calls}':>10} {'peak MB':>8} {'CPU s to start':>15}")
    for way in WAYS:
        command = [sys.executable, __file__, "serve", way]
        server = None if way == "mcp over stdio" else subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        address = server.stdout.readline().strip() if server and server.stdout else mcp.line("echoing")
        for whose in ("ours", "sdk"):
            run = [sys.executable, __file__, "measure", way, whose, address, str(calls)]
            said = subprocess.run(run, check=True, capture_output=True, text=True).stdout
            told = json.loads(said.splitlines()[-1])
            print(
                f"{way:16} {whose:5} {told['cpu']:14.2f} {told['wall']:10.2f} {told['peak']:8.0f} {told['start']:15.2f}"
            )
        if server is not None:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", way]:
            asyncio.run(serve(way))
        case ["measure", way, whose, server, calls]:
            print(json.dumps(asyncio.run(measure(way, whose, server, int(calls)))))
        case given:
            rows(int(given[0]) if given else CALLS)
