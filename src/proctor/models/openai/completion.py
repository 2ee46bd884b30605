"""What a model answered to one call, whichever way it was asked: Completion, RequestedCall, Tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.codec import read_json
from proctor.spending.prices import Price
from proctor.transcript import Citation, ToolCall
from proctor.usage import Usage

_ARGUMENTS_KEPT = "arguments"
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
    """What it says; a refusal in its own words where it says nothing else."""
    refusal: str = ""
    """Why it would not answer, in its own words."""
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


def arguments_in(text: str) -> dict[str, Any]:
    """What a model wrote as arguments; what is no JSON object is kept to be judged."""
    try:
        arguments = read_json(text or "{}")
    except (ValueError, RecursionError):
        return {_ARGUMENTS_KEPT: text}
    return arguments if isinstance(arguments, dict) else {_ARGUMENTS_KEPT: arguments}
