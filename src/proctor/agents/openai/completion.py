"""What a model answered to one call, whichever way it was asked: Completion, RequestedCall; and how to ask: Dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from proctor.net.events import ServerSentEvent
from proctor.spending.prices import Price
from proctor.transcript import Citation, Request, ToolCall
from proctor.usage import Usage

Item = dict[str, Any]
"""A message, or another piece of a conversation, as the API wants it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestedCall:
    """A tool call that the model asks for."""

    id: str
    name: str
    arguments: str
    """As the model wrote them: JSON, if all goes well."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """What the server says it used."""

    sent: int
    received: int
    cached: int = 0
    """Of those sent, the ones in the provider's own prompt cache."""


@dataclass(kw_only=True, slots=True)
class Completion:
    """One answer of the model; whoever asked for it notes the times."""

    text: str
    wanted: tuple[RequestedCall, ...] = ()
    """Tool calls to be made before it goes on; none: this is the reply."""
    cut_off: bool = False
    """Whether it ended at the output limit."""
    made: tuple[ToolCall, ...] = ()
    """Tool calls that the server has made itself."""
    citations: tuple[Citation, ...] = ()
    echo: tuple[Item, ...] = ()
    """Its own turn, as the next call has to repeat it."""
    tokens: Tokens | None = None
    """None: the server did not say."""
    seconds: float = 0.0
    """From the call to the last byte."""
    first_token: float | None = None
    """From the call to the first piece of text, where it streamed."""

    def usage(self, price: Price | None) -> Usage:
        """What it cost."""
        if self.tokens is None:
            return Usage(calls=1)
        sent, received = self.tokens.sent, self.tokens.received
        cost = None if price is None else price.of(sent, received, cached=self.tokens.cached)
        return Usage(input_tokens=sent, output_tokens=received, calls=1, cost=cost)


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
