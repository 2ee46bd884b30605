"""Interface for a single call of any chat model, by our own client or LangChain's classes: ModelClient, ModelAnswer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from proctor.models.parse import AnswerSchema
from proctor.spending.prices import Price
from proctor.spending.providers import Source
from proctor.usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

T = TypeVar("T")

NOTHING: Any = object()
"""Marks an answer without structured data, since None may be such data."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAnswer:
    """One answer of a model, not yet validated."""

    text: str
    """The raw text; for a tool call, its arguments as JSON."""
    usage: Usage
    """Usage, including that of a structured request that the server refused."""
    value: Any = NOTHING
    """The answer as structured data, if the model gave it as such."""
    circumstance: str = ""
    """Explanation for an unusable answer: a refusal or the output limit."""
    cut_off: bool = False
    """Whether the answer was truncated at the model's output limit."""
    cached: bool = False
    """Whether the answer comes from the cache."""

    def read(self, shape: AnswerSchema[T]) -> T:
        """Validate the answer against a schema; raise SchemaMismatch."""
        return shape.read(self.text) if self.value is NOTHING else shape.check(self.value)


def circumstance_of(refusal: object, *, cut_off: bool) -> str:
    """Explain an unusable answer by a refusal or the output limit."""
    if refusal:
        return f" (the model refused: {refusal})"
    return " (the answer was cut off at the model's output limit)" if cut_off else ""


@runtime_checkable
class ModelClient(Protocol):
    """A chat model that can be called from any thread and any event loop."""

    @property
    def source(self) -> Source:
        """The source whose rate limits apply to calls."""

    @property
    def identity(self) -> str | None:
        """Everything the answers depend on, without the key, for caching; None if unknown."""

    def bind(self, kind: type) -> Any:
        """Return call options for structured output of this type, or None if it must be requested in the prompt."""

    async def ask(self, system: str, user: str, *, bound: Any, price: Price | None) -> ModelAnswer:
        """Call the model once, with the result of `bind` or None; no retries, and errors are raised unchanged."""


ChatModel: TypeAlias = "ModelClient | BaseChatModel"
"""Type returned by `load_model` and accepted by `ask`."""
