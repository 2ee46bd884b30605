"""What an agent's reply answers: its numbers, dates, names, yes or no."""

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
"""Characters of a reply that are read: an answer that comes later is none to build on."""
_SHORT_REPLY = 5
_LONG_ANSWER = 12
_YES_OR_NO = 2
"""An answer of so few words that begins with yes or no is nothing else."""
_FOUND, _MISSED = 0.7, 0.3
_KINDS: dict[str, Kind] = {
    "yes-no": "polarity",
    "amount": "number",
    "when": "date",
    "who": "name",
    "where": "name",
}
"""What a question asks for → what answers it; anything else is open."""
# A cheap look before the dear one: most texts hold no date.
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
    """One thing that a text states."""

    kind: Kind
    text: str
    """As it stands there."""
    key: str
    """Equal for equal values."""


class TextReading:
    """What one text says, as far as rules can tell; worked out part by part when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def passage(self) -> Passage:
        """Its words."""
        return passage_of(self.text)

    @cached_property
    def stated(self) -> Passage:
        """Its words without the places that it only points at: (history/fire-of-1978.md, What was lost)."""
        told = without_places(self.text)
        return self.passage if told == self.text else passage_of(told)

    @cached_property
    def dates(self) -> list[Date]:
        """Its dates."""
        folded = self.stated.folded
        return dates(folded) if _DATED.search(folded) else []

    @cached_property
    def clocks(self) -> list[Clock]:
        """Its times of day."""
        return clocks(self.stated.folded)

    @cached_property
    def numbers(self) -> list[Quantity]:
        """Its numbers that are no part of a date or a time of day."""
        taken = [(date.start, date.end) for date in self.dates] + [(clock.start, clock.end) for clock in self.clocks]
        found = quantities(self.stated.folded)
        return [one for one in found if not any(start < one.end and one.start < end for start, end in taken)]

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Everything it states: dates, times of day, numbers, names, each in the order they stand."""
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
        """Yes or no, as it begins."""
        return polarity(self.passage)

    @cached_property
    def declines(self) -> bool:
        """Whether it is empty, or says that it does not know."""
        return not self.passage.stems or declines(self.passage.folded)

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences without places, and without those that have no other words."""
        told = (" ".join(without_places(claim).split()) for claim in claims(self.text))
        return [claim for claim in told if any(map(str.isalnum, claim))]

    def of(self, kind: Kind) -> tuple[Value, ...]:
        """The values of one kind."""
        return tuple(value for value in self.values if value.kind == kind)


def read(text: str) -> TextReading:
    """What a text says, without its dress; its beginning alone is read."""
    return _read(undress(text[: 2 * READ])[:READ])


_read = lru_cache(maxsize=1024)(TextReading)
squeezed = lru_cache(maxsize=4096)(squeeze)
"""A question as it is compared with others."""


def _names(sentences: list[str]) -> Iterator[Value]:
    """Runs of words with capitals; single words that open a sentence come last."""
    runs = [run for sentence in sentences for run in _runs(sentence.split())]
    named = {fold(name, accents=False): name for name in (" ".join(run) for _, run in sorted(runs, key=_opens))}
    for key, name in named.items():
        yield Value(kind="name", text=name, key=key)


def _opens(run: tuple[bool, list[str]]) -> bool:
    return run[0]


def _runs(tokens: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Neighbouring words with capitals, and whether each run is but the sentence's first word."""
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
    """What kind of answer a question asks for."""
    return _KINDS.get(read_inquiry(question).kind, "open")


@lru_cache(maxsize=1024)
def main_value(question: str, reading: TextReading) -> Value | None:
    """The value that answers the question: of the kind it asks for, and not taken from the question itself."""
    asked = read(question)
    known = {value.key for value in asked.values}
    theirs = [value for value in reading.values if value.key not in known and not _within(value, question)]
    theirs.sort(key=_is_bare)
    wanted = kind_of(question)
    kinds = ("date", "clock") if wanted == "date" else (wanted,)
    of_kind = [value for value in theirs if value.kind in kinds]
    if of_kind:
        return of_kind[0]
    if wanted == "polarity":
        return _yes_or_no(reading)
    if wanted != "open":
        return None
    return next((value for value in theirs if value.kind == "name" or len(theirs) == 1), None) or _whole(reading)


def _yes_or_no(reading: TextReading) -> Value | None:
    word = {True: "yes", False: "no"}.get(reading.says) if reading.says is not None else None
    return None if word is None else Value(kind="polarity", text=word, key=word)


def _whole(reading: TextReading) -> Value | None:
    """A reply of a few words as one name: paris, in the blue folder."""
    passage = reading.passage
    if reading.declines or reading.says is not None or len(passage) > _SHORT_REPLY or not content(passage.folded):
        return None
    text = passage.quote(0, len(passage) - 1)
    return Value(kind="name", text=text, key=fold(text, accents=False))


def _is_bare(value: Value) -> bool:
    """Whether it is but digits, which are often part of a name (Murmur 7) or a place in a list."""
    return value.text.isdigit() and value.kind == "number"


def _within(value: Value, question: str) -> bool:
    return value.kind == "name" and value.key in fold(question[:READ], accents=False)


def sentence_with(reading: TextReading, words: str) -> str | None:
    """The first sentence of a reply with these words in it, else its first; None where there is none."""
    first = reading.sentences[0] if reading.sentences else None
    return next((sentence for sentence in reading.sentences if words in sentence), first)


def states(text: str, answer: str) -> bool | None:
    """Whether a text states the expected answer; None where rules cannot tell."""
    return _states(text[:READ], answer)


@lru_cache(maxsize=2048)
def _states(text: str, answer: str) -> bool | None:
    reading = read(text)
    if any(_stands_in(reading, one) for one in _read_expected(answer)):
        return True
    shares = [_share(reading, one) for one in _read_expected(answer)]
    told = [share for share in shares if share is not None]
    if any(share >= _FOUND for share in told):
        return True
    return False if told and len(told) == len(shares) and max(told) <= _MISSED else None


@lru_cache(maxsize=256)
def _read_expected(answer: str) -> tuple[TextReading, ...]:
    return tuple(map(TextReading, alternatives(answer)))


def _stands_in(reading: TextReading, answer: TextReading) -> bool:
    """Whether the answer stands in the text word for word: the cheap look before the dear one."""
    wanted, folded = squeezed(answer.text), reading.passage.folded
    start = folded.find(wanted) if wanted and answer.says is None else -1
    if start < 0:
        return False
    part_of_more = _PART_BEFORE.search(folded, max(0, start - 1), start) or _PART_AFTER.match(
        folded, start + len(wanted)
    )
    return part_of_more is None


def _share(reading: TextReading, answer: TextReading) -> float | None:
    """How much of the answer's numbers, dates and words the text has; None: not comparable."""
    if answer.says is not None and len(answer.passage) <= _YES_OR_NO:
        return None if reading.says is None else float(reading.says is answer.says)
    facts = _facts_met(reading, answer)
    if facts:
        return sum(facts) / len(facts)
    return coverage(content(answer.passage.folded), set(reading.passage.stems)) if answer.passage.stems else None


def _facts_met(reading: TextReading, answer: TextReading) -> list[bool]:
    """Date by date, time by time and number by number of the answer, whether the text has it."""
    dated = [any(agree(date, other) in ("same", "finer") for other in reading.dates) for date in answer.dates]
    numbers = [any(compare(one, other) in ("same", "rounded") for other in reading.numbers) for one in answer.numbers]
    timed = [any(same_time(one, other) for other in reading.clocks) for one in answer.clocks]
    return dated + timed + numbers


def is_long(answer: str) -> bool:
    """Whether an answer is a statement rather than a fact."""
    return len(content(fold(answer))) > _LONG_ANSWER
