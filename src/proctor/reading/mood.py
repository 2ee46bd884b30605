"""Answer yes-no questions by modality: `may` for a question of duty, `must` for a question of permission."""

from __future__ import annotations

from proctor.reading.opposites import NEGATORS
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stems_of
from proctor.reading.wanted import Wanted

_SENTENCE = lazy(r"(?<=[.!?;])\s+|\n+")
_MAY = lazy(
    r"\b(?:you|they|we|he|she|it|i|one|people|anyone|anybody|everyone|everybody|both|\w+s|of (?:you|them|us)) (?:can"
    r"|may|could|get to|(?:are|is) (?:\w+ )?(?:free|welcome|allowed|able|entitled) to)\b(?! not|not|'t| only)|\b"
    r"(?:can|may) be \w+(?:ed|en|t|n)\b|\b(?:is|are|'s) (?:\w+ )?(?:possible|permitted|allowed|tolerated|fine|okay|ok"
    r"|welcome|accepted|all right|alright)\b|\bfeel free\b|\b(?:let|allow)s? you\b|\byou're (?:\w+ )?(?:free|welcome"
    r"|allowed|able) to\b"
)
_MUST = lazy(r"\b(?:must|(?:have|has|need|needs) to|you need|you'd need|(?:is|are) required|requires?)\b")


def first_statement(folded: str) -> str:
    """Return the first sentence that is not a question."""
    return next((each for each in _SENTENCE.split(folded) if each.strip() and not each.rstrip().endswith("?")), "")


_WITHOUT = lazy(
    r"\bwithout\b[^.;!?]{0,120}\b(?:can't|cannot|won't|not|no|never|nothing|nobody|fined?|fails?|refused|turned|loses?"
    r"|penalty|offen[cs]e|illegal)\b"
    r"|\b(?:can't|cannot|won't|nobody)\b[^.;!?]{0,120}\b(?:without|until|unless|before)\b"
    r"|\b(?:no|nothing)\b[^.;!?]{0,120}\b(?:without|until|unless)\b"
)
_NO_NEED = lazy(
    r"\b(?:no need|not (?:needed|required|due|necessary)|needn't|no \w+ (?:is |are )?(?:needed|required))\b"
)


def is_needed(folded: str, wanted: Wanted) -> bool:
    """Whether a reply implies a duty: `You can't board without one` for whether one needs a ticket."""
    first = first_statement(folded)
    if not wanted.duty or not wanted.positive or _NO_NEED.search(first):
        return False
    return _WITHOUT.search(first) is not None


def by_mood(folded: str, wanted: Wanted) -> bool | None:
    """Return the yes or no implied by modality: `You can come straight to us` for whether one needs a referral."""
    first = first_statement(folded)
    if not wanted.positive or not NEGATORS.isdisjoint(stems_of(first)):
        return None
    may, must = _MAY.search(first) is not None, _MUST.search(first) is not None
    if may == must:
        return None
    if wanted.leave:
        return may or None
    return must == wanted.duty if wanted.duty or must else None
