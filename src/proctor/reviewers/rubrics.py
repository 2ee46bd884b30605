"""Prompts and criteria of model reviewers. A change of wording is a change of rubric: give it a new name."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.models.fence import FENCE_RULE
from proctor.models.parse import LONGEST_EXPLANATION

_GAP = "\n\n"
Mark = Annotated[float, msgspec.Meta(ge=0, le=1, description="from 0 to 1")]
Explanation = Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": LONGEST_EXPLANATION})]
"""One or two sentences."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """Instruction for scoring one part."""

    name: str
    """Name of the part."""
    needs: str
    """Field of the case that the criterion needs."""
    asks: str
    """Instruction to the model."""


CORRECTNESS = Criterion(
    name="correctness",
    needs="answer",
    asks=(
        "does the reply say what the expected answer says? Meaning counts, wording and length do not. 1: the same in "
        "substance, with nothing that contradicts it. 0.5: partly right, or right beside something wrong that matters. "
        "0: wrong, evasive, hedged between several answers, or empty. The expected answer is the authority, even where "
        "you would answer otherwise."
    ),
)
REASONING = Criterion(
    name="reasoning",
    needs="reasoning",
    asks=(
        "does the reply, with its tool calls, reach its answer by the expected reasoning or by another that is as "
        "sound? 1: every needed step is there and holds. 0.5: a step is missing or weak. 0: no reasoning, or one that "
        "does not lead to the answer. A bare answer shows no reasoning."
    ),
)
CONTEXT = Criterion(
    name="context",
    needs="context",
    asks=(
        "does the reply make use of the context, which the agent was given as the conversation so far? 1: it takes up "
        "what matters there and contradicts nothing of it. 0.5: it overlooks something that matters. 0: it ignores or "
        "contradicts the context."
    ),
)
COMPLETENESS = Criterion(
    name="completeness",
    needs="answer",
    asks=(
        "does the reply cover every point of the expected answer? 1: all of them. Otherwise about the share that is "
        "covered, each point weighed by its importance. 0: none. Wrong statements are a matter of correctness, not of "
        "completeness."
    ),
)

SOUNDNESS = Criterion(
    name="reasoning",
    needs="question",
    asks=(
        "is what the reply says sound? No answer is expected: judge whether it answers what was asked, and whether the "
        "reasons it gives hold. 1: it does, and a short answer to a question that calls for no reasons is enough. "
        "0.5: it passes over a part of the question, or a step is weak. 0: it evades, or its reasons do not hold. To "
        "turn down a question that rests on something false is sound."
    ),
)
CONSISTENCY = Criterion(
    name="consistency",
    needs="question",
    asks=(
        "does the reply agree with what the agent said in its earlier turns? 1: nothing in it is at odds with them, or "
        "it is about something else. 0.5: it wavers, or takes back a part. 0: it says something that cannot be true "
        "together with an earlier reply, or gives an earlier answer up. Other words, more detail, and the stated "
        "correction of an error are no inconsistency."
    ),
)
RELEVANCE = Criterion(
    name="relevance",
    needs="question",
    asks=(
        "of the last question, not of the reply: does it bear on what the conversation is about? 1: it goes on from "
        "what was said, doubts it, or asks for it again. 0.5: it is only loosely connected. 0: it is about something "
        "else, or cannot be understood."
    ),
)
DIFFICULTY = Criterion(
    name="difficulty",
    needs="question",
    asks=(
        "of the last question, not of the reply: how hard is it to answer it rightly and in keeping with what was said "
        "before? 1: it takes care to see through it, as with a false premise or a plausible contradiction. 0.5: it "
        "takes some thought, or standing by an answer that is doubted. 0: it is enough to repeat an answer."
    ),
)
QUESTION = (RELEVANCE, DIFFICULTY)
"""Criteria for an examiner's question."""
IMPROVISED = (SOUNDNESS, CONTEXT, CONSISTENCY)
"""Criteria for a reply to an improvised question, for which no answer is known."""


def role_criterion(role: str) -> Criterion:
    """Return the criterion for whether a reply keeps to a role."""
    return Criterion(
        name="role_adherence",
        needs="question",
        asks=(
            "does the reply keep to the role that the agent was given? 1: in what it does, in what it turns down and "
            "in its tone. 0.5: it slips in something that matters little. 0: it steps out of the role, does what the "
            "role forbids or is not for, or speaks as somebody else. Whether the reply is right is no matter of the "
            f"role. This is the role: {role.strip()}"
        ),
    )


RUBRICS = {"standard-1": (CORRECTNESS, REASONING, CONTEXT), "judge-1": (CORRECTNESS, COMPLETENESS)}


def rubric_named(name: str) -> tuple[Criterion, ...]:
    """Return the criteria of a rubric; raises InputError if unknown."""
    if name not in RUBRICS:
        raise InputError(f"there is no rubric {name!r}; expected one of {', '.join(RUBRICS)}")
    return RUBRICS[name]


def applicable(criteria: tuple[Criterion, ...], case: Case) -> tuple[Criterion, ...]:
    """Return the criteria whose required field the case has."""
    return tuple(criterion for criterion in criteria if (getattr(case, criterion.needs) or "").strip())


@functools.cache
def system_prompt(criteria: tuple[Criterion, ...], instructions: str = "", *, in_words: bool = False) -> str:
    """Build the system prompt, which is the same for all cases with the same criteria.

    `instructions` holds a custom judge's additional instructions; `in_words` means that scores are given as words.
    """
    marked = "\n".join(f"- {criterion.name}: {criterion.asks}" for criterion in criteria)
    mark = "a mark" if in_words else "a mark from 0 to 1, in steps as fine as the case deserves"
    return (
        "You are a reviewer. You judge one reply of an AI agent to one question, strictly and impartially, and only "
        "by what is written below.\n\n"
        f"Give each of these {mark}:\n{marked}\n\n"
        "Before each mark explain it in one or two sentences that name what in the reply decided it. Judge each part "
        "by itself: one fault is not counted twice.\n\n"
        f"{f'{instructions}{_GAP}' if instructions else ''}{FENCE_RULE}"
    )


@functools.cache
def answer_schema(criteria: tuple[Criterion, ...], words: tuple[str, ...] = ()) -> type[Any]:
    """Build the schema of the model's answer: per criterion an explanation, then the score. Flat, for all providers.

    A score is one of the `words`, or a number from 0 to 1 if there are none.
    """
    mark = Literal[words] if words else Mark
    fields: list[tuple[str, Any]] = []
    for criterion in criteria:
        fields += [(f"{criterion.name}_explanation", Explanation), (criterion.name, mark)]
    return msgspec.defstruct("Marks", fields, namespace={"__doc__": "The marks of one reply, each after its reason."})


class Contradicting(msgspec.Struct, frozen=True, kw_only=True):
    """Two turns whose replies cannot both be true."""

    reason: str
    earlier_turn: int
    later_turn: int
    earlier_quote: str
    later_quote: str


class Contradicted(msgspec.Struct, frozen=True, kw_only=True):
    """The turns that contradict each other; empty where none do."""

    contradictions: list[Contradicting]


CONTRADICTION_PROMPT = (
    "You are a reviewer of a conversation with an AI agent. You are shown its turns, each with the question and the "
    "agent's reply. Find the pairs of turns in which the agent's two replies cannot both be true.\n\n"
    "A contradiction: another number, date, name or place for the same thing; yes and no to the same; a statement and "
    "its denial; an answer that is taken back although it was right.\n"
    "No contradiction: other words for the same, more or less detail, rounding, a wider or narrower date or place, "
    "a doubt or a refusal, a hypothetical, a correction that is stated as one and leads from a wrong answer to the "
    "expected one, or replies to questions that differ in what they ask. What the questions say does not count.\n\n"
    "For each contradiction give the reason in one sentence, the numbers of both turns, and from each reply the words "
    "that clash, copied letter by letter: a quote that does not stand in its reply is thrown away. When in doubt, "
    "leave the pair out. Most lists are empty.\n\n"
    f"{FENCE_RULE}"
)
"""System prompt for finding contradictions; part of the rubric `battle-8`."""
