"""Detect conflicts of yes and no: the side each reply takes, and what one states and the other denies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from proctor.reading.conflicts.agreement import may_agree
from proctor.reading.conflicts.names import answers
from proctor.reading.conflicts.pair import Found, Pair, is_reverse, says_all
from proctor.reading.conflicts.scope import QUOTED, is_conditional, is_of_what_came_later, keeps_to
from proctor.reading.conflicts.values import comparable
from proctor.reading.inquiry import Inquiry, is_light, plain_words
from proctor.reading.lexicon import akin
from proctor.reading.link import missing, one_question
from proctor.reading.polarity import read_polarity
from proctor.reading.question import understand
from proctor.reading.relations import are_opposed
from proctor.reading.statement import Claim, Statements, excerpt
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATORS
from proctor.reading.text.overlap import STOP, f1
from proctor.reading.text.words import words

_PARTIAL = lazy(r"\b(?:but (?:not|only)|except|unless|only (?:on|in|if|with|for|from|until|when))\b")
_FORMER = lazy(r"\b(?:any ?more|no longer|used to|formerly|not yet)\b")
_OF_SOME = lazy(r"(?:some|most|many|a few|other|others|not all) ")
_PRONOUN_SUBJECT = lazy(r"\w+(?:n't)? (?:i|you|we|it|they|he|she|one|there)\b")
_SAME_CLAIM = 0.8
_TAKES_UP = 0.5


class Side(NamedTuple):
    """The side that a reply takes on a yes-no question, with the sentence that shows it."""

    yes: bool
    quote: str


def opposite_sides(pair: Pair) -> Iterator[Found]:
    """Find replies that take opposite sides on a yes-no question."""
    if pair.topic.kind != "yes-no" or pair.topic.inverted or pair.relation == "other" or not pair.topic.content:
        return
    if any(_FORMER.search(statements.stated.lower()) for statements in pair.statements) or _is_another_case(pair):
        return
    first, second = (_side(pair, place) for place in (0, 1))
    if first is not None and second is not None and first.yes is not second.yes:
        labels = ["yes" if side.yes else "no" for side in (first, second)]
        yield Found("yes-no", first.quote, second.quote, f"first {labels[0]}, then {labels[1]} to the same question")


def _is_another_case(pair: Pair) -> bool:
    """Whether the first answer is conditional, so that it may not apply to what was asked later."""
    asked = pair.asked[1]
    if asked.contests or one_question(pair.topic, asked):
        return False
    return any(is_conditional(claim) for claim in pair.statements[0].claims)


def _side(pair: Pair, place: int) -> Side | None:
    """Return the side that a reply takes on the topic: by its yes or no, or by what else it states."""
    asked, statements = pair.asked[place], pair.statements[place]
    if one_question(pair.topic, asked):
        return _side_of_answer(pair, statements, least=_TAKES_UP if place else 0.0)
    if statements.word is not None and is_reverse(pair.topic, asked):
        return Side(not statements.word, statements.first())
    if statements.word is not None and _is_narrower(pair, asked):
        return Side(statements.word, statements.first())
    body = _on_topic(pair, statements, to_another=place > 0 and not asked.contests)
    if place and (asked.contests or asked.goes_on) and rejects(pair, body):
        return None
    least = 0.0 if pair.linked and not _brings_its_own(asked, pair) else _TAKES_UP
    if not _takes_up(pair.topic, body, least=least) or (least and not says_of_it(pair.topic, body)):
        return _side_of_bare_answer(asked, statements)
    result = read_polarity(body, understand(pair.topic.asked))
    if result.yes and place and not (pair.linked or asked.contests or says_all(pair.topic, body)):
        return None  # it may well hold for another subject
    return None if result.yes is None else Side(result.yes, statements.first())


def _side_of_answer(pair: Pair, statements: Statements, *, least: float) -> Side | None:
    """Return the side of a reply to the topic itself, explicit or implied by a reply that covers enough of it."""
    result = read_polarity(statements.stated, understand(pair.topic.asked))
    by_meaning = _takes_up(pair.topic, statements.body, least=least) and not _is_partial(statements)
    return Side(result.yes, statements.first()) if result.yes is not None and (result.outright or by_meaning) else None


def _is_narrower(pair: Pair, asked: Inquiry) -> bool:
    """Whether a question has all the words of the topic and more of its own: free, free on weekdays."""
    return asked.kind == "yes-no" and asked.negative == pair.topic.negative and not missing(pair.topic, asked.telling)


def _brings_its_own(asked: Inquiry, pair: Pair) -> bool:
    """Whether a question or remark introduces something new, rather than only challenging the answer."""
    if asked.contests or asked.source:
        return False
    if asked.kind not in ("yes-no", "choice") and asked.telling and not asked.goes_on:
        return True
    return any(not is_light(word) and not any(akin(word, other) for other in pair.before) for word in asked.telling)


def rejects(pair: Pair, body: str) -> bool:
    """Whether a text states the opposite of a remark's counter-proposal, and nothing about what was asked."""
    own = [word for word in pair.asked[1].own if not any(akin(word, other) for other in pair.topic.telling)]
    stems = words(plain_words(fold(body, accents=False)))
    return any(are_opposed(word, other) for word in own for other in stems) and not says_of_it(pair.topic, body)


def _on_topic(pair: Pair, statements: Statements, *, to_another: bool) -> str:
    """Return the statements of a reply that are about the topic; `I don't admit that` is not.

    In the reply to another question or a remark, they must also stay in scope: `That is …` is about the remark.
    """
    stated = (claim for claim in statements.claims if not (claim.open or claim.mentions or QUOTED.search(claim.text)))
    taken = (claim for claim in stated if _takes_up(pair.topic, claim.body.folded, least=0.0))
    return " ".join(
        claim.body.folded
        for claim in taken
        if not to_another or (_keeps_to(pair, claim) and not _OF_SOME.match(claim.body.folded))
    )


def _keeps_to(pair: Pair, claim: Claim) -> bool:
    return not is_of_what_came_later(pair, claim) if pair.linked else keeps_to(pair, claim)


def _is_partial(statements: Statements) -> bool:
    """Whether a reply is a qualified yes: `…, but not on Sundays`."""
    return any(_PARTIAL.search(claim.passage.folded) for claim in statements.claims)


def _side_of_bare_answer(asked: Inquiry, statements: Statements) -> Side | None:
    """Return the side of a bare yes or no; a reversed question inverts it, and to a doubt only a no counts."""
    word = statements.word
    if word is None or asked.negative or (asked.doubts and word):
        return None  # `Yes` to a doubt stands by the answer; `No` to `Is it not …?` may mean either
    if asked.inverted:
        return Side(not word, statements.first())
    return Side(word, statements.first()) if asked.doubts else None


def says_of_it(topic: Inquiry, body: str) -> bool:
    """Whether a text mentions the predicate of the question, and not just its subject."""
    telling = [word for word in topic.telling if not is_light(word)]
    inner = [word for word in telling if word not in topic.bounds]
    asked_of_it = telling[:1] if _PRONOUN_SUBJECT.match(topic.asked) else inner[1:] or telling[1:] or telling
    stems = words(plain_words(fold(body, accents=False)))
    return any(akin(word, other) or are_opposed(word, other) for word in asked_of_it for other in stems)


def _takes_up(topic: Inquiry, body: str, *, least: float = _TAKES_UP) -> bool:
    """Whether a text covers enough of the question's words, counting opposites."""
    telling = {word for word in topic.telling if not is_light(word)}
    stems = words(plain_words(fold(body, accents=False)))
    met = [any(akin(word, other) or are_opposed(word, other) for other in stems) for word in telling]
    return any(met) and sum(met) >= least * len(met)


def opposite_words(pair: Pair) -> Iterator[Found]:
    """Find two sentences that differ only in a word and its opposite: `it is safe`, `it is unsafe`."""
    if pair.relation == "other" and pair.asked[1].bounds - frozenset(pair.topic.telling):
        return
    single = (list(_of_one_word(statements, pair.known)) for statements in pair.statements)
    for (claim, word), (other_claim, rival) in product(*single):
        if are_opposed(word, rival):
            yield Found("yes-no", excerpt(claim.text), excerpt(other_claim.text), "one says the opposite of the other")


def _of_one_word(statements: Statements, known: frozenset[str]) -> Iterator[tuple[Claim, str]]:
    """Yield the sentences with exactly one content word not in the questions, and that word."""
    for claim in statements.claims:
        if claim.open or claim.mentions or claim.denies:
            continue
        own = frozenset(claim.body.stems) - STOP - known
        if len(own) == 1:
            yield claim, next(iter(own))


def denied_values(pair: Pair) -> Iterator[Found]:
    """Find a value stated in one reply and denied in the other."""
    if pair.relation == "other":
        return
    for statements, other_statements, forward in (
        (pair.statements[0], pair.statements[1], True),
        (pair.statements[1], pair.statements[0], False),
    ):
        if not any(claim.denies for claim in other_statements.claims):
            continue
        for denied in (stated for stated in other_statements.facts if stated.denied):
            held = [stated for stated in statements.facts if not stated.denied and comparable(stated, denied, pair)]
            if any(may_agree(stated.fact, denied.fact) for stated in held):
                yield _in_order(forward, held[0].quote, denied.quote)
        yield from _denied_names(pair, statements, other_statements, forward=forward)
    yield from _same_but_denied(pair)


def _denied_names(pair: Pair, mine: Statements, other: Statements, *, forward: bool) -> Iterator[Found]:
    for name in answers(other, pair.topic.stems, denied=True):
        named = answers(mine, pair.topic.stems)
        stated = [own for own in named if own.stems & name.stems - STOP]
        if len(stated) < len(named):
            continue  # beside another answer, the denial is about something else
        if stated and not any(own.stems & name.stems for own in other.names if not own.denied):
            yield _in_order(forward, stated[0].quote, name.quote)


def _in_order(forward: bool, stated: str, denied: str) -> Found:
    if forward:
        return Found("negation", stated, denied, "what was stated first is then denied")
    return Found("negation", denied, stated, "what was denied first is then stated")


def _same_but_denied(pair: Pair) -> Iterator[Found]:
    """Find the same sentence with and without a negation."""
    first_claims, second_claims = (
        [(claim.text, claim.denies, claim.stems - STOP - NEGATORS) for claim in statements.claims if not claim.open]
        for statements in pair.statements
    )
    for one, denied, own in first_claims:
        for other, other_denied, others in second_claims:
            if denied is not other_denied and len(own & others) >= 2 and f1(own, others) >= _SAME_CLAIM:
                yield Found("negation", one, other, "one says so, the other denies it")
