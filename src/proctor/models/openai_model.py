"""A chat model used as judge or examiner, called by OpenAI's protocol over our own HTTP client."""

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
"""Seconds without a byte before a call is abandoned; the overall timeout is up to the run."""
_CLOSING = 1.0
"""Maximum seconds for closing the connections at exit."""
_RESPONSES_ONLY = re.compile(r"gpt-5(?:\.\d+)?-pro|gpt-5\.6-sol|.*codex")
"""OpenAI models that do not support Chat Completions."""
_OWN_TEMPERATURE = re.compile(r"gpt-5(?!.*chat)", re.IGNORECASE)
"""Models that only accept their default temperature, so any other is omitted."""
_DEVELOPER = re.compile(r"o\d")
"""Models that take instructions as `developer` rather than `system` messages."""


class OpenAIModel:
    """One model at one address; stateless, and callable from any thread and any event loop."""

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
        """`scheme` is the provider in the model's name; `key_env` names the variable for the key, even if unset."""
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
        """Return the response format for this type's schema."""
        schema = dict(shape_of(kind).schema)
        title, description = str(schema.pop("title")), schema.pop("description", "")
        labels = {"name": re.sub(r"[^\w-]", "_", title, flags=re.ASCII)[:64], "description": description}
        named = {**labels, "strict": False, "schema": schema}  # strict mode rejects length limits in schemas
        if self._in_responses:
            return {"text": {"format": {"type": "json_schema", **named}}}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    async def ask(self, system: str, user: str, *, bound: Item | None, price: Price | None) -> ModelAnswer:
        """Call the model once."""
        fields = {"model": self._name, **self._prompt_fields(system, user), **self._fixed, **(bound or {})}
        completion = await self._complete(fields)
        text = "" if completion.text == completion.refusal else completion.text
        return ModelAnswer(
            text=text or "\n".join(call.arguments for call in completion.wanted),
            usage=completion.usage(price),
            circumstance=circumstance_of(completion.refusal, cut_off=completion.cut_off),
            cut_off=completion.cut_off,
        )

    def _prompt_fields(self, system: str, user: str) -> Item:
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
    """Load a model with the address and key from the environment; raise InputError."""
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
    """Return a provider's base URL, which the environment may override."""
    told = os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    return told if told and scheme != "ollama" else address_of(scheme)


def _keys(scheme: str) -> tuple[str, ...]:
    """Return the variables of which one must hold the key."""
    return ("OLLAMA_API_KEY",) if scheme == "ollama" and os.environ.get("OLLAMA_API_KEY") else PROVIDERS[scheme].keys


def _headers() -> dict[str, str]:
    """Return the headers for OpenAI's organization and project from the environment."""
    headers = {
        "OpenAI-Organization": os.environ.get("OPENAI_ORG_ID") or os.environ.get("OPENAI_ORGANIZATION"),
        "OpenAI-Project": os.environ.get("OPENAI_PROJECT_ID"),
    }
    return {name: value for name, value in headers.items() if value}


@functools.cache
def _client(proxy: str | bool) -> Client:
    """Return the HTTP client shared by all judges; its connections belong to a loop that stays open until exit."""
    client = Client(bounds=ExchangeLimits(seconds=None, idle=_SILENCE), proxy=proxy)
    atexit.register(_close, client)
    return client


def _close(client: Client) -> None:
    with suppress(Exception):
        threads.Stage(threads.lasting_loop()).run(client.close, timeout=_CLOSING)
