"""Parse a question: what it asks about, as far as needed to compare two questions or the replies to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Literal, cast

from proctor.reading.challenge import FILLERS, contests, goes_on, offers, own_words, rivals
from proctor.reading.direction import Direction, direction_of
from proctor.reading.lexicon import PHRASES, concept
from proctor.reading.relations import plain_relations
from proctor.reading.text.claims import claims
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.negation import NEGATIONS
from proctor.reading.text.units import units_named
from proctor.reading.text.words import stem, stem_set, words

Kind = Literal["yes-no", "who", "when", "where", "amount", "choice", "how", "why", "open"]
"""What a question asks for."""

_AUXILIARY = (
    r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must)(?:n't| not)?"
)
_TAG = (
    r", (?:right|correct|no|yes|(?:is|was|are|were|do|does|did|has|have|can|will|would)(?:n't)? (?:it|that|they|he"
    r"|she|you|there|not|so)(?: not)?)\?$"
)
_ONLY_TAG = lazy(_TAG)
_ASKS_YES_NO = lazy(rf"(?:so,? |and |but |then |well,? )?{_AUXILIARY}\b|.*{_TAG}")
_FALSE = r"(?:false|wrong|untrue|incorrect)"
_INVERTED = lazy(
    rf"\b(?:is|was) (?:this|that|the following|it)(?: statement| claim| answer)? {_FALSE}\b"
    rf"|\bwould (?:it|that|this) be {_FALSE}\b|\bopposite of (?:this|that)\b"
    r"|\bis it (?:true|correct|right|the case|a fact) that\b[^?]*(?:\bnot\b|n't\b|\bcannot\b|\bnever\b)"
    r"|^so\b[^?]*(?:\bnot\b|n't\b|\bcannot\b|\bnever\b)[^?]*, (?:right|correct)\?$"
)
_DOUBTS = lazy(
    r"\b(?:are|is) (?:you|that|this|it) (?:\w+ )?(?:sure|certain|positive)\b|^really\b|\bwould you answer the same\b"
    r"|\bdo you (?:really |still )?(?:think so|believe that|stand by)\b|^(?:quite |really |absolutely "
    r")?(?:sure|certain)\b"
)
_ASKS_SOURCE = lazy(
    r"\bsources?\b(?! code)|\bwhere can i read\b|\bquote the passage\b|\bwhere did you (?:read|get|find)\b"
)
_ASKS_OTHERS = lazy(
    r"\bwhat (?:do|does|did|would) (?!you\b|i\b|we\b|one\b)(?:[\w'-]+ ){1,4}?(?:think|say|tell|claim|believe"
    r"|report|write|argue|suggest)\b"
    r"|\b(?:according to|in the (?:view|opinion|eyes) of)\b|\bwh(?:o|om|at|ich) (?:do|does|did) (?:the |most )?"
    r"(?:bookmakers|critics|experts|people|fans|locals|others|historians|papers|media)\b"
)
"""Match a question about somebody else's opinion."""
_ADVERBS = (
    r"exactly|precisely|else|otherwise|best|well|then|actually|specifically|come|is|are|was|were|can|must|may"
    r"|should|will"
)
"""After `how`, these words ask for the manner, not for a measure."""
_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (lazy(r"\bwhy\b"), "why"),
    (lazy(r"\bwhen\b|\bhow (?:early|late|soon)\b"), "when"),
    (lazy(r"\b(?:who|whom|whose)\b"), "who"),
    (
        lazy(
            r"\bhow (?:many|much|long|far|tall|high|big|large|old|deep|wide|heavy|fast|often|hot|cold|thick|strong)\b"
            rf"|\bhow (?!(?:{_ADVERBS})\b)[^\W\d_]+(?= (?:is|are|was|were|can|must|may|should|will)\b)"
            r"|\b(?:price|cost|number|amount|share|percentage|weight|height|length|temperature|limit|maximum|minimum"
            r"|depth|width|age|speed|distance|area|size|duration|period|fee|salary|rate|dose|capacity)\b"
        ),
        "amount",
    ),
    (lazy(r"\bwhere\b|\b(?:in|to|from|at) (?:which|what) (?:city|country|town|village|state|region)\b"), "where"),
    (lazy(r"\bhow\b"), "how"),
)
_AND_WHERE = lazy(r", (?:and |if so,? )+(where|how|when|who|why)\?$")
"""Match a follow-up question at the end: `Is there one nearby, and where?`"""
_SUBORDINATE = {kind: pattern for pattern, kind in _KINDS}
_NO_SORT = frozenset(("is", "was", "are", "were", "does", "do", "did", "the", "i", "you", "we", "they", "it", "one"))
_CATEGORY = lazy(r"\b(?:which|what) (?:of the )?([^\W\d_]+)(?= )")
_OPENS = lazy(rf"(?:what|who|whom|whose|which|when|where|why|how|{_AUXILIARY})\b")
_RELATIVE = lazy(r"(?:which|who|whose|where|when)\b")
"""After a comma, these words begin a relative clause: `is it larger than Rome, which has …?`"""
_FRAME = lazy(
    r"\b(?:is|was) it (?:true|correct|right|the case|a fact) that\b|^for (?=how)|^(?:sorry|excuse me|hi|hello|hey)\b,? "
    r"|\b(?:do you (?:happen to )?know|(?:can|could|would|will) you (?:please |perhaps |kindly )?"
    r"(?:tell|say|remind|explain to|let|inform|advise|confirm)(?: me| us)?(?: know)?"
    r"|tell me(?: more)?(?: about)?|(?:what|how) about|remind me|(?:i (?:would like|want|need)|i'd (?:like|love)) to "
    r"(?:know|ask|find out|learn)|i(?:'m| am| was| have been|'ve been)?(?: just)? wonder(?:ing)?(?: about)?"
    r"|(?:can|could|would|will) you (?:please )?give me(?= (?:the|your)\b)"
    r"|let me know|i(?:'m| am) (?:curious|not sure|trying to find out)|i (?:don't|do not) know"
    r"|(?:any|have you any|do you have any) idea|is there any way to (?:know|tell|find out)"
    r"|(?:may|can|could) i ask(?: you)?|what i(?:'d like| want| would like) to know is)\b"
)
_TELL_ME = lazy(r"(?:can|could|would|will) you (?:please )?(?:tell|remind|give|inform|let) (?:me|us)\b")
_WH = lazy(r"(?:what|who|whom|whose|which|when|where|why|how)\b")
_WHAT = lazy(r"(?:and |so |but )?(?:what|which) ")
"""Match a leading `what` or `which`; later question words then ask nothing: `what gas is absorbed when …`"""
_WHETHER = lazy(r"\W*(?:whether|if)\b(?: or not)?")
"""Match the start of an indirect yes-no question, after its frame (`can you tell me …`) was removed."""
_SETS = lazy(
    r"(?:and |so |but )?(?:on|in|at|for|during|with|without|under|after|before|from|to|by|as|if|when|since|until|of"
    r"|while|once|suppose|supposing|assuming)\b"
)
"""Match a clause that sets the scene of a question: `on a Sunday, …`, `to mute it, …`"""
_CALLED = lazy(r"\b(?:it|that|this|those|these|they|them|such|there|he|she|him|her|so)\b")
_OF_SPEAKER = lazy(r"(?:i|we)(?: am|'m| are|'re) (?:an? |\w+ years|under|over|from)")
"""Match a statement about the speaker on which the answer may depend: `I am a student.`"""
_NEAR_SPEAKER = lazy(r"\b(?:in|at|on|near|outside|inside|behind|by|next to|in front of) (?:my|our) (?:own )?[\w'-]+")
_OBJECT_ASKED = lazy(
    r"\bwhom? (?:(?:did|do|does|has|have|will|would|was|were|is|are)\b(?! (?:it|the one)\b)"
    r"|(?:should|can|could|must|may|shall) (?=(?:i|we|you|one)\b))"
)
_ASKS_BEING = lazy(r"(?:so,? |and |but )?(?:is|are|was|were)\b")
_LED = frozenset(("from", "to", "before", "after", "without", "under", "above", "below", "until", "since", "against"))
"""Prepositions that distinguish questions by what follows them: from Rome, to Rome."""
_LEADING_STEMS = {stem(word): word for word in _LED}
ASKING = stem_set(
    "time year date day month name person people somebody someone anybody one thing kind sort type exact exactly "
    "precise precisely total overall again exist currently now today usual usually normal normally actual whole full "
    "own much many often number amount figure figures answer short word sentence please ever official "
    "officially approximately roughly altogether figure value extent sort form detail information info "
    "anyone someone everybody anything something generally typically supposed expect plan whole entire single different"
)
"""Stems that only name the kind of answer wanted."""
_LIGHT = stem_set(
    "have get take make do go come enter stay lie stand put give be find see help happen exist offer provide keep "
    "contain flow pass travel like call locate situate need want able serve possible there consist feature "
    "use entitle entitlement allowance supply serve bring ok okay entry admission entrance content level goes "
    "latest list mention reach submit due parcel step"
)
"""Light verbs, which a paraphrase may omit."""
_TIMELY = lazy(
    r"\b(?:ever|once|formerly|previously|originally|at first|in the past|used to|back then|today"
    r"|last (?:year|month|week|time)|next (?:year|month|week|time)|(?:before|earlier|afterwards"
    r"|later)(?=\?)|yet|still|any ?more)\b"
)
_PER = lazy(
    r"\b(?:per|each|every|(?<!is )(?<!was )(?<!has )(?<!have )(?<!of )an?) "
    r"(?:hour|day|week|month|year|night|person|head|term|season)\b|\b(?:hour|dai|week"
    r"|month|year)ly\b"
    r"|\bannual(?:ly)?\b"
)
_ADJECTIVES = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annual": "year",
    "annually": "year",
}  # fmt: skip
_SCOPE = lazy(
    r"\b(?:in|on|at|for|during|with|without|under|after|before|among|from|to|by|as|if|when|than|outside"
    r"|inside) ((?:the |an? |my |your )?[^\W\d_]+(?: [^\W\d_]+)?)"
)
_INNER_NAME = lazy(r"(?<=[a-z,] )[A-Z][\w'-]+")
_TAKES_UP = lazy(
    r"\W*(?:so|but|then|and so|well then|you don't|you mean|(?:is|are|was|were|do|does|did|has|have|can|could"
    r"|will|would"
    r"|should|must)n't (?:it|that|this|there|they|he|she|you))\b"
)
_ONE_WAY = lazy(r"\b(?:belong|marr(?:y|ied)|wed)\b|\bwho (?:did|does|do) (?:the|an?) [\w ]+ of\b")
_VERDICTS = stem_set("wrong false")
_SHORTENED = stem_set(
    "i'm i'd i've i'll you're you've you'd you'll we're we've we'd we'll they're they've they'd they'll"
)
_READ = 2_000
_KEPT = 2048


@dataclass(frozen=True, kw_only=True, slots=True)
class Inquiry:
    """A parsed question, as far as needed to compare the replies to two questions."""

    asked: str
    """The part that asks, normalised, without a preceding doubt or frame."""
    kind: Kind
    category: str
    """Stem after `which` or `what`, the category asked for; empty if none is named."""
    stems: frozenset[str]
    """All stems of the question."""
    content: frozenset[str]
    """Stems of the content words in the part that asks."""
    telling: tuple[str, ...]
    """The content words in order, as concepts: phrases and frames replaced, light words kept."""
    scene: tuple[str, ...]
    """Concepts of the context before the part that asks, which may or may not matter to it."""
    direction: Direction
    """Direction of the question: doer or object, in or out."""
    led: frozenset[tuple[str, str]]
    """Pairs (preposition, concept) such as (from, Rome)."""
    bounds: frozenset[str]
    """Concepts that limit the scope: after a preposition, numbers, and names (in winter, for children, lift 3)."""
    of_object: bool
    """Whether it asks for the object of an action, not for the doer."""
    passive: bool
    """Whether it begins with a form of `be`: a passive, or what something is."""
    rivals: frozenset[str]
    """Stems of counter-proposals: numbers, and names that the question claims are the answer."""
    times: frozenset[str]
    """Words that set its time or period: ever, formerly, today, per month."""
    sought: frozenset[str]
    """The stems of `wrong` and `false` in an open question, which then asks for what is not so."""
    doubts: bool
    """Whether it doubts the previous answer: `Are you sure?`"""
    goes_on: bool
    """Whether it is no question, but a remark on the previous answer."""
    takes_up: bool
    """Whether it continues from the previous answer: `So how many?`, `Aren't there three?`"""
    contests: bool
    """Whether it challenges the previous answer, or asks to check it."""
    offers: bool
    """Whether it proposes an answer for confirmation."""
    own: frozenset[str]
    """Stems of the whole question except those that only challenge."""
    source: bool
    """Whether it asks for the source of the answer."""
    others: bool
    """Whether it asks for somebody else's opinion."""
    inverted: bool
    """Whether a yes to it denies the proposition."""
    negative: bool
    """Whether it contains a negation, so that a bare no is ambiguous."""

    @property
    def numbers(self) -> frozenset[str]:
        """Numbers in the question."""
        return frozenset(word for word in self.telling if word[:1].isdigit())


@lru_cache(maxsize=_KEPT)
def read_inquiry(question: str) -> Inquiry:
    """Parse a question."""
    folded = " ".join(fold(question[:_READ], accents=False).split())
    inverted = _INVERTED.search(folded) is not None
    asked = folded if inverted else _asking_part(folded)  # the negated proposition may be anywhere in the question
    own = words(asked)
    plain = plain_words(plain_relations(asked))
    kind: Kind = "yes-no" if inverted else _kind(asked, plain, folded)
    setting, scene = _before(folded, asked)
    telling, led = _content_stems(words(plain_words(plain_relations(f"{asked} {setting}"))))
    return Inquiry(
        asked=asked,
        kind=kind,
        category=_category(plain),
        stems=frozenset(own if asked == folded else words(folded)),
        content=frozenset(own) - FILLERS - NEGATIONS,
        telling=telling,
        scene=_content_stems(words(plain_words(scene)))[0],
        direction=direction_of(plain),
        led=led,
        bounds=frozenset(_bounds(plain, question)),
        of_object=_is_active(plain),
        passive=_ASKS_BEING.match(asked) is not None,
        rivals=rivals(question),
        times=frozenset(_times(plain)),
        sought=_VERDICTS.intersection(own) if kind == "open" else frozenset(),
        doubts=_DOUBTS.search(folded) is not None,
        goes_on=goes_on(folded),
        takes_up=_TAKES_UP.match(folded) is not None,
        contests=contests(folded),
        offers=offers(folded),
        own=own_words(folded) - NEGATIONS,
        source=_ASKS_SOURCE.search(folded) is not None,
        others=_ASKS_OTHERS.search(folded) is not None,
        inverted=inverted,
        negative=not NEGATIONS.isdisjoint(own),
    )


@lru_cache(maxsize=_KEPT)
def plain_words(folded: str) -> str:
    """Return a normalised question without its frame, with phrases replaced by plain words."""
    plain = _FRAME.sub(" ", folded)
    for pattern, word in PHRASES:
        plain = pattern.sub(word, plain)
    return " ".join(plain.split())


def _before(folded: str, asked: str) -> tuple[str, str]:
    """Return the text before the part that asks: first what that depends on, then the rest.

    It depends on a clause that sets its scene (`On a Sunday, …`), on sentences to which it refers (`… Is that
    allowed?`), and on statements about the speaker.
    """
    start = folded.find(asked)
    if start <= 0:
        return "", ""
    sentences = claims(folded[:start])
    clause = sentences.pop() if folded[:start].rstrip().endswith(",") else ""
    setting = clause if _SETS.match(clause) else ""
    scene = [_NEAR_SPEAKER.sub(" ", each) for each in sentences if not (each.endswith("?") or contests(each))]
    if _CALLED.search(asked):
        return " ".join((*scene, setting)), ""
    if _asks_of_scene(asked):
        return " ".join((*scene, clause)), ""
    own = [each for each in scene if _OF_SPEAKER.match(each)]
    return " ".join((*own, setting)), " ".join(scene)


def _asks_of_scene(asked: str) -> bool:
    """Whether the part that asks has no content of its own: `I've lost my card, what now?`"""
    return all(word in FILLERS or is_light(word) or is_light(concept(word)) for word in words(asked))


def _bounds(plain: str, question: str) -> Iterator[str]:
    for match in _SCOPE.finditer(plain):
        yield from map(concept, words(match[1]))
    yield from (word for word in words(plain) if word[:1].isdigit())
    for match in _INNER_NAME.finditer(question[:_READ]):
        yield from map(concept, words(fold(match[0], accents=False)))


def _times(asked: str) -> Iterator[str]:
    yield from (match[0] for match in _TIMELY.finditer(asked))
    for match in _PER.finditer(asked):
        yield _ADJECTIVES.get(match[0], match[0].split()[-1])


def _is_active(asked: str) -> bool:
    """Whether it asks for an object: `Whom did X kill`, but not `Who was the manager` nor `Who did it`."""
    match = _OBJECT_ASKED.search(asked)
    return match is not None and not _ONE_WAY.search(asked) and match[0].split()[1] not in ("was", "were", "is", "are")


def _category(plain: str) -> str:
    match = _CATEGORY.search(plain)
    return "" if match is None or match[1] in _NO_SORT else stem(match[1])


def _content_stems(stems: Sequence[str]) -> tuple[tuple[str, ...], frozenset[tuple[str, str]]]:
    found: list[str] = []
    led: set[tuple[str, str]] = set()
    leading = ""
    for word in stems:
        if word in _LEADING_STEMS:
            leading = _LEADING_STEMS[word]
        elif word not in FILLERS and word not in NEGATIONS and word not in _SHORTENED:
            found.append(concept(word))
            if leading:
                led.add((leading, found[-1]))
            leading = ""
    return tuple(found), frozenset(led)


def is_light(word: str) -> bool:
    """Whether a paraphrase may omit a stem."""
    return word in _LIGHT or word in ASKING or concept(word) in _LIGHT or bool(len(word) > 2 and units_named(word))


def _asking_part(folded: str) -> str:
    """Return the last sentence that asks something, without the part before a colon or `given that,`."""
    backwards = claims(_ONLY_TAG.sub("?", folded))[::-1]
    asking = (sentence for sentence in backwards if sentence.endswith("?") and _has_content(sentence))
    last = next(asking, None) or next(filter(_has_content, backwards), folded)
    for mark in (": ", ", "):
        _, found, rest = last.rpartition(mark)
        if found and _OPENS.match(rest) and _has_content(rest) and not (_OPENS.match(last) and _RELATIVE.match(rest)):
            return rest
    return last


def _has_content(sentence: str) -> bool:
    """Whether a sentence has content words of its own."""
    return not FILLERS.issuperset(words(sentence))


def _kind(asked: str, plain: str, folded: str) -> Kind:
    last = _AND_WHERE.search(asked)
    if last is not None:
        return cast("Kind", last[1])
    unframed = _FRAME.sub(" ", asked, count=1).strip()
    tells = _TELL_ME.match(asked) or _WH.match(unframed)
    indirect = _WHETHER.match(unframed)
    asks = (_ASKS_YES_NO.match(asked) and not tells) or _ONLY_TAG.search(folded) or _ASKS_YES_NO.match(plain)
    if asks or indirect:
        return "choice" if " or " in asked and " or not" not in asked else "yes-no"
    found = [(match.start(), kind) for pattern, kind in _KINDS if (match := pattern.search(plain))]
    if _WHAT.match(asked):
        found = [(at, kind) for at, kind in found if not at or kind == "amount" or not _SUBORDINATE[kind].search(asked)]
    return min(found, key=itemgetter(0))[1] if found else "open"
