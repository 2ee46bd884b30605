"""Find an explicit yes or no in a reply."""

from __future__ import annotations

import re

from proctor.reading.linked_words import nearness
from proctor.reading.opposites import NEGATORS
from proctor.reading.question import Asked
from proctor.reading.signed_phrases import DENIED, marked_phrases
from proctor.reading.signs import is_adverse
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stems_of

_PRONOUN = r"(?:it|they|you|we|i|he|she|that|this|there|one|both|all|most|several|some|people|nobody|none|no one)"
_AUX = (
    r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must|'s|'re|'m"
    r"|(?:wo|ca|sha)(?=n't))"
)
_ELLIPTIC = lazy(
    rf"^\W*(?:indeed,? |yes,? |sadly,? |actually,? |unfortunately,? |in fact,? |of course |and |(?:several |many "
    rf"|some |most )(?:people )?)?(?P<who>{_PRONOUN})?\s?(?P<aux>{_AUX})(?P<not>n't| not|not)?(?: indeed| too"
    rf"| still| actually)?\s*(?:[.,;:!?]|$|-|\bthough\b|\b(?:until|till)\b)"
)
_YES = r"yes|yeah|yep|yup|yea|aye|affirmative|ja|oui|s[ií]|sim|oui"
_NO = r"no|nope|nah|nay|negative|nein|non|nee|não|nao"
_SURE = (
    r"absolutely|definitely|certainly|indeed|of course|exactly|precisely|correct|right|true|quite so|quite right|sure"
    r"|surely|totally|for sure|agreed|always|without (?:a )?doubt|undoubtedly|positive|granted|naturally|obviously"
    r"|clearly|you bet|very much so|confirmed|supported|that's (?:right|true|correct|a fact|so)|(?:i'd |i |i would"
    r" )agree|you(?:'re| are) right|included|allowed|permitted|by all means|no doubt(?: about (?:it|that))?|sure thing"
)
_NEVER = (
    r"absolutely not|definitely not|certainly not|of course not|not (?:at all|really|quite|yet|exactly|true|so"
    r"|correct|likely|any ?more|necessarily|anymore|that|a)|never|hardly(?: ever)?|no way|not|wrong|false|incorrect"
    r"|untrue|i'm afraid not|afraid not|far from it|on the contrary|quite the (?:opposite|reverse|contrary)|the "
    r"(?:opposite|reverse)|by no means|not in the least|(?:that's |it's |this is )?a (?:common |popular |widespread "
    r"|persistent )?(?:myth|misconception|legend|rumou?r|fallacy)|(?:i'd |i |i would )disagree|you(?:'re| are) "
    r"(?:mistaken|wrong)|don't|unsupported|none|nobody|no one|nothing|neither|nowhere|rarely|seldom|denied|forbidden"
    r"|prohibited|under no circumstances|that(?:'s| is) (?:incorrect|wrong|false|untrue|not (?:the case|true|correct"
    r"|right|so|possible))|(?:i |we )(?:don't|do not) (?:think|believe) so"
)
_OPENING = lazy(
    rf"^\W*(?:well,? |oh,? |hmm+,? |so,? |and |but |then |actually,? |in (?:short|fact),? |the answer is:? "
    rf"|answer:? |i'd say |i would say |it's a |that's a |a clear |a firm |simply |short answer:? |botanically\? "
    rf"|(?:unfortunately|sadly|regrettably|alas|sorry|i'm sorry|i'm afraid|afraid|fortunately|luckily|thankfully)"
    rf"\b[,:]? (?:but )?)*"
    rf"(?:(?P<never>{_NEVER})|(?P<no>{_NO})(?! doubt\b)|(?P<yes>{_YES})|(?P<sure>{_SURE}))\b(?P<after>\W*)(?P<next>\w*)"
)
_NOT_THERE = lazy(
    r"^\W*(?:(?:unfortunately|sadly|regrettably|alas|sorry|i'm afraid|afraid|well|currently)\b,? )?not "
    r"(?:currently|presently|possible|allowed|permitted|available|included|here|now|today|automatically|normally"
    r"|usually|generally|ordinarily|directly"
    r"|(?:for|in|on|at|with|under|from|through|via|during|as|by)(?: [\w'-]{1,30}){1,4}?)\s*(?:[,.;:!]|-\s|$)"
)
"""Match an opening `not` that means no unless a contrast follows: `Not on this plan, …`"""
_SET_AGAINST = lazy(r"\b(?:but|however|though|although|except|otherwise|only|unless|instead|while|just|yes)\b")
_CLOSING = lazy(
    rf"(?:(?<=[,:?])|\b)(?:so|hence|thus|therefore|then|answer is|answer:|i'd say|and|though|overall|but"
    rf"|again)?[\s,:?-]+(?:(?P<no>{_NO}|(?<=, )(?:hardly|never|not really)(?=\W*$))|(?P<yes>{_YES}))\s*(?:[.,;:!]|$)"
)
SENTENCE = lazy(r"(?<=[.!?])\s+|\n+|;\s|…\s?|\.\.\.\s?")
"""Match the boundary between sentences for this purpose."""


_REPORTED = lazy(
    rf"(?<!i'd )(?<!i would )(?<!i )\b(?:say|says|said|saying|tell|tells|told|hear|heard|think|thought|assume[ds]?"
    rf"|expect(?:ed)?|answer(?:ed)?(?: \w+){{0,4}} was)\b(?: (?:you|us|me|people|a|an|it's|it was|that)){{0,2}}\W+"
    rf"(?:{_YES}|{_NO})\b"
)
"""Match a yes or no that is reported or from another time."""
_THERE_IS = lazy(
    r"\W*(?:there(?:'s| is| are)|(?:we|it|they|i)(?:'ve| have| has)(?: got)?|you'll find) (?:one|some|several|plenty"
    r"|both)(?=\W*$|[,.;!]| (?:on|in|at|by|near|behind|under|next|for|just|right|of them)\b)"
)
"""Match a statement of existence: `There's one on the corner`."""
_HAS_BEEN = lazy(r"\W*(?:it|they|he|she)(?:'s|'ve| has| have) been(?: one| so)?(?: ever)? (?:since|for)\b")
_HAS = lazy(r"(?:is|are) there\b|(?:do|does|did|has|have|had)\b")
_LIE = lazy(rf"\b(?:lying|a lie|wrong)\b(?: \w+){{0,3}} (?:say|said|saying)\W+(?:(?P<yes>{_YES})|{_NO})\b")
"""Match a denial of the form `I'd be lying if I said yes`."""
_SO = lazy(
    r"\W*(?:(?:i'm |i am )?(?:afraid|regrettably|unfortunately|sadly|apparently|presumably)|(?:i|we) (?:\w+ )?"
    r"(?:think|believe|guess|fear|suppose)) so\b"
)
"""Match an affirmation such as `I'm afraid so.`"""
_GLAD = lazy(
    r"^\W*(?:i'm|i am|we're|we are) (?:\w+ )?(?:happy|glad|pleased|sorry|afraid|sad)(?: to (?:say|tell you"
    r"|report))?(?: that)? (?=\w)"
)
_COURTESY = lazy(
    r"^\W*(?:(?:please )?(?:don't|do not|no need to|not to) worry(?: about (?:it|that))?|no worries|sorry(?: about"
    r" that)?|(?:i'm )?afraid|good news|bad news|(?:good|great) question|thanks(?: for (?:asking|your \w+))?|hi|hello"
    r"|hey|sadly|unfortunately|luckily|happily|as it happens)\b\W*(?=\w)"
)
_QUANTIFIED = lazy(
    r"\W*(?:(?P<no>none|neither|not (?:a single )?one|nobody|no one)|every(?: single)? one|all|each(?: and every"
    r" one)?|both|(?:at least )?(?:several|many|a few|dozens|hundreds|plenty|a handful|lots|quite a few))(?: of "
    r"(?:them|those|these|us|you))?(?:\W*|: .*)"
)
"""Match a quantified answer: `Every one of them.`"""
_TALK = lazy(
    r"(?:i (?:understand|see|hear|know|get)|i(?:'m| am) (?:happy|glad|sorry)|you(?:'re| are) right to|we(?:'d| would)"
    r" (?:love|be (?:happy|glad|delighted))|thanks?|good|great|happy to|let me|please (?:note|see|find))\b"
)
"""Match small talk, after which a yes is no answer."""
_CONFIRMS = lazy(r"(?:i|we) (?:can |must |may |have to |am able to )?(?:confirm|tell you|say|see)(?: that)? ")
_DENIES = lazy(rf"(?:{_PRONOUN}|(?:the|my|your|our|this|that|its) \w+) ?{_AUX}(?:n't| not|not)\b(?P<then>[^,;.!?]*)")
_FORBIDS = lazy(r"\b(?:illegal|unlawful|forbidden|prohibited|banned|against the (?:law|rules)|an offen[cs]e|a crime)\b")
_PERMITS = lazy(
    r"\b(?:may|can|could)(?P<no>not|n?'t| not| never)?\b|(?:(?P<not>n't|not|never) )?\b(?:permitted|allowed|legal"
    r"|lawful)\b"
)
_ALL = lazy(r"\b(?:all|every|everyone|everybody|each|always)\b")
_ANY = lazy(r"\b(?:any|anyone|anybody|ever|someone|somebody)\b")
_SOMEBODY = lazy(
    r"\W*(?!(?:no|not|none|nobody|neither|never)\b)(?:[\w.'-]+ ){1,4}(?:did|has|have|does|do|was|were)"
    r"(?: (?:in|on|since|before) [\w ]{1,20})?\W*$"
)
_FEW = 4
_SOME = lazy(r"\W*(?:most|some|many|several)\b")
_CONTRAST = lazy(r"\W*(?:but|though|although|however|yet|except|just)\b")
_PAST = {"is": ("was", "were"), "are": ("was", "were"), "am": ("was",), "do": ("did",), "does": ("did",)}
"""Present auxiliary of a question -> past forms that answer for another time."""
_NO_NOUN = """
for on in at to with if when during from before after as by since unless but
it you they he she there i we the that this not indeed sorry
"""
_NOBODY, _ANYBODY = lazy(r"nobody|no one|none"), lazy(r"\b(?:any|some|every)(?:one|body)\b|\banyone else\b")
_FOLLOWS_NO = frozenset(_NO_NOUN.split())
"""Words before which `no` is an answer; before others it belongs to a noun."""


_WILLING = lazy(
    r"\W*(?:(?:hi|hello|hey)\b[\w ]{0,20}\W+)?(?:sure(?: thing)?|certainly|of course|you bet|gladly|with pleasure"
    r"|no problem(?: at all)?|by all means|naturally)(?:[!.:,]\s+|\s+-+\s+)(?=\w)",
    re.IGNORECASE,
)
"""Match an expression of assent (`sure`), which may be mere politeness."""


def assents(text: str) -> bool:
    """Whether a reply opens with assent such as `sure` and denies nothing in its first sentence: then it means yes."""
    willing = _WILLING.match(text)
    if willing is None:
        return False
    first = next((each for each in SENTENCE.split(text[willing.end() :].lower()) if each.strip()), "")
    stems = stems_of(marked_phrases(first))
    return _TALK.match(first) is None and not any(
        word in NEGATORS or word == DENIED or is_adverse(word) for word in stems
    )


def outright(folded: str, asked: Asked) -> bool | None:
    """Return the explicit yes or no; if several differ, the last one nearest to the words of the question."""
    found: list[tuple[int, bool]] = []
    question = ""
    for sentence in SENTENCE.split(folded):
        if sentence.rstrip().endswith("?"):
            question = sentence
            continue
        pieces = _split_answers(sentence)
        for piece in pieces:
            answer = _read_answer(piece, asked)
            if answer is not None:
                stems = stems_of(piece) + stems_of(question) * 2
                shared = sum(word in asked.content for word in stems) * len(pieces)
                found.append((shared, answer))
        question = ""
    if not found:
        return None
    if len({answer for _, answer in found}) == 1:
        return found[0][1]
    most = max(shared for shared, _ in found)
    return [answer for shared, answer in found if shared == most or most < 2][-1]


def _split_answers(sentence: str) -> list[str]:
    """Split a sentence with two answers: `Yes for Monday, no for Tuesday`."""
    return _PARTS.split(sentence) if len(sentence) <= _LONGEST and _BOTH.search(sentence) else [sentence]


_PARTS = lazy(r",\s(?!yes\b|no\b(?!\s\w))|\sand\s|\sbut\s")
_LONGEST = 300
"""Maximum length in characters of a sentence that is split."""
_BOTH = lazy(
    r"\byes\b.{4,}(?:,|\sand\s|\sbut\s).*\bno\b(?: for\b|\W*$)|\bno\b.{4,}(?:,|\sand\s|\sbut\s).*\byes\b(?: for\b"
    r"|\W*$)"
)


def _read_answer(sentence: str, asked: Asked) -> bool | None:
    lie = _LIE.search(sentence)
    if lie is not None:
        return lie["yes"] is None
    if _REPORTED.search(sentence) is not None:
        return None
    if _SO.match(sentence):
        return True
    sentence = _GLAD.sub("", sentence, count=1)
    if _THERE_IS.match(sentence) and _HAS.match(asked.folded):
        return True
    if _HAS_BEEN.match(sentence) and asked.folded.startswith(("is", "are", "has", "have")):
        return True
    if (all_of := _QUANTIFIED.fullmatch(sentence)) is not None:
        return all_of["no"] is None
    answer = _opening(sentence, asked)
    closing = _closing(sentence)
    if closing is not None:
        answer = closing
    return _elliptic(sentence, asked) if answer is None else answer


def _opening(sentence: str, asked: Asked) -> bool | None:
    if _NOT_THERE.match(sentence) and not _SET_AGAINST.search(sentence):
        return False
    match = _OPENING.match(sentence)
    if match is None:
        return None
    alone = not match["next"] or any(sign in match["after"] for sign in ",.;:!-\n)")
    if match["never"]:
        return False if _NOBODY.fullmatch(match["never"]) and _ANYBODY.search(asked.folded) else _never(match, alone)
    permitted = _permits(sentence[match.start("next") :], asked)
    if permitted is not None and alone:
        return not permitted
    if match["no"]:
        return False if alone or match["next"] in _FOLLOWS_NO else None
    rest = _CONFIRMS.sub("", sentence[match.start("next") :], count=1)
    if match["yes"]:
        return _read_affirmation(rest, asked) if alone or match["next"] not in ("man", "vote") else None
    if not alone and match["sure"] not in ("absolutely", "definitely", "indeed", "of course"):
        return None
    return _DENIES.match(rest) is None


def _permits(rest: str, asked: Asked) -> bool | None:
    """Whether something is permitted, if the question asks whether it is forbidden: `No, you may not` forbids it."""
    match = _PERMITS.search(rest) if _FORBIDS.search(asked.folded) else None
    return None if match is None else match["not"] is None and match["no"] is None


def _read_affirmation(rest: str, asked: Asked) -> bool | None:
    """Return the meaning of a yes from what follows: None before small talk, False for `yes, it has not arrived`."""
    if _TALK.match(rest):
        return None
    denied = _DENIES.match(rest)
    return denied is None or not (not denied["then"].strip() or asked.content.intersection(stems_of(denied["then"])))


def _never(match: re.Match[str], alone: bool) -> bool | None:
    """Return False for `Never.` and `not at all`, None for `nothing was found` and `don't worry`."""
    phrase = match["never"]
    if phrase.startswith("not a") and len(match.string.split()) <= _FEW:
        return None if match["next"] in ("problem", "issue", "worry", "bother") else False
    is_complete = (" " in phrase and phrase != "no one") or ("'" in phrase and phrase != "don't")
    return False if alone or (is_complete and not phrase.startswith("not a")) else None


def _closing(sentence: str) -> bool | None:
    """Return the last yes or no at the end of a clause, unless it concedes a point (`…, yes, but …`)."""
    last = None
    for match in _CLOSING.finditer(sentence):
        if _CONTRAST.match(sentence, match.end()) is None and not _is_aside(sentence, match):
            last = match
    return None if last is None else last["yes"] is not None


def _is_aside(sentence: str, match: re.Match[str]) -> bool:
    """Whether a yes or no is an aside: `…, and yes, the tower is nearly done`."""
    return match[0].lstrip(" ,").startswith("and") and match.end() < len(sentence)


def _elliptic(sentence: str, asked: Asked) -> bool | None:
    """Read an elliptic answer: `It does.`, `There isn't, …`; a past form for a question about the present means no."""
    match = _ELLIPTIC.match(_COURTESY.sub("", sentence, count=1))
    if match is not None and _SOME.match(sentence) and _ALL.search(asked.folded):
        return False
    if match is None:
        return _read_doer(sentence, asked)
    if match["who"] is None and match["not"] is None and not _SOME.match(sentence):
        return None
    former = match["aux"] in _PAST.get(asked.folded.partition(" ")[0].removesuffix("n't"), ())
    denied = match["not"] is not None or match["who"] in ("nobody", "none", "no one")
    return not denied and not former


def _read_doer(sentence: str, asked: Asked) -> bool | None:
    """Return True if the reply names a doer, for a question whether anybody did it: `Amelia Earhart did in 1932`."""
    return True if _ANY.search(asked.folded) and _SOMEBODY.match(sentence) else None


_THERE_IS_A = lazy(
    r"\W*(?:there(?:'s| is| are)|we(?:'ve| have)(?: got)?|you(?:'ll| will) find) (?:an?|some|several|plenty of|two"
    r"|three|many) (?P<what>[\w-]{1,30}(?: [\w-]{1,30}){0,3})"
)
_ASKS_WHETHER_THERE = lazy(
    r"(?:is|are) there\b|(?:do|does) (?:you|they|we|it|the \w+) (?:have|offer)\b|.*\bavailable\b"
)
_RELATED = 0.5


def is_there(folded: str, asked: Asked) -> bool:
    """Whether something related exists by the reply: `There is a fitness room` for whether there is a gym."""
    match = _THERE_IS_A.match(folded)
    if match is None or not _ASKS_WHETHER_THERE.match(asked.folded):
        return False
    content_words = [word for word in stems_of(match["what"]) if word not in STOP]
    return any(nearness(word, other) >= _RELATED for word in content_words for other in asked.content)
