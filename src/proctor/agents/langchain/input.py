"""A request → what a Runnable is given, in LangChain's own messages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from proctor.agents.framework import summary
from proctor.agents.http.template import Template
from proctor.agents.langchain.shape import input_of
from proctor.transcript import Request, Turn

_HANDS_OVER = frozenset({"context", "history", "messages"})


class Writer:
    """Writes what one Runnable is given."""

    def __init__(self, target: Runnable[Any, Any], options: Mapping[str, Any]) -> None:
        source = options["input"] if "input" in options else input_of(target)
        self._template = Template(source, option="input")
        self._in_front = options.get("context") == "question"
        self.hands_over = not self._template.uses.isdisjoint(_HANDS_OVER)

    def given(self, request: Request, *, known: bool, context: str | None) -> tuple[Any, str]:
        """What it is given, and the id of the message that is the question.

        Where the Runnable knows what was said before, only what is new is handed over.
        """
        asked = HumanMessage(content=request.question, id=str(uuid.uuid4()))
        history = [] if known else [message for turn in request.history for message in _said(turn)]
        values = self._template.values(request, None)
        values |= {"history": history, "messages": self._messages(context, history, asked, known=known)}
        values["context"] = request.context or ""
        return self._template.filled(values), asked.id or ""

    def _messages(
        self, context: str | None, history: list[BaseMessage], asked: HumanMessage, *, known: bool
    ) -> list[BaseMessage]:
        """Everything in one list. Providers take system messages only at its very beginning."""
        told = summary(context)
        if told is None:
            return [*history, asked]
        if self._in_front or known:
            return [*history, asked.model_copy(update={"content": f"{told}\n\n{asked.content}"})]
        return [SystemMessage(content=told), *history, asked]


def _said(turn: Turn) -> list[BaseMessage]:
    asked: list[BaseMessage] = [HumanMessage(content=turn.question)]
    return asked if turn.reply is None else [*asked, AIMessage(content=turn.reply.text)]
