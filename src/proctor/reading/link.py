"""Decide which questions ask the same: compare kind, subject, synonymous relations, passive and polarity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from proctor.reading.direction import apart
from proctor.reading.inquiry import Inquiry, is_light, read_inquiry
from proctor.reading.lexicon import akin, concept
from proctor.reading.names import are_one
from proctor.reading.relations import are_opposed, may_stand_for
from proctor.reading.text.fold import fold
from proctor.reading.text.words import stem, stem_set

_KEPT = 4096
_READ = 2_000
_SPEED = stem("speed")
_MAY = frozenset(map(concept, stem_set("allow")))
_MODAL = _MAY | frozenset(map(concept, stem_set("require maximum")))
_WAYS = frozenset(("open", "how"))
_MEASURED = frozenset(("open", "amount"))
_SPANS = stem_set("long length")
_TAKES_TIME = stem_set("duration valid")
_TAKING = frozenset((stem("take"), concept(stem("duration"))))
_MEASURES = frozenset(map(concept, stem_set("distance height depth width weight price temperature speed age")))
_SPEEDS = stem_set("run drive move fly swim go")
_ATTITUDES = stem_set("like want help hurt")
_TELLING_APART = frozenset(("without", "before", "after"))
_PLACES = stem_set("city town place location")
_WHERE = stem_set("address street spot country headquarter") | _PLACES | {concept(stem("town"))}
_MANY = stem("many")
_NAME = stem("name")


@lru_cache(maxsize=_KEPT)
def same_question(first: str, second: str) -> bool:
    """Whether the same answer answers both questions."""
    return one_question(read_inquiry(first), read_inquiry(second))


@lru_cache(maxsize=_KEPT)
def same_matter(first: str, second: str) -> bool:
    """Whether two questions ask the same, possibly as a yes-no question with a negation."""
    return one_proposition(read_inquiry(first), read_inquiry(second))


@lru_cache(maxsize=_KEPT)
def surely_same_question(first: str, second: str) -> bool:
    """Whether two questions ask the same without omitting any word of each other: reliable enough to judge by."""
    return same_question(first, second) and are_in_like_words(read_inquiry(first), read_inquiry(second))


def are_in_like_words(one: Inquiry, other: Inquiry) -> bool:
    """Whether every content word of each question has a synonym in the other."""
    one_words, other_words = ((*inquiry.telling, *inquiry.scene) for inquiry in (one, other))
    return not missing(one, other_words) and not missing(other, one_words)


def one_question(one: Inquiry, other: Inquiry) -> bool:
    """Whether two parsed questions ask the same."""
    return (one.negative, one.inverted) == (other.negative, other.inverted) and one_proposition(one, other)


def one_proposition(one: Inquiry, other: Inquiry) -> bool:
    """Whether two parsed questions ask the same, or one is the negated yes-no question of the other."""
    if not kinds_meet(one, other) or (one.negative != other.negative and one.kind != "yes-no"):
        return False
    if one.asked == other.asked and one.telling == other.telling:
        return True
    if (one.times, one.sought, one.of_object) != (other.times, other.sought, other.of_object):
        return False
    if _figures(one) != _figures(other):
        return False
    if apart(one.direction, other.direction) or _lead_apart(one, other):
        return False
    if _ask_for_other_sorts(one, other) or not _in_one_order(one, other):
        return False
    if _turns(one, other) or _measure_apart(one, other) or _measure_apart(other, one):
        return False
    one_words, other_words = ((*inquiry.telling, *inquiry.scene) for inquiry in (one, other))
    return _is_shared(one, other) and _are_alike(one, other, left_over(one, other_words), left_over(other, one_words))


def _turns(one: Inquiry, other: Inquiry) -> bool:
    """Whether a word of one question has its opposite only in the other: safe, dangerous."""
    one_words = [word for word in one.telling if not any(akin(word, own) for own in other.telling)]
    other_words = [word for word in other.telling if not any(akin(word, own) for own in one.telling)]
    return any(are_opposed(word, own) for word in one_words for own in other_words)


def _measure_apart(one: Inquiry, other: Inquiry) -> bool:
    """Whether one question asks for a duration and the other for a different measure."""
    return (
        not _TAKING.isdisjoint(one.telling)
        and _TAKING.isdisjoint(other.telling)
        and _MEASURES.intersection(other.telling) > _MEASURES.intersection(one.telling)
    )


def _figures(one: Inquiry) -> frozenset[str]:
    """Return the numbers of a question, except the 1 of `one banana` (but `the first` counts)."""
    return one.numbers if "first" in one.asked else one.numbers - {"1"}


def kinds_meet(one: Inquiry, other: Inquiry) -> bool:
    """Whether the kinds of answer that two questions ask for are compatible."""
    kinds = {one.kind, other.kind}
    if kinds == {"choice", "amount"}:
        return len(one.numbers) > 1 and one.numbers == other.numbers
    if kinds == {"open", "where"}:
        return not _WHERE.isdisjoint((one if one.kind == "open" else other).telling)
    if kinds == {"open", "who"}:
        named = one if one.kind == "open" else other
        return bool(named.category) or _NAME in named.telling
    if kinds == {"where"}:
        return (one.category in _PLACES or not one.category) == (other.category in _PLACES or not other.category)
    if kinds == {"open", "amount"} and _MANY in (*one.telling, *other.telling):
        return not (one.category and other.category) and not _counts_what_is_listed(one, other)
    return len(kinds) == 1 or any(kinds <= alike for alike in (_WAYS, _MEASURED))


def _counts_what_is_listed(one: Inquiry, other: Inquiry) -> bool:
    """Whether one question counts what the other lists: `how many countries`, `which countries`."""
    named, counted = (one, other) if one.kind == "open" else (other, one)
    return bool(named.category) and concept(named.category) in counted.telling


def _is_shared(one: Inquiry, other: Inquiry) -> bool:
    """Whether the questions have a word in common, or a synonym."""
    return any(may_stand_for(word, own) for word in one.telling for own in other.telling)


def _are_alike(one: Inquiry, other: Inquiry, mine: list[str], other_stems: list[str]) -> bool:
    """Whether the unmatched words of two questions make no difference; only one side may have minor words left."""
    mine = [word for word in mine if not _goes_without(word, one, other.telling)]
    other_stems = [word for word in other_stems if not _goes_without(word, other, one.telling)]
    if not mine or not other_stems:
        return are_trifles(mine, one, other) and are_trifles(other_stems, other, one)
    return one.kind == "yes-no" and is_done_as_a_matter_of_course(mine, other_stems)


def missing(one: Inquiry, there: Iterable[str]) -> list[str]:
    """Return the content words of a question that have no counterpart among others and cannot be omitted."""
    others = tuple(there)
    return [
        word
        for word in one.telling
        if not (_can_go(word, one) or _is_met(word, others) or _goes_without(word, one, others))
    ]


def _can_go(word: str, one: Inquiry) -> bool:
    """Whether a stem is so light that a paraphrase may omit it; attitudes such as `like` and `want` may not be."""
    return is_light(word) and not (word in _ATTITUDES and one.kind == "yes-no")


def _is_met(word: str, others: Iterable[str]) -> bool:
    return any(
        akin(word, other)
        or are_one(word, other)
        or (word in _SPANS and other in _TAKES_TIME)
        or (other in _SPANS and word in _TAKES_TIME)
        for other in others
    )


def _goes_without(word: str, one: Inquiry, others: tuple[str, ...]) -> bool:
    """Whether a word is implied: the answer's category, a verb of motion beside a speed, `may` beside an action."""
    if word == concept(one.category) or (word in _SPEEDS and _SPEED in others):
        return True
    return word in (_MAY if one.kind in ("yes-no", "choice") else _MODAL)


def _lead_apart(one: Inquiry, other: Inquiry) -> bool:
    """Whether the same word follows different prepositions: from Rome, to Rome."""
    other_leads = {word: leading for leading, word in other.led}
    if any(word in other_leads and other_leads[word] != leading for leading, word in one.led):
        return True
    shared = frozenset(one.telling) & frozenset(other.telling)
    return any(word in shared for _, word in _sets_apart(one) ^ _sets_apart(other))


def _sets_apart(one: Inquiry) -> frozenset[tuple[str, str]]:
    return frozenset(pair for pair in one.led if pair[0] in _TELLING_APART)


def _ask_for_other_sorts(one: Inquiry, other: Inquiry) -> bool:
    """Whether each question names a category of its own: which staff, which visitors."""
    sorts = [concept(inquiry.category) for inquiry in (one, other) if inquiry.category]
    if len(sorts) < 2 or any(is_light(sort) or sort in _PLACES for sort in sorts):
        return False
    return not (_is_met(sorts[0], other.telling) or _is_met(sorts[1], one.telling))


def _in_one_order(one: Inquiry, other: Inquiry) -> bool:
    """Whether the shared words have the same order, so that doer and object agree; a passive may reverse them."""
    if "by" in one.stems ^ other.stems:
        return True
    one_words = [word for word in one.telling if word in other.telling]
    other_words = [word for word in other.telling if word in one.telling]
    moved = [word for word, own in zip(one_words, other_words, strict=False) if word != own]
    if one.kind not in ("yes-no", "choice") and not one.bounds.issuperset(moved):
        return True
    if one_words == other_words or one.passive != other.passive:
        return True
    return not _are_swapped(one_words, other_words)


def _are_swapped(mine: list[str], other_stems: list[str]) -> bool:
    """Whether exactly two words are swapped."""
    apart = [place for place, (one, other) in enumerate(zip(mine, other_stems, strict=False)) if one != other]
    if len(mine) != len(other_stems) or len(apart) != 2 or apart[1] - apart[0] < 2:
        return False
    return (mine[apart[0]], mine[apart[1]]) == (other_stems[apart[1]], other_stems[apart[0]])


def points_back(asked: str, first: Iterable[str], before: Iterable[str], *, scripted: bool = False) -> bool:
    """Whether a question only refers back to what was said: `My boss says 9. Are you sure?`

    It challenges the answer, asks for its source or proposes another one; it may repeat words of `first`, the texts
    that opened the conversation, and of `before`, the latest ones. A `scripted` question counts as a question even if
    it does not look like one: `Order 1002`.
    """
    inquiry = read_inquiry(asked)
    if inquiry.goes_on and not scripted:
        return True
    takes_up = inquiry.contests or inquiry.source or (inquiry.offers and inquiry.rivals) or inquiry.takes_up
    if not takes_up:
        return False
    own = {word for word in inquiry.own if not is_light(word)} if inquiry.takes_up else inquiry.own
    return own - inquiry.rivals <= frozenset().union(*map(stems_of, (*first, *before)))


@lru_cache(maxsize=_KEPT)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text."""
    return stem_set(fold(text[:_READ], accents=False))


def _concepts(listed: str) -> frozenset[str]:
    stems = stem_set(listed)
    return stems | frozenset(map(concept, stems))


_BARE = _concepts(
    "guest customer client user traveller passenger shopper tourist going already ideally really actually "
    "currently presently typically simply just even possibly together directly personally side matter case spot way "
    "procedure process suppose gonna manner basis term ideal proper correct usual common average standard "
    "regular approximate rough certain particular specific given main general content soon another"
)
"""Generic words, which either question may have without a difference in meaning."""
_SORTS = _concepts(
    "product device item unit article company firm business organisation city town country man woman book "
    "novel film movie song animal river mount mountain lake team crew band group class course subject service option "
    "choice menu office department website site page app system programme machine model brand place food dish meal "
    "dough method policy rule number people life world"
)
"""Nouns that only name a category, and may be missing in one of the questions."""
_ABLE = _concepts(
    "allow available possible suitable open ok okay fine safe offer serve support accept able legal appropriate work "
    "exist sell stock provide"
)
"""Words that ask whether something is possible, in a yes-no question."""
_USES = _concepts(
    "wear eat drink use take bring visit enter swim park ride watch read play stay pay order buy get attend carry hold "
    "put plug sit sleep dine stop open try see spend"
)
"""Typical uses of a thing: a helmet is worn, a soup eaten."""
_SET_FOR = _concepts("begin start depart leave happen run release hold schedule")
"""What events typically do: `when is the concert` equals `when does it begin`."""
_HAVING = _concepts("contain include have comprise hold carry consist need require should best ideal look")
_PRICE, _INCLUDE = concept(stem("price")), concept(stem("include"))
_ABBREVIATION = concept(stem("abbreviation"))
_LARGE = _concepts("height high size big large much many quantity amount level number total count figure")
_COUNTED = _concepts(
    "price fee cost fare rent salary rate fine tax deposit population employee workforce temperature limit interest "
    "score income budget penalty bonus pension discount debt profit revenue turnover share percentage age chance number"
)
"""Quantities that are amounts by themselves: `how high is the fee?`"""


def left_over(one: Inquiry, others: Sequence[str]) -> list[str]:
    """Return the content words of a question that no word of the other matches, except generic ones."""
    return [
        word
        for word in one.telling
        if not (word in _BARE or is_light(word) or any(may_stand_for(word, other) for other in others))
    ]


def are_trifles(left: Iterable[str], one: Inquiry, other: Inquiry) -> bool:
    """Whether the unmatched words of one question only name a category or a typical use."""
    return all(_is_trifle(word, one, other) for word in left)


def _is_trifle(word: str, one: Inquiry, other: Inquiry) -> bool:
    if word in _SORTS or (word == _PRICE and _INCLUDE in other.telling):
        return True
    if word in _LARGE and not _COUNTED.isdisjoint(one.telling):
        return True
    if one.kind == "when":
        return word in _SET_FOR
    if word in _HAVING or word == _ABBREVIATION:
        return one.kind not in ("yes-no", "choice")
    return word in _ABLE or (word in _USES and one.kind == "yes-no")


def is_done_as_a_matter_of_course(mine: Sequence[str], other_stems: Sequence[str]) -> bool:
    """Whether one question asks if something is possible, and the other if it can be used in the typical way."""
    return (_ABLE.issuperset(mine) and _USES.issuperset(other_stems)) or (
        _USES.issuperset(mine) and _ABLE.issuperset(other_stems)
    )
