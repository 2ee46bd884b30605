"""A chat model looks for contradictions: one call for a conversation, among given pairs only, every quote checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from proctor.benchmark import Exam
from proctor.models.fence import fence
from proctor.models.structured import UnusableAnswer, ask
from proctor.reviewers.evidence import LIMIT, cut
from proctor.reviewers.rubrics import COMPARISON_PROMPT, Contradicted, Contradicting
from proctor.score import Contradiction, Review
from proctor.spending.prices import Price
from proctor.transcript import Turn

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Pair = tuple[Turn, Turn]


async def compare(
    model: BaseChatModel,
    exam: Exam,
    pairs: Sequence[Pair],
    *,
    structured: bool = True,
    limit: int = LIMIT,
    price: Price | None = None,
) -> Review | None:
    """The contradictions among these pairs; None: there is no pair. A quote that stands in no reply discards its pair.

    `limit` is shared by all replies that are shown, so that a long conversation stays within a model's window.
    """
    if not pairs:
        return None
    share = max(1, limit // (2 * len(pairs)))
    answers = {case.id: case.answer for case in exam.cases}
    shown = [_shown(number, pair, answers.get(pair[1].case or ""), share) for number, pair in enumerate(pairs, 1)]
    try:
        answer = await ask(
            model,
            system=COMPARISON_PROMPT,
            user="\n\n".join([*shown, "List the contradictions."]),
            schema=Contradicted,
            structured=structured,
            price=price,
        )
    except UnusableAnswer as unusable:
        return Review(unscored=f"contradictions were not looked for: {unusable.reason}", usage=unusable.usage)
    listed = answer.value.contradictions
    found = {each.turns: each for one in listed if (each := _verify_contradiction(one, pairs)) is not None}
    discarded = sum(_verify_contradiction(one, pairs) is None for one in listed)
    said = _explanation(len(pairs), len(found), discarded)
    return Review(contradictions=tuple(found.values()), explanation=said, usage=answer.usage)


def _shown(number: int, pair: Pair, answer: str | None, limit: int) -> str:
    """One pair: both questions and replies, and the expected answer where it is known."""
    lines = [f"Pair {number}:"]
    for name, turn in zip(("earlier", "later"), pair, strict=True):
        lines += [
            fence(cut(turn.question, limit)[0], f"{name} question"),
            fence(cut(_text(turn), limit)[0], f"{name} reply"),
        ]
    if answer:
        lines.append(fence(answer, "expected answer"))
    return "\n".join(lines)


def _verify_contradiction(said: Contradicting, pairs: Sequence[Pair]) -> Contradiction | None:
    """What the model said of a pair that exists, with both quotes verbatim from their replies; else None."""
    if not 1 <= said.pair <= len(pairs):
        return None
    earlier, later = pairs[said.pair - 1]
    quotes = said.earlier_quote.strip(), said.later_quote.strip()
    if not all(quotes) or quotes[0] not in _text(earlier) or quotes[1] not in _text(later):
        return None
    return Contradiction(turns=(earlier.number, later.number), quotes=quotes, kind="model", reason=said.reason.strip())


def _text(turn: Turn) -> str:
    return turn.reply.text if turn.reply is not None else ""


def _explanation(pairs: int, found: int, discarded: int) -> str:
    said = f"{found} contradictions among {pairs} pairs of replies"
    if discarded:
        return f"{said}; {discarded} more discarded, because their pair or their quotes do not exist"
    return said
