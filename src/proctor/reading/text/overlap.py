"""Weighted overlap of words: content words weigh more than generic ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from proctor.reading.text.words import stem, words

_STOP = """
a an the and or but if then than that this these those of in on at by for from to into onto with within without as is
are was were be been being am do does did done doing has have had having will would shall should can could may might
must it its he she they them his her hers their theirs we our you your i me my mine who whom whose which what when
where why how there here not no so too very also just only about up down out off over under again all any both each
few more most other some such own same s t m d ll re ve mr mrs ms via per upon among amongst between through during
before after above below whether either neither nor while because since until although though however therefore thus
hence let lets yes ago approximately around roughly nearly almost circa every
"""
# Words that name a category rather than a specific thing: sharing one is weak evidence.
_GENERIC = """
number name thing kind type part place time year day month date age century season series episode film movie show song
album book novel game team club player actor actress singer artist writer author band group member person man woman
character role king queen president minister leader governor general captain sir lord lady doctor professor saint
state country city town village county province region area district island river lake mountain sea street road park
building house school university college company corporation incorporated limited organization government department
office act law bill court case battle war army party system world national international american british english last
next previous following current new old great big small large many much north south east west northern southern
eastern western central called known named located based various typically usually generally answer correct question
according million billion thousand percent pinch dash handful splash slice
"""
STOP: frozenset[str] = frozenset(map(stem, _STOP.split()))
"""Stems of stop words."""
GENERIC: frozenset[str] = frozenset(map(stem, _GENERIC.split())) - STOP
"""Stems that name a category rather than a specific thing."""
_WEIGHTS: dict[str, float] = {**dict.fromkeys(GENERIC, 0.4), **dict.fromkeys(STOP, 0.0)}


def weight(word: str) -> float:
    """Return the weight of a stem: 0 for a stop word, 0.4 for a generic word, else 1."""
    return _WEIGHTS.get(word, 1.0)


def content(folded: str) -> dict[str, float]:
    """Return the content words of a normalised text with their weights, in order."""
    return {word: weight(word) for word in words(folded) if word not in STOP}


def coverage(expected: Mapping[str, float], found: Set[str]) -> float:
    """Weighted share of the expected words that are found; 1 if nothing is expected."""
    total = sum(expected.values())
    if not total:
        return 1.0
    return min(1.0, sum(value for word, value in expected.items() if word in found) / total)


def f1(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the weighted F1 score of two sets of stems."""
    first, second = set(one), set(other)
    total = sum(map(weight, first)) + sum(map(weight, second))
    return min(1.0, 2 * sum(map(weight, first & second)) / total) if total else 1.0
