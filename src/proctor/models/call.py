"""How one model is asked for one schema, and what is heard back."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from proctor import threads
from proctor.codec import is_cut_off
from proctor.failures.evidence import status_of
from proctor.failures.messages import is_too_long
from proctor.models.load import source_of
from proctor.models.parse import AnswerSchema, shape_of
from proctor.spending.budget import CallEstimator
from proctor.spending.prices import Price, usage_of
from proctor.spending.providers import PROVIDERS
from proctor.usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

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


class PreparedModel:
    """A model, made ready to answer in one schema by the best way it knows."""

    def __init__(self, model: BaseChatModel, kind: type, *, structured: bool) -> None:
        from langchain_core.language_models import BaseChatModel

        self.model = model
        self.shape: AnswerSchema[Any] = shape_of(kind)
        self.source = source_of(model)
        self.blocking = type(model)._agenerate is BaseChatModel._agenerate or _has_blocking_client(model)
        self.estimator = CallEstimator()
        self.options, self.chain = _structured_ways(model, kind, self.shape.schema) if structured else (None, None)

    @functools.cached_property
    def identity(self) -> str | None:
        """Everything about the model that its answers depend on, without its key; None: it does not say."""
        from langchain_core.load import dumps

        described = dumps(self.model)
        vague = '"not_implemented"' in described and self.source.provider not in PROVIDERS
        return None if vague or " at 0x" in described else described

    @property
    def in_prose(self) -> bool:
        """Whether the schema has to be asked for in words."""
        return self.options is None and self.chain is None

    async def send(self, system: str, user: str, *, price: Price | None = None) -> ModelAnswer:
        """Ask once. A server that refuses the structured request is asked in words, and from then on only so."""
        if self.in_prose:
            return await self._by_words(system, user, price)
        try:
            return await self._by_schema(system, user, price)
        except Exception as error:
            if (cut_off := _cut_off_in(error, price)) is not None:
                return cut_off
            if status_of(error) not in (400, 422) or is_too_long(error):
                raise
        heard = await self._by_words(system, user, price)
        self.options = self.chain = None
        return replace(heard, usage=heard.usage + Usage(calls=1, cost=0.0))

    async def _by_schema(self, system: str, user: str, price: Price | None) -> ModelAnswer:
        if self.chain is None:
            return _heard(await self._invoke(self.model, system, user, self.options), price)
        result = await self._invoke(self.chain, system, user)
        if isinstance(result, Mapping) and "parsed" in result and "raw" in result:
            heard = _heard(result["raw"], price)
            return heard if result["parsed"] is None else _given(result["parsed"], heard.usage)
        return _given(result, Usage(calls=1))

    async def _by_words(self, system: str, user: str, price: Price | None) -> ModelAnswer:
        return _heard(await self._invoke(self.model, f"{system}\n\n{self.shape.request}", user), price)

    async def _invoke(
        self, asked: Runnable[Any, Any], system: str, user: str, options: Mapping[str, Any] | None = None
    ) -> Any:
        from langchain_core.messages import HumanMessage, SystemMessage

        messages = [SystemMessage(system), HumanMessage(user)]
        if self.blocking:
            return await threads.call(functools.partial(asked.invoke, messages, **(options or {})))
        return await _past_stale_connections(asked, messages, options or {})


_ASYNC_ONLY = (
    ("http_async_client", "http_client"),
    ("azure_ad_async_token_provider", "azure_ad_token_provider"),
)
"""What somebody may have given to a model's asynchronous client alone, and its like for the blocking one."""


def _has_blocking_client(model: BaseChatModel) -> bool:
    """Whether it calls as a provider's own class does, whose blocking client does all that the asynchronous one does.

    The asynchronous one keeps connections that are of use only in the loop that opened them, and shares them with all
    models of the same address: scripts that call us twice, threads, notebooks and the agent itself would be handed
    connections of each other's loops. A blocking client may be used from anywhere, and a thread of ours waits for it.
    """
    packages = {way.__module__.partition(".")[0] for way in (type(model)._generate, type(model)._agenerate)}
    is_known = packages <= {provider.package for provider in PROVIDERS.values()}
    lacks_one = getattr(model, "root_client", model) is None  # OpenAI's, where the key comes from an async function
    return (
        is_known
        and not lacks_one
        and all(getattr(model, one, None) is None or getattr(model, like, None) for one, like in _ASYNC_ONLY)
    )


_STALE_CONNECTIONS = 100
"""As many as a client keeps open at most."""


async def _past_stale_connections(
    asked: Runnable[Any, Any], messages: list[BaseMessage], options: Mapping[str, Any]
) -> Any:
    """Ask the model; each connection that its client opened in another loop, before or beside us, fails once."""
    for _ in range(_STALE_CONNECTIONS):
        try:
            return await asked.ainvoke(messages, **options)
        except RuntimeError as error:
            if not _is_of_another_loop(error):
                raise
    return await asked.ainvoke(messages, **options)


def _is_of_another_loop(error: RuntimeError) -> bool:
    said = str(error)
    of_another = said.endswith(("bound to a different event loop", "attached to a different loop"))
    return of_another or (said == "Event loop is closed" and not asyncio.get_running_loop().is_closed())


def _structured_ways(
    model: BaseChatModel, kind: type, schema: dict[str, Any]
) -> tuple[dict[str, Any] | None, Runnable[Any, Any] | None]:
    """What to bind to a call, or the model's own chain where it is no plain binding; neither: not supported."""
    from langchain_core.runnables import RunnableBinding, RunnableSequence

    try:
        chain = model.with_structured_output(schema)
        first = chain.first if isinstance(chain, RunnableSequence) else None
        if isinstance(first, RunnableBinding) and first.bound is model and not first.config:
            # what is only there for LangChain's own tracing doubles the CPU of a call
            return {name: value for name, value in first.kwargs.items() if name != "ls_structured_output_format"}, None
        wanted = kind if hasattr(kind, "model_validate") else schema
        return None, model.with_structured_output(wanted, include_raw=True)
    except NotImplementedError:
        return None, None


def _given(value: Any, usage: Usage) -> ModelAnswer:
    """An answer that came as data."""
    plain = value.model_dump() if hasattr(value, "model_dump") else value
    return ModelAnswer(text=json.dumps(plain, ensure_ascii=False, default=str), usage=usage, value=plain)


def _heard(message: BaseMessage, price: Price | None) -> ModelAnswer:
    """A message's tool call where it made one, else its text."""
    usage = usage_of(getattr(message, "usage_metadata", None), price)
    calls = getattr(message, "tool_calls", None) or []
    if calls and all(call["args"] == calls[0]["args"] for call in calls):
        return _given(calls[0]["args"], usage)
    broken = [call.get("args") or "" for call in getattr(message, "invalid_tool_calls", None) or []]
    text = str(message.text) or "\n".join([*(_given(call["args"], usage).text for call in calls), *broken])
    cut_off = is_cut_off(message.response_metadata)
    return ModelAnswer(text=text, usage=usage, circumstance=_circumstance(message), cut_off=cut_off)


def _cut_off_in(error: Exception, price: Price | None) -> ModelAnswer | None:
    """The answer that OpenAI's client raises instead of returning it, where it ends at the output limit."""
    completion = getattr(error, "completion", None)
    if type(error).__name__ != "LengthFinishReasonError" or completion is None:
        return None
    used = getattr(completion, "usage", None)
    told = {"input_tokens": used.prompt_tokens, "output_tokens": used.completion_tokens} if used is not None else None
    text = next((choice.message.content or "" for choice in completion.choices), "")
    return ModelAnswer(text=text, usage=usage_of(told, price), circumstance=_CUT_OFF, cut_off=True)


_CUT_OFF = " (the answer was cut off at the model's output limit)"


def _circumstance(message: BaseMessage) -> str:
    if refusal := message.additional_kwargs.get("refusal"):
        return f" (the model refused: {refusal})"
    if is_cut_off(message.response_metadata):
        return _CUT_OFF
    return ""


class _Same:
    """A model as a key: chat models compare by content and cannot be hashed."""

    __slots__ = ("model",)

    def __init__(self, model: BaseChatModel) -> None:
        self.model = model

    def __hash__(self) -> int:
        return id(self.model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.model is self.model


@functools.lru_cache(maxsize=64)
def _line(same: _Same, kind: type, structured: bool) -> PreparedModel:
    return PreparedModel(same.model, kind, structured=structured)


def line_to(model: BaseChatModel, kind: type, *, structured: bool) -> PreparedModel:
    """The line to a model for a schema; made once, because working out the ways costs more than a call."""
    return _line(_Same(model), kind, structured)
