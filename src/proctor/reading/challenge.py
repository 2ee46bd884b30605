"""Detect questions that challenge the previous answer, and replies that merely stand by it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set, words

_WRONG = r"(?:wrong|incorrect|mistaken|false|untrue|inaccurate|outdated|nonsense|in error|not (?:right|correct|true))"
_ANSWER = r"(?:your|the|that|this|his|her|their)(?: \w+){0,2} (?:answer|reply|response|claim|statement|result)"
_IT = rf"(?:that|this|it|you|{_ANSWER}|what you (?:say|said|told me|wrote))"
_BE = r"(?:'s|'re| is| are| was| were| seems?| looks?| sounds?| (?:must|might|may|could|can't|cannot) be)"
_TOLD = (
    r"(?:says?|said|claims?|claimed|insists?|insisted|thinks?|thought|believes?|told|tells|argues?|maintains?|states?"
    r"|assures?|swears?|disagrees?|objects?|read|heard|learned|am (?:sure|certain|told))"
)
_SOMEBODY = (
    r"(?:colleagues?|friends?|teachers?|professors?|experts?|boss|manager|doctor|supervisor|neighbour|neighbor|brother"
    r"|sister|father|mother|wife|husband|lawyer|scientist|someone|somebody|everyone|everybody|people|others|else"
    r"|wikipedia|google|chatgpt|textbooks?|books?|encyclop(?:a)?edia|internet|website|news|article|i|we|they|he|she)"
)
_CONTESTS = lazy(
    "|".join(
        (
            r"\b(?:are|is) (?:you|that|this|it) (?:\w+ ){0,2}(?:sure|certain|positive|confident|serious)\b",
            r"\bhow (?:sure|certain|confident) (?:are|is)\b",
            r"^\W*(?:really|seriously|truly|sure|certain|honestly|no way|wrong|incorrect|nonsense)\b\W*(?:\?|!|\.|$)",
            r"\bwould you answer the same\b|\bfinal answer\b|\bstay with (?:it|that|this|your)\b",
            r"\bdo you (?:really |still )?(?:think so|believe (?:that|it|so)|stand by|maintain|insist)\b",
            rf"\b{_IT}{_BE} (?:\w+ ){{0,2}}{_WRONG}\b",
            rf"\b(?:could|might|may|can) (?:you|that|this|it) be (?:\w+ )?(?:{_WRONG}|an? (?:error|mistake))\b",
            r"\b(?:is|was|isn't|wasn't) (?:that|this|it|your answer|the answer) (?:\w+ )?"
            r"(?:right|correct|true|so|accurate|wrong|false|incorrect|a mistake|an error)\b",
            r"\b(?:that|this|it) (?:can't|cannot|can not|couldn't) be (?:right|true|correct|it)\b"
            r"|\b(?:does not|doesn't|do not|don't) (?:sound|seem|look|feel) (?:\w+ )?(?:right|correct|true)\b"
            r"|\bi(?:'m| am) not (?:so |really |quite |at all )?(?:convinced|sure|certain|buying)\b",
            r"\byou(?:'ve| have)? (?:made|got|get|mixed|confused?|misunder\w+|misread)\b.{0,25}"
            r"(?:mistakes?|errors?|wrong|up|that|this|it)\b",
            r"\bi (?:do not|don't|cannot|can't|hardly) (?:think|believe|agree|buy|accept)\b",
            r"\bi (?:disagree|doubt|object)\b|\bi (?:happen to )?know (?:for|that|better)\b",
            rf"\b{_SOMEBODY}\b(?: \w+){{0,4}}? {_TOLD}\b",
            r"\bdouble[- ]?check|\bre-?check|\bcheck (?:that|this|it|again|once|your)\b|\bverify\b|\breconsider",
            r"\bre-?think|\bthink (?:again|twice|it over|about (?:it|that) again|carefully)\b|\blook (?:again|it up)\b",
            r"^\W*(?:so |but |and |surely |really )?not (?:(?:the|an?) )?[\w'’-]+(?: [\w'’-]+)?\?$",
            r"\btry again\b|\bchange your (?:mind|answer)\b|\bcorrect yourself\b",
            r"\bwant to (?:change|revise|correct)\b|\b(?:do|can|could|would) you confirm\b|\bplease confirm\b",
            r"\b(?:what|which)(?:'s| is| was| would be) the (?:right|correct|real|actual|true|proper) (?:one|answer)\b",
        )
    )
)
_SAID = lazy(
    r"\b(?:my|our|the|an?|one|some|his|her|their) (?:\w+ ){1,3}?(?:says|said|claims|claimed|insists|insisted|swears"
    r"|swore|told (?:me|us)|thinks|believes|disagrees|disagreed|wrote|states|stated|has it)\b"
)
"""Match a remark that somebody claims otherwise."""
_FILLING = """
please tell me again once more remind say repeat know want would like could answer question reply exactly precisely
really sure certain mean ask asked said told so well ok okay and but then also still true correct right wrong false
statement following it that this you your think believe wonder exact actual actually just kindly
"""
FILLERS = STOP | frozenset(map(stem, _FILLING.split()))
"""Stems without content in a question or reply: stop words and phrases of asking."""
CONTESTING = FILLERS | stem_set(
    "colleague friend teacher professor expert boss manager doctor supervisor neighbour neighbor brother sister father "
    "mother wife husband lawyer scientist someone somebody everyone everybody people others else wikipedia google "
    "chatgpt textbook book encyclopedia encyclopaedia internet website news article claim insist argue maintain state "
    "assure swear disagree object read heard hear learn mistaken mistake incorrect untrue inaccurate outdated nonsense "
    "error double check recheck verify reconsider rethink change mind yourself revise confirm proper real one "
    "confident positive serious seriously honestly truly final response result stay stand doubt accept agree buy "
    "hardly consider careful carefully look try twice possible possibly maybe perhaps hmm hm sorry source otherwise "
    "different differently first last earlier previous initial original several many most fairly pretty quite "
    "absolutely completely totally need now convinced good enough come wait moment back go return let us i'm im make "
    "made get got sound seem seems hold isn't wasn't doesn't don't didn't thing things still actually instead rather "
    "quote passage document page cite"
)
"""Stems of a challenge without content of its own; any other stem makes it a question in its own right."""
_STANDS_BY = FILLERS | stem_set(
    "stand stick stay keep confirm confident checked double positive absolutely completely definitely certainly indeed "
    "unchanged remain remains same maintain accurate reaffirm insist change mind doubt reason reasons see previous "
    "earlier given gave original initial hold holds support convinced firmly nothing first quite very totally fully "
    "understand concern appreciate thank thanks asking information verified mistaken mistake incorrect error"
)
_GIVES_IN = lazy(
    r"\bsorry\b|\bapolog|\bmy (?:mistake|bad|error)\b|\byou(?:'re| are) (?:\w+ )?(?:right|correct)\b"
    r"|\b(?:was|am|were|is|stand) (?:\w+ )?(?:wrong|mistaken|incorrect|corrected|in error)\b|\bcorrect(?:ed)? myself\b"
    r"|\btake (?:it|that|this) back\b|\bmade (?:a|an) (?:mistake|error)\b|\bmisspoke\b"
)
_DENIED = lazy(r"\b(?:not|n't|never|no) (?:\w+ )?(?:sorry|wrong|mistaken|incorrect|in error)\b")
_REQUESTS = lazy(
    r"\W*(?:(?:please|now|and|then|so|ok|okay|next|can you|could you|i (?:want|would like|'d like) (?:you )?to)[ ,]+)*"
    r"(?:tell|name|list|describe|explain|give|write|show|compare|summari[sz]e|define|translate|calculate"
    r"|imagine|consider"
    r"|suppose|assume|let|go|return|state|repeat|answer|say|quote|cite|what|who|whom|whose|which|when|where"
    r"|why|how|is|are"
    r"|was|were|do|does|did|can|could|will|would|should|has|have|had|know|learn|convert|solve|find|add|pick|choose)\b"
)
_CONCLUDES = lazy(r"\W*so,? (?:it|that|this|you|they|he|she|there)\b")
_FIRST = lazy(
    r"\b(?:first|initial|original|opening) (?:answer|question|reply|response|one)\b|\bat the (?:start|beginning)\b"
)
_OFFERED = lazy(
    r"\b(?:is|was|be|are|were|isn't|wasn't|it's|that's|says?|said|claims?|insists?|thinks?|believes?|told (?:me|us)"
    r"|answer|actually|really|rather|not),? (?:the |that |it's |it is |it was |it )*[\"“'‘(]*"
    r"(?=((?:[^\W\d_][\w'’-]*[ ]?){1,4}))",
    re.IGNORECASE,
)
_OFFERS = lazy(
    r"^\W*(?:(?:so|but|and|well),? )?(?:isn't|wasn't|is|was) (?:it|that|the answer) "
    r"|, (?:right|correct|isn't it|no)\?$"
)
_REPORTED = lazy(
    rf"\b(?:(?:my|our|an?|the|one of \w+|some|several|many|most) (?:\w+ ){{0,2}})?{_SOMEBODY}\b"
    rf"(?: \w+){{0,4}}? {_TOLD}\b"
)
_READ = 2_000
_KEPT = 1024


def contests(folded: str) -> bool:
    """Whether a normalised question challenges the previous answer, or asks to reconsider it."""
    return _CONTESTS.search(folded) is not None or (goes_on(folded) and _SAID.search(folded) is not None)


def goes_on(folded: str) -> bool:
    """Whether a follow-up is a remark or an objection, and neither a question nor a request."""
    if _CONCLUDES.match(folded):
        return True
    return "?" not in folded and _REQUESTS.match(folded) is None and any(map(str.isalpha, folded))


def goes_to_first(folded: str) -> bool:
    """Whether a follow-up refers to the first answer of the conversation."""
    return _FIRST.search(folded) is not None


def offers(folded: str) -> bool:
    """Whether a question proposes an answer for confirmation: `Isn't it Lyon?`"""
    return _OFFERS.search(folded) is not None


def own_words(folded: str) -> frozenset[str]:
    """Return the stems of a question except those of a challenge, and of who is reported to make it."""
    return frozenset(words(_REPORTED.sub(" ", folded))) - CONTESTING


@lru_cache(maxsize=_KEPT)
def rivals(question: str) -> frozenset[str]:
    """Return the stems of a question's counter-proposals: its numbers, and the names that it claims are the answer."""
    text = question[:_READ]
    numbers = (word for word in words(fold(text, accents=False)) if word[:1].isdigit())
    names = (name for match in _OFFERED.finditer(text) for name in takewhile(_is_name, match[1].split()))
    return frozenset((*numbers, *words(fold(" ".join(names), accents=False))))


def _is_name(word: str) -> bool:
    return word[:1].isupper()


@lru_cache(maxsize=_KEPT)
def merely_stands_by(reply: str) -> bool:
    """Whether a reply only stands by an answer without repeating it: `Yes, I am sure.`"""
    folded = fold(reply[:_READ], accents=False)
    if _GIVES_IN.search(_DENIED.sub(" ", folded)) is not None:
        return False
    stems = words(folded)
    return bool(stems) and _STANDS_BY.issuperset(stems)
