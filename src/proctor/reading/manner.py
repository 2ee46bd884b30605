"""Classify the manner of a sentence: retraction, concession, reported speech, doubt, evasion."""

from __future__ import annotations

from proctor.reading.text.lazy import lazy

_SUPPOSES = lazy(r"(?:even )?(?:if|suppose|supposing|assuming|imagine|had)\b|.*\bit were\b")
_REPORTS = lazy(
    r"\byou(?:'ve| have)? (?:\w+ )?(?:say|said|mention|mentioned|claim|claimed|wrote|told|suggest|suggested"
    r"|ask|asked|state|stated)\b"
    r"|\b(?:many|some|most|people|others|they|he|she|colleagues?|friends?|critics|fans|experts|historians|sources"
    r"|rumours?|legend|papers|locals|wikipedia|google|(?:my|your|the|his|her) \w+)(?: people| has it)?(?: \w+ly)? "
    r"(?:think|thinks|thought|say|says|said|believe|believes|claim|claims|claimed|assume|assumes|argue|argues"
    r"|insist|insists"
    r"|reckon|reckons|prefer|prefers|favour|favours|credit|credits|swears?|told)\b"
    r"|\b(?:according to|allegedly|reportedly|supposedly|rumou?r has it|legend has it|is (?:often |widely )?said to)\b"
    r"|(?<!as )\bi (?:\w+ )?(?:said|told|stated|claimed|wrote|answered|gave)\b|\bwrong to (?:say|state|claim)\b"
)
_DOUBTS = lazy(
    r"\b(?:maybe|perhaps|possibly|conceivably|might|i(?:'m| am) (?:not|un) ?(?:sure|certain)|i (?:doubt|wonder"
    r"|suppose|guess)"
    r"|(?:could|may) (?:well )?be (?:that|either|right|true|so|possible|the case)|could (?:well )?be(?! "
    r"\w+ed\b)|unlikely|hard to (?:say|tell)|who knows|it depends|can't (?:say|rule out)"
    r"|(?:could|may) (?:also )?have been)\b"
)
_EVADES = lazy(
    r"\bi(?:'d| would) (?:rather|prefer) not\b|\bi(?:'d| would) (?:have to|need to) (?:check|look|ask)\b"
    r"|\balready (?:answered|told|said|covered)\b|\b(?:can't|cannot|can not|won't|will not|am not (?:able"
    r"|allowed|going)"
    r"|unable) (?:to )?(?:\w+ )?(?:discuss|comment|share|disclose|say|tell|go into|help|talk|speak|reveal|give"
    r"|answer|judge|verify)\b"
    r"|\b(?:do not|don't|no) (?:\w+ )?(?:have|access|record|information|data|details|idea|knowledge)\b.{0,40}"
    r"\b(?:access|information|data|record|details|that|idea)\b"
    r"|\bconfidential\b|\b(?:please|you(?:'d| had| should)? (?:better )?)(?: \w+)? (?:ask|check|consult"
    r"|contact|refer to|look up)\b"
    r"|\b(?:i(?:'d| would)|i) (?:suggest|recommend) (?:asking|checking|contacting|consulting|that you (?:ask|check))\b"
    r"|\bit could be (?:either|any)\b|\b(?:either|both) (?:is|are|could be) possible\b"
    r"|\bnot (?:something|a (?:topic|question|matter)) (?:that )?i\b|\bno comment\b|\bask (?:me )?something else\b"
    r"|\bi (?:do not|don't|couldn't|can't) (?:know|recall|remember|say|tell)\b|\blet's (?:talk about|change|move on)\b"
)
_WRONG = r"(?:wrong|mistaken|incorrect|in error|inaccurate|false|untrue|misinformed|confused|out of date|off)"
_CONCEDES = lazy(
    r"\byou(?: are|'re| were) (?:\w+ ){0,2}(?:right|correct)\b[,.:;!]*|\b(?:i'm |i am )?(?:so |very |deeply "
    r"|terribly )?sorry\b"
    r"(?: (?:for|about) [^,.:;]*)?[,.:;!]*"
    r"|\b(?:i |my )?(?:sincere |deepest )?apolog(?:ise|ize|ies|y)\b(?: for [^,.:;]*)?[,.:;!]*|\bmy (?:mistake"
    r"|bad|error|fault)\b[,.:;!]*"
    rf"|\bi (?:was|am) (?:\w+ )?{_WRONG}\b(?: (?:about|there|before)[^,.:;]*)?[,.:;!]*|\bi (?:misspoke|stand "
    rf"corrected)\b[,.:;!]*"
    r"|\bi (?:made|have made) (?:a|an) (?:\w+ )?(?:mistake|error|slip)\b[,.:;!]*|\bcorrection\b[,.:;!]*"
    r"|\b(?:i (?:have to |must |should )?|let me )correct (?:myself|that)\b[,.:;!]*|\bgood catch\b[,.:;!]*"
    r"|\bfair (?:enough|point)\b[,.:;!]*"
    r"|\bthank(?:s| you) for (?:the correction|correcting|pointing)[^,.:;]*[,.:;!]*"
    r"|(?<!'s )(?<!s )(?<!re )(?<!be )(?<!as )"
    r"\b(?:all right|alright|ok(?:ay)?|fine|very well)\b[,.:;!]*"
    r"|\byou(?:'ve| have) (?:convinced|persuaded) me\b[,.:;!]*|\bi (?:concede|give in|agree|yield|admit)\b[,.:;!]*"
    r"|\b(?:he|she|they)(?:'s|'re| is| are) right\b[,.:;!]*(?: of course[,.:;!]*)?"
)
"""Match an admitted mistake or an accepted objection."""
_COURTESY = lazy(
    r"\bi(?:'m| am) (?:afraid|sorry)(?: to (?:say|tell you))?(?: that)?,? (?=\w)|\bno (?:worries|problem"
    r"|trouble)\b[,.:;!]*"
    r"|\bgood (?:question|point)\b[,.:;!]*"
)
_RETRACTS = lazy(
    rf"\bi (?:was|am|think i was|may have been|must have been) (?:\w+ )?{_WRONG}\b"
    r"|\b(?:i|i've|i have) (?:made|make) (?:a|an) (?:\w+ )?(?:mistake|error|slip|blunder)\b|\b(?:i "
    r")?misspoke\b|\bi stand corrected\b"
    r"|\b(?:i|let me|i'd like to|i must|i have to|i should) (?:\w+ )?(?:take|took|taking) (?:it|that|this"
    r"|everything|what i said|my \w+) back\b|\btake back (?:what|my|that)\b"
    r"|\bi (?:hereby |must |have to |should |wish to |need to )?(?:retract|withdraw|revoke)\b"
    rf"|\b(?:my (?:\w+ ){{0,2}}(?:answer|reply|response|statement|claim|figure)|what i (?:said|told you|wrote"
    rf"|stated|claimed)(?: \w+){{0,3}}|that|it) was (?:\w+ ){{0,2}}(?:{_WRONG}|(?:a|an) (?:\w+ )?(?:mistake"
    rf"|error|slip|mix-up))\b"
    r"|\bcan(?:'t|not| not| no longer) (?:\w+ )?(?:stand by|vouch for|maintain|uphold|defend|support|confirm) "
    r"(?:that|this|it|my|what|the)\b|\bno longer stand by\b"
    r"|\b(?:disregard|ignore|forget|scrap|scratch|strike) (?:that|this|my|what|it|the (?:earlier|previous|last))\b"
    r"|\bi (?:should not|shouldn't|ought not to) have (?:said|told|stated|claimed)\b|\bi spoke too soon\b"
    r"|\bi (?:got|had) (?:that|it|this) wrong\b|\bi (?:mixed|muddled) (?:\w+ )?up\b|\bi (?:confused"
    r"|misremembered|misread|misstated)\b"
    r"|\b(?:an?|the|my) (?:error|mistake|slip) (?:on my part|of mine)\b|\bmy (?:mistake|bad|error)\b"
    r"|\b(?:let me|i (?:must|have to|need to|should)) correct (?:myself|that|my|what)\b|\bi(?:'ve| have) "
    r"changed my mind\b"
    r"|\bplease (?:disregard|ignore|forget)\b|\bdon't (?:rely on|go by) what i\b"
)
_STANDS = lazy(
    r"\b(?:not|n't|never|no|nothing|neither) (?:\w+ ){0,4}(?:wrong|mistaken|incorrect|in error|misspoke"
    r"|mistake|error|back|"
    r"retract|withdraw|correct(?:ing|ed)?)\b|\bnothing (?:\w+ ){0,4}back\b|\bwithout (?:\w+ )?(?:mistake|error)\b"
)
"""Match a denied mistake."""


def supposes(folded: str) -> bool:
    """Whether a sentence is hypothetical."""
    return _SUPPOSES.match(folded) is not None


def doubts(folded: str) -> bool:
    """Whether a text leaves open what it says."""
    return _DOUBTS.search(folded) is not None


def evades(folded: str) -> bool:
    """Whether a text refuses an answer or refers elsewhere for it."""
    return _EVADES.search(folded) is not None


def retracts(folded: str) -> bool:
    """Whether a text retracts what was said before."""
    return _RETRACTS.search(_STANDS.sub(" ", folded)) is not None


def concedes(folded: str) -> bool:
    """Whether a text admits a mistake or accepts an objection."""
    return _CONCEDES.search(_STANDS.sub(" ", folded)) is not None


def without_concessions(folded: str) -> str:
    """Return a text without its concessions."""
    left = _COURTESY.sub(" ", folded)
    return _CONCEDES.sub(" ", left).strip(" ,.:;-") if left != folded or _CONCEDES.search(left) else folded


def reports(folded: str) -> list[int]:
    """Return the positions where a text reports what somebody says."""
    return [match.start() for match in _REPORTS.finditer(folded)]
