"""Minds behind a real A2A server: the official SDK's, on loopback."""

from __future__ import annotations

import asyncio
import importlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from proctor.testing.minds import TOOLS, Body, Heard, Mind, Tools, context_in


def _sdk(name: str) -> Any:
    """A module of the SDK, which need not be installed to check the types of this file."""
    return importlib.import_module(f"a2a.{name}")


Play = Callable[[Any, Any, list[str]], Awaitable[None]]
"""What an executor does with an updater of its task, the message, and what was said before in this context."""


class Executor:
    """Plays one thing for every message; remembers what was said by the id of the context."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self.memory: dict[str, list[str]] = {}
        self.cancelled: list[str] = []

    async def execute(self, context: Any, event_queue: Any) -> None:
        task = context.current_task or _sdk("helpers").new_task_from_user_message(context.message)
        if context.current_task is None:
            await event_queue.enqueue_event(task)
        updater = _sdk("server.tasks").TaskUpdater(event_queue, task.id, task.context_id)
        await self._play(updater, context.message, self.memory.setdefault(task.context_id, []))

    async def cancel(self, context: Any, event_queue: Any) -> None:
        self.cancelled.append(context.task_id)
        await _sdk("server.tasks").TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def texts(message: Any) -> list[str]:
    return [part.text for part in message.parts if part.HasField("text")]


def part(text: str) -> Any:
    return _sdk("types").Part(text=text)


def data(value: Any) -> Any:
    from google.protobuf.json_format import ParseDict
    from google.protobuf.struct_pb2 import Value

    return _sdk("types").Part(data=ParseDict(value, Value()))


def minded(mind: Mind, tools: Tools = TOOLS) -> Play:
    """A mind that answers with an artifact: its text, and as data what it did for it."""
    body = Body(mind=mind, tools=tools)

    async def play(updater: Any, message: Any, memory: list[str]) -> None:
        *told, question = texts(message)
        said = await body.answer(Heard(question=question, context=context_in(told), history=tuple(memory)))
        memory += [question, said["text"]]
        await updater.add_artifact([part(said.pop("text")), data(said)])
        await updater.complete()

    return play


@asynccontextmanager
async def served(
    play: Play,
    *,
    version: str = "1.0",
    streaming: bool = True,
    executor: type[Executor] = Executor,
    binding: str = "JSONRPC",
) -> AsyncIterator[tuple[str, Executor]]:
    """The address of a server whose card offers this version over this binding, and its executor."""
    import uvicorn
    from starlette.applications import Starlette

    types, routes = _sdk("types"), _sdk("server.routes")
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    card = types.AgentCard(
        name="minded",
        description="a mind",
        version="1",
        supported_interfaces=[
            types.AgentInterface(url=f"{url}/rpc", protocol_binding=binding, protocol_version=version)
        ],
        capabilities=types.AgentCapabilities(streaming=streaming),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[types.AgentSkill(id="talk", name="talk", description="talks", tags=["talk"])],
    )
    playing = executor(play)
    handler = _sdk("server.request_handlers").DefaultRequestHandler(
        agent_executor=playing, task_store=_sdk("server.tasks").InMemoryTaskStore(), agent_card=card
    )
    app = Starlette(
        routes=[
            *routes.create_agent_card_routes(card),
            *(
                routes.create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
                if binding == "JSONRPC"
                else routes.create_rest_routes(handler, path_prefix="/rpc")
            ),
        ]
    )
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield url, playing
    finally:
        server.should_exit = True
        await running
