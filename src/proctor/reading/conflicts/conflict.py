"""Detect conflicts between two replies of one conversation by rules over both questions and both replies.

Precision comes before recall. Hedged, hypothetical, reported or declined statements and counter-questions never count.
A different subject, scope or time is no contradiction, and one value that both replies share outweighs all differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from proctor.reading.answer import judge
from proctor.reading.challenge import FILLERS
from proctor.reading.conflicts.continued import (
    continued_sides,
    denied_answer,
    differing_days,
    granted_rival,
    limited_and_open,
    none_and_some,
)
from proctor.reading.conflicts.later_values import compared_values, continued_times, outside_the_days
from proctor.reading.conflicts.names import differing_choices, differing_lists, differing_names, granted_names
from proctor.reading.conflicts.pair import Exchange, Found, Pair, is_reverse, relate
from proctor.reading.conflicts.sides import denied_values, opposite_sides, opposite_words
from proctor.reading.conflicts.values import differing_numbers, differing_times, granted_values, share_value
from proctor.reading.inquiry import ASKING, read_inquiry
from proctor.reading.languages.detect import tongue
from proctor.reading.languages.gloss import gloss
from proctor.reading.lexicon import akin
from proctor.reading.link import same_question
from proctor.reading.statement import Statements, excerpt, read_statements
from proctor.reading.text.claims import claims
from proctor.reading.text.fold import fold, squeeze
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import words

_ABOUT = lazy(
    r"\b(?:wrong|mistaken|mistake|error|incorrect|confused|misinformed|misspoke|corrected|myself|back|apologi[sz]e|sorry)"
    r" (?:about|regarding|concerning|on|as to|for) ((?:[\w'-]+ ?){1,4})"
)
"""Match the subject of a retraction: `I was wrong about …`."""
__all__ = ["Conflict", "Exchange", "conflict"]
_READ = 2_000
"""Maximum number of characters used to detect the language of a reply."""


class Conflict(NamedTuple):
    """A conflict between two replies."""

    kind: str
    """`number`, `date`, `time`, `name`, `list`, `choice`, `yes-no`, `negation` or `retraction`."""
    quotes: tuple[str, str]
    """One verbatim quote from each reply."""
    reason: str


def conflict(
    earlier: Exchange, later: Exchange, *, topic: str | None = None, answer: str | None = None, hinted: bool = False
) -> Conflict | None:
    """Return the conflict of a later reply with an earlier one, or None if the rules find none.

    `topic` is the question that opened the thread, if both replies are known to answer it. If the expected `answer` is
    known, two correct replies never conflict, nor does an acknowledged correction of a wrong one. `hinted` means that
    the question itself gave the correct answer, so that giving it needs no acknowledgement.
    """
    question = earlier.question if topic is None else topic
    if squeeze(earlier.reply) == squeeze(later.reply) and not _are_reverse(question, later.question):
        return None
    found = _find_conflict(question, earlier, later, linked=topic is not None)
    if found is None or (answer and _is_excused(question, earlier.reply, later, answer, hinted=hinted)):
        return None
    return found


def _are_reverse(question: str, later: str) -> bool:
    return is_reverse(read_inquiry(question), read_inquiry(later))


def _is_excused(question: str, earlier: str, later: Exchange, answer: str, *, hinted: bool) -> bool:
    """Whether both replies are correct, or the later one corrects or retracts a wrong earlier one.

    The yes or no to another question or to a remark does not count as an answer to this one.
    """
    statements = read_statements(later.reply)
    body = later.reply if same_question(question, later.question) or not statements.body else statements.body
    before, after = (judge(question, answer, reply).right is True for reply in (earlier, body))
    if before:
        return after
    taken_back = (
        (statements.retraction or statements.surrender) is not None and not statements.facts and not statements.names
    )
    return (after and (hinted or statements.concedes)) or taken_back


def _find_conflict(topic: str, earlier: Exchange, later: Exchange, *, linked: bool) -> Conflict | None:
    replies = earlier.reply, later.reply
    if spoken := tongue(topic, earlier.reply[:_READ], later.reply[:_READ]):
        topic = gloss(topic, spoken)
        earlier, later = (Exchange(*(gloss(text, spoken) for text in each)) for each in (earlier, later))
    statements = read_statements(earlier.reply), read_statements(later.reply)
    asked = read_inquiry(earlier.question), read_inquiry(later.question)
    first = read_inquiry(topic)
    relation = relate(first, statements[0], asked[1], statements[1], linked=linked)
    pair = Pair((earlier, later), first, asked, statements, relation, linked)
    for rule in _rules(pair):
        for kind, one, other, reason in rule(pair):
            return Conflict(kind, (_verbatim(one, replies[0]), _verbatim(other, replies[1])), reason)
    return None


def _rules(pair: Pair) -> Iterator[Callable[[Pair], Iterator[Found]]]:
    """Yield the rules that apply: retractions always, all others only if both replies commit to a statement."""
    yield _retraction
    asks_others = pair.asked[1].others and not pair.topic.others
    if not any(_is_evasive(statements) for statements in pair.statements) and not asks_others:
        source = pair.asked[0].source or pair.asked[1].source
        yield from _RULES_FOR_SOURCES if source else _ALL_RULES


def _is_evasive(statements: Statements) -> bool:
    return not statements.commits


def _retraction(pair: Pair) -> Iterator[Found]:
    """Find an answer that is retracted explicitly, or given up when challenged, without being repeated."""
    sentence = pair.statements[1].retraction
    if sentence is None and pair.asked[1].contests:
        sentence = pair.statements[1].surrender
    if sentence is None or share_value(pair) or _takes_up_name(pair) or _is_of_something_else(pair, sentence):
        return
    yield Found("retraction", pair.statements[0].first(), sentence, "the earlier answer is taken back")


def _is_of_something_else(pair: Pair, sentence: str) -> bool:
    """Whether a retraction concerns something not mentioned before: `I was wrong about the parking`."""
    about = _ABOUT.search(fold(sentence, accents=False))
    named = [word for word in words(about[1] if about else "") if word not in FILLERS | ASKING]
    return bool(named) and not any(akin(word, other) for word in named for other in pair.before)


def _takes_up_name(pair: Pair) -> bool:
    """Whether the later reply repeats a name of the earlier one."""
    earlier_names = [name for name in pair.statements[0].names if not name.denied]
    later_names = [name for name in pair.statements[1].names if not name.denied]
    return any(one.stems & other.stems for one in earlier_names for other in later_names)


def _verbatim(quote: str, reply: str) -> str:
    """Return a sentence as it stands in the raw reply; if markup was stripped, the most similar sentence."""
    cut = excerpt(quote)
    if cut in reply:
        return cut
    wanted = set(_words(cut))
    return excerpt(max(claims(reply), key=lambda sentence: len(wanted.intersection(_words(sentence))), default=reply))


def _words(text: str) -> list[str]:
    return words(fold(text, accents=False))


_RULES_FOR_SOURCES = (opposite_sides, denied_values, opposite_words)
"""Rules for a question about the source of an answer: its reply contains numbers, dates and names of the source."""
_ALL_RULES = (
    differing_days,
    differing_choices,
    differing_times,
    differing_numbers,
    differing_lists,
    differing_names,
    granted_values,
    granted_names,
    *_RULES_FOR_SOURCES,
    continued_sides,
    none_and_some,
    limited_and_open,
    denied_answer,
    granted_rival,
    continued_times,
    compared_values,
    outside_the_days,
)
