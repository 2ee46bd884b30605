"""LangChain chat models behind our interface: those of providers, and any passed in.

Only the first half of LangChain's structured output (the options bound to the call) is used, not its parsers: reading
the message here costs a tenth of the CPU, and handles tool calls, JSON mode and prose in the same way.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proctor import threads
from proctor.codec.replies import is_cut_off
from proctor.errors import InputError
from proctor.failures import short_message
from proctor.models.contract import ModelAnswer, circumstance_of
from proctor.models.parse import shape_of
from proctor.plugins import import_attribute
from proctor.spending.prices import Price, usage_of
from proctor.spending.providers import PROVIDERS, Source, ollama_address, source_at
from proctor.usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

_ADDRESSES = ("openai_api_base", "anthropic_api_url", "base_url")
"""Attributes in which the providers' classes store their base URL."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Binding:
    """How structured output is requested: by call options, or by the model's own chain."""

    options: Mapping[str, Any] | None = None
    chain: Runnable[Any, Any] | None = None


class LangChainModel:
    """A LangChain chat model."""

    def __init__(self, model: BaseChatModel) -> None:
        from langchain_core.language_models import BaseChatModel

        self.source = source_of(model)
        self._model = model
        self._blocking = type(model)._agenerate is BaseChatModel._agenerate or _has_blocking_client(model)

    @functools.cached_property
    def identity(self) -> str | None:
        """Everything the answers depend on, without the key, for caching; None if unknown."""
        from langchain_core.load import dumps

        described = dumps(self._model)
        vague = '"not_implemented"' in described and self.source.provider not in PROVIDERS
        return None if vague or " at 0x" in described else described

    def bind(self, kind: type) -> _Binding | None:
        """Return the call options, or the model's own chain if it is not a simple binding; None if not supported."""
        from langchain_core.runnables import RunnableBinding, RunnableSequence

        model, schema = self._model, shape_of(kind).schema
        try:
            chain = model.with_structured_output(schema)
            first = chain.first if isinstance(chain, RunnableSequence) else None
            if isinstance(first, RunnableBinding) and first.bound is model and not first.config:
                # options that only serve LangChain's tracing would double the CPU time of a call
                options = {name: value for name, value in first.kwargs.items() if name != "ls_structured_output_format"}
                return _Binding(options=options)
            wanted = kind if hasattr(kind, "model_validate") else schema
            return _Binding(chain=model.with_structured_output(wanted, include_raw=True))
        except NotImplementedError:
            return None

    async def ask(self, system: str, user: str, *, bound: _Binding | None, price: Price | None) -> ModelAnswer:
        """Call the model once; treat OpenAI's exception for a truncated answer as an answer."""
        try:
            if bound is not None and bound.chain is not None:
                return _from_chain(await self._invoke(bound.chain, system, user), price)
            options = None if bound is None else bound.options
            return _answer_from_message(await self._invoke(self._model, system, user, options), price)
        except Exception as error:
            if bound is None or (cut_off := _cut_off_in(error, price)) is None:
                raise
            return cut_off

    async def _invoke(
        self, asked: Runnable[Any, Any], system: str, user: str, options: Mapping[str, Any] | None = None
    ) -> Any:
        from langchain_core.messages import HumanMessage, SystemMessage

        messages = [SystemMessage(system), HumanMessage(user)]
        if self._blocking:
            return await threads.call(functools.partial(asked.invoke, messages, **(options or {})))
        return await _past_stale_connections(asked, messages, options or {})


_ASYNC_ONLY = (
    ("http_async_client", "http_client"),
    ("azure_ad_async_token_provider", "azure_ad_token_provider"),
)
"""Options of the asynchronous client that make it differ from the blocking one, and their blocking counterparts."""


def _has_blocking_client(model: BaseChatModel) -> bool:
    """Whether the model uses its provider's own class, with a blocking client configured like the asynchronous one.

    Asynchronous connections only work in the event loop that opened them, yet are shared by all models with the same
    address: repeated calls from scripts, threads, notebooks and the agent would receive connections of each other's
    loops. A blocking client can be used from anywhere, in a worker thread.
    """
    packages = {way.__module__.partition(".")[0] for way in (type(model)._generate, type(model)._agenerate)}
    is_known = packages <= {provider.package for provider in PROVIDERS.values()}
    lacks_one = getattr(model, "root_client", model) is None  # OpenAI with an async function for the key
    return (
        is_known
        and not lacks_one
        and all(getattr(model, one, None) is None or getattr(model, like, None) for one, like in _ASYNC_ONLY)
    )


_STALE_CONNECTIONS = 100
"""Maximum number of connections a client keeps open."""


async def _past_stale_connections(
    asked: Runnable[Any, Any], messages: list[BaseMessage], options: Mapping[str, Any]
) -> Any:
    """Call the model, retrying past connections opened in another event loop, each of which fails once."""
    for _ in range(_STALE_CONNECTIONS):
        try:
            return await asked.ainvoke(messages, **options)
        except RuntimeError as error:
            if not _is_of_another_loop(error):
                raise
    return await asked.ainvoke(messages, **options)


def _is_of_another_loop(error: RuntimeError) -> bool:
    message = str(error)
    of_another = message.endswith(("bound to a different event loop", "attached to a different loop"))
    return of_another or (message == "Event loop is closed" and not asyncio.get_running_loop().is_closed())


def _from_chain(result: Any, price: Price | None) -> ModelAnswer:
    """Convert the result of the model's own chain, using the raw message if it is included."""
    if isinstance(result, Mapping) and "parsed" in result and "raw" in result:
        answer = _answer_from_message(result["raw"], price)
        return answer if result["parsed"] is None else _answer_from_data(result["parsed"], answer.usage)
    return _answer_from_data(result, Usage(calls=1))


def _answer_from_data(value: Any, usage: Usage) -> ModelAnswer:
    """Return an answer from structured data."""
    plain = value.model_dump() if hasattr(value, "model_dump") else value
    return ModelAnswer(text=json.dumps(plain, ensure_ascii=False, default=str), usage=usage, value=plain)


def _answer_from_message(message: BaseMessage, price: Price | None) -> ModelAnswer:
    """Return an answer from a message: its tool call if it has one, else its text."""
    usage = usage_of(getattr(message, "usage_metadata", None), price)
    calls = getattr(message, "tool_calls", None) or []
    if calls and all(call["args"] == calls[0]["args"] for call in calls):
        return _answer_from_data(calls[0]["args"], usage)
    broken = [call.get("args") or "" for call in getattr(message, "invalid_tool_calls", None) or []]
    text = str(message.text) or "\n".join([*(_answer_from_data(call["args"], usage).text for call in calls), *broken])
    cut_off = is_cut_off(message.response_metadata)
    circumstance = circumstance_of(message.additional_kwargs.get("refusal"), cut_off=cut_off)
    return ModelAnswer(text=text, usage=usage, circumstance=circumstance, cut_off=cut_off)


def _cut_off_in(error: Exception, price: Price | None) -> ModelAnswer | None:
    """Return the truncated answer contained in OpenAI's exception for the output limit, or None."""
    completion = getattr(error, "completion", None)
    if type(error).__name__ != "LengthFinishReasonError" or completion is None:
        return None
    used = getattr(completion, "usage", None)
    token_counts = (
        {"input_tokens": used.prompt_tokens, "output_tokens": used.completion_tokens} if used is not None else None
    )
    text = next((choice.message.content or "" for choice in completion.choices), "")
    return ModelAnswer(
        text=text, usage=usage_of(token_counts, price), circumstance=circumstance_of("", cut_off=True), cut_off=True
    )


def from_provider(scheme: str, rest: str, *, temperature: float | None, max_output_tokens: int | None) -> BaseChatModel:
    """Create a provider's model with its LangChain class; raise InputError."""
    name, provider = f"{scheme}:{rest}", PROVIDERS[scheme]
    given = {"temperature": temperature, provider.output_limit: max_output_tokens}
    options = {"model": rest, **{option: value for option, value in given.items() if value is not None}}
    kind = getattr(_import_package(provider.package, provider.install), provider.kind)
    if provider.keys and not any(os.environ.get(key) for key in provider.keys):
        raise InputError(f"the model {name!r} needs a key: set the environment variable {' or '.join(provider.keys)}")
    return check_model(_make_model(kind, name, {**provider.options, **options}), name)


def from_python(name: str, spec: str) -> BaseChatModel:
    """Import a chat model by its Python name, or create it with the class or function of that name."""
    _import_package("langchain_core", "proctor[langchain]")
    from langchain_core.language_models import BaseChatModel

    found = import_attribute(spec, what="model")
    if isinstance(found, BaseChatModel) or not callable(found):
        return check_model(found, name)
    return check_model(_make_model(found, name, {}), name)


def _make_model(make: Any, name: str, options: Mapping[str, Any]) -> object:
    try:
        return make(**options)
    except Exception as error:
        raise InputError(f"cannot make the model {name!r}: {type(error).__name__}: {short_message(error)}") from error


def check_model(model: object, name: str) -> BaseChatModel:
    """Return the model if it is a LangChain chat model; raise InputError otherwise."""
    _import_package("langchain_core", "proctor[langchain]")
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise InputError(f"the model {name!r} is of type {type(model).__name__}; expected a LangChain chat model")
    return model


def source_of(model: BaseChatModel) -> Source:
    """Determine a chat model's source from its package and base URL."""
    package = type(model).__module__.partition(".")[0]
    known = (name for name, provider in PROVIDERS.items() if provider.package == package)
    provider, urls = next(known, package), map(functools.partial(_text_of, model), _ADDRESSES)
    return source_at(provider, next((url for url in urls if url), ollama_address() if provider == "ollama" else ""))


def _text_of(model: BaseChatModel, name: str) -> str:
    value = getattr(model, name, None)
    return value if isinstance(value, str) else ""


def _import_package(package: str, install: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in (package, "langchain_core"):
            raise
        raise InputError(f'this model needs a package that is not installed: pip install "{install}"') from error
