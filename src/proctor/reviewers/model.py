"""A chat model as reviewer: scores with explanations, by a written rubric."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.models.contract import ChatModel
from proctor.models.load import load_model
from proctor.models.structured import UnusableAnswer, ask
from proctor.reviewers.contradictions import Numbers, name_contradictions
from proctor.reviewers.criteria import OwnRubric, criteria_of, own_rubric
from proctor.reviewers.evidence import LIMIT, ReviewEvidence, gather
from proctor.reviewers.rubrics import (
    IMPROVISED,
    QUESTION,
    Criterion,
    answer_schema,
    applicable,
    role_criterion,
    rubric_named,
    system_prompt,
)
from proctor.score import ROLE, CheckResult, Part, Review, reaches
from proctor.settings import did_you_mean
from proctor.spending.prices import Price, price_of
from proctor.transcript import Turn

if TYPE_CHECKING:
    from proctor.roles import Reviewer

_OPTIONS: dict[str, tuple[type, ...]] = {
    "criteria": (str, Mapping),
    "examples": (Sequence,),
    "limit": (int,),
    "max_output_tokens": (int,),
    "prices": (Mapping,),
    "rubric": (str,),
    "scale": (Sequence, Mapping),
    "structured": (bool,),
    "temperature": (int, float),
}
_KEEPS_ROLE = 0.7
"""Minimum score for a reply to keep to its role."""
_OWN_TEMPERATURE = re.compile(r"python:|openai:(?:o\d|gpt-[5-9])")
"""Match custom models, and reasoning models that accept no temperature but their default."""


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """Load a model reviewer by the model's name, such as `openai:MODEL` or `python:module:attribute`.

    Options: `rubric` (`standard-1` or `judge-1`), or custom `criteria` with `scale` and `examples`; `structured`
    (false: extract JSON from text), `limit` (characters of a reply shown), `temperature`, `max_output_tokens`, `prices`
    (model → `{input, output}` per million tokens).
    """
    check_options(options)
    price = price_of(spec, options.get("prices", {}))
    own = own_rubric(options)
    model = load_model(
        spec,
        temperature=options.get("temperature", usual_temperature(spec)),
        max_output_tokens=options.get("max_output_tokens"),
    )
    others = {name: options[name] for name in ("rubric", "structured", "limit") if name in options}
    return ModelReviewer(model, name=spec, price=price, own=own, **others)


def by_criteria(
    model: ChatModel,
    criteria: str | Mapping[str, Any],
    *,
    scale: Sequence[str] | Mapping[str, float] | None = None,
    examples: Sequence[Mapping[str, Any]] = (),
    name: str = "",
) -> Reviewer:
    """Create a judge with custom criteria from a chat model, for `evaluate(reviewer=…)`; options as in `[reviewers]`.

    Two such judges in a panel need different names; the default is the name of the model's class.
    """
    options = {"criteria": criteria, **({} if scale is None else {"scale": scale}), "examples": examples}
    return ModelReviewer(model, name=name or type(model).__name__, own=own_rubric(options))


def usual_temperature(spec: str) -> float | None:
    """Return 0, so that scores vary little between calls, or None for models that accept no other temperature."""
    return None if _OWN_TEMPERATURE.match(spec) else 0.0


def check_options(options: Mapping[str, Any]) -> None:
    """Reject unknown options and invalid values."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise InputError(f"unknown option {name!r} of a model reviewer; {did_you_mean(name, _OPTIONS)}")
        kinds = _OPTIONS[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise InputError(f"the option {name}={value!r} of a model reviewer is no {expected}")
    for name in ("limit", "max_output_tokens"):
        if options.get(name, 1) < 1:
            raise InputError(f"the option {name}={options[name]!r} of a model reviewer has to be at least 1")
    if not 0 <= options.get("temperature", 0) <= 2:
        raise InputError(f"the option temperature={options['temperature']!r} of a model reviewer has to be 0 to 2")


_BUILT_IN = OwnRubric(criteria=())


class ModelReviewer:
    """Judges one reply at a time and keeps no state between them; any number of reviews may run concurrently."""

    settles = True
    """Each of its model calls is settled with the run's budget on its own."""
    judges_improvised = True
    """It can judge replies to improvised questions, for which no answer is known."""

    def __init__(
        self,
        model: ChatModel,
        *,
        name: str,
        rubric: str = "standard-1",
        structured: bool = True,
        limit: int = LIMIT,
        price: Price | None = None,
        own: OwnRubric | None = None,
    ) -> None:
        self.name = name
        self.rubric = rubric if own is None else own.name
        self._criteria = rubric_named(rubric) if own is None else own.criteria
        self._own = own
        self._model = model
        self._structured = structured
        self._limit = limit
        self._price = price

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Score the last reply by what its case expects; if the model's answer is unusable, the reply is unscored.

        An improvised question comes as a case without an answer, and the reply is judged by the turns before it. If an
        examiner asked the question, the question is scored too.
        """
        turn, own = turns[-1], self._own or _BUILT_IN
        improvised = _is_improvised(case, turns)
        asked = IMPROVISED if improvised and self._own is None else self._criteria
        criteria, weights = _with_case(applicable(asked, case), case) if case is not None else ((), {})
        role = () if case is None or case.expect.role is None else (role_criterion(case.expect.role),)
        if case is None or not (criteria or role) or turn.reply is None:
            return Review()
        of_question = self._of_question((*criteria, *role), turns)
        everything = (*criteria, *role, *of_question)
        earlier = turns[:-1] if improvised or of_question else ()
        evidence = gather(case, turn.question, turn.reply, earlier=earlier, limit=self._limit)
        try:
            answer = await ask(
                self._model,
                system=system_prompt(everything, own.as_text(), in_words=bool(own.scale)),
                user=evidence.text,
                schema=answer_schema(everything, tuple(own.scale)),
                structured=self._structured,
                price=self._price,
            )
        except UnusableAnswer as unusable:
            return Review(unscored=unusable.reason, usage=unusable.usage)
        parts = tuple(_part(criterion, answer.value, own) for criterion in criteria)
        return Review(
            parts=parts,
            weights=self._weights(parts, weights),
            question_parts=tuple(_part(criterion, answer.value, own) for criterion in of_question),
            checks=tuple(_role_check(turn.number, _part(criterion, answer.value, own)) for criterion in role),
            explanation=_explanation(parts, evidence),
            usage=answer.usage,
        )

    def _weights(self, parts: Sequence[Part], of_case: Mapping[str, float]) -> dict[str, float]:
        """Return the custom weights of the reviewer and the case; other parts have their default weight."""
        if self._own is not None:
            return {part.name: self._own.weights.get(part.name, 1.0) for part in parts} | dict(of_case)
        return dict(of_case)

    def _of_question(self, criteria: Sequence[Criterion], turns: Sequence[Turn]) -> tuple[Criterion, ...]:
        """Return the criteria for the question: the standard ones for an examiner's, none for a custom judge."""
        turn, taken = turns[-1], {criterion.name for criterion in criteria}
        if self._own is not None or len(turns) < 2 or (turn.strategy is None and turn.case is not None):
            return ()
        return tuple(criterion for criterion in QUESTION if criterion.name not in taken)

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return None: each reply has been judged separately."""
        return None

    async def find_contradictions(
        self, exam: Exam, turns: Sequence[Turn], *, known: Collection[Numbers] = (), linked: Collection[Numbers] = ()
    ) -> Review | None:
        """Find contradictions among these turns with one model call; None if no pair is left to compare."""
        return await name_contradictions(
            self._model,
            exam,
            turns,
            known=known,
            linked=linked,
            structured=self._structured,
            limit=self._limit,
            price=self._price,
        )


def _is_improvised(case: Case | None, turns: Sequence[Turn]) -> bool:
    """Whether the last question has no expected answer or reasoning, and follows other turns."""
    return case is not None and len(turns) > 1 and not case.answer and not case.reasoning


def _with_case(criteria: tuple[Criterion, ...], case: Case) -> tuple[tuple[Criterion, ...], dict[str, float]]:
    """Merge the reviewer's criteria with the case's, which win on a name clash; return them with the case's weights."""
    own, weights = criteria_of(case)
    return (*(one for one in criteria if one.name not in case.criteria), *own), weights


def _part(criterion: Criterion, marks: Any, own: OwnRubric) -> Part:
    explanation, mark = getattr(marks, f"{criterion.name}_explanation").strip(), getattr(marks, criterion.name)
    part_text = f"{mark}: {explanation}" if own.scale else explanation
    return Part(name=criterion.name, value=own.value(mark), explanation=part_text)


def _role_check(turn: int, judged: Part) -> CheckResult:
    passed = reaches(judged.value, _KEEPS_ROLE)
    return CheckResult(turn=turn, name=ROLE, passed=passed, evidence=judged.explanation, value=judged.value)


def _explanation(parts: tuple[Part, ...], evidence: ReviewEvidence) -> str:
    lines = [f"{part.name} {part.value:.2f}: {part.explanation}" for part in parts]
    return "\n".join([*lines, *filter(None, [evidence.left_out])])
