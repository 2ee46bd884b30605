"""A model's answer to one call, independent of the API used: Completion, RequestedCall, Tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.codec import read_json
from proctor.spending.prices import Price
from proctor.transcript import Citation, ToolCall
from proctor.usage import Usage

_ARGUMENTS_KEPT = "arguments"
Item = dict[str, Any]
"""A message or another item of a conversation in the API's format."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestedCall:
    """A tool call requested by the model."""

    id: str
    name: str
    arguments: str
    """Arguments as written by the model, normally JSON."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """Token usage as reported by the server."""

    sent: int
    received: int
    cached: int = 0
    """Number of sent tokens read from the provider's prompt cache."""


@dataclass(kw_only=True, slots=True)
class Completion:
    """One answer of the model; the times are filled in by the caller."""

    text: str
    """The text, or the refusal if there is nothing else."""
    refusal: str = ""
    """The model's refusal, or empty."""
    wanted: tuple[RequestedCall, ...] = ()
    """Tool calls to be made before it continues; empty if this is the final reply."""
    cut_off: bool = False
    """Whether it was truncated at the output limit."""
    made: tuple[ToolCall, ...] = ()
    """Tool calls that the server itself executed."""
    citations: tuple[Citation, ...] = ()
    echo: tuple[Item, ...] = ()
    """The model's turn, as the next request must repeat it."""
    tokens: Tokens | None = None
    """Token usage, or None if the server did not report it."""
    seconds: float = 0.0
    """Seconds from the request to the last byte."""
    first_token: float | None = None
    """Seconds from the request to the first text, if streamed."""

    def usage(self, price: Price | None) -> Usage:
        """Return the usage with its cost at this price."""
        if self.tokens is None:
            return Usage(calls=1)
        sent, received = self.tokens.sent, self.tokens.received
        cost = None if price is None else price.of(sent, received, cached=self.tokens.cached)
        return Usage(input_tokens=sent, output_tokens=received, calls=1, cost=cost)


def arguments_in(text: str) -> dict[str, Any]:
    """Parse the arguments of a call; anything other than a JSON object is kept under a key so that it can be judged."""
    try:
        arguments = read_json(text or "{}")
    except (ValueError, RecursionError):
        return {_ARGUMENTS_KEPT: text}
    return arguments if isinstance(arguments, dict) else {_ARGUMENTS_KEPT: arguments}
