"""The embedded reviewer: deterministic, offline, without a model; good at short factual answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor import threads
from proctor.benchmark import Case, Exam
from proctor.errors import InputError
from proctor.reading.answer import Judgement, judge
from proctor.reading.coverage import context_used, reason_given
from proctor.reading.dress import undress
from proctor.reading.expected import Answered
from proctor.reading.languages.detect import tongue
from proctor.reading.languages.gloss import gloss
from proctor.reading.verdict import Verdict
from proctor.roles import Reviewer
from proctor.score import Part, Review
from proctor.transcript import Turn

_NOTHING = Review()
_TEXTS = ("question", "answer", "reasoning", "context")
_LONG = 4_000
"""Length in characters above which a reply is judged in a thread, so that it does not block the event loop."""
_LONGEST = 100_000
"""Maximum number of characters to read: searching longer texts would block all threads for seconds."""


class EmbeddedReviewer:
    """Scores correctness, reasoning and use of context by rules and a small learned head."""

    name = "embedded"
    rubric = "embedded-6"
    asks_nobody = True

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Score the parts for which the case has expectations; empty without a case or a reply."""
        reply = turns[-1].reply if turns else None
        if case is None or reply is None:
            return _NOTHING
        if len(reply.text) > _LONG:
            return await threads.call(_review, case, reply.text)
        return _review(case, reply.text)

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return None: it judges each reply separately."""
        return None


def _review(case: Case, text: str) -> Review:
    parts = _parts(case, text[:_LONGEST])
    if len(text) > _LONGEST:
        unread = f"; only the first {_LONGEST:,} of {len(text):,} characters were read"
        parts = (replace(part, explanation=part.explanation + unread) for part in parts)
    return Review(parts=tuple(parts))


def _parts(case: Case, text: str) -> Iterator[Part]:
    judged = judge(case.question, case.answer, text) if case.answer else None
    if judged is not None:
        unsure = judged.right is None
        yield Part(name="correctness", value=judged.value, explanation=_explain_judgement(judged), unsure=unsure)
    if not (case.reasoning or (case.context and case.answer)):
        return  # context without an answer gives nothing to compare with
    case, text = _in_english(case, text)
    reply = Answered(undress(text))
    if case.reasoning:
        right = judged is None or judged.right is not False
        yield _part("reasoning", reason_given(case.question, case.answer or "", case.reasoning, reply, right=right))
    if case.context:
        used = _context(case, reply, judged)
        if used is not None:
            yield _part("context", used)


def _in_english(case: Case, text: str) -> tuple[Case, str]:
    """Translate case and reply into English, as far as the vocabulary of their language is known."""
    spoken = tongue(case.question, case.answer or "", text[:_LONG])
    if not spoken:
        return case, text
    translations: dict[str, Any] = {name: gloss(value, spoken) for name in _TEXTS if (value := getattr(case, name))}
    return replace(case, **translations), gloss(text, spoken)


def _explain_judgement(judged: Judgement) -> str:
    """Return the reason for a judgement, marked if unsure: such scores should be reviewed by a model or a person."""
    return judged.reason if judged.right is not None else f"{judged.reason}; unsure, {judged.value:.0%} likely right"


def _context(case: Case, reply: Answered, judged: Judgement | None) -> Verdict | None:
    assert case.context is not None
    wanted = " ".join(text for text in (case.answer, case.reasoning) if text)
    return context_used(case.question, case.context, wanted, reply, right=judged.right if judged else None)


def _part(name: str, verdict: Verdict) -> Part:
    return Part(name=name, value=verdict.value, explanation=verdict.explanation)


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """Return the embedded reviewer, which has no options."""
    if spec or options:
        given = [*options, *([spec] if spec else [])]
        raise InputError(f"the embedded reviewer has no settings, got {given!r}; name it `embedded`")
    return EmbeddedReviewer()
