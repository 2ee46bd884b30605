"""Check the parts of a short expected answer that must match exactly: signs, single letters, order, day of the week."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from proctor.reading.days import days_named
from proctor.reading.text.choices import alternatives
from proctor.reading.text.clocks import clocks
from proctor.reading.text.dates import dates
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, stem_set

_SHORT, _READ = 8, 4_000
"""Maximum number of words of an expected answer, and of characters of a reply, that are checked."""


class Departure(NamedTuple):
    """A deviation of a reply from what must match exactly."""

    told: str
    """Description of the deviation; empty if there is none."""
    sure: bool = True
    """Whether the deviation makes the reply wrong; otherwise it only omits something."""


NONE = Departure("")
_Way = Callable[[str, str, str], Departure]
"""A check of expected answer, reply and normalised question."""


def departure(references: tuple[str, ...], reply: str, question: str) -> Departure:
    """Return how a reply deviates from all expected answers; `question` must be normalised."""
    found = NONE
    for text in _fixed(references):
        here = next(filter(None, (_depart(how, text, reply[:_READ], question) for how in _WAYS)), NONE)
        if not here.told:
            return NONE
        found = here if not found.told or not here.sure else found
    return found


@lru_cache(maxsize=1024)
def _fixed(references: tuple[str, ...]) -> tuple[str, ...]:
    """Return the spellings of the expected answers if all are short and contain something that must match exactly."""
    texts = [
        text
        for reference in references
        for text in ((reference,) if _LABEL.search(reference) else alternatives(reference))
    ]
    fixed = all(len(text.split()) <= _SHORT and _fixes(text) for text in texts)
    return tuple(texts) if fixed else ()


def _fixes(text: str) -> bool:
    patterns = (_SIGNED, _LABEL, _LETTERED, _PAIR, _WAY_TO, _CODED)
    bare_text = text.strip(" .")
    return bool(
        any(pattern.search(text) for pattern in patterns)
        or any(pattern.fullmatch(bare_text) for pattern in (_BARE, _LETTERS, _DID_TO))
        or _days(text)
    )


def _depart(how: _Way, text: str, reply: str, question: str) -> Departure | None:
    found = how(text, reply, question)
    return found if found.told else None


def _mismatch(wanted: str, found: str) -> Departure:
    return Departure(f"expected {wanted!r}, found {found!r}")


# Signs: C#, A+, O negative

_SIGNED = lazy(
    r"(?<![\w+#/-])(?P<base>[A-Z]{1,3}|[a-z](?=[+#]))(?:(?P<sign>\+\+|[+#♯♭]|[-−–](?![\w−–-]))"
    r"|[ -](?i:(?P<word>plus plus|plus|minus|sharp|flat|positive|negative))\b)(?![\w+#])"
)
_SIGN_WORDS = {
    "plus": "+", "positive": "+", "minus": "-", "negative": "-", "sharp": "#", "plus plus": "++", "flat": "♭",
}  # fmt: skip
_SIGN_FORMS = str.maketrans("−–♯", "--#")
_BARE = lazy(r"(?<![\w'’+#/.-])[A-Z]{1,3}(?![\w'’+#/♯♭-]|\.\w)")


def _with_sign(text: str) -> list[tuple[str, str, str]]:
    """Return (letters, sign, both as written) for each signed code."""
    return [(*_read_sign(match), match[0]) for match in _SIGNED.finditer(text)]


def _read_sign(match: re.Match[str]) -> tuple[str, str]:
    word = (match["word"] or "").lower()
    return match["base"].upper(), _SIGN_WORDS[word] if word else match["sign"].translate(_SIGN_FORMS)


def _other_sign(text: str, reply: str, question: str) -> Departure:
    wanted, found = _with_sign(text), _with_sign(reply)
    if not wanted:
        return _sign_added(text, reply, found)
    for base, sign, written in wanted:
        reply_signs = [(other, shown) for letters, other, shown in found if letters == base]
        if any(other == sign for other, _ in reply_signs):
            continue
        bare = next((each for each in _bare(reply) if each == base), "")
        if reply_signs or bare:
            return _mismatch(written, reply_signs[0][1] if reply_signs else bare)
    return NONE


def _sign_added(text: str, reply: str, found: list[tuple[str, str, str]]) -> Departure:
    """Find a sign that was added: C++ where C is expected."""
    wanted = text.strip(" .")
    if not _BARE.fullmatch(wanted) or wanted in _bare(reply):
        return NONE
    return next((_mismatch(wanted, shown) for base, _, shown in found if base == wanted), NONE)


def _bare(text: str) -> list[str]:
    """Return capital letters that stand alone, except articles such as the A of `A man`."""
    return [match[0] for match in _BARE.finditer(text) if not _ARTICLE.match(text, match.start())]


_ARTICLE = lazy(r"A (?!(?:and|or|is|was|won|has)\b)[a-z]|I(?: [a-z]|'|’)")


# Single letters: Team A, (a) and (c)

_LABEL = lazy(r"(?<!\w)\(([a-z])\)", re.IGNORECASE)
_LABEL_HERE = lazy(r"(?<!\w)\(?([a-z])\)", re.IGNORECASE)
_LETTERED = lazy(r"\b(?P<noun>[A-Za-z]{3,}) (?P<letter>[A-Z])(?![\w'’+#♯♭-]|\. ?[A-Z]|\.\w)")
_LETTERS = lazy(r"[A-Z](?:(?:,| and|, and| &) [A-Z])+")
_DENIES = lazy(r"\b(?:not|never|no|neither|nor|except|without|wrong|false|incorrect|rather|instead)\b|n't\b|n’t\b")


def _other_letter(text: str, reply: str, question: str) -> Departure:
    labels = {letter.lower() for letter in _LABEL.findall(text)}
    if _LETTERS.fullmatch(text.strip(" .")):
        labels = {letter.lower() for letter in re.findall(r"\b[A-Z]\b", text)}
    if labels:
        return _other_labels(text, labels, reply)
    for match in _LETTERED.finditer(text):
        noun, letter = match["noun"], match["letter"]
        if noun.lower() in STOP:
            continue
        reply_letters = re.findall(rf"\b{noun}s? \(?([A-Za-z])(?![\w'’])", reply, re.IGNORECASE)
        reply_letters = [other for other in reply_letters if other.isupper() or other != "a"]
        alone = [other for other in _bare(reply) if len(other) == 1 and other != "I"]
        if letter in (other.upper() for other in reply_letters) or letter in alone:
            continue
        if letter.lower() in {each.lower() for each in _LABEL_HERE.findall(reply)}:
            continue
        if reply_letters or alone:
            return _mismatch(match[0], f"{noun} {reply_letters[0]}" if reply_letters else alone[0])
        if noun.lower() in reply.lower():
            return Departure(f"expected {match[0]!r}, missing {letter}", sure=False)
    return NONE


def _other_labels(text: str, labels: set[str], reply: str) -> Departure:
    found = [letter.lower() for letter in _LABEL_HERE.findall(reply)] or [
        letter.lower() for letter in _bare(reply) if len(letter) == 1 and letter != "I"
    ]
    if not found:
        return NONE
    extra = set(found) - labels
    if not labels <= set(found) or (extra and not _DENIES.search(reply)):
        return _mismatch(text, ", ".join(f"({letter})" for letter in dict.fromkeys(found)))
    return NONE


# Order: 3-1, from Paris to London, Spain beat Italy

_PAIR = lazy(r"(?<![\w.,:/-])(\d{1,4}(?:\.\d{1,3})?)\s?(?:[:\-–]|to|vs\.?)\s?(\d{1,4}(?:\.\d{1,3})?)(?![\w:/-]|[.,]\d)")
_WAY_TO = lazy(r"\s(?:to|→|->|into)\s", re.IGNORECASE)
_NAME = lazy(r"[A-Z][\w'’.-]*(?: (?:(?:of|de|the) )?[A-Z][\w'’.-]*){0,2}")
_BREAK = lazy(r"[.,;:!?()\n]")
_DID_TO = lazy(
    r"(?:[Tt]he )?(?P<one>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?) (?P<verb>[a-z]{3,20})(?P<way> to| against| over| than)?"
    r" (?:the )?(?P<other>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)\.?"
)
_SAME_BOTH_WAYS = stem_set("and or married met borders equals joins with versus near marries meets resembles is was")
_BEATS = stem_set("beat beats beaten defeat defeats defeated thrashed overcame outplayed")


def _other_order(text: str, reply: str, question: str) -> Departure:
    return _pair_turned(text, reply) or _way_turned(text, reply) or _deed_turned(text, reply) or NONE


def _pair_turned(text: str, reply: str) -> Departure | None:
    """Find a reversed pair of numbers: 3:1 for 1:3."""
    wanted = [match.groups() for match in _PAIR.finditer(text)]
    if len(wanted) != 1 or wanted[0][0] == wanted[0][1]:
        return None
    found = {match.groups(): match[0] for match in _PAIR.finditer(reply)}
    turned = found.get(wanted[0][::-1])
    return _mismatch(text, turned) if turned and wanted[0] not in found else None


def _way_turned(text: str, reply: str) -> Departure | None:
    """Find a reversed route: from London to Paris for from Paris to London."""
    wanted = list(_ways(text))
    if len(wanted) != 1:
        return None
    start, end = wanted[0]
    found = list(_ways(reply))
    if any(start & one and end & other for one, other in found):
        return None
    turned = any(end & one - start and start & other - end for one, other in found)
    return Departure(f"expected {text!r}, but the reply says it the other way round") if turned else None


def _ways(text: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the words of the names before and after each `to`."""
    for match in _WAY_TO.finditer(text):
        names = _NAME.findall(_BREAK.split(text[max(0, match.start() - 40) : match.start()])[-1])
        after = _NAME.match(text, match.end())
        if names and after:
            yield _words(names[-1]), _words(after[0])


def _words(name: str) -> frozenset[str]:
    return frozenset(stem(word) for word in fold(name, accents=False).split()) - {"from", "the"}


def _deed_turned(text: str, reply: str) -> Departure | None:
    """Find swapped roles: Italy beat Spain for Spain beat Italy."""
    match = _DID_TO.fullmatch(text.strip())
    if match is None or stem(match["verb"]) in _SAME_BOTH_WAYS:
        return None
    one, verb, other = _words(match["one"]), stem(match["verb"]), _words(match["other"])
    verbs = _BEATS if verb in _BEATS else frozenset((verb,))
    for clause in _BREAK.split(reply):
        stems = [stem(word) for word in fold(clause, accents=False).split()]
        place = next((at for at, word in enumerate(stems) if word in verbs), -1)
        if place < 0:
            continue
        before, after = frozenset(stems[:place]), frozenset(stems[place:])
        passive = "by" in stems[place : place + 3]
        doer, done = (after, before) if passive else (before, after)
        if other & doer and one & done and not one & doer:
            return Departure(f"expected {text!r}, but the reply says it the other way round")
    return None


# Codes: GPT-4 is not GPT-4o

_CODED = lazy(r"(?<![\w-])[A-Za-z][\w-]{0,20}\d(?![\w-])")
_TOKEN = lazy(r"(?<![\w-])[A-Za-z][\w-]{1,30}")


def _longer_code(text: str, reply: str, question: str) -> Departure:
    """Find a code that continues after the expected one."""
    wanted = [code.lower() for code in _CODED.findall(text)]
    if not wanted:
        return NONE
    found = [token.lower() for token in _TOKEN.findall(reply)]
    for code in wanted:
        longer = [token for token in found if token.startswith(code)]
        if longer and code not in longer and longer[0][len(code)].isalpha():
            return _mismatch(code, longer[0])
    return NONE


# The day of the week

_SHORT_DAY = lazy(r"\b(Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)\b")
_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EVERY = lazy(r"\b(?:daily|every ?day|all week|seven days|any day|whole week|each day)\b")
_RELATIVE = lazy(r"\b(?:today|tomorrow|yesterday|tonight)\b")


def _other_day(text: str, reply: str, question: str) -> Departure:
    wanted = _days(text)
    if not wanted or _EVERY.search(fold(reply)):
        return NONE
    found = _days(reply)
    first = _DAY_NAMES[min(wanted)]
    if found:
        return NONE if wanted & found else Departure(f"expected {first}, found {_DAY_NAMES[min(found)]}")
    told_otherwise = wanted & days_named(question) or _RELATIVE.search(fold(reply)) or dates(fold(text))
    left_out = bool(clocks(fold(text))) and not told_otherwise
    return Departure(f"expected {text!r}, missing {first}", sure=False) if left_out else NONE


def _days(text: str) -> frozenset[int]:
    spelled = _SHORT_DAY.sub(lambda match: next(name for name in _DAY_NAMES if name.startswith(match[0][:3])), text)
    return days_named(fold(spelled))


_WAYS: tuple[_Way, ...] = (_other_sign, _other_letter, _other_order, _longer_code, _other_day)


# Equivalent notations

_PHONE = lazy(r"(?<![\w+])\+?\(?\d[\d ()/.-]{5,24}\d(?!\w)")
_LEAST_PHONE, _MOST_COUNTRY = 6, 3
_LETTER_ALONE = lazy(r"\W{0,3}([A-Za-z])\W{0,3}")


def in_their_signs(references: tuple[str, ...], reply: str) -> str:
    """Rewrite a reply in the notation of the expected answer: O- as O negative, 030 1234 as +49 30 1234."""
    for reference in _with_signs(references):
        reply = _like(reference, reply)
    return reply


@lru_cache(maxsize=1024)
def _with_signs(references: tuple[str, ...]) -> tuple[str, ...]:
    """Return the short expected answers that contain a sign, a telephone number or a single letter."""
    texts = (reference.strip(" .") for reference in references if len(reference.split()) <= _SHORT)
    return tuple(text for text in texts if _SIGNED.search(text) or _PHONE.fullmatch(text) or _LETTERED.fullmatch(text))


def _like(reference: str, reply: str) -> str:
    alone, lettered = _LETTER_ALONE.fullmatch(reply), _LETTERED.fullmatch(reference)
    if alone and lettered and alone[1].upper() == lettered["letter"]:
        return reference
    wanted = {(base, sign): written for base, sign, written in _with_sign(reference)}

    def as_signed(match: re.Match[str]) -> str:
        return wanted.get(_read_sign(match), match[0])

    def as_phone(match: re.Match[str]) -> str:
        return reference if _is_one_phone(reference, match[0]) else match[0]

    reply = _SIGNED.sub(as_signed, reply) if wanted else reply
    return _PHONE.sub(as_phone, reply) if _PHONE.fullmatch(reference) else reply


def _is_one_phone(one: str, other: str) -> bool:
    """Whether two telephone numbers are the same; one of them may omit the country code."""
    one_number, other_number = _as_phone_number(one), _as_phone_number(other)
    if one.startswith("+") == other.startswith("+"):
        return one_number == other_number
    longer, shorter = (one_number, other_number) if one.startswith("+") else (other_number, one_number)
    more = len(longer) - len(shorter)
    return longer.endswith(shorter) and len(shorter) >= _LEAST_PHONE and 0 <= more <= _MOST_COUNTRY


def _as_phone_number(number: str) -> str:
    return "".join(filter(str.isdecimal, number.replace("(0)", ""))).lstrip("0")
