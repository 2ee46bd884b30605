"""How the two ways of speaking to OpenAI's API differ: Dialect, Stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from proctor.models.openai.completion import Completion, Item
from proctor.net.events import ServerSentEvent
from proctor.transcript import Request, ToolCall


class Stream(Protocol):
    """An answer while it arrives."""

    def take(self, event: ServerSentEvent) -> bool:
        """One event; whether it held a piece of text. Raises a fault where the event tells of one."""

    def completion(self) -> Completion:
        """All of it, once it is over; raises AgentFault where it was not whole."""


class Dialect(Protocol):
    """One of the two ways in which OpenAI's API is spoken."""

    @property
    def path(self) -> str:
        """Where it is spoken, below the base URL."""

    def opening(self, request: Request) -> list[Item]:
        """What has been said so far, up to the question."""

    def body(self, items: Sequence[Item], request: Request) -> Mapping[str, Any]:
        """What is sent to have this conversation answered."""

    def results(self, made: Sequence[ToolCall]) -> list[Item]:
        """The results of tool calls, as the next call has to hand them over."""

    def read(self, body: bytes) -> Completion:
        """The answer in a whole response; raises a fault where there is none."""

    def stream(self) -> Stream:
        """What reads a streamed answer."""
