"""MCP server as a local program: JSON lines over standard input and output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.command.dialogue import PendingQuestions
from proctor.agents.command.worker import Worker
from proctor.agents.mcp import protocol
from proctor.agents.mcp.protocol import McpResult
from proctor.agents.rpc import Message


class Stdio:
    """One program for all conversations, restarted when it dies."""

    def __init__(self, words: list[str], *, max_bytes: int, restarts: int) -> None:
        self._words = words
        self._max_bytes = max_bytes
        self._modern = False
        self._worker = Worker(self._dialogue, restarts=restarts, greet=self._handshake)

    async def ready(self, conversation: str) -> None:
        """Start the program if it is not running."""
        await self._worker.begin()

    async def request(
        self, method: str, params: Mapping[str, Any], *, conversation: str, schema: Mapping[str, Any] | None = None
    ) -> McpResult:
        """Send a request to the program."""
        answer = await self._worker.ask(lambda: protocol.request(method, params, modern=self._modern))
        return McpResult(result=protocol.result_of(answer.message, method), stderr=answer.stderr)

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Stop the program."""
        await self._worker.close()

    def _dialogue(self) -> PendingQuestions:
        def handle_server_message(message: Message) -> bool:
            if "method" not in message:
                return False
            if "id" in message:
                dialogue.tell(protocol.answer_server_request(message))
            return True

        dialogue = PendingQuestions(
            self._words, max_bytes=self._max_bytes, aside=handle_server_message, give_up=protocol.give_up
        )
        return dialogue

    async def _handshake(self, dialogue: PendingQuestions) -> None:
        answer = await dialogue.ask(protocol.handshake())
        self._modern = protocol.is_refused(answer)
        if self._modern:
            discover = protocol.request("server/discover", {}, modern=True)
            protocol.must_be_modern(await dialogue.ask(discover), answer)
            return
        protocol.result_of(answer, "initialize")
        dialogue.tell(protocol.INITIALIZED)
