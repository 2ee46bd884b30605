"""Ask a chat model one question and get a validated answer with its cost.

    answer = await ask(model, system="You judge.", user=fence(reply, "reply"), schema=Verdict)
    answer.value, answer.text, answer.usage

Structured output is used if the model supports it; otherwise the schema is put into the prompt and JSON is extracted
from the text.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import msgspec

from proctor.errors import CallError, EnvironmentFault, FailureKind, Misconfigured, ProctorError
from proctor.failures import blame, short_message, with_spending
from proctor.failures.evidence import evidence_of, is_late, is_wrong_address, status_of
from proctor.failures.messages import is_too_long, retry_after
from proctor.models.contract import NOTHING, ChatModel, ModelAnswer, ModelClient
from proctor.models.fence import fence
from proctor.models.langchain import LangChainModel
from proctor.models.parse import AnswerSchema, SchemaMismatch, shape_of
from proctor.spending.budget import CallEstimator
from proctor.spending.cache import key_of
from proctor.spending.prices import Price, tokens_in
from proctor.spending.run_limits import RunLimits, current, current_scope
from proctor.usage import Usage

_WRONG = {401: "refused the key", 403: "refused access", 404: "knows no such model or address"}


class UnusableAnswer(ProctorError):
    """The model gave no valid answer, not even after repair requests.

    `usage` is what it cost.
    """

    def __init__(self, reason: str, usage: Usage) -> None:
        super().__init__(reason)
        self.reason = reason
        self.usage = usage


class ModelUnavailable(EnvironmentFault):
    """The model did not answer; `spent` is the usage of earlier calls for the same question."""

    def __init__(
        self, message: str, *, retry_after: float | None, spent: Usage, kind: FailureKind = "exception", host: str = ""
    ) -> None:
        super().__init__(message, retry_after=retry_after, kind=kind, host=host)
        self.spent = spent


def fault_of(error: Exception, *, spent: Usage) -> ProctorError | None:
    """Return the fault for a provider's exception, or None if neither the network nor the settings explain it.

    A server error (5xx) counts as the environment's here, since it says nothing about the agent under test.
    """
    if isinstance(error, Misconfigured) and error.status not in _WRONG:
        return with_spending(error, spent)
    if is_too_long(error):
        return UnusableAnswer(f"the prompt is too long for the model: {short_message(error, 300)}", spent)
    found, message = evidence_of(error), short_message(error, 300)
    fault = blame(found, f"the model did not answer: {message}", judging=True)
    if isinstance(fault, Misconfigured) or is_wrong_address(error):
        doing = _WRONG.get(found.status or 0, "cannot be called at this address")
        message = f"the model {doing}: {message}; check its name, its address and its key"
        return with_spending(Misconfigured(message, kind=found.kind, host=found.host), spent)
    if isinstance(fault, EnvironmentFault):
        return ModelUnavailable(
            str(fault), retry_after=found.retry_after, spent=spent, kind=found.kind, host=found.host
        )
    return with_spending(error, spent) if isinstance(error, CallError) else None


__all__ = ["StructuredAnswer", "UnusableAnswer", "ask"]

T = TypeVar("T")

_OWN_ANSWER_SHOWN = 4_000


@dataclass(frozen=True, kw_only=True, slots=True)
class StructuredAnswer(Generic[T]):
    """A validated answer of a model."""

    value: T
    """The answer as an instance of the schema."""
    text: str
    """The raw text of the answer."""
    usage: Usage
    """Tokens, calls and cost, including repairs."""
    cached: bool = False
    """Whether it comes from the cache and therefore cost nothing."""


async def ask(
    model: ChatModel,
    *,
    system: str,
    user: str,
    schema: type[T],
    structured: bool = True,
    repairs: int = 1,
    price: Price | None = None,
) -> StructuredAnswer[T]:
    """Ask a chat model for an answer in this schema: a pydantic model or a msgspec struct.

    After an invalid answer, up to `repairs` further requests show the model its answer and what is wrong with it; then
    UnusableAnswer is raised. Raises EnvironmentFault if the model did not answer, Misconfigured for a wrong key, name
    or address, and BudgetSpent if the budget of the limits in force is spent. There are no other retries, and no state
    is kept between questions other than the cache of these limits. Fence untrusted text with `fence`, and put
    FENCE_RULE into `system`.
    """
    shape = shape_of(schema)
    line = prepared_model(model, schema, structured=structured)
    usage = Usage()
    note = fault = ""
    for _ in range(repairs + 1):
        key = cache_key(line, system, user + note, structured=structured)
        answer = await recall_answer(key) or await _sent(line, system, user + note, price=price, spent=usage)
        usage += answer.usage
        try:
            value = answer.read(shape)
        except SchemaMismatch as mismatch:
            fault = f"{mismatch}{answer.circumstance}"
            if answer.cut_off:  # it would be truncated again
                break
            note = _repair_note(answer.text, fault, shape)
            continue
        await keep_answer(key, answer)
        return StructuredAnswer(value=value, text=answer.text, usage=usage, cached=answer.cached)
    raise UnusableAnswer(f"the model's answer cannot be used: {fault}", usage)


async def _sent(line: PreparedModel, system: str, user: str, *, price: Price | None, spent: Usage) -> ModelAnswer:
    try:
        limits = current()
        if limits is None:
            return await line.send(system, user, price=price)
        return await _send_within_limits(limits, line, system, user, price)
    except Exception as error:
        fault = fault_of(error, spent=spent)
        if fault is None:
            raise
        raise fault from error


async def _send_within_limits(
    limits: RunLimits, line: PreparedModel, system: str, user: str, price: Price | None
) -> ModelAnswer:
    """Send the request within the run's rate limits and budget."""
    tokens = tokens_in(system) + tokens_in(user) + tokens_in(line.shape.request)
    async with limits.call(line.client.source, line.estimator.estimate(tokens, price)) as call:
        try:
            answer = await line.send(system, user, price=price)
        except Exception as error:
            if not is_late(error):
                call.count_refusal(status_of(error) or 0, retry_after=retry_after(error))
            raise
        call.count_answer(answer.usage)
    line.estimator.learn(tokens, answer.usage)
    return answer


def _repair_note(text: str, fault: str, shape: AnswerSchema[Any]) -> str:
    """Return the text appended to the question after an invalid answer.

    It is part of the same message, because some providers refuse empty turns, and others two turns of the same role. It
    is fenced, because both the answer and the error may quote the judged text.
    """
    own = fence(text[:_OWN_ANSWER_SHOWN], "earlier answer")
    return f"\n\nYour earlier answer cannot be used:\n{own}\n{fence(fault, 'what is wrong')}\n{shape.request}"


class PreparedModel:
    """A model prepared to answer in one schema by the best method it supports."""

    def __init__(self, client: ModelClient, kind: type, *, structured: bool) -> None:
        self.client = client
        self.shape: AnswerSchema[Any] = shape_of(kind)
        self.estimator = CallEstimator()
        self.bound = client.bind(kind) if structured else None

    async def send(self, system: str, user: str, *, price: Price | None = None) -> ModelAnswer:
        """Call the model once; if the server refuses structured output, use the prompt instead, from now on."""
        if self.bound is None:
            return await self._by_words(system, user, price)
        try:
            return await self.client.ask(system, user, bound=self.bound, price=price)
        except Exception as error:
            if status_of(error) not in (400, 422) or is_too_long(error):
                raise
        answer = await self._by_words(system, user, price)
        self.bound = None
        return replace(answer, usage=answer.usage + Usage(calls=1, cost=0.0))

    async def _by_words(self, system: str, user: str, price: Price | None) -> ModelAnswer:
        return await self.client.ask(f"{system}\n\n{self.shape.request}", user, bound=None, price=price)


class _IdentityKey:
    """Cache key by identity, since chat models compare by content and are not hashable."""

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
    """Return the cached PreparedModel for a model and schema; preparing it costs more than a call."""
    return _line(_IdentityKey(model), kind, structured)


_FREE = Usage(cost=0.0, cached=1)


class _CachedAnswer(msgspec.Struct):
    """Stored form of an answer."""

    text: str
    circumstance: str
    value: Any = None
    is_data: bool = False


def cache_key(line: PreparedModel, system: str, user: str, *, structured: bool) -> bytes | None:
    """Return the cache key of an answer, or None if it is not to be cached.

    Nothing is cached without a cache, for a model whose answers depend on unknown settings, or outside an attempt's
    scope, where all trials would get the first one's answer.
    """
    limits, scope = current(), current_scope()
    if limits is None or limits.cache is None or scope is None or line.client.identity is None:
        return None
    asked = (system.encode(errors="replace"), user.encode(errors="replace"))
    return key_of("chat model", line.client.identity, line.shape.schema, structured, asked, scope)


async def recall_answer(key: bytes | None) -> ModelAnswer | None:
    """Return a cached answer to the same question, which costs nothing, or None."""
    limits = current()
    if key is None or limits is None or limits.cache is None:
        return None
    found = await limits.cache.get(key)
    if found is None:
        return None
    try:
        kept = msgspec.json.decode(found, type=_CachedAnswer)
    except msgspec.DecodeError:
        return None
    value = kept.value if kept.is_data else NOTHING
    return ModelAnswer(text=kept.text, usage=_FREE, value=value, circumstance=kept.circumstance, cached=True)


async def keep_answer(key: bytes | None, answer: ModelAnswer) -> None:
    """Store a valid answer in the cache."""
    limits = current()
    if key is None or answer.cached or limits is None or limits.cache is None:
        return
    is_data = answer.value is not NOTHING
    kept = _CachedAnswer(
        text=answer.text, circumstance=answer.circumstance, value=answer.value if is_data else None, is_data=is_data
    )
    await limits.cache.put(key, msgspec.json.encode(kept))
