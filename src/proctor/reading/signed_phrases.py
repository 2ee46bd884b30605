"""Phrases that count as one word, with a sign of its own or in the place of another word."""

from __future__ import annotations

import re

_AFFIRMING = (
    r"not (?:only|just|merely|simply)|no (?:doubt|problem|worries|question|wonder|matter|trouble|exception"
    r"|exceptions|sooner)|nothing but|can't wait|why not|"
    r"without (?:a )?(?:doubt|fail|question|any problem|issue|exception|problem)s?|next to nothing|not to mention"
    r"|if not|whether or not|or not|more often than not|"
    r"nothing (?:speaks|to stop|wrong|prevents|stops|against)|no (?:objection|harm|obstacle|restriction|ban|rule"
    r"|limit|barrier|law)s?(?: \w+)? (?:against|to|on)|no need to (?:wait|worry|ask|change)|"
    r"go (?:for it|ahead)|feel free|by all means|in luck|you bet|wave[ds]? (?:it )?through|carr(?:y|ies|ied) on"
    r"|as usual|(?:be|is|are|was|'s|'re|perfectly|totally|absolutely|just) fine(?! of)|beyond doubt|not a problem"
    r"|no reason not to|"
    r"can't (?:go wrong|complain|fault)|no longer than|at no (?:extra )?(?:cost|charge)|last but not least"
    r"|none other than|no less than|no fewer than|not until"
)
_DENYING = (
    r"far from|anything but|no longer|(?:turn|turned|turns|turning) (?:it |them |this |that )?(?:down|away)"
    r"|(?:free|devoid|void) (?:of|from)(?! charge)|out of (?:order|stock|service|bounds|date|print|reach"
    r"|the question)|"
    r"sold out|off[ -]limits|rul(?:e|es|ed) (?:it )?out|(?:stay|stays|stayed|keep|keeps|kept|opt|opted|leave|left"
    r"|miss) (?:\w+ )?out|(?:switch|switched|turn|turned|call|called) (?:it |them )?off|"
    r"too (?:far|narrow|small|big|large|late|early|little|few|weak|old|young|short|long|expensive|dangerous|cold"
    r"|hot|slow|heavy|faint|dim|low|high|wide|soft|hard)|"
    r"(?:advise|advised|advice|warn|warned|recommend|speak|speaks|rule|rules|ruled|decide|decided|vote|voted|law"
    r"|policy)(?: \w+)? against|better not|rather not|wouldn't (?:recommend|advise)|"
    r"at no (?:time|point)|under no circumstances|in no way|by no means|on no account|few (?:if any|people)"
    r"|very (?:few|little)|does little|wait until|instead of|rather than|"
    r"give[ns]? up|gave up|fall(?:s|en)? through|fell through|do(?:es)? without|any ?more|short of|ran? out"
    r"|run out|dwarf|so-called|contrary to|pull(?:ed)? out|back(?:ed)? out|wrong way round"
)
_PHRASE = re.compile(rf"\b(?:(?P<yes>{_AFFIRMING})|(?P<no>{_DENYING}))\b")
_SAME_WORD = (
    (re.compile(r"\b(?:have|has|had|need|needs|got|obliged|required) to\b"), " must "),
    (
        re.compile(
            r"\bfree of (?:charge|cost)\b|\bno (?:charge|fee|cost)\b|\bnothing to pay\b|\b(?:costs?|pays?) nothing\b"
            r"|\bwithout (?:charge|paying)\b"
        ),
        " free ",
    ),
    (
        re.compile(
            r"\bmore than (?:once|one)\b|\b(?:multiple|several|many|unlimited) (?:times|uses?)\b|\breusable\b"
            r"|\brepeatedly\b"
        ),
        " multipleuse ",
    ),
    (
        re.compile(
            r"\bsingle[- ]use\b|\bone (?:use|time only)\b|\b(?:only|just) (?:once|one)\b|\bone-time\b|\bdisposable\b"
            r"|\bonce only\b"
        ),
        " singleuse ",
    ),
    (
        re.compile(
            r"\b(\w+)-free\b|\b(sugar|dairy|gluten|lactose|milk|meat|nut|fat|alcohol|caffeine|smoke|lead|plastic|cruelty"
            r"|carbon|pain|error|bug|risk|duty|tax|toll|rent|interest|ad|advert) free\b(?! to\b| of\b)"
        ),
        lambda match: f" noword {match[1] or match[2]} ",
    ),
    (re.compile(r"\bjust as \w+|\bequally\b|\bas \w+ as\b"), " same "),
    (re.compile(r"\bswitch(?:ed|es)? (?:it |them )?off\b|\bturn(?:ed|s)? (?:it |them )?off\b"), " stop "),
    (re.compile(r"\bhalf (?:full|empty)\b"), " partly "),
)
AFFIRMED, DENIED = "yesword", "noword"
"""What stands for a phrase that affirms, and for one that denies."""


def marked_phrases(folded: str) -> str:
    """Phrases with a sign of their own, each made one word."""
    for pattern, word in _SAME_WORD:
        folded = pattern.sub(word, folded)
    return _PHRASE.sub(lambda match: AFFIRMED if match["yes"] else DENIED, folded)
