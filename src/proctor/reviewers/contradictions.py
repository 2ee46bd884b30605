"""Ask a chat model for contradicting turns of a conversation: one call for all turns, with every quote verified."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from proctor.benchmark import Exam
from proctor.models.contract import ChatModel
from proctor.models.fence import fence
from proctor.models.structured import UnusableAnswer, ask
from proctor.reviewers.evidence import LIMIT, cut
from proctor.reviewers.rubrics import CONTRADICTION_PROMPT, Contradicted, Contradicting
from proctor.score import Contradiction, Review
from proctor.spending.prices import Price
from proctor.transcript import Turn

Numbers = tuple[int, int]
"""Numbers of an earlier and a later turn."""


async def name_contradictions(
    model: ChatModel,
    exam: Exam,
    turns: Sequence[Turn],
    *,
    known: Collection[Numbers] = (),
    linked: Collection[Numbers] = (),
    structured: bool = True,
    limit: int = LIMIT,
    price: Price | None = None,
) -> Review | None:
    """Find contradictions among these turns with a model; None if no pair is left to compare.

    `known` pairs were found already, `linked` pairs are about the same proposition. A contradiction with a turn that
    does not exist, or with a quote that does not occur verbatim in its reply, is dropped and counted. `limit` is shared
    by all turns, so that a long conversation fits the model's context window.
    """
    if len(known) >= len(turns) * (len(turns) - 1) // 2:
        return None
    share = max(1, limit // (2 * len(turns)))
    answers = {case.id: case.answer for case in exam.cases}
    shown = [_show_turn(turn, answers.get(turn.case or ""), share) for turn in turns]
    try:
        answer = await ask(
            model,
            system=CONTRADICTION_PROMPT,
            user="\n\n".join([*shown, *_hints(known, linked), "List the contradictions."]),
            schema=Contradicted,
            structured=structured,
            price=price,
        )
    except UnusableAnswer as unusable:
        return Review(unscored=f"contradictions were not looked for: {unusable.reason}", usage=unusable.usage)
    replies = {turn.number: _text(turn) for turn in turns}
    checked = [_verify(one, replies) for one in answer.value.contradictions]
    found = {each.turns: each for each in checked if each is not None and each.turns not in known}
    dropped = checked.count(None)
    explanation = _explanation(len(turns), len(found), dropped)
    return Review(contradictions=tuple(found.values()), dropped=dropped, explanation=explanation, usage=answer.usage)


def _show_turn(turn: Turn, answer: str | None, limit: int) -> str:
    """Format one turn: the question, the reply, and the expected answer if known."""
    lines = [f"Turn {turn.number}:", fence(cut(turn.question, limit)[0], "question")]
    lines.append(fence(cut(_text(turn), limit)[0], "reply"))
    if answer:
        lines.append(fence(answer, "expected answer"))
    return "\n".join(lines)


def _hints(known: Collection[Numbers], linked: Collection[Numbers]) -> list[str]:
    """List for the prompt which turns belong together, and which contradictions are known already."""
    hints = [("Turns that are about the same thing", linked), ("Contradictions that are known already", known)]
    return [f"{what}: {', '.join(f'{a} and {b}' for a, b in pairs)}." for what, pairs in hints if pairs]


def _verify(claimed: Contradicting, replies: dict[int, str]) -> Contradiction | None:
    """Return the contradiction if both turns exist and both quotes occur verbatim in their replies, else None."""
    ends = sorted(
        [(claimed.earlier_turn, claimed.earlier_quote.strip()), (claimed.later_turn, claimed.later_quote.strip())]
    )
    (first, before), (second, after) = ends
    if first == second or not (before and after):
        return None
    if before not in replies.get(first, "") or after not in replies.get(second, ""):
        return None
    return Contradiction(turns=(first, second), quotes=(before, after), kind="model", reason=claimed.reason.strip())


def _text(turn: Turn) -> str:
    return turn.reply.text if turn.reply is not None else ""


def _explanation(turns: int, found: int, dropped: int) -> str:
    summary = f"{found} contradiction{'' if found == 1 else 's'} named in {turns} turns"
    return f"{summary}; {dropped} more dropped, because a turn or a quote does not exist" if dropped else summary
