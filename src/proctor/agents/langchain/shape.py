"""What kind of Runnable it is: what it wraps, whether it is a graph, what it takes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableBinding, RunnableSequence

from proctor.errors import InputError

_QUESTIONS = ("question", "input", "query", "prompt", "user_input", "text")
_HISTORIES = ("chat_history", "history")


def unwrap_bindings(target: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The Runnable without what only binds arguments or settings to it."""
    while isinstance(target, RunnableBinding):
        target = target.bound
    return target


def graph_in(target: Runnable[Any, Any]) -> Any:
    """The compiled graph that it is; None: it is none."""
    pregel = sys.modules.get("langgraph.pregel")  # whoever made a graph has imported it
    inner = unwrap_bindings(target)
    return inner if pregel is not None and isinstance(inner, pregel.Pregel) else None


def input_of(target: Runnable[Any, Any]) -> Any:
    """A template of what it takes, by its own schema; raises InputError where that leaves the question open."""
    if _begins_with_a_model(target):
        return "{{messages}}"
    keys = _keys(target)
    if keys is None:
        return "{{question}}"
    if "messages" in keys:
        return {"messages": "{{messages}}"}
    question = next((name for name in _QUESTIONS if name in keys), None)
    others = [name for name in keys if name not in _HISTORIES]
    if question is None and len(others) == 1:
        question = others[0]
    if question is None:
        raise InputError(
            f"the agent takes {', '.join(keys)}, and none of them is plainly the question; "
            'say what it is given, as in input = {topic = "{{question}}"}'
        )
    return {question: "{{question}}", **{name: "{{history}}" for name in keys if name in _HISTORIES}}


def _begins_with_a_model(target: Runnable[Any, Any]) -> bool:
    inner = unwrap_bindings(target)
    while isinstance(inner, RunnableSequence):
        inner = unwrap_bindings(inner.first)
    return isinstance(inner, BaseChatModel)


def _keys(target: Runnable[Any, Any]) -> list[str] | None:
    """The keys of the table that it takes; None: it takes none, or does not say."""
    state = getattr(getattr(graph_in(target), "builder", None), "input_schema", None)
    if state is not None and (declared := _declared_keys(state)):
        return declared
    try:
        schema = target.get_input_jsonschema()
    except Exception:  # an input may be anything, also what no schema can describe
        return None
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) and properties else None


def _declared_keys(state: Any) -> list[str]:
    """The keys that the class of a graph's state declares, in whichever of the three ways."""
    fields = getattr(state, "model_fields", None)
    if isinstance(fields, Mapping):
        return list(fields)
    kinds = reversed(getattr(state, "__mro__", ()))
    return list(dict.fromkeys(name for kind in kinds for name in vars(kind).get("__annotations__", ())))
