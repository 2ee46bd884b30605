"""A model made ready for one schema: asked by the schema where that works, else in words."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from proctor.failures.evidence import status_of
from proctor.failures.messages import is_too_long
from proctor.models.contract import ChatModel, ModelAnswer, ModelClient
from proctor.models.langchain import LangChainModel
from proctor.models.parse import AnswerSchema, shape_of
from proctor.spending.budget import CallEstimator
from proctor.spending.prices import Price
from proctor.usage import Usage


class PreparedModel:
    """A model, made ready to answer in one schema by the best way it knows."""

    def __init__(self, client: ModelClient, kind: type, *, structured: bool) -> None:
        self.client = client
        self.shape: AnswerSchema[Any] = shape_of(kind)
        self.estimator = CallEstimator()
        self.bound = client.bind(kind) if structured else None

    async def send(self, system: str, user: str, *, price: Price | None = None) -> ModelAnswer:
        """Ask once. A server that refuses the structured request is asked in words, and from then on only so."""
        if self.bound is None:
            return await self._by_words(system, user, price)
        try:
            return await self.client.ask(system, user, bound=self.bound, price=price)
        except Exception as error:
            if status_of(error) not in (400, 422) or is_too_long(error):
                raise
        heard = await self._by_words(system, user, price)
        self.bound = None
        return replace(heard, usage=heard.usage + Usage(calls=1, cost=0.0))

    async def _by_words(self, system: str, user: str, price: Price | None) -> ModelAnswer:
        return await self.client.ask(f"{system}\n\n{self.shape.request}", user, bound=None, price=price)


class _IdentityKey:
    """A model as a key: chat models compare by content and cannot be hashed."""

    __slots__ = ("model",)

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    def __hash__(self) -> int:
        return id(self.model)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _IdentityKey) and other.model is self.model


@functools.lru_cache(maxsize=64)
def _line(same: _IdentityKey, kind: type, structured: bool) -> PreparedModel:
    return PreparedModel(_client_of(same.model), kind, structured=structured)


def _client_of(model: ChatModel) -> ModelClient:
    return model if isinstance(model, ModelClient) else LangChainModel(model)


def prepared_model(model: ChatModel, kind: type, *, structured: bool) -> PreparedModel:
    """The line to a model for a schema; made once, because working out the ways costs more than a call."""
    return _line(_IdentityKey(model), kind, structured)
