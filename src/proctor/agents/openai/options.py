"""The options of an `openai:` agent, checked before the first question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from proctor.agents.openai.tools import Tool, read_tool
from proctor.agents.options import header_safe, must_be_known
from proctor.codec.invalid import describe_invalid
from proctor.errors import InputError
from proctor.models.openai.endpoint import address_of, check_base_url, read_key
from proctor.spending.prices import Price, price_of
from proctor.spending.providers import PROVIDERS, Source, source_at

_Positive = Annotated[int, Meta(ge=1)]


class _AgentTable(msgspec.Struct, kw_only=True):
    """Schema of `[agents.NAME]`."""

    base_url: str | None = None
    api: Literal["chat", "responses"] = "chat"
    system: str | None = None
    temperature: Annotated[float, Meta(ge=0)] | None = None
    max_output_tokens: _Positive | None = None
    seed: int | None = None
    stream: bool = False
    tools: list[Any] = []
    max_tool_rounds: _Positive = 10
    parameters: dict[str, Any] = {}
    key_env: str | None = None
    headers: dict[str, str] = {}
    prices: dict[str, Any] = {}
    max_bytes: _Positive = 10_000_000
    ca: str | None = None
    proxy: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenAIOptions:
    """Options of an OpenAI-compatible agent."""

    name: str
    """Display name."""
    model: str
    base_url: str
    source: Source
    """Provider or host whose rate limits apply."""
    api: Literal["chat", "responses"]
    system: str | None
    temperature: float | None
    max_output_tokens: int | None
    seed: int | None
    stream: bool
    tools: tuple[Tool, ...]
    max_tool_rounds: int
    parameters: Mapping[str, Any]
    """Further fields of the request body."""
    key: str | None = field(repr=False)
    key_env: str
    """Name of the environment variable for the API key."""
    headers: Mapping[str, str] = field(repr=False)
    price: Price | None
    max_bytes: int
    ca: str | None
    proxy: bool

    @property
    def own(self) -> bool:
        """Whether the endpoint is OpenAI's own."""
        return self.source.provider == "openai"

    @property
    def functions(self) -> Mapping[str, Tool]:
        """Tools that run locally, by name."""
        return {tool.name: tool for tool in self.tools if tool.call is not None}


def read_options(
    model: str, given: Mapping[str, Any], *, scheme: str = "openai", name: str | None = None
) -> OpenAIOptions:
    """Return the validated options; raise InputError, whose message shows no value that may be a secret."""
    full = f"{scheme}:{name or model}"
    if not model:
        raise InputError(f"the agent {full!r} names no model; expected something like {scheme}:MODEL")
    table = _table(given, full)
    url = _base_url(table.base_url or address_of(scheme), model)
    source = source_at(scheme, url)
    keys = (table.key_env,) if table.key_env else () if source.host else PROVIDERS[scheme].keys
    key_env, key = read_key(keys, f"the agent {full!r}")
    tools = tuple(map(read_tool, table.tools))
    _must_differ(tools, full)
    if table.seed is not None and table.api == "responses":
        raise InputError(f"the agent {full!r} has a seed, which the Responses API does not take; remove it")
    return OpenAIOptions(
        name=full,
        model=model,
        base_url=url,
        source=source,
        api=table.api,
        system=table.system,
        temperature=table.temperature,
        max_output_tokens=table.max_output_tokens,
        seed=table.seed,
        stream=table.stream,
        tools=tools,
        max_tool_rounds=table.max_tool_rounds,
        parameters=table.parameters,
        key=key,
        key_env=key_env,
        headers={name: header_safe(value) for name, value in table.headers.items()},
        price=price_of(full, table.prices) or price_of(f"{scheme}:{model}", table.prices),
        max_bytes=table.max_bytes,
        ca=table.ca,
        proxy=table.proxy,
    )


def _table(given: Mapping[str, Any], name: str) -> _AgentTable:
    must_be_known(given, _AgentTable.__struct_fields__, whose=f"the agent {name!r}")
    try:
        return msgspec.convert(given, _AgentTable)
    except msgspec.ValidationError as error:
        raise InputError(f"the agent {name!r} has an option that is not usable: {describe_invalid(error)}") from None


def _base_url(url: str, model: str) -> str:
    checked = check_base_url(url, model)
    if not urlsplit(checked).path:
        raise InputError(
            f"the base_url of the model {model!r} has no path; most servers speak OpenAI's protocol under /v1"
        )
    return checked


def _must_differ(tools: tuple[Tool, ...], name: str) -> None:
    names = [tool.name for tool in tools if tool.name]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise InputError(f"the agent {name!r} has two tools named {twice!r}; a model distinguishes them by their names")
