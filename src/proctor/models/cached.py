"""Answers of chat models, kept in the cache of the limits in force."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.models.contract import NOTHING, ModelAnswer
from proctor.models.prepared import PreparedModel
from proctor.spending.cache import key_of
from proctor.spending.run_limits import current, current_scope
from proctor.usage import Usage

_FREE = Usage(cost=0.0, cached=1)


class _CachedAnswer(msgspec.Struct):
    """What is kept of an answer."""

    text: str
    circumstance: str
    value: Any = None
    is_data: bool = False


def key_for(line: PreparedModel, system: str, user: str, *, structured: bool) -> bytes | None:
    """Where an answer is kept; None: nowhere.

    Nothing is kept without a cache, for a model that does not say what its answers depend on, and where nobody has said
    which attempt it is: trials would all be given the first one's answer.
    """
    limits, scope = current(), current_scope()
    if limits is None or limits.cache is None or scope is None or line.client.identity is None:
        return None
    asked = (system.encode(errors="replace"), user.encode(errors="replace"))
    return key_of("chat model", line.client.identity, line.shape.schema, structured, asked, scope)


async def recall(key: bytes | None) -> ModelAnswer | None:
    """What was answered to the same question before; it costs nothing now."""
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


async def keep(key: bytes | None, heard: ModelAnswer) -> None:
    """Keep an answer that could be used."""
    limits = current()
    if key is None or heard.cached or limits is None or limits.cache is None:
        return
    is_data = heard.value is not NOTHING
    kept = _CachedAnswer(
        text=heard.text, circumstance=heard.circumstance, value=heard.value if is_data else None, is_data=is_data
    )
    await limits.cache.put(key, msgspec.json.encode(kept))
