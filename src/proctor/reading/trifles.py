"""Which words of a question another wording may do without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.reading.inquiry import Inquiry, is_light
from proctor.reading.lexicon import concept
from proctor.reading.relations import meets
from proctor.reading.text.words import stem, stem_set


def _concepts(listed: str) -> frozenset[str]:
    stems = stem_set(listed)
    return stems | frozenset(map(concept, stems))


_BARE = _concepts(
    "guest customer client user traveller passenger shopper tourist going already ideally really actually "
    "currently presently typically simply just even possibly together directly personally side matter case spot way "
    "procedure process suppose gonna manner basis term ideal proper correct usual common average standard "
    "regular approximate rough certain particular specific given main general content soon another"
)
"""Words that say so little that either question may have some of them."""
_SORTS = _concepts(
    "product device item unit article company firm business organisation city town country man woman book "
    "novel film movie song animal river mount mountain lake team crew band group class course subject service option "
    "choice menu office department website site page app system programme machine model brand place food dish meal "
    "dough method policy rule number people life world"
)
"""Nouns that only say of what sort a thing is: one question may name it and the other not."""
_ABLE = _concepts(
    "allow available possible suitable open ok okay fine safe offer serve support accept able legal appropriate work "
    "exist sell stock provide"
)
"""That something may be done, in a question for yes or no."""
_USES = _concepts(
    "wear eat drink use take bring visit enter swim park ride watch read play stay pay order buy get attend carry hold "
    "put plug sit sleep dine stop open try see spend"
)
"""What is done with a thing as a matter of course: a helmet is worn, a soup eaten."""
_SET_FOR = _concepts("begin start depart leave happen run release hold schedule")
"""What a thing does at its time as a matter of course: when is the concert, when does it begin?"""
_HAVING = _concepts("contain include have comprise hold carry consist need require should best ideal look")
_PRICE, _INCLUDE = concept(stem("price")), concept(stem("include"))
_ABBREVIATION = concept(stem("abbreviation"))
_LARGE = _concepts("height high size big large much many quantity amount level number total count figure")
_COUNTED = _concepts(
    "price fee cost fare rent salary rate fine tax deposit population employee workforce temperature limit interest "
    "score income budget penalty bonus pension discount debt profit revenue turnover share percentage age chance number"
)
"""What has an amount by itself: how high is the fee?"""


def left_over(one: Inquiry, others: Sequence[str]) -> list[str]:
    """The telling stems of a question that no stem of another meets, and that say something."""
    return [
        word
        for word in one.telling
        if not (word in _BARE or is_light(word) or any(meets(word, other) for other in others))
    ]


def are_trifles(left: Iterable[str], one: Inquiry, other: Inquiry) -> bool:
    """Whether what one question says alone only tells a sort, or what is done as a matter of course."""
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


def is_done_as_a_matter_of_course(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one question asks whether it is open, and the other whether it can be used."""
    return (_ABLE.issuperset(mine) and _USES.issuperset(theirs)) or (
        _USES.issuperset(mine) and _ABLE.issuperset(theirs)
    )
