"""Minds behind a real MCP server: the official SDK's, as a program or on loopback."""

from __future__ import annotations

import asyncio
import importlib
import shlex
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from tests.agents.minded import librarian

from proctor.testing import minds

ROOT = Path(__file__).parents[3]
WHOLE = {"tool": "ask", "arguments": {"context": "{{context}}", "history": "{{history}}"}}
"""The options with which a mind is told everything."""


def line(name: str) -> str:
    """What starts the server as a program."""
    return shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m", "tests.agents.minded.mcp", name])


def server(name: str) -> Any:
    """A server whose tool `ask` is the mind of that name; beside it stand tools that are no agents."""
    module = importlib.import_module("mcp.server.mcpserver")
    made = module.MCPServer("minded", log_level="CRITICAL")
    tools = librarian.TOOLS if name == "librarian" else minds.TOOLS
    mind = librarian.librarian if name == "librarian" else getattr(minds, name)
    body = minds.Body(mind=mind, tools=tools)

    @made.tool()  # type: ignore[untyped-decorator]
    async def ask(question: str, context: str = "", history: list[dict[str, str]] | None = None) -> dict[str, Any]:
        """Ask the mind."""
        said = tuple(message["content"] for message in history or [])
        return await body.answer(minds.Heard(question=question, context=context, history=said))

    @made.tool()  # type: ignore[untyped-decorator]
    async def shout(words: str) -> str:
        """Say it louder."""
        print("shouting", file=sys.stderr, flush=True)
        return words.upper()

    @made.tool()  # type: ignore[untyped-decorator]
    async def add(a: int, b: int) -> int:
        """The sum of two numbers."""
        return a + b

    return made


def advanced() -> Any:
    """A server that ends its streams before its answers, embeds resources and routes by an argument."""
    module, types = importlib.import_module("mcp.server.mcpserver"), importlib.import_module("mcp_types")
    made = module.MCPServer("advanced", log_level="CRITICAL")

    async def patient(question: str, ctx: Any) -> str:
        """Answer after the stream has ended."""
        await ctx.report_progress(1, 2, "thinking")
        await ctx.close_sse_stream()
        await asyncio.sleep(0.2)
        return f"after a while: {question}"

    patient.__annotations__["ctx"] = module.Context
    made.tool()(patient)

    @made.tool()  # type: ignore[untyped-decorator]
    async def read(question: str) -> Any:
        """Answer with a resource."""
        held = types.TextResourceContents(uri="file:///a.md", text="Paris")
        return [types.EmbeddedResource(type="resource", resource=held)]

    @made.tool(name="übersetzen")  # type: ignore[untyped-decorator]
    async def translate(
        question: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Question"})],
        loud: Annotated[bool, Field(json_schema_extra={"x-mcp-header": "Loud"})] = False,
    ) -> str:
        """Answer what the headers repeat."""
        return question.upper() if loud else question

    return made


def remembering() -> Any:
    """A store of events from which the rest of a stream is told again."""
    sdk = importlib.import_module("mcp.server.streamable_http")

    class Store(sdk.EventStore):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.events: list[tuple[str, Any]] = []

        async def store_event(self, stream_id: str, message: Any) -> str:
            self.events.append((stream_id, message))
            return str(len(self.events))

        async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str:
            stream, _ = self.events[int(last_event_id) - 1]
            for number, (where, message) in enumerate(self.events, start=1):
                if number > int(last_event_id) and where == stream and message is not None:
                    await send_callback(sdk.EventMessage(message, str(number)))
            return stream

    return Store()


@asynccontextmanager
async def served(name: str | Any, **options: Any) -> AsyncIterator[str]:
    """The address of the server of that name, or of the one that is given."""
    import uvicorn

    listening = socket.socket(proto=socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    app = (server(name) if isinstance(name, str) else name).streamable_http_app(**options)
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1, ws="none")
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve(sockets=[listening]))
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        await task


if __name__ == "__main__":
    server(sys.argv[1]).run()
