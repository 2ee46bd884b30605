"""Do two replies on one proposition exclude each other? Rules over numbers, dates, names, yes and no; no model.

Precision comes before recall: what is hedged, asked back, supposed or reported is not held against anybody, and one
value that both replies share outweighs all that they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proctor.findings.battle.propositions import Inquiry, read_inquiry
from proctor.findings.battle.transitions import RIGHT_FROM
from proctor.reviewers.agreement import measure_one_thing, meet
from proctor.reviewers.embedded.answer import judge
from proctor.reviewers.embedded.reading import Fact, read_facts
from proctor.reviewers.statements import Claim, Named, Stated, Statements, excerpt, read_statements
from proctor.score import reaches
from proctor.text.clocks import Clock
from proctor.text.dates import Date
from proctor.text.fold import squeeze
from proctor.text.negation import NEGATORS
from proctor.text.numbers import Quantity
from proctor.text.overlap import GENERIC, STOP, f1
from proctor.text.passage import passage_of
from proctor.text.words import stem, stem_set

_SAME_CLAIM = 0.8
_TAKES_UP = 0.6
_NAMING = frozenset(("who", "where", "open"))


class Said(NamedTuple):
    """A question and its reply."""

    question: str
    reply: str


class Conflict(NamedTuple):
    """Two replies that exclude each other."""

    kind: str
    """number, date, time, name, choice, yes-no, negation or retraction."""
    quotes: tuple[str, str]
    """Verbatim from their replies."""
    reason: str


class _Pair(NamedTuple):
    """Both replies, read."""

    topic: Inquiry
    """The question that opened the proposition."""
    asked: tuple[Inquiry, Inquiry]
    told: tuple[Statements, Statements]

    @property
    def known(self) -> frozenset[str]:
        """The stems of the questions, which are nobody's answer."""
        return self.topic.stems.union(self.asked[0].stems, self.asked[1].stems)


def conflict(
    earlier: Said, later: Said, *, topic: str | None = None, answer: str | None = None, hinted: bool = False
) -> Conflict | None:
    """What makes the later reply incompatible with the earlier one; None: nothing that rules can see.

    `topic` is the question that opened the proposition, where the earlier one only went back to it. Where the
    expected `answer` is known, two right replies agree, and a stated correction of a wrong one is no conflict;
    `hinted`: the question itself told the right answer, so that to give it is a correction without a word of it.
    """
    if squeeze(earlier.reply) == squeeze(later.reply):
        return None
    question = earlier.question if topic is None else topic
    found = _found(question, earlier, later)
    if found is None or (answer and _excused(question, earlier.reply, later.reply, answer, hinted=hinted)):
        return None
    return found


def _excused(question: str, earlier: str, later: str, answer: str, *, hinted: bool) -> bool:
    """Whether both replies are right, or the later one owns up to a wrong earlier one without a new error."""
    before, after = (reaches(judge(question, (answer,), reply).value, RIGHT_FROM) for reply in (earlier, later))
    if before:
        return after
    told = read_statements(later)
    taken_back = (told.retraction or told.surrender) is not None and not told.facts and not told.names
    return (after and (hinted or told.concedes)) or taken_back


def _found(topic: str, earlier: Said, later: Said) -> Conflict | None:
    pair = _Pair(
        read_inquiry(topic),
        (read_inquiry(earlier.question), read_inquiry(later.question)),
        (read_statements(earlier.reply), read_statements(later.reply)),
    )
    if any(told.unsure or told.declines or not told.claims for told in pair.told):
        return None
    rules = _ALL_RULES if not (pair.asked[0].source or pair.asked[1].source) else _RULES_FOR_SOURCES
    for rule in rules:
        for kind, one, other, reason in rule(pair):
            quotes = excerpt(one), excerpt(other)
            if quotes[0] in earlier.reply and quotes[1] in later.reply:
                return Conflict(kind, quotes, reason)
    return None


_Found = Iterator[tuple[str, str, str, str]]
"""Kind, sentence of the earlier reply, sentence of the later one, reason."""


def _choices(pair: _Pair) -> _Found:
    """One of two things that the question names, then the other."""
    if pair.topic.kind != "choice":
        return
    chosen = [_chosen(pair.topic, told) for told in pair.told]
    if all(len(options) == 1 for options in chosen) and chosen[0].keys() != chosen[1].keys():
        (one, first), (other, second) = (next(iter(options.items())) for options in chosen)
        yield "choice", first, second, f"first {one!r}, then {other!r}"


def _chosen(asked: Inquiry, told: Statements) -> dict[str, str]:
    """The option of an either-or question that a reply takes up without denying it, and the sentence."""
    before, _, after = asked.asked.rstrip("?").rpartition(" or ")
    options = {stem(text.split()[-1]) for text in (before, after) if text.split()}
    found: dict[str, str] = {}
    for claim in told.claims:
        for place, word in enumerate(claim.passage.stems):
            near = claim.passage.stems[max(0, place - 2) : place]
            if word in options and not claim.open and NEGATORS.isdisjoint(near):
                found.setdefault(word, claim.text)
    return found


def _sides(pair: _Pair) -> _Found:
    """Yes, then no, to a question for yes or no."""
    if pair.topic.kind != "yes-no" or pair.topic.inverted:
        return
    content = pair.topic.content
    first = _side(pair.asked[0], pair.told[0], content)
    second = _side(pair.asked[1], pair.told[1], content)
    if first is not None and second is not None and first[0] != second[0]:
        said = ["yes" if side else "no" for side, _ in (first, second)]
        yield "yes-no", first[1], second[1], f"first {said[0]}, then {said[1]} to the same question"


def _side(asked: Inquiry, told: Statements, content: frozenset[str]) -> tuple[bool, str] | None:
    """Which side of the proposition a reply takes: by a sentence that takes it up, or by a yes or no."""
    stated, word = told.side(content), told.word
    plain = not (asked.inverted or asked.negative or asked.doubts)
    if stated is not None and (not plain or word is None or word == stated.affirms):
        return stated.affirms, stated.quote
    if word is None or (stated is not None and stated.full):
        return None
    if asked.inverted:
        return (not word, told.first())
    if (asked.doubts and word) or (asked.negative and not word) or (asked.kind != "yes-no" and not asked.doubts):
        return None  # `Yes` to a doubt stands by the answer; `No` to `Is it not …?` may mean either
    return (word, told.first())


def _of(kind: type[Fact], told: Statements, *, denied: bool = False) -> list[Stated]:
    return [stated for stated in told.facts if isinstance(stated.fact, kind) and stated.denied is denied]


def _times(pair: _Pair) -> _Found:
    """Two dates or times of day that cannot be one."""
    if "when" not in (pair.topic.kind, pair.asked[1].kind) and not _begins_with_time(pair):
        return
    for kind, name in ((Date, "date"), (Clock, "time")):
        first, second = (_of(kind, told) for told in pair.told)
        if _differ(first, second):
            yield _told(name, (first, second))


def _begins_with_time(pair: _Pair) -> bool:
    """`Until when`, `Since …`: the replies are dates or times and little else."""
    return all(any(stated.alone for stated in told.facts) for told in pair.told) and pair.topic.kind == "open"


def _differ(first: list[Stated], second: list[Stated]) -> bool:
    """Whether none of the first meets any of the second; two ranges differ where either end does."""
    if not first or not second:
        return False
    if len(first) == len(second) == 2 and _are_range(first) and _are_range(second):
        return not all(_meet(one, other) for one, other in zip(first, second, strict=True))
    return not any(_meet(one, other) for one in first for other in second)


def _meet(one: Stated, other: Stated) -> bool:
    return meet(one.fact, other.fact)


def _are_range(facts: list[Stated]) -> bool:
    one, other = (stated.fact for stated in facts)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.ranged and other.ranged
    between = facts[0].claim.passage.folded[one.end : other.start].strip()
    return facts[0].claim is facts[1].claim and between in ("to", "-", "until", "and", "till")


def _told(kind: str, stated: Sequence[Sequence[Stated]]) -> tuple[str, str, str, str]:
    first, second = stated[0][0], stated[1][0]
    return kind, first.quote, second.quote, f"first {first.text}, then {second.text}"


def _numbers(pair: _Pair) -> _Found:
    """Two amounts of one thing that cannot be one."""
    if pair.topic.kind == "how":
        return
    first, second = (_of(Quantity, told) for told in pair.told)
    for one in first:
        rivals = [other for other in second if _of_one_thing(one, other, pair)]
        mates = [other for other in first if _of_one_thing(other, one, pair)]
        if rivals and _differ(mates, rivals):
            yield _told("number", (mates, rivals))


def _of_one_thing(one: Stated, other: Stated, pair: _Pair) -> bool:
    """Whether two numbers can be held against each other: one dimension, one noun, or one left to the question."""
    a, b = one.fact, other.fact
    assert isinstance(a, Quantity)
    assert isinstance(b, Quantity)
    if a.ordinal != b.ordinal or (pair.topic.kind == "open" and not _said_alike(one, other)):
        return False
    if a.dimension and b.dimension:
        return measure_one_thing(a, b)
    if a.dimension or b.dimension:
        return one.alone and other.alone and not (a.noun or b.noun)
    if a.noun and b.noun:
        return stem(a.noun) == stem(b.noun) or {stem(a.noun), stem(b.noun)} <= pair.known
    return not (a.noun or b.noun) or stem(a.noun or b.noun) in pair.known


def _said_alike(one: Stated, other: Stated) -> bool:
    """Whether two numbers are said of one thing, where the question did not ask for one: alone, or in like words."""
    if one.alone or other.alone:
        return True
    own = stem_set(f"{one.text} {other.text}".lower())
    return not (one.claim.stems & other.claim.stems).issubset(STOP | NEGATORS | own)


def _names(pair: _Pair) -> _Found:
    """Two answers by name that share no word."""
    if pair.topic.kind not in _NAMING:
        return
    first, second = _answers(pair.told[0], pair.known), _answers(pair.told[1], pair.known) or _taken_over(pair)
    if first and second and not any(_one_name(one, other) for one in first for other in second):
        yield "name", first[0].quote, second[0].quote, f"first {first[0].text!r}, then {second[0].text!r}"


def _answers(told: Statements, known: frozenset[str], *, denied: bool = False) -> list[Named]:
    """The names that the question did not give already."""
    return [name for name in told.names if name.denied is denied and not name.stems <= known]


def _taken_over(pair: _Pair) -> list[Named]:
    """Names that the later question brought in, in a sentence of the reply that answers with them."""
    content, names = pair.topic.content, _answers(pair.told[1], pair.topic.stems)
    return [name for name in names if content and len(content & name.claim.stems) >= _TAKES_UP * len(content)]


def _one_name(one: Named, other: Named) -> bool:
    if not (one.stems & other.stems).issubset(GENERIC | STOP):
        return True
    return _initials(one.text) == other.text.casefold() or _initials(other.text) == one.text.casefold()


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper()).casefold()


def _granted(pair: _Pair) -> _Found:
    """A yes or no to a question that names a value: yes takes it over, no turns it down."""
    asked, told = pair.asked[1], pair.told[1]
    if asked.kind != "yes-no" or asked.doubts or (asked.negative and not asked.inverted):
        return
    word = told.word
    if word is None or (pair.topic.kind in ("yes-no", "choice") and not asked.inverted) or _states_again(pair):
        return
    takes = word is not asked.inverted
    reason = f"{'yes' if word else 'no'} to {excerpt(asked.asked)!r}"
    if asked.inverted and word and any(_within(claim.text, asked) for claim in pair.told[0].claims):
        yield "negation", pair.told[0].first(), told.first(), reason
    offered = Claim(asked.asked, passage_of(asked.asked), asked.stems, open=True)
    values = [Stated(fact, offered) for fact in read_facts(offered.passage.folded)]
    for mine in pair.told[0].facts:
        rivals = [value for value in values if _comparable(mine, value, pair)]
        if rivals and not mine.denied and any(_meet(mine, value) for value in rivals) is not takes:
            yield _kind_of(mine), mine.quote, told.first(), reason
    yield from _granted_names(pair, takes, reason)


def _states_again(pair: _Pair) -> bool:
    """Whether the later reply gives a value of the earlier one, whatever yes or no it begins with."""
    first, second = ([stated for stated in told.facts if not stated.denied] for told in pair.told)
    return any(_meet(one, other) for one in first for other in second)


def _within(claim: str, asked: Inquiry) -> bool:
    return len(claim) > 3 and squeeze(claim) in squeeze(asked.asked)


def _granted_names(pair: _Pair, takes: bool, reason: str) -> _Found:
    """The same for names: the question's are folded, so they are looked up by their stems."""
    told = pair.told[1]
    if _answers(told, pair.known):
        return
    mine = [name for name in pair.told[0].names if not name.denied and not name.stems <= pair.topic.stems]
    new = pair.asked[1].content - pair.topic.stems
    if not mine or not new:
        return
    meets = any(name.stems & pair.asked[1].stems for name in mine)
    if meets is not takes and (meets or len(new) <= 3):
        yield "name", mine[0].quote, told.first(), reason


def _comparable(one: Stated, other: Stated, pair: _Pair) -> bool:
    if isinstance(one.fact, Quantity) and isinstance(other.fact, Quantity):
        return _of_one_thing(one, other, pair)
    return type(one.fact) is type(other.fact)


def _kind_of(stated: Stated) -> str:
    return {Date: "date", Clock: "time"}.get(type(stated.fact), "number")


def _denials(pair: _Pair) -> _Found:
    """A value stated in one reply and denied in the other."""
    for mine, theirs, forward in ((pair.told[0], pair.told[1], True), (pair.told[1], pair.told[0], False)):
        if not any(claim.denies for claim in theirs.claims):
            continue
        for denied in (stated for stated in theirs.facts if stated.denied):
            held = [stated for stated in mine.facts if not stated.denied and _comparable(stated, denied, pair)]
            if any(_meet(stated, denied) for stated in held):
                yield _in_order(forward, held[0].quote, denied.quote)
        for name in _answers(theirs, pair.topic.stems, denied=True):
            stated = [own for own in _answers(mine, pair.topic.stems) if _one_name(own, name)]
            if stated and not any(_one_name(own, name) for own in theirs.names if not own.denied):
                yield _in_order(forward, stated[0].quote, name.quote)


def _in_order(forward: bool, stated: str, denied: str) -> tuple[str, str, str, str]:
    if forward:
        return "negation", stated, denied, "what was stated first is then denied"
    return "negation", denied, stated, "what was denied first is then stated"


def _negations(pair: _Pair) -> _Found:
    """The same sentence with and without a negation."""
    mine, theirs = (
        [(claim.text, claim.denies, claim.stems - STOP - NEGATORS) for claim in told.claims if not claim.open]
        for told in pair.told
    )
    for one, denied, words in mine:
        for other, other_denied, other_words in theirs:
            if denied is not other_denied and len(words & other_words) >= 2 and f1(words, other_words) >= _SAME_CLAIM:
                yield "negation", one, other, "one says so, the other denies it"


def _retraction(pair: _Pair) -> _Found:
    """An answer that is taken back in so many words, or given up when it is contested, and not given again."""
    sentence = pair.told[1].retraction
    if sentence is None and pair.asked[1].contests:
        sentence = pair.told[1].surrender
    if sentence is None or any(_meet(one, other) for one in pair.told[0].facts for other in pair.told[1].facts):
        return
    yield "retraction", pair.told[0].first(), sentence, "the earlier answer is taken back"


_RULES_FOR_SOURCES = (_sides, _denials, _negations, _retraction)
"""A reply that names its source holds the source's own numbers, dates and names."""
_ALL_RULES = (_choices, _times, _numbers, _names, _granted, *_RULES_FOR_SOURCES)
