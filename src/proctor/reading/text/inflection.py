"""Regular inflections of English words: plural and possessive, and the -s, -ed and -ing forms of verbs.

Works by spelling rules, without a dictionary: a form counts if the rules derive it from a base, which has a vowel and
at least three letters. Words that only look like a form of another word (news, evening, rugged) are listed. Irregular
forms (ran, mice), comparatives and other derived words (newer, user, quickly) are separate words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from proctor.reading.text.lazy import lazy

_SHORTEST = 3
_VOWEL = lazy(r"[aeiouáàâäãéèêëíîïóòôöõúùûü]|(?<!^)y")
_VOWELS = lazy(rf"(?:{_VOWEL.pattern})+")
_LETTERS = lazy(r"[^\W\d_]+")
_POSSESSIVE = lazy(r"([^\W\d_]{3,})(?:'s|')")
_SINGULAR_IN_S = lazy(r"(?:s|[ui]|[^e]a|^len)s$")
_DOUBLED_ALL_THE_SAME = frozenset(("bus", "gas", "gel", "plus", "quiz", "whiz"))
"""Monosyllables in s or z that double their last letter, unlike others in l, s, f or z (quizzes, but passed)."""

_FORMLESS = """
the this that these those and but nor yet for not off out over under with within without into onto upon from
than then when where while who whom whose which what why how all any some each every both either neither few more
most much many such other another same her his hers him she they them their theirs our ours your yours its
you one two three four five six seven eight nine ten eleven twelve can may might must shall will would could should
have has had having does did doing done been being was were are isn per via about above after again against ago
along also although always among around because before behind below beneath beside besides between beyond during
even ever except here hence just later less never nothing now often once only past perhaps quite rather
since so soon still there therefore thus too toward towards until unless very well whether
"""
_APART = """
news goods odds pants shorts tights sometimes besides mars canvas https ftps imaps ldaps smtps
acoustics aerobics aerodynamics aesthetics analytics athletics avionics ballistics biometrics bionics civics
dynamics econometrics economics electronics ergonomics ethics eugenics forensics genetics gymnastics hydraulics
informatics kinetics linguistics logistics macroeconomics mathematics mechanics microeconomics numerics obstetrics
optics orthodontics paediatrics pediatrics phonetics physics politics pragmatics robotics semantics
thermodynamics
abrams adams andrews daniels davids edwards evans jacobs johns michaels matthews owens peters phillips richards
roberts rogers samuels simons stevens williams
according anything awning bedding ceiling cunning darling dumpling everything evening farthing fleeting herring
morning outing pudding shilling sibling something sterling stocking underling viking wedding
crooked dogged hundred jagged moped naked ragged rugged sacred wicked wretched
"""
_WITHOUT_FORMS = frozenset(_FORMLESS.split())
"""Words without regular inflections, or with such of another meaning."""
_WORDS_OF_THEIR_OWN = frozenset(_APART.split())
"""Words that only look like a form of a shorter one."""
_FORMS_OF = {
    "breathed": "breathe", "breathing": "breathe", "clothed": "clothe", "clothing": "clothe", "enveloped": "envelop",
    "enveloping": "envelop", "secreted": "secrete", "secreting": "secrete", "severed": "sever", "severing": "sever",
    "suited": "suit", "suiting": "suit", "united": "unite", "uniting": "unite",
}  # fmt: skip
"""Form -> base, where spelling also allows another word: unit, severe, suite."""


def phrase_pattern(phrase: str) -> re.Pattern[str] | None:
    """Return a pattern for a normalised phrase in any regular inflection, or None if it has no other form.

    The last word may have any form, and so may a verb before a particle (log in, logged in); the words before may only
    change their number.
    """
    return _pattern(tuple(phrase.split()))


@lru_cache(maxsize=4096)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    last = len(words) - (2 if len(words) > 1 and words[-1] in _PARTICLES else 1)
    found = [_numbers(word) if place < last else forms(word) for place, word in enumerate(words)]
    if all(len(each) == 1 for each in found):
        return None
    return re.compile(r"\s+".join(map(_either, found)))


_PARTICLES = frozenset(("in", "out", "up", "down", "off", "on", "over", "away", "back"))


def _either(words: tuple[str, ...]) -> str:
    """Return a pattern for any of the words, with the common prefix first, which speeds up the search."""
    shortest = min(words, key=len)
    common = next(
        (end for end in range(len(shortest), 0, -1) if all(word[:end] == shortest[:end] for word in words)), 0
    )
    begin = shortest[:common]
    ends = sorted((word[len(begin) :] for word in words), key=len, reverse=True)
    return re.escape(begin) + (f"(?:{'|'.join(map(re.escape, ends))})" if len(ends) > 1 else "")


@lru_cache(maxsize=4096)
def forms(word: str) -> tuple[str, ...]:
    """Return a normalised word and its regular inflections; for an inflected form also its base and the others."""
    if owner := _POSSESSIVE.fullmatch(word):
        return (word, *forms(owner[1]))
    if not _LETTERS.fullmatch(word):
        return (word,)
    bases = _bases(word)
    likely = {*bases, *(form for base in bases for form in _inflect(base))} - {word}
    return (word, *sorted(form for form in likely if not bases.isdisjoint(_bases(form))))


def _numbers(word: str) -> tuple[str, ...]:
    """Return a word with its plural and its possible singulars."""
    plurals = set(_plurals(word)) if _has_forms(word) else set()
    return tuple(form for form in forms(word) if form == word or form in plurals or word in set(_plurals(form)))


@lru_cache(maxsize=16384)
def _bases(word: str) -> frozenset[str]:
    """Return the possible bases of a word, including itself."""
    if word in _WITHOUT_FORMS or word in _WORDS_OF_THEIR_OWN:
        return frozenset((word,))
    if word in _FORMS_OF:
        return frozenset((word, _FORMS_OF[word]))
    return frozenset((word, *(base for base in _candidates(word) if word in _inflect(base))))


def _candidates(word: str) -> Iterator[str]:
    """Yield the word without an ending, with spelling changes reverted."""
    for ending, changes in _CHANGES.items():
        if word.endswith(ending):
            stem = word[: -len(ending)]
            yield from (stem + change for change in changes)
            if ending in ("es", "ed", "ing") and stem[-2:-1] == stem[-1:]:
                yield stem[:-1]


_CHANGES = {
    "s": ("",), "es": ("",), "ies": ("y",), "d": ("",), "ed": ("",), "ied": ("y",), "cked": ("c",),
    "ing": ("", "e"), "ying": ("ie",), "cking": ("c",),
}  # fmt: skip
"""Ending -> possible endings of the base in its place."""


@lru_cache(maxsize=16384)
def _inflect(base: str) -> frozenset[str]:
    """Return all regular forms of a base except itself."""
    if not _has_forms(base):
        return frozenset()
    verbs = (*_pasts(base), *_goings(base)) if _VOWEL.search(base) else ()
    return frozenset((*_plurals(base), *verbs))


def _has_forms(base: str) -> bool:
    """Whether a base can be inflected: not too short, not listed as invariable, no plural itself."""
    if len(base) < _SHORTEST or base in _WITHOUT_FORMS:
        return False
    return not base.endswith("s") or _SINGULAR_IN_S.search(base) is not None


def _plurals(base: str) -> Iterator[str]:
    """Yield the plurals of a noun, which equal the -s forms of a verb."""
    if _ends_in_consonant_and(base, "y"):
        yield f"{base[:-1]}ies"
    elif base.endswith(("s", "x", "z", "sh")):
        yield f"{base}es"
        if base in _DOUBLED_ALL_THE_SAME:
            yield f"{base}{base[-1]}es"
    else:
        yield f"{base}s"
        if base.endswith("ch") or _ends_in_consonant_and(base, "o"):
            yield f"{base}es"


def _pasts(base: str) -> Iterator[str]:
    if base.endswith("e"):
        if not base.endswith("ee") or _syllables(base) > 1 or base == "free":  # feed is no past of fee
            yield f"{base}d"
    elif _ends_in_consonant_and(base, "y"):
        yield f"{base[:-1]}ied"
    else:
        yield from (f"{stem}ed" for stem in _stems(base))


def _goings(base: str) -> Iterator[str]:
    if base.endswith("ie"):
        yield f"{base[:-2]}ying"
    elif base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        if _VOWEL.search(base[:-1]):
            yield f"{base[:-1]}ing"
        if base.endswith(("ge", "ue")):
            yield f"{base}ing"
    else:
        yield from (f"{stem}ing" for stem in _stems(base))


def _stems(base: str) -> Iterator[str]:
    """Yield the stems for -ed and -ing: plan doubles its last letter, visit does not, cancel may."""
    if base.endswith("c") and _VOWEL.search(base[-2]) and _syllables(base) > 1:
        yield f"{base}k"  # panicked, trafficking
        return
    doubles = _ends_in_single_vowel_and_consonant(base)
    if doubles and _syllables(base) == 1 and base[-1] in "lsfz":
        doubles = base in _DOUBLED_ALL_THE_SAME
    if doubles:
        yield base + base[-1]
    if not doubles or _syllables(base) > 1 or base in _DOUBLED_ALL_THE_SAME:
        yield base


def _ends_in_consonant_and(base: str, last: str) -> bool:
    return base.endswith(last) and base[-2] not in "aeiou"


def _ends_in_single_vowel_and_consonant(base: str) -> bool:
    spoken = base.replace("qu", "kw")
    first, middle, last = spoken[-3], spoken[-2], spoken[-1]
    return last not in "aeiouywx" and middle in "aeiouy" and first not in "aeiou"


def _syllables(base: str) -> int:
    return len(_VOWELS.findall(base.replace("qu", "kw")))
