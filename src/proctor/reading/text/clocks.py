"""Parse times of day in text: 9:30 pm, 21:30, half past nine in the evening, noon."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from proctor.reading.text.lazy import lazy

_NAMES = "one two three four five six seven eight nine ten eleven twelve"
_HOURS = {word: hour for hour, word in enumerate(_NAMES.split(), 1)}
_NAMED = {"noon": 12, "midday": 12, "midnight": 12}
_MINUTES = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25}
_CLOCK = lazy(
    r"(?<![\d.,:])(?P<hour>[0-2]?\d)(?:[:.](?P<minute>[0-5]\d)(?::[0-5]\d)?)?\s?(?P<half>[ap])\.?\s?m\b\.?"
    r"|(?<![\d.,:])(?P<hour24>[01]?\d|2[0-3]):(?P<minute24>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
    r"|(?<!quarter to )(?<!twenty to )(?<!five to )(?<!half past )(?<!quarter past )(?<!ten past )(?<!five "
    r"past )\b(?P<word>noon|midday|midnight)\b"
)
_SPOKEN = lazy(
    r"\b(?:(?P<part>half|quarter|twenty(?:[ -]five)?|(?:five|ten)(?=\spast))\s(?P<way>past|to)\s)?"
    rf"(?P<hour>1[0-2]|[1-9]|{'|'.join(_HOURS)}|(?<=(?:to|st)\s)(?:noon|midday|midnight))\b(?P<clock>\so'clock)?"
    r"(?:\s(?:in\sthe\s(?P<time>morning|afternoon|evening)|at\s(?P<night>night)))?"
)
_HINT = lazy(
    r"\d:\d|\d\s?[ap]\.?\s?m\b|noon|mid(?:day|night)|past|o'clock|morning|afternoon|evening|quarter to"
    r"|twenty(?:[ -]five)? to"
)
_MOST = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """A time of day."""

    minutes: int
    """Minutes after midnight."""
    start: int
    """Start position in the normalised text."""
    end: int
    certain: bool = True
    """Whether the text distinguishes morning from afternoon."""


def clocks(folded: str) -> list[Clock]:
    """Return all times of day in a normalised text, in order."""
    if _HINT.search(folded) is None:
        return []
    found = [clock for match in islice(_CLOCK.finditer(folded), _MOST) if (clock := _from_digits(match))]
    if found:
        return found
    spoken = (match for match in _SPOKEN.finditer(folded) if any(match.group("part", "clock", "time", "night")))
    return [_from_words(match) for match in islice(spoken, _MOST)]


def _from_digits(match: re.Match[str]) -> Clock | None:
    start, end = match.span()
    if match["word"]:
        return Clock(minutes=0 if match["word"] == "midnight" else 720, start=start, end=end)
    if match["hour24"]:
        hour = int(match["hour24"])
        certain = hour > 12 or match["hour24"].startswith("0")
        return Clock(minutes=hour * 60 + int(match["minute24"]), start=start, end=end, certain=certain)
    hour = int(match["hour"])
    if not 1 <= hour <= 12:
        return None
    afternoon = 720 if match["half"] == "p" else 0
    return Clock(minutes=hour % 12 * 60 + int(match["minute"] or 0) + afternoon, start=start, end=end)


def _from_words(match: re.Match[str]) -> Clock:
    named = _NAMED.get(match["hour"])
    hour = named or _HOURS.get(match["hour"]) or int(match["hour"])
    minutes = hour % 12 * 60
    if match["part"]:
        amount = _MINUTES[match["part"].replace("-", " ")]
        minutes += amount if match["way"] == "past" else -amount
    if match["time"] in ("afternoon", "evening") or match["night"] or match["hour"] in ("noon", "midday"):
        minutes += 720
    certain = bool(match["time"] or match["night"] or named)
    return Clock(minutes=minutes % 1440, start=match.start(), end=match.end(), certain=certain)


def same_time(one: Clock, other: Clock) -> bool:
    """Whether two times of day are equal; modulo twelve hours if either is ambiguous."""
    if one.certain and other.certain:
        return one.minutes == other.minutes
    return one.minutes % 720 == other.minutes % 720
