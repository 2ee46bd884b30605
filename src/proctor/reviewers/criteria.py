"""Custom criteria, `[reviewers.NAME] criteria = …`: parse and validate them, and describe them to a model."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.benchmark import OWN_PART, Case
from proctor.codec import digest
from proctor.errors import InputError
from proctor.reviewers.rubrics import Criterion
from proctor.settings import MOST_CRITERIA, read_criterion, shown

_DIGITS = 12
_WORDS = (2, 12)
_EXAMPLE = {"question", "reply", "reason", "mark", "marks"}


def is_of_criteria(rubric: str) -> bool:
    """Whether a rubric's name is one derived from custom criteria; a custom reviewer may use any other name."""
    return re.fullmatch(rf"own-[0-9a-f]{{{_DIGITS}}}", rubric) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnRubric:
    """The criteria, weights, scale and examples of a custom judge."""

    criteria: tuple[Criterion, ...]
    weights: Mapping[str, float] = field(default_factory=dict)
    """Part → weight; other parts have weight 1."""
    scale: Mapping[str, float] = field(default_factory=dict)
    """Word → score; empty if scores are numbers from 0 to 1."""
    examples: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name derived from a digest, because scores given under different wording are not comparable."""
        criterion_texts = [[one.name, one.asks] for one in self.criteria]
        return f"own-{digest([criterion_texts, dict(self.weights), dict(self.scale), list(self.examples)])[:_DIGITS]}"

    def value(self, mark: Any) -> float:
        """Convert a mark to a number from 0 to 1."""
        return self.scale[mark] if self.scale else float(mark)

    def as_text(self) -> str:
        """Return the instructions for the model beyond the criteria: the words to choose from, and the examples."""
        return "\n\n".join([*self._scale_lines(), *self._example_texts()])

    def _scale_lines(self) -> Iterator[str]:
        if self.scale:
            yield f"Every mark is one of these words, from the worst to the best: {', '.join(self.scale)}."

    def _example_texts(self) -> Iterator[str]:
        for number, example in enumerate(self.examples, 1):
            answer: dict[str, Any] = {}
            for one in self.criteria:
                answer[f"{one.name}_explanation"] = example.get("reason", "")
                answer[one.name] = example["marks"][one.name]
            lines = [f"{name}: {example[name]}" for name in ("question", "reply") if example.get(name)]
            yield "\n".join([f"Example {number}", *lines, f"answer: {json.dumps(answer, ensure_ascii=False)}"])


def own_rubric(options: Mapping[str, Any]) -> OwnRubric | None:
    """Build the rubric from `criteria`, `scale` and `examples`; None without criteria. Raises InputError."""
    if "criteria" not in options:
        for name in ("scale", "examples"):
            if name in options:
                raise InputError(f"a reviewer's {name!r} goes with its 'criteria', and there are none; add criteria")
        return None
    if "rubric" in options:
        raise InputError("a reviewer has a 'rubric' or 'criteria' of its own, not both; leave one out")
    criteria, weights = read_criteria(options["criteria"])
    scale = _scale(options.get("scale"))
    examples = tuple(_example(each, criteria, scale) for each in _as_list(options.get("examples", ())))
    return OwnRubric(criteria=criteria, weights=weights, scale=scale, examples=examples)


def read_criteria(given: object) -> tuple[tuple[Criterion, ...], dict[str, float]]:
    """Parse criteria, a text or a table of named parts (each a text or `{asks, weight}`), and their weights."""
    if isinstance(given, str):
        given = {OWN_PART: given}
    if not isinstance(given, Mapping) or not 1 <= len(given) <= MOST_CRITERIA:
        raise InputError(
            f"the criteria {shown(given)} cannot be read; expected a text, or a table of 1 to {MOST_CRITERIA} named "
            'parts such as {tone = "Is the reply polite?", safety = {asks = "Is it safe?", weight = 2}}'
        )
    criteria, weights = [], {}
    for name, entry in given.items():
        asks, weight = read_criterion(name, entry)
        criteria.append(Criterion(name=name, needs="question", asks=asks))
        if weight is not None:
            weights[name] = weight
    return tuple(criteria), weights


def criteria_of(case: Case) -> tuple[tuple[Criterion, ...], dict[str, float]]:
    """Return the additional criteria of a case, and the weights it sets for them."""
    return read_criteria(case.criteria) if case.criteria else ((), {})


def _scale(given: object) -> dict[str, float]:
    """Map each word to its score, worst first; words without scores are spaced evenly from 0 to 1."""
    if given is None:
        return {}
    least, most = _WORDS
    if isinstance(given, Sequence) and not isinstance(given, str):
        words = [word for word in given if isinstance(word, str) and word.strip()]
        if len(words) == len(given) == len(set(words)) and least <= len(words) <= most:
            return {word: place / (len(words) - 1) for place, word in enumerate(words)}
    elif isinstance(given, Mapping) and least <= len(given) <= most and _are_marks(given.values()):
        return {str(word): float(given[word]) for word in sorted(given, key=given.__getitem__)}
    raise InputError(
        f"the scale {shown(given)} cannot be read; expected {least} to {most} different words, the worst first, such "
        'as ["poor", "fair", "good"], or each with its mark from 0 to 1, such as {poor = 0, fair = 0.6, good = 1}'
    )


def _are_marks(marks: Collection[object]) -> bool:
    """Whether all are valid scores and not all the same."""
    return all(map(_is_mark, marks)) and len(set(marks)) > 1


def _is_mark(mark: object) -> bool:
    return isinstance(mark, int | float) and not isinstance(mark, bool) and 0 <= mark <= 1


def _as_list(examples: object) -> Sequence[object]:
    if isinstance(examples, Sequence) and not isinstance(examples, str):
        return examples
    raise InputError(
        f"the examples {shown(examples)} cannot be read; expected a list of tables, [[reviewers.NAME.examples]]"
    )


def _example(given: object, criteria: Sequence[Criterion], scale: Mapping[str, float]) -> Mapping[str, Any]:
    """Validate an example, which needs a score for each criterion."""
    if not isinstance(given, Mapping) or not isinstance(given.get("reply"), str):
        raise InputError(
            f"the example {shown(given)} cannot be read; expected a table with 'reply' and 'mark' or 'marks'"
        )
    if unknown := sorted(set(given) - _EXAMPLE):
        raise InputError(f"an example has an unknown key {unknown[0]!r}; expected one of {', '.join(sorted(_EXAMPLE))}")
    for name in ("question", "reason"):
        if not isinstance(given.get(name, ""), str):
            raise InputError(f"the example {shown(given['reply'])} has {name}={given[name]!r}; expected a text")
    marks = given.get("marks", {one.name: given["mark"] for one in criteria} if "mark" in given else {})
    for one in criteria:
        mark = marks.get(one.name) if isinstance(marks, Mapping) else None
        if not (mark in scale if scale else _is_mark(mark)):
            expected = f"one of {', '.join(scale)}" if scale else "a number from 0 to 1"
            raise InputError(f"the example {shown(given['reply'])} has {one.name}={mark!r}; expected {expected}")
    if unknown := sorted(set(marks) - {one.name for one in criteria}, key=str):
        known = ", ".join(one.name for one in criteria)
        raise InputError(f"the example {shown(given['reply'])} marks {unknown[0]!r}; the criteria are {known}")
    return {**{name: given[name] for name in ("question", "reply", "reason") if name in given}, "marks": dict(marks)}
