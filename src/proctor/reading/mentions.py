"""Decide whether a tool's result was used: its own values occur in the answer or in a later call.

A value is a number, a date, an id, a name, or an uncommon word. Values already present in the question or in the
arguments of the call prove nothing and do not count. Plain words prove little: if a result has several, two of them
must recur.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from proctor.reading.text.dates import Date, dates
from proctor.reading.text.fold import fold
from proctor.reading.text.lazy import lazy
from proctor.reading.text.numbers import Quantity, quantities
from proctor.reading.text.words import stem

_TOKEN = lazy(r"\w+(?:[-.,:@/'’+]\w+)*%?")
_WORD = lazy(r"[^\W_]+")
_NUMBER = lazy(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(e[-+]?\d+)?(%|[^\W\d_]{0,3})")
_DIGITS = lazy(r"\d+(?:\.\d+)?")
_BEFORE_WORD = lazy(r"\d+(?:\.\d+)?(?=\s?[a-z])")
_HAS_DIGIT = lazy(r"\d")
_MAYBE_DATE = lazy(r"[12]\d{3}|\d[-/]\d|\d\.\d+\.\d")
_TIME = lazy(r"[t ]\d\d:[\d:.]+(?:z|[-+]\d\d:?\d\d)?")
_WITHOUT_SPACES = lazy(r"[\u2e80-\u9fff\uac00-\ud7af\u0e00-\u0eff]")

_EVERYDAY_WORDS = """
able about above access according account across action active actual added additional address after again against all
allow almost along already also although always am amount and another answer any anyone anything api appears applied
apply are around asked available average based because become before began begin behind being below best better
between both bring but call called came can cannot case certain change check clear close come common complete
completed condition consider contains content context correct could count create created current currently data date
days default described description detail details did different does doing done down during each early either else
empty enough entire entry error even every everything exact example expected explain fact failed false feel few field
file final finally find fine first following follows for form format found from full function further general get give
given gmt goes going good got great group had has have having hello help her here high him himself his home hours how
however html http https id idea important include included includes including indicates info information inside
instead into item items its itself json just keep kind know known large last later least leave left less let level
like likely line list little local long look looking made main make making many match matter may maybe mean means
might minute minutes more most much multiple must name near nearly need needed never new next nice no none normal not
note nothing notice now null number object off often ok okay once one only open option options order other others
otherwise our out output over overall own page part particular people per perhaps period person place please pm point
possible present previous probably problem process provide provided put quite rather ready real really reason receive
received record regarding related reply report request requested require required response rest result results return
returned right run same say second section see seem seems seen set several shall she should show shown side similar
simple simply since single small some someone something sometimes soon sorry source specific start started state
status still stop string success successful successfully such support sure system take taken tell text than thank
thanks that the their them then there therefore these they thing things think this those though through time times
title today together told too took total true trying two type types under unique unit unknown until update updated
upon url use used useful user uses using usually utc utf valid value values various very via want was way week well
went were what whatever when where whether which while who whole whose why will with within without word words work
works would write written wrong xml year years yes yesterday you your yours
"""
_EVERYDAY = frozenset(_EVERYDAY_WORDS.split())


class Mentions:
    """Values that occur in a text or data structure, extracted on demand."""

    __slots__ = ("_dates", "_numbers", "_quantities", "_tokens", "folded", "text")

    def __init__(self, value: object) -> None:
        self.text = value if type(value) is str and value[:1] not in ("{", "[") else "\n".join(_leaves(value))
        self.folded = fold(self.text)
        self._tokens: set[str] | None = None
        self._numbers: dict[float, float] | None = None
        self._quantities: list[Quantity] | None = None
        self._dates: dict[str, Date] | None = None

    @property
    def tokens(self) -> set[str]:
        """Words, numbers and ids, whole and split into parts."""
        if self._tokens is None:
            self._tokens = {*_TOKEN.findall(self.folded), *_WORD.findall(self.folded)}
        return self._tokens

    @property
    def numbers(self) -> dict[float, float]:
        """Number in digits -> half a unit of its last digit, the tolerance for rounding."""
        if self._numbers is None:
            digits = [token for token in _TOKEN.findall(self.folded) if token[0] in "0123456789"]
            self._numbers = {value: half for token in digits for value, half in _numbers(token)}
        return self._numbers

    @property
    def quantities(self) -> list[Quantity]:
        """Numbers including words and multipliers: eight, 1.2 million."""
        if self._quantities is None:
            self._quantities = quantities(self.folded)
        return self._quantities

    @property
    def dates(self) -> dict[str, Date]:
        """ISO date -> the date, in whatever format it was written."""
        if self._dates is None:
            self._dates = dict(_days(self.folded)) if _MAYBE_DATE.search(self.folded) else {}
        return self._dates

    def without_dates(self) -> str:
        """Return the text with dates blanked out, or unchanged if normalisation shifted positions."""
        if not self.dates or len(self.folded) != len(self.text):
            return self.text
        letters = list(self.text)
        for date in self.dates.values():
            time = _TIME.match(self.folded, date.end)
            end = time.end() if time else date.end
            letters[date.start : end] = " " * (end - date.start)
        return "".join(letters)

    def has_any_number(self, numbers: Sequence[float]) -> bool:
        """Whether one of the sorted numbers occurs here, exact or rounded; number words are tried last."""
        return _any_near(numbers, self.numbers.items()) or _any_near(numbers, self._spoken())

    def _spoken(self) -> Iterator[tuple[float, float]]:
        """Yield numbers as spoken with their tolerance: eight is 8; 1.2 million may stand for 1,234,567."""
        for found in self.quantities:
            written = _BEFORE_WORD.match(self.folded, found.start)
            scale = abs(found.value) / float(written[0]) if written and float(written[0]) else 0.0
            half = 0.5000001 * 10.0**-found.decimals * scale if scale > 1 else 0.0
            yield abs(found.value), half
            yield abs(found.readings[0].amount), half

    def has_name(self, name: str) -> bool:
        """Whether a name occurs here as a word, or as a substring in scripts without spaces."""
        return name in self.tokens or (_WITHOUT_SPACES.search(name) is not None and name in self.folded)

    def count(self, stems: set[str]) -> int:
        """Count how many of the stems occur here."""
        return len(stems.intersection(map(stem, _WORD.findall(self.folded))))


def _any_near(numbers: Sequence[float], shown: Iterable[tuple[float, float]]) -> bool:
    """Whether any of the sorted numbers lies within the tolerance of a shown one."""
    for value, half in shown:
        place = bisect_left(numbers, value - half)
        if place < len(numbers) and numbers[place] <= value + half:
            return True
    return False


def _leaves(value: object) -> Iterator[str]:
    """Yield all texts and numbers at any depth as text, including those in embedded JSON."""
    waiting = [value]
    while waiting:
        leaf = waiting.pop()
        if isinstance(leaf, str):
            parsed = _parse_json(leaf) if leaf.lstrip()[:1] in ("{", "[") else None
            if parsed is None:
                yield leaf
            else:
                waiting.append(parsed)
        elif isinstance(leaf, (dict, Mapping)):
            waiting.extend(leaf.values())
        elif isinstance(leaf, (list, tuple, set, frozenset)):
            waiting.extend(leaf)
        elif isinstance(leaf, int) and leaf.bit_length() > 4096:
            continue  # too long for anybody to read, and Python refuses to format it
        elif leaf is not None and not isinstance(leaf, bool):
            yield str(leaf)


def _parse_json(text: str) -> object:
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed


def _days(folded: str) -> Iterator[tuple[str, Date]]:
    for date in dates(folded):
        if date.year is not None and date.month is not None and date.day is not None:
            yield f"{date.year:04}-{date.month:02}-{date.day:02}", date
            if date.swapped:
                yield f"{date.year:04}-{date.day:02}-{date.month:02}", date


def _numbers(token: str) -> list[tuple[float, float]]:
    """Return the numbers in a token that begins with a digit, each with its rounding tolerance."""
    if token.isdecimal():
        return [(float(token), 0.5000001 if len(token) > 1 else 0.0)]
    match = _NUMBER.fullmatch(token)
    if match is None:
        apart = not any(letter.isalpha() for letter in token)
        return [(float(digits), 0.0) for digits in _DIGITS.findall(token)] if apart else []
    whole, decimals, exponent, unit = match.groups("")
    value = float(whole.replace(",", "") + decimals + exponent)
    rounded = len(token) > 1 and not exponent
    half = 0.5000001 * 10.0 ** -max(0, len(decimals) - 1) if rounded else 0.0
    return [(value, half), (value / 100, half / 100)] if unit == "%" else [(value, half)]


class Values:
    """Values of a result that did not occur before."""

    __slots__ = ("dates", "names", "numbers", "words")

    def __init__(self, result: Mentions, known: Sequence[Mentions]) -> None:
        self.numbers: set[float] = set()
        self.names: set[str] = set()
        self.words: set[str] = set()
        self.dates = set(result.dates)
        if self.dates:
            self.dates.difference_update(*(source.dates for source in known))
        for token in set(_TOKEN.findall(result.without_dates())):
            if _HAS_DIGIT.search(token):
                self._sort_digits(fold(token), known)
            else:
                self._sort_words(token, known)

    def _sort_words(self, token: str, known: Sequence[Mentions]) -> None:
        for part in _WORD.findall(token):
            word = fold(part)
            if word in _EVERYDAY or any(word in source.tokens for source in known):
                continue
            if _is_name(part):
                self.names.add(word)
            elif len(word) >= 5:
                self.words.add(stem(word))

    def _sort_digits(self, token: str, known: Sequence[Mentions]) -> None:
        numbers = [value for value, _ in _numbers(token)] if token[0] in "0123456789" else []
        if not numbers and not any(token in source.tokens for source in known):
            self.names.add(token)
        self.numbers.update(value for value in numbers if not any(value in source.numbers for source in known))

    def __bool__(self) -> bool:
        return bool(self.numbers or self.dates or self.names or self.words)

    def stand_in(self, place: Mentions) -> bool:
        """Whether the values recur in a text: any number, date or name, or two words (one if there is only one)."""
        if self.dates and not self.dates.isdisjoint(place.dates):
            return True
        if self.numbers and place.has_any_number(sorted(self.numbers)):
            return True
        if any(map(place.has_name, self.names)):
            return True
        return bool(self.words) and place.count(self.words) >= min(2, len(self.words))


def _is_name(word: str) -> bool:
    """Whether a word looks like a name: capitalised and long enough, or in a script without spaces."""
    if word == word.lower():
        return _WITHOUT_SPACES.search(word) is not None
    return len(word) >= (3 if word[1:] == word[1:].lower() else 2)


def result_used(result: object, known: Sequence[Mentions], places: Iterable[Mentions]) -> bool | None:
    """Whether the values that only the result provides recur in one of the places; None if it provides none."""
    values = Values(Mentions(result), known)
    return any(map(values.stand_in, places)) if values else None
