"""Extract what an agent's reply states: numbers, dates, names, yes or no."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from proctor.reading.dress import undress
from proctor.reading.inquiry import read_inquiry
from proctor.reading.text.choices import alternatives
from proctor.reading.text.claims import claims
from proctor.reading.text.clocks import Clock, clocks, same_time
from proctor.reading.text.dates import MONTHS, Date, agree, dates
from proctor.reading.text.fold import fold, squeeze
from proctor.reading.text.negation import declines, polarity
from proctor.reading.text.numbers import Quantity, compare, quantities
from proctor.reading.text.overlap import STOP, content, coverage
from proctor.reading.text.passage import Passage, passage_of
from proctor.reading.text.places import without_places
from proctor.reading.text.words import stem, stem_set

Kind = Literal["number", "date", "clock", "name", "polarity", "open"]
READ = 1_500
"""Maximum characters of a reply that are read for its answer."""
_SHORT_REPLY = 5
_LONG_ANSWER = 12
_YES_OR_NO = 2
"""Maximum words of an answer that counts as a bare yes or no."""
_FOUND, _MISSED = 0.7, 0.3
_KINDS: dict[str, Kind] = {
    "yes-no": "polarity",
    "amount": "number",
    "when": "date",
    "who": "name",
    "where": "name",
}
"""Type of question → kind of value that answers it; others are open."""
# cheap pre-check, since most texts have no date
_DATED = re.compile(rf"\d{{4}}|\d[./-]\d|\d0'?s\b|century|\bb\.?c|\b(?:{'|'.join(MONTHS)})\b")
_PART_BEFORE = re.compile(r"[\w.,:/$€£+-]$")
_PART_AFTER = re.compile(r"\w|[.,:/'-]\w|\s?[%°]")
_SMALL = frozenset(("of", "de", "da", "di", "du", "van", "von", "der", "den", "la", "le", "the"))
_NO_NAME = (
    STOP | MONTHS.keys() | stem_set("monday tuesday wednesday thursday friday saturday sunday sorry please ok sure")
)
_AROUND = ".,;:!?…()[]{}<>*_`\"'“”‘’«»#|/\\"
_ENDS = ",;:)!?"


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """A value stated in a text."""

    kind: Kind
    text: str
    """Text as written."""
    key: str
    """Normalized key; equal for equal values."""


class TextReading:
    """Rule-based analysis of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def passage(self) -> Passage:
        """The tokenized text."""
        return passage_of(self.text)

    @cached_property
    def stated(self) -> Passage:
        """The text without references to locations, such as (history/fire-of-1978.md, What was lost)."""
        text = without_places(self.text)
        return self.passage if text == self.text else passage_of(text)

    @cached_property
    def dates(self) -> list[Date]:
        """Dates in the text."""
        folded = self.stated.folded
        return dates(folded) if _DATED.search(folded) else []

    @cached_property
    def clocks(self) -> list[Clock]:
        """Times of day."""
        return clocks(self.stated.folded)

    @cached_property
    def numbers(self) -> list[Quantity]:
        """Numbers outside of dates and times of day."""
        taken = [(date.start, date.end) for date in self.dates] + [(clock.start, clock.end) for clock in self.clocks]
        found = quantities(self.stated.folded)
        return [one for one in found if not any(start < one.end and one.start < end for start, end in taken)]

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """All values: dates, times of day, numbers, then names, each in text order."""
        cut = self.stated.cut
        found = []
        for date in self.dates:
            text = cut(date.start, date.end).removesuffix(" of").rstrip(" .,")
            found.append(Value(kind="date", text=text, key=f"{date.year}-{date.month}-{date.day}/{date.years}"))
        found += [Value(kind="clock", text=cut(one.start, one.end), key=str(one.minutes)) for one in self.clocks]
        for number in self.numbers:
            amount, dimension = number.readings[0]
            found.append(Value(kind="number", text=cut(number.start, number.end), key=f"{amount:.6g} {dimension}"))
        return (*found, *_names(self.sentences))

    @cached_property
    def says(self) -> bool | None:
        """Whether it starts with yes (True) or no (False); None if with neither."""
        return polarity(self.passage)

    @cached_property
    def declines(self) -> bool:
        """Whether it is empty or says that it does not know."""
        return not self.passage.stems or declines(self.passage.folded)

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences without references, leaving out those that consist only of them."""
        texts = (" ".join(without_places(claim).split()) for claim in claims(self.text))
        return [claim for claim in texts if any(map(str.isalnum, claim))]

    def of(self, kind: Kind) -> tuple[Value, ...]:
        """Return the values of one kind."""
        return tuple(value for value in self.values if value.kind == kind)


def read(text: str) -> TextReading:
    """Analyse the beginning of a text, without markup."""
    return _read(undress(text[: 2 * READ])[:READ])


_read = lru_cache(maxsize=1024)(TextReading)
squeezed = lru_cache(maxsize=4096)(squeeze)
"""Normalize a question for comparison with others."""


def _names(sentences: list[str]) -> Iterator[Value]:
    """Yield runs of capitalized words; single words that open a sentence come last."""
    runs = [run for sentence in sentences for run in _runs(sentence.split())]
    named = {fold(name, accents=False): name for name in (" ".join(run) for _, run in sorted(runs, key=_opens))}
    for key, name in named.items():
        yield Value(kind="name", text=name, key=key)


def _opens(run: tuple[bool, list[str]]) -> bool:
    return run[0]


def _runs(tokens: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield runs of capitalized words, and whether each is only the sentence's first word."""
    run: list[str] = []
    for place, token in enumerate([*tokens, ""]):
        word = token.strip(_AROUND)
        word += "." if len(word) == 1 and token.endswith(".") else ""
        named = _is_name(word)
        if named or (run and word in _SMALL):
            run.append(word)
        if run and (not named or token[-1:] in _ENDS) and (word not in _SMALL or not word):
            while run[-1] in _SMALL:
                run.pop()
            yield len(run) == 1 and tokens[0].strip(_AROUND) == run[0] and place <= 1, run
            run = []


def _is_name(word: str) -> bool:
    return word[:1].isupper() and stem(fold(word)) not in _NO_NAME


def kind_of(question: str) -> Kind:
    """Return the kind of value that a question asks for."""
    return _KINDS.get(read_inquiry(question).kind, "open")


@lru_cache(maxsize=1024)
def main_value(question: str, reading: TextReading) -> Value | None:
    """Return the value that answers the question: of the expected kind, and not copied from the question."""
    asked = read(question)
    known = {value.key for value in asked.values}
    candidates = [value for value in reading.values if value.key not in known and not _within(value, question)]
    candidates.sort(key=_is_bare)
    wanted = kind_of(question)
    kinds = ("date", "clock") if wanted == "date" else (wanted,)
    of_kind = [value for value in candidates if value.kind in kinds]
    if of_kind:
        return of_kind[0]
    if wanted == "polarity":
        return _yes_or_no(reading)
    if wanted != "open":
        return None
    return next(
        (value for value in candidates if value.kind == "name" or len(candidates) == 1), None
    ) or _short_reply_name(reading)


def _yes_or_no(reading: TextReading) -> Value | None:
    word = {True: "yes", False: "no"}.get(reading.says) if reading.says is not None else None
    return None if word is None else Value(kind="polarity", text=word, key=word)


def _short_reply_name(reading: TextReading) -> Value | None:
    """Return a reply of a few words as a name, such as "paris" or "in the blue folder"."""
    passage = reading.passage
    if reading.declines or reading.says is not None or len(passage) > _SHORT_REPLY or not content(passage.folded):
        return None
    text = passage.quote(0, len(passage) - 1)
    return Value(kind="name", text=text, key=fold(text, accents=False))


def _is_bare(value: Value) -> bool:
    """Whether it is only digits, often part of a name (Murmur 7) or a list number."""
    return value.text.isdigit() and value.kind == "number"


def _within(value: Value, question: str) -> bool:
    return value.kind == "name" and value.key in fold(question[:READ], accents=False)


def sentence_with(reading: TextReading, words: str) -> str | None:
    """Return the first sentence that contains these words, else the first sentence; None if there is none."""
    first = reading.sentences[0] if reading.sentences else None
    return next((sentence for sentence in reading.sentences if words in sentence), first)


def states(text: str, answer: str) -> bool | None:
    """Whether a text states the expected answer; None if rules cannot tell."""
    return _states(text[:READ], answer)


@lru_cache(maxsize=2048)
def _states(text: str, answer: str) -> bool | None:
    reading = read(text)
    if any(_stands_in(reading, one) for one in _read_expected(answer)):
        return True
    shares = [_share(reading, one) for one in _read_expected(answer)]
    known_shares = [share for share in shares if share is not None]
    if any(share >= _FOUND for share in known_shares):
        return True
    return False if known_shares and len(known_shares) == len(shares) and max(known_shares) <= _MISSED else None


@lru_cache(maxsize=256)
def _read_expected(answer: str) -> tuple[TextReading, ...]:
    return tuple(map(TextReading, alternatives(answer)))


def _stands_in(reading: TextReading, answer: TextReading) -> bool:
    """Whether the text contains the answer verbatim, as a cheap pre-check."""
    wanted, folded = squeezed(answer.text), reading.passage.folded
    start = folded.find(wanted) if wanted and answer.says is None else -1
    if start < 0:
        return False
    part_of_more = _PART_BEFORE.search(folded, max(0, start - 1), start) or _PART_AFTER.match(
        folded, start + len(wanted)
    )
    return part_of_more is None


def _share(reading: TextReading, answer: TextReading) -> float | None:
    """Return the share of the answer's numbers, dates or words in the text; None if they are not comparable."""
    if answer.says is not None and len(answer.passage) <= _YES_OR_NO:
        return None if reading.says is None else float(reading.says is answer.says)
    facts = _facts_met(reading, answer)
    if facts:
        return sum(facts) / len(facts)
    return coverage(content(answer.passage.folded), set(reading.passage.stems)) if answer.passage.stems else None


def _facts_met(reading: TextReading, answer: TextReading) -> list[bool]:
    """Return for each date, time and number of the answer whether the text contains it."""
    dated = [any(agree(date, other) in ("same", "finer") for other in reading.dates) for date in answer.dates]
    numbers = [any(compare(one, other) in ("same", "rounded") for other in reading.numbers) for one in answer.numbers]
    timed = [any(same_time(one, other) for other in reading.clocks) for one in answer.clocks]
    return dated + timed + numbers


def is_long(answer: str) -> bool:
    """Whether an answer is a longer statement rather than a fact."""
    return len(content(fold(answer))) > _LONG_ANSWER
