"""A yes or no that a reply says in so many words."""

from __future__ import annotations

import re

from proctor.reading.question import Asked
from proctor.reading.text.words import stems_of

_PRONOUN = r"(?:it|they|you|we|i|he|she|that|this|there|one|both|all|most|several|some|people|nobody|none|no one)"
_AUX = r"(?:is|are|am|was|were|do|does|did|can|could|has|have|had|will|would|should|shall|may|might|must|'s|'re|'m)"
_ELLIPTIC = re.compile(
    rf"^\W*(?:indeed,? |yes,? |sadly,? |actually,? |unfortunately,? |in fact,? |of course |and |(?:several |many "
    rf"|some |most )(?:people )?)?(?P<who>{_PRONOUN})?\s?(?P<aux>{_AUX})(?P<not>n't| not|not)?(?: indeed| too"
    rf"| still| actually)?\s*(?:[.,;:!?]|$|-|\bthough\b)"
)
_YES = r"yes|yeah|yep|yup|yea|aye|affirmative|ja|oui|s[ií]|sim|oui"
_NO = r"no|nope|nah|nay|negative|nein|non|nee|não|nao"
_SURE = (
    r"absolutely|definitely|certainly|indeed|of course|exactly|precisely|correct|right|true|quite so|quite right"
    r"|sure|surely|totally|for sure|agreed|always|"
    r"without (?:a )?doubt|undoubtedly|positive|granted|naturally|obviously|clearly|you bet|very much so|confirmed"
    r"|supported|that's (?:right|true|correct|a fact|so)|"
    r"(?:i'd |i |i would )agree|you(?:'re| are) right|included|allowed|permitted"
)
_NEVER = (
    r"absolutely not|definitely not|certainly not|of course not|not (?:at all|really|quite|yet|exactly|true|so"
    r"|correct|likely|any ?more|necessarily|anymore|that|a)|never|hardly(?: ever)?|no way|not|wrong|false"
    r"|incorrect|untrue|"
    r"i'm afraid not|afraid not|far from it|on the contrary|quite the (?:opposite|reverse|contrary)"
    r"|the (?:opposite|reverse)|by no means|not in the least|(?:that's |it's |this is )?a (?:common |popular "
    r"|widespread |persistent )?(?:myth|misconception|legend|rumou?r|fallacy)|"
    r"(?:i'd |i |i would )disagree|you(?:'re| are) (?:mistaken|wrong)|don't|unsupported|none|nobody|no one|nothing"
    r"|neither|nowhere|rarely|seldom|denied|forbidden|prohibited|under no circumstances"
)
_OPENING = re.compile(
    rf"^\W*(?:well,? |oh,? |hmm+,? |so,? |and |but |then |actually,? |in (?:short|fact),? |the answer is:? "
    rf"|answer:? |i'd say |i would say |it's a |that's a |a clear |a firm |simply |short answer:? |botanically\? )*"
    rf"(?:(?P<never>{_NEVER})|(?P<no>{_NO})|(?P<yes>{_YES})|(?P<sure>{_SURE}))\b(?P<after>\W*)(?P<next>\w*)"
)
_CLOSING = re.compile(
    rf"(?:(?<=[,:?])|\b)(?:so|hence|thus|therefore|then|answer is|answer:|i'd say|and|though|overall|but"
    rf"|again)?[\s,:?-]+(?:(?P<no>{_NO})|(?P<yes>{_YES}))\s*(?:[.,;:!]|$)"
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|;\s|…\s?|\.\.\.\s?")
"""What parts sentences, for this."""


def outright(folded: str, asked: Asked) -> bool | None:
    """The last yes or no that is said outright, or the one beside most of the question's words where they differ."""
    found: list[tuple[int, bool]] = []
    for sentence in SENTENCE.split(folded):
        said = _opening(sentence)
        closing = _last(_CLOSING, sentence)
        if closing is not None:
            said = closing
        if said is None:
            said = _elliptic(sentence)
        if said is not None:
            found.append((len(asked.content.intersection(stems_of(sentence))), said))
    if not found:
        return None
    if len({said for _, said in found}) == 1:
        return found[0][1]
    most = max(shared for shared, _ in found)
    return [said for shared, said in found if shared == most or most < 2][-1]


def _opening(sentence: str) -> bool | None:
    match = _OPENING.match(sentence)
    if match is None:
        return None
    alone = not match["next"] or any(sign in match["after"] for sign in ",.;:!-\n)")
    if match["never"]:
        return _never(match, alone)
    if match["no"]:
        return (
            False
            if alone or match["next"] in ("it", "you", "they", "he", "she", "there", "i", "we", "the", "that", "this")
            else None
        )
    if match["yes"]:
        return True if alone or match["next"] not in ("man", "vote") else None
    return True if alone or match["sure"] in ("absolutely", "definitely", "indeed", "of course") else None


def _never(match: re.Match[str], alone: bool) -> bool | None:
    """`Never.` and `not at all` are a no; `nothing was found` and `don't worry` are sentences like others."""
    said = match["never"]
    whole = " " in said or ("'" in said and said != "don't")
    return False if alone or (whole and not said.startswith("not a")) else None


def _last(pattern: re.Pattern[str], sentence: str) -> bool | None:
    last = None
    for match in pattern.finditer(sentence):
        last = match
    return None if last is None else last["yes"] is not None


def _elliptic(sentence: str) -> bool | None:
    """`It does.`, `There isn't, …`, `He did, gradually`."""
    match = _ELLIPTIC.match(sentence)
    if match is None or (match["who"] is None and match["not"] is None):
        return None
    denied = match["not"] is not None or match["who"] in ("nobody", "none", "no one")
    return not denied
