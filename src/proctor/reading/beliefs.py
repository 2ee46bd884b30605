"""Patterns for beliefs, expectations and former states that a reply reports, as opposed to what it states itself."""

from __future__ import annotations

from proctor.reading.text.lazy import lazy

_VAGUE = (
    r"(?:(?:many|most|some|few)(?: \w+)?|people|others|everyone|everybody|critics|sceptics|skeptics|fans|locals"
    r"|historians|experts"
    r"|you(?:'d|'ll| would| might| may)|one (?:would|might|could)|i(?:'d| would) have|i had|(?:my|your|his|her|a)"
    r" \w+)"
)
_OFTEN = r"(?: (?:people|of us|folk|often|still|also|might|may|would|will|used to|could|always|\w+ly))*"
_THINK = (
    r"(?:think|believe|assume|guess|expect|claim|argue|reckon|insist|suppose|hope|fear|suspect|imagine|swear|doubt)"
    r"(?:s|es|ed|d)?|thought"
)
_SAY = r"says?|said|tells?|told|hear|heard|calls?|called"
BELIEVED = lazy(
    rf"\b{_VAGUE}{_OFTEN} (?:{_THINK}|{_SAY})\b|\b(?:the|that) \w+ (?:argued|claimed|thought|believed|hoped|feared"
    rf"|assumed|expected)\b"
    r"|\b(?:is|are|was|were) (?:often|widely|commonly|sometimes|popularly) (?:said|thought|believed|called|assumed)\b"
    r"|\b(?:was|were|had been) (?:meant|supposed|expected|due|planned|announced) to\b|\b(?:had|has) announced\b"
    r"|\bused to\b|\bin the past\b|\bformerly\b|\bin former times\b|\bback then\b|\buntil recently\b"
    r"|\bit (?:looks|looked|seems|seemed|sounds|sounded) (?:like|as)\b|\b(?:rumou?r|legend) has it\b"
)
"""Match a reported belief, an expectation or a former state."""
CORRECTS = lazy(
    r"^\W*(?:in (?:fact|reality|truth)|actually|really|nowadays|today|now|these days|the truth is|but|however"
    r"|instead)\b"
    r"|\b(?:mistaken|wrong|disagreed|not so|no such|in fact|for a long time)\b|\bnot the case\b|\bfalse\b"
    r"|\bignore (?:them|him|her|that|it)\b|\bdon't (?:believe|trust|rely on|listen to) (?:them|him|her|that|it)\b"
)
"""Match words that correct such a belief."""
ANAPHOR = lazy(r"\b(?:so|that way|as much|like (?:it|one|that))\b|\bused to(?: be| do)?\W*$|\b(?:yes|no)\W*$")
"""Match words that refer back to the question without repeating it."""
RESTATES = lazy(
    r"\bis the question\b|\b(?:the user|you)(?:'re| are)? (?:wants?|asks?|asked|asking|wondered|wondering|would"
    r" like)\b"
    r"(?! (?:a|an|the|for)\b)|\b(?:the|your) question (?:is|was|about|whether|if)\b"
)
"""Match words that only restate the question."""
