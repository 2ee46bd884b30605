"""A chat model as reviewer: marks with explanations, by a written rubric."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.models.structured import UnusableAnswer, ask
from proctor.reviewers.contradictions import compare
from proctor.reviewers.evidence import LIMIT, ReviewEvidence, gather
from proctor.reviewers.rubrics import IMPROVISED, Criterion, answer_schema, applicable, rubric_named, system_prompt
from proctor.score import Part, Review
from proctor.spending.prices import Price, price_of
from proctor.transcript import Turn

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from proctor.roles import Reviewer

_OPTIONS: dict[str, type] = {"limit": int, "prices": Mapping, "rubric": str, "structured": bool}


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """The reviewer that a model's name stands for, such as `openai:MODEL` or `python:module:attribute`.

    Options: `rubric` (`standard-1` or `judge-1`), `structured` (false: read JSON out of text), `limit`
    (characters of a reply shown), `prices` (model → `{input, output}` per million tokens).
    """
    from proctor.models.load import load_model

    check_options(options)
    price = price_of(spec, options.get("prices", {}))
    others = {name: value for name, value in options.items() if name != "prices"}
    return ModelReviewer(load_model(spec), name=spec, price=price, **others)


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse an option that does not exist or cannot be meant."""
    for name, value in options.items():
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_OPTIONS)}"
            raise InputError(f"unknown option {name!r} of a model reviewer; {hint}")
        if not isinstance(value, _OPTIONS[name]):
            raise InputError(f"the option {name}={value!r} of a model reviewer is no {_OPTIONS[name].__name__}")
    if options.get("limit", 1) < 1:
        raise InputError(f"the option limit={options['limit']!r} of a model reviewer has to be at least 1")


class ModelReviewer:
    """Judges one reply at a time and keeps nothing between them; any number of reviews may run at once."""

    settles = True
    """Each of its calls settles with the budget of the run by itself."""
    judges_improvised = True
    """It has something to say of a reply to which no answer is known."""

    def __init__(
        self,
        model: BaseChatModel,
        *,
        name: str,
        rubric: str = "standard-1",
        structured: bool = True,
        limit: int = LIMIT,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.rubric = rubric
        self._criteria = rubric_named(rubric)
        self._model = model
        self._structured = structured
        self._limit = limit
        self._price = price

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Mark the last reply on what its case expects; an answer that cannot be used leaves it unscored.

        A question that an examiner improvised comes as a case without an answer: then the turns before it count.
        """
        turn, earlier = turns[-1], turns[:-1] if _is_improvised(case, turns) else ()
        criteria = applicable(IMPROVISED if earlier else self._criteria, case) if case is not None else ()
        if case is None or not criteria or turn.reply is None:
            return Review()
        evidence = gather(case, turn.question, turn.reply, earlier=earlier, limit=self._limit)
        try:
            answer = await ask(
                self._model,
                system=system_prompt(criteria),
                user=evidence.text,
                schema=answer_schema(criteria),
                structured=self._structured,
                price=self._price,
            )
        except UnusableAnswer as unusable:
            return Review(unscored=unusable.reason, usage=unusable.usage)
        parts = tuple(_part(criterion, answer.value) for criterion in criteria)
        return Review(parts=parts, explanation=_explanation(parts, evidence), usage=answer.usage)

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Nothing: each reply has been judged by itself."""
        return None

    async def compare(self, exam: Exam, pairs: Sequence[tuple[Turn, Turn]]) -> Review | None:
        """The contradictions among these pairs of an earlier and a later turn, in one call; None: no pair to judge."""
        return await compare(
            self._model, exam, pairs, structured=self._structured, limit=self._limit, price=self._price
        )


def _is_improvised(case: Case | None, turns: Sequence[Turn]) -> bool:
    """Whether the last question expects no answer, and comes after others."""
    return case is not None and len(turns) > 1 and not case.answer and not case.reasoning


def _part(criterion: Criterion, marks: Any) -> Part:
    explanation = getattr(marks, f"{criterion.name}_explanation").strip()
    return Part(name=criterion.name, value=getattr(marks, criterion.name), explanation=explanation)


def _explanation(parts: tuple[Part, ...], evidence: ReviewEvidence) -> str:
    said = [f"{part.name} {part.value:.2f}: {part.explanation}" for part in parts]
    return "\n".join([*said, *filter(None, [evidence.left_out])])
