"""How any chat model is asked once, by our own client or by LangChain's classes: ModelClient, ModelAnswer."""

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
"""In place of an answer that did not come as data; None may be one that did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAnswer:
    """One answer of a model, not yet checked."""

    text: str
    """As the model wrote it; a tool call's arguments as JSON."""
    usage: Usage
    """What it cost, with the call that a server without structured output refused."""
    value: Any = NOTHING
    """The answer as data, where the model gave it as such."""
    circumstance: str = ""
    """What else explains an unusable answer: a refusal, an output limit."""
    cut_off: bool = False
    """Whether it ends at the model's output limit."""
    cached: bool = False
    """Whether it was not asked for again, but kept from an earlier time."""

    def read(self, shape: AnswerSchema[T]) -> T:
        """The answer in its shape; raises SchemaMismatch."""
        return shape.read(self.text) if self.value is NOTHING else shape.check(self.value)


def circumstance_of(refusal: object, *, cut_off: bool) -> str:
    """What explains an answer that cannot be used."""
    if refusal:
        return f" (the model refused: {refusal})"
    return " (the answer was cut off at the model's output limit)" if cut_off else ""


@runtime_checkable
class ModelClient(Protocol):
    """A chat model that can be asked from any thread and any event loop."""

    @property
    def source(self) -> Source:
        """Whose limits a call counts against."""

    @property
    def identity(self) -> str | None:
        """Everything that its answers depend on, without its key; None: it does not say."""

    def bind(self, kind: type) -> Any:
        """What a call is given to be answered in the schema of this type; None: it has to be asked for in words."""

    async def ask(self, system: str, user: str, *, bound: Any, price: Price | None) -> ModelAnswer:
        """Ask once, with what `bind` gave, or with None. Nothing is retried; what goes wrong is raised as it is."""


ChatModel: TypeAlias = "ModelClient | BaseChatModel"
"""What `load_model` gives and `ask` takes."""
