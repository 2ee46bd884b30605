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
from typing import Any

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


@asynccontextmanager
async def served(name: str, **options: Any) -> AsyncIterator[str]:
    """The address of the server."""
    import uvicorn

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    app = server(name).streamable_http_app(**options)
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
