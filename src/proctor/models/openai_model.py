"""A chat model that judges or examines, asked by OpenAI's protocol over our own HTTP client."""

from __future__ import annotations

import atexit
import functools
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from proctor import codec, threads
from proctor.errors import CallError
from proctor.models.contract import ModelAnswer, circumstance_of
from proctor.models.openai import chat, responses
from proctor.models.openai.completion import Completion, Item
from proctor.models.openai.endpoint import ModelEndpoint, address_of, check_base_url, read_key
from proctor.models.parse import shape_of
from proctor.net.client import Client
from proctor.net.exchange import ExchangeLimits
from proctor.spending.prices import Price
from proctor.spending.providers import PROVIDERS, model_at, source_at

_SILENCE = 600.0
"""Seconds without a byte after which a call is given up; how long a reply may take is for the run to say."""
_CLOSING = 1.0
"""Seconds that closing the connections may take at exit."""
_RESPONSES_ONLY = re.compile(r"gpt-5(?:\.\d+)?-pro|gpt-5\.6-sol|.*codex")
"""Models of OpenAI's that do not speak Chat Completions."""
_OWN_TEMPERATURE = re.compile(r"gpt-5(?!.*chat)", re.IGNORECASE)
"""Models that take no temperature but their own: any other is left out."""
_DEVELOPER = re.compile(r"o\d")
"""Models whose instructions come from a developer, not from a system."""


class OpenAIModel:
    """One model at one address. It keeps nothing, and may be asked from any thread and any event loop."""

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        scheme: str = "openai-compatible",
        key: str | None = None,
        key_env: str = "",
        temperature: float | None = None,
        max_output_tokens: int | None = None,
    ) -> None:
        """`scheme` is whose model it is by its name; `key_env` is the variable that holds the key, or would."""
        self.source = source_at(scheme, base_url)
        self._name = name
        self._in_responses = scheme == "openai" and _RESPONSES_ONLY.match(name) is not None
        path, self._read = (responses.PATH, responses.read) if self._in_responses else (chat.PATH, chat.read)
        headers = _headers() if scheme == "openai" else {}
        self._proxy = (os.environ.get("OPENAI_PROXY") or True) if scheme == "openai" else True
        self._endpoint = ModelEndpoint(base_url + path, key=key, key_env=key_env, headers=headers, judging=True)
        limit = "max_output_tokens" if self._in_responses else chat.output_limit(own=scheme != "ollama")
        settings = {"temperature": None if _OWN_TEMPERATURE.match(name) else temperature, limit: max_output_tokens}
        self._fixed: Item = {field: value for field, value in settings.items() if value is not None}

    @property
    def identity(self) -> str:
        """Address, model and settings; the rest of a request is the question and its schema."""
        return codec.encode([self._endpoint.url, self._name, self._fixed])

    def bind(self, kind: type) -> Item:
        """The schema as the format of the response."""
        schema = dict(shape_of(kind).schema)
        title, description = str(schema.pop("title")), schema.pop("description", "")
        told = {"name": re.sub(r"[^\w-]", "_", title, flags=re.ASCII)[:64], "description": description}
        named = {**told, "strict": False, "schema": schema}  # strict is refused for what our schemas say of lengths
        if self._in_responses:
            return {"text": {"format": {"type": "json_schema", **named}}}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    async def ask(self, system: str, user: str, *, bound: Item | None, price: Price | None) -> ModelAnswer:
        """Ask once."""
        fields = {"model": self._name, **self._said(system, user), **self._fixed, **(bound or {})}
        completion = await self._complete(fields)
        text = "" if completion.text == completion.refusal else completion.text
        return ModelAnswer(
            text=text or "\n".join(call.arguments for call in completion.wanted),
            usage=completion.usage(price),
            circumstance=circumstance_of(completion.refusal, cut_off=completion.cut_off),
            cut_off=completion.cut_off,
        )

    def _said(self, system: str, user: str) -> Item:
        role = "developer" if _DEVELOPER.match(self._name) else "system"
        messages = [{"role": role, "content": system}, {"role": "user", "content": user}]
        return {"input": messages, "store": False} if self._in_responses else {"messages": messages}

    async def _complete(self, fields: Mapping[str, Any]) -> Completion:
        endpoint, body = self._endpoint, codec.encode(fields).encode()
        client = _client(self._proxy)
        send = partial(client.send, "POST", endpoint.url, body=body, headers=endpoint.headers)
        try:
            response = await threads.on_lasting_loop(send)
            fault = endpoint.fault(response, fields)
            if fault is not None:
                raise fault
            return self._read(response.body)
        except CallError as error:
            endpoint.mark(error)
            raise


def load_openai(scheme: str, rest: str, *, temperature: float | None, max_output_tokens: int | None) -> OpenAIModel:
    """The model that a name stands for, at the address and with the key of the environment; raises InputError."""
    name, url = model_at(rest) if scheme == "openai-compatible" else (rest, _address(scheme))
    key_env, key = read_key(_keys(scheme), f"the model {f'{scheme}:{rest}'!r}")
    return OpenAIModel(
        name,
        check_base_url(url, name),
        scheme=scheme,
        key=key,
        key_env=key_env,
        temperature=temperature,
        max_output_tokens=max_output_tokens,
    )


def _address(scheme: str) -> str:
    """Where a provider is asked; the environment may name another server."""
    told = os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    return told if told and scheme != "ollama" else address_of(scheme)


def _keys(scheme: str) -> tuple[str, ...]:
    """The variables, one of which has to hold the key."""
    return ("OLLAMA_API_KEY",) if scheme == "ollama" and os.environ.get("OLLAMA_API_KEY") else PROVIDERS[scheme].keys


def _headers() -> dict[str, str]:
    """On whose behalf OpenAI is asked, where the environment says so."""
    told = {
        "OpenAI-Organization": os.environ.get("OPENAI_ORG_ID") or os.environ.get("OPENAI_ORGANIZATION"),
        "OpenAI-Project": os.environ.get("OPENAI_PROJECT_ID"),
    }
    return {name: value for name, value in told.items() if value}


@functools.cache
def _client(proxy: str | bool) -> Client:
    """The client of all judges. Its connections belong to a loop that nobody closes before exit."""
    client = Client(bounds=ExchangeLimits(seconds=None, idle=_SILENCE), proxy=proxy)
    atexit.register(_close, client)
    return client


def _close(client: Client) -> None:
    with suppress(Exception):
        threads.Stage(threads.lasting_loop()).run(client.close, timeout=_CLOSING)
