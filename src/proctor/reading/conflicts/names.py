"""Detect incompatible names, choices and lists in two replies."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.reading.conflicts.pair import TIMES, Found, Pair
from proctor.reading.conflicts.values import grants, share_value
from proctor.reading.inquiry import Inquiry, is_light
from proctor.reading.lexicon import akin, concept
from proctor.reading.statement import Claim, Named, Statements, excerpt
from proctor.reading.text.choices import items
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATORS
from proctor.reading.text.overlap import GENERIC, STOP
from proctor.reading.text.words import stem, stem_set, words

_HARDLY_MORE = 3
"""Maximum number of words of a sentence that is hardly more than its value: `Platform 6`."""
_NAMING = frozenset(("who", "where", "open"))
_LONGEST_ANSWER = 5
"""Maximum number of content words of a reply that is hardly more than its answer."""
_TAKES_UP = 0.6
_ENDS_LIST = lazy(
    r"\b(?:only|just|nothing else|no others?|nobody else|exactly|that's all|in all|alone|all (?:of them|told))\b"
)
_LEAVES_OPEN = lazy(
    r"\b(?:among (?:others|other things)|including|includes?|for (?:example|instance)|such as|e\.?g\.?|and "
    r"more|etc|and so on"
    r"|some of|mainly|mostly|a bit of|or so|to name)\b"
)
_NO_ITEM = lazy(r"^(?:nothing|no(?:body)?|and nothing|that's|none|not) .*$|^(?:nothing|etc|more|others?)$")
_LISTED = lazy(r"^(.*(?:,| and ).*?) (?:is|are|was|were)\b.*$")
_SPEAKERS = stem_set("i i'm i'd i'll i've my me you you're your we our us sorry apologise apologies")
_DEMONYM = lazy(r"(?:ish|ese|ian|an|ch|ole|ek|ss?)$")
_SHORT = 3
_SHORT_FORM = lazy(r"[A-Z][a-z]?(?:\d|[A-Z])[A-Za-z\d]*")
_VERB = stem_set("is are was were be has have had do does did can will would")


def differing_choices(pair: Pair) -> Iterator[Found]:
    """Find different options chosen in answers to an either-or question."""
    if pair.topic.kind != "choice" or not pair.answers_one_question:
        return
    chosen = [_chosen(pair.topic, statements) for statements in pair.statements]
    if all(len(options) == 1 for options in chosen) and chosen[0].keys() != chosen[1].keys():
        (one, first), (other, second) = (next(iter(options.items())) for options in chosen)
        yield Found("choice", first, second, f"first {one!r}, then {other!r}")


def _chosen(asked: Inquiry, statements: Statements) -> dict[str, str]:
    """Map each option of an either-or question that a reply chooses to the sentence that chooses it."""
    before, _, after = asked.asked.rstrip("?").rpartition(" or ")
    options = {stem(text.split()[-1]) for text in (before, after) if text.split()}
    found: dict[str, str] = {}
    for claim in statements.claims:
        for place, word in enumerate(claim.passage.stems):
            near = claim.passage.stems[max(0, place - 2) : place]
            if word in options and not claim.open and NEGATORS.isdisjoint(near):
                found.setdefault(word, claim.text)
    return found


def differing_names(pair: Pair) -> Iterator[Found]:
    """Find two answers by name that have no word in common."""
    if pair.relation not in ("same", "offer") or pair.topic.kind not in _NAMING or _asks_for_finer(pair):
        return
    if share_value(pair) and all(len(claim.passage) <= _HARDLY_MORE for claim in pair.statements[0].claims):
        return
    first = answers(pair.statements[0], pair.topic.stems | pair.asked[0].stems)
    second = [] if pair.relation == "offer" else answers(pair.statements[1], pair.known)
    second = second or _taken_over(pair)
    if first and second and not _agree(first, second, pair):
        yield Found("name", first[0].quote, second[0].quote, f"first {first[0].text!r}, then {second[0].text!r}")


def _agree(first: list[Named], second: list[Named], pair: Pair) -> bool:
    """Whether a name of one reply also occurs in the other, as the answer or elsewhere."""
    if any(_one_name(one, other) for one in first for other in second):
        return True
    first_stems, second_stems = (
        frozenset().union(*(claim.stems for claim in statements.claims if not claim.denies))
        for statements in pair.statements
    )
    return any((one.stems - GENERIC - STOP) & second_stems for one in first) or any(
        (one.stems - GENERIC - STOP) & first_stems for one in second
    )


def _asks_for_finer(pair: Pair) -> bool:
    """Whether the later question asks for a more precise answer, not another one: `Which one?`"""
    asked = pair.asked[1]
    own = [word for word in asked.telling if not is_light(word)]
    return not own and not asked.contests and asked.kind in _NAMING and not asked.offers


def answers(statements: Statements, known: frozenset[str], *, denied: bool = False) -> list[Named]:
    """Return the names in a reply that the question did not give; of a reply without any, its short phrases."""
    named = [name for name in statements.names if name.denied is denied and not name.stems <= known]
    return named or ([] if denied else list(_phrases(statements, known)))


def _phrases(statements: Statements, known: frozenset[str]) -> Iterator[Named]:
    """Yield short answers without a verb of their own: `the coastal road`."""
    for claim in statements.claims:
        own = [word for word in claim.passage.stems if word not in STOP and word not in known]
        if (
            claim.open
            or claim.mentions
            or claim.denies
            or _SPEAKERS & claim.stems
            or not own
            or len(claim.passage) > _LONGEST_ANSWER
            or statements.word is not None
        ):
            continue
        if not any(word.isalpha() for word in own) or any(is_light(word) for word in own):
            continue
        yield Named(frozenset(own), claim.text.rstrip(" ."), claim)


def _taken_over(pair: Pair) -> list[Named]:
    """Return names that the later question introduced and the reply adopts as its answer."""
    content, names = pair.topic.content, answers(pair.statements[1], pair.topic.stems)
    return [name for name in names if _restates(name.claim, content, pair)]


def _restates(claim: Claim, content: frozenset[str], pair: Pair) -> bool:
    """Whether a sentence repeats what was asked, or accepts a counter-proposal."""
    if pair.statements[1].concedes or (pair.statements[1].word is True and pair.relation == "offer"):
        return True
    met = sum(any(akin(word, other) for other in claim.stems) for word in content)
    return bool(content) and met >= _TAKES_UP * len(content)


def _one_name(one: Named, other: Named) -> bool:
    if _is_short_form(one.text) != _is_short_form(other.text):
        return True  # NaCl may well stand for sodium chloride
    if not (one.stems & other.stems).issubset(GENERIC | STOP):
        return True
    if any(_nearly(word, other_word) for word in one.stems for other_word in other.stems):
        return True
    return _initials(one.text) == other.text.casefold() or _initials(other.text) == one.text.casefold()


def _nearly(one: str, other: str) -> bool:
    """Whether two words are variants of one name: France, French; Dvorak, Dvořák; Gent, Ghent."""
    if akin(one, other):
        return True
    one, other = fold(one), fold(other)
    if one[:3] == other[:3] and (_DEMONYM.search(one) or _DEMONYM.search(other)):
        return True
    return len(one) > 3 and len(other) > 3 and (one[:4] == other[:4] or _is_one_slip(one, other))


def _is_one_slip(one: str, other: str) -> bool:
    """Whether one word equals the other plus one letter."""
    short, long = sorted((one, other), key=len)
    return len(long) - len(short) == 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _is_short_form(name: str) -> bool:
    return len(name) <= _SHORT or _SHORT_FORM.fullmatch(name) is not None


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split() if word[0].isupper()).casefold()


def granted_names(pair: Pair) -> Iterator[Found]:
    """Find a yes or no to a question that proposes a name, if it contradicts the name given before."""
    takes, statements = grants(pair), pair.statements[1]
    if takes is None or answers(statements, pair.known) or _share_words(pair):
        return
    earlier_names = [name for name in answers(pair.statements[0], pair.topic.stems) if not name.denied]
    new = [word for word in pair.asked[1].telling if not any(akin(word, other) for other in pair.topic.telling)]
    new = [word for word in new if not is_light(word)]
    if not earlier_names or not new or any(word[:1].isdigit() or word in TIMES for word in new):
        return
    overlaps = any(
        akin(concept(word), other) for name in earlier_names for word in name.stems for other in pair.asked[1].telling
    )
    listed = _items(pair.statements[0], pair.topic.stems)
    if listed is not None:
        overlaps = any(_one_item(frozenset((word,)), item) for word in new for item in listed[0])
        if takes and not _is_closed(listed[1]):
            return
    if overlaps is not takes and (overlaps or len(new) <= 3):
        reason = f"{'yes' if statements.word else 'no'} to {excerpt(pair.asked[1].asked)!r}"
        yield Found("name", earlier_names[0].quote, statements.first(), reason)


def _share_words(pair: Pair) -> bool:
    """Whether the replies share words that no question introduced."""
    earlier_words, later_words = (
        frozenset().union(*(claim.stems for claim in statements.claims)) - STOP - pair.known
        for statements in pair.statements
    )
    return any(akin(one, other) for one in earlier_words for other in later_words)


def differing_lists(pair: Pair) -> Iterator[Found]:
    """Find two lists that each lack an item of the other, or a list that exceeds another one declared complete."""
    if not pair.answers_one_question or pair.topic.kind in ("yes-no", "choice", "why", "how"):
        return
    first, second = (_items(statements, pair.known) for statements in pair.statements)
    if first is None or second is None:
        return
    more, less = _unmatched_items(second[0], first[0]), _unmatched_items(first[0], second[0])
    if (more and less) or (more and _is_closed(first[1])) or (less and _is_closed(second[1])):
        reason = f"first {', '.join(less) or 'nothing more'}, then {', '.join(more) or 'not'}"
        yield Found("list", first[1].text, second[1].text, reason)


def _items(statements: Statements, known: frozenset[str]) -> tuple[list[frozenset[str]], Claim] | None:
    """Return the items of the first sentence that lists several, and that sentence; None if it is open-ended."""
    for claim in statements.claims:
        if claim.open or _LEAVES_OPEN.search(claim.passage.folded):
            continue
        listed = items(_LISTED.sub(r"\1", claim.text.partition(": ")[2] or claim.text))
        parts = [part for part in listed if not _NO_ITEM.match(fold(part))]
        found = [_item(part, known) for part in parts]
        if len(found) > 1 and all(found):
            return found, claim
    return None


def _item(part: str, known: frozenset[str]) -> frozenset[str]:
    """Return the words that identify a list item: without those before its verb and those of the question."""
    stems = words(fold(part, accents=False))
    start = max((place + 1 for place, word in enumerate(stems) if word in _VERB), default=0)
    own = frozenset(map(concept, stems[start:])) - STOP
    return own - known or own or frozenset(stems[-1:])


def _unmatched_items(some: list[frozenset[str]], others: list[frozenset[str]]) -> list[str]:
    """Return the items that have no counterpart among the others."""
    return [" ".join(sorted(item)) for item in some if not any(_one_item(item, other) for other in others)]


def _one_item(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(akin(word, other_word) for word in one for other_word in other)


def _is_closed(claim: Claim) -> bool:
    return _ENDS_LIST.search(claim.passage.folded) is not None
