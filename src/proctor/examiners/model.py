"""A chat model as examiner: it reads the conversation and writes the next question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from proctor.benchmark import Exam
from proctor.errors import InputError
from proctor.examiners.prompt import LIMIT, conversation, next_turn, system_prompt
from proctor.findings.battle.fault import Fault
from proctor.models.contract import ChatModel
from proctor.models.load import load_model
from proctor.models.structured import UnusableAnswer, ask
from proctor.roles import Examiner
from proctor.settings import did_you_mean
from proctor.spending.prices import Price, price_of
from proctor.transcript import Turn
from proctor.usage import Usage

_OPTIONS: dict[str, type] = {"limit": int, "prices": Mapping, "structured": bool}
_FORM = (
    "Answer with `question`; `strategy`, one of the names above, or other; `refers_to`, the number of the earlier turn "
    "about the same statement, or null; and `done`, true only if you end the exam."
)


class NextQuestion(msgspec.Struct):
    """Response schema of the model."""

    question: str
    strategy: str
    refers_to: int | None = None
    done: bool = False


def load(spec: str, options: Mapping[str, Any]) -> Examiner:
    """Return an examiner for a model spec, such as `openai:MODEL` or `python:module:attribute`.

    Options: `structured` (false: parse JSON from text), `limit` (maximum characters shown of a reply), `prices` (model
    → `{input, output}` per million tokens).
    """
    check_options(options)
    price = price_of(spec, options.get("prices", {}))
    others = {name: value for name, value in options.items() if name != "prices"}
    return ModelExaminer(load_model(spec), name=spec, price=price, **others)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse unknown options and invalid values."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise InputError(f"unknown option {name!r} of a model examiner; {did_you_mean(name, _OPTIONS)}")
        if not isinstance(value, _OPTIONS[name]) or (isinstance(value, bool) and _OPTIONS[name] is int):
            raise InputError(f"the option {name}={value!r} of a model examiner is not a {_OPTIONS[name].__name__}")
    if options.get("limit", 1) < 1:
        raise InputError(f"the option limit={options['limit']!r} of a model examiner has to be at least 1")


class ModelExaminer:
    """Asks one question at a time; stateless, so any number of exams may run concurrently."""

    settles = True
    """Each of its model calls is charged to the run's budget individually."""

    def __init__(
        self,
        model: ChatModel,
        *,
        name: str,
        structured: bool = True,
        limit: int = LIMIT,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self._model = model
        self._structured = structured
        self._limit = limit
        self._price = price
        self._system = system_prompt(_FORM)

    async def ask(self, exam: Exam, turns: Sequence[Turn], *, note: str | None = None) -> Turn | Usage:
        """Return the next question, or the usage if the exam ends; `note` says what was wrong with the last question.

        An unusable answer becomes an empty question that carries the fault.
        """
        try:
            answer = await ask(
                self._model,
                system=self._system,
                user=conversation(exam, turns, limit=self._limit, note=note),
                schema=NextQuestion,
                structured=self._structured,
                price=self._price,
            )
        except UnusableAnswer as unusable:
            fault = str(Fault("unusable", unusable.reason))
            return Turn(number=len(turns) + 1, question="", fault=fault, examiner_usage=unusable.usage)
        asked = answer.value
        if asked.done:
            return answer.usage
        turn = next_turn(
            exam, turns, question=asked.question.strip(), strategy=asked.strategy, refers_to=asked.refers_to
        )
        return replace(turn, examiner_usage=answer.usage)
