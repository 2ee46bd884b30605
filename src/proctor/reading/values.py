"""Rewrite values in canonical form before they are parsed: frequencies, shares, times, signs."""

from __future__ import annotations

import re

from proctor.reading.question import Asked
from proctor.reading.text.dates import ORDINALS
from proctor.reading.text.lazy import lazy

_ONES = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_ONES.split(), 1)}
_NUMBER = rf"\d+|{'|'.join(_NUMBERS)}"
_PERIODS = {
    "hour": (1, "hours"),
    "day": (24, "hours"),
    "week": (7, "days"),
    "month": (1, "months"),
    "quarter": (3, "months"),
    "year": (12, "months"),
}
_EVERY = """
hourly: 1 hours | daily: 24 hours | nightly: 24 hours | weekly: 7 days | fortnightly: 14 days | biweekly: 14 days
monthly: 1 months | quarterly: 3 months | biannually: 6 months | semiannually: 6 months | yearly: 12 months
annually: 12 months | annual: 12 months | biennially: 24 months
"""
_ADVERBS = {
    adverb.strip(): f"every{period.rstrip()}"
    for entry in _EVERY.strip().replace("\n", "|").split("|")
    for adverb, _, period in [entry.partition(":")]
}
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_OFTEN = lazy(
    rf"\b(?P<count>once|twice|thrice|(?:{_NUMBER})\s?(?:times|x|×))\s(?:a|an|per|each|every|in a"
    rf"|in every)\s?(?P<period>hour|day|week|month|quarter|year)\b"
    r"|\b(?P<daily>once|twice|thrice|(?:two|three|four) times) (?P<adverb>daily|weekly|monthly|yearly|annually)\b"
    rf"|\b(?P<alone>{'|'.join(_ADVERBS)})\b|\b(?:each|every|per) (?P<each>hour|day|week|month|quarter|year)\b"
    r"|\bevery (?P<other>other|second) (?P<of>hour|day|week|month|quarter|year)\b"
)
_ASKS_OFTEN = lazy(r"\bhow (?:often|frequently|regularly)\b")
_SHARES = lazy(
    r"%|\bper ?cent|\b(?:share|fraction|proportion|percentage|part)\b|\b\d/\d|\b(?:half|thirds?|quarters?|fifths?"
    r"|in (?:\d|two|three|four|five|ten))\b"
)
_HAS_OFTEN = lazy(r"\bevery\b|\btimes a\b|\b(?:once|twice)\b|ly\b|\beach\b")
_OUT_OF = lazy(
    rf"\b(?P<some>{_NUMBER})\s(?:in(?: every)?|out of(?: every)?|of every)\s(?P<all>{_NUMBER}|\d+)\b(?!\s?(?:km|m"
    rf"|cm|years?|days?|hours?|minutes?|months?|weeks?)\b)"
)
_PART_NAMES = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "twentieth": 20,
    "hundredth": 100,
}
_PARTS = (
    rf"(?<!and )(?<!end of )(?P<top>a|an|one|two|three|four|five|six|seven|eight"
    rf"|nine)[ -](?P<part>{'|'.join(sorted(_PART_NAMES, key=len, reverse=True))})s?"
)
_ALL_BUT = lazy(rf"\ball (?:but|except(?: for)?|save) {_PARTS}\b")
_SHARE = lazy(
    rf"\b{_PARTS}\b(?!\s(?:of an? |an? |past|to )?(?:hour|mile|year|century|dozen|litre|liter|gram|kilo|pound|day"
    rf"|month|time|floor|place|of \w+ \d|half|quarter))"
)
_SIGNED = lazy(r"\b(?:minus|negative)\s(?=\d)")
_BELOW_ZERO = lazy(
    r"(?<![\w-])(\d+(?:\.\d+)?)((?:\s?°\s?[cf]?|\sdegrees?(?:\s(?:celsius|fahrenheit))?)?)\sbelow(?: zero"
    r"| freezing)?"
)
_RATE = lazy(
    r"\b(kilomet(?:re|er)s?|km|miles?|met(?:re|er)s?|m|feet|knots)\s(?:an|a|each|every)\s(hour|second|minute)\b"
)
_ONE_PERIOD = lazy(
    r"\b(for|within|lasts?|takes?|took|after|least|about|roughly|than|up to) an? (hour|day|week|month|year)\b"
    r"(?! (?:and a half|or two|at a time|off|later|ago|earlier))"
)
_SLANG = lazy(r"\b(bucks|grand|quid|k(?= (?:a|per|each) (?:year|month)))\b")
_SLANG_WORDS = {"bucks": "dollars", "grand": "thousand", "quid": "pounds sterling"}
_SPAN = lazy(
    r"(?<!half )(?<!of )(?<!than )(?<!over )\ba (decade|century|fortnight|millennium)\b(?! (?:ago|later|earlier|old))"
)
_NEXT_DAY = lazy(r"\b(?:the )?(?:next|following) ((?:working |business |calendar )?day)\b")
_MILITARY = lazy(r"(?<![\d:.,])([01]\d|2[0-3]):?([0-5]\d) ?(?:hours|hrs)\b")
_YEARS = lazy(r"(?<![\w-])(1\d|20)(\d\d)-(\d\d)(?![\w/-])")
_SHORT_YEAR = lazy(r"(?<!\w)'(\d\d)\b")
_SPOKEN_CLOCK = lazy(
    rf"\b(?P<hour>{'|'.join(_NUMBERS)})[ -](?P<minute>thirty|fifteen|forty-five|twenty|ten|forty|fifty|oh five"
    rf"|twenty-five|thirty-five)(?P<rest>\s(?:in the (?:morning|afternoon|evening)|at night|[ap]\.?\s?m\b|o'clock)"
    rf"|(?=[.,!?]|$))"
)
_MINUTES = {
    "thirty": 30,
    "fifteen": 15,
    "forty-five": 45,
    "twenty": 20,
    "ten": 10,
    "forty": 40,
    "fifty": 50,
    "oh five": 5,
    "twenty-five": 25,
    "thirty-five": 35,
}
_AT_HOUR = lazy(rf"\bat ({_NUMBER})(?=[.,;!?]|$| on\b| every\b| but\b| and\b)")
_TWELVE_AT_NIGHT = lazy(r"\b(?:twelve|12)(?: o'clock)? at night\b|\b0?0:00\b|\b24:00\b")
_SHARED_MULTIPLIER = lazy(
    rf"\b(?P<low>{_NUMBER})(?P<to>\s?(?:-|to|and(?: no more than)?)\s?)(?P<high>{_NUMBER})\s(?P<many>hundred"
    rf"|thousand|million|billion)\b"
)
_OR_MORE = lazy(
    r"(?<![\w.,])(\d[\d.,]*(?:\s?[a-z%°]+)?) (?:(?:or|and) )?(?P<way>(?<=or )(?:more|over|above|up|longer|higher|larger"
    r"|older|less|under|below|fewer|shorter|lower|smaller|younger)|(?<=and )(?:more|over|above|up|less|under|below"
    r"|fewer)|upwards?|onwards?)\b(?! than)"
    r"|(?<![\w.,])(\d[\d.,]*(?:\s?[a-z%°]+)?),? (?P<least>minimum|at (?:the )?(?:very )?least|at a minimum|maximum"
    r"|at (?:the )?most|max|min)\b"
)
_MONTHS = 12
_ERA = lazy(r"\bb\.?\s?c\.?\s?e\b\.?")
_SPELLED_DAY = lazy(
    rf"\b(?:the )?(?P<day>(?:twenty|thirty)[ -](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    rf"|{'|'.join(word for word in ORDINALS if '-' not in word)}) (?:day )?of "
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_WEEKDAYS = {
    "mon": "monday",
    "tue": "tuesday",
    "tues": "tuesday",
    "wed": "wednesday",
    "weds": "wednesday",
    "thu": "thursday",
    "thur": "thursday",
    "thurs": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}
_WEEKDAY = lazy(rf"\b({'|'.join(sorted(_WEEKDAYS, key=len, reverse=True))})\b\.?")
_PER = {
    "hour": 8766.0,
    "day": 365.25,
    "night": 365.25,
    "week": 52.18,
    "month": 12.0,
    "quarter": 4.0,
    "year": 1.0,
    "annum": 1.0,
}
_PER_ADVERB = {
    "hourly": 8766.0,
    "daily": 365.25,
    "weekly": 52.18,
    "monthly": 12.0,
    "quarterly": 4.0,
    "yearly": 1.0,
    "annually": 1.0,
    "annual": 1.0,
    "p.a": 1.0,
    "pa": 1.0,
}
_PERIOD = lazy(
    r"(?:\s?(?:per|an?|each|every|/|in a|for a|for each|by the)\s?(?P<noun>hour|day|night|week|month|quarter|year"
    r"|annum)\b|\s?/\s?(?P<short>h|hr|mo|yr|wk|d)\b|,?\s(?P<adverb>hourly|daily|weekly|monthly|quarterly|yearly"
    r"|annually|p\.a|pa)\b)"
)
_PERIOD_BEFORE = lazy(rf"\b({'|'.join(word for word in _PER_ADVERB if len(word) > 3)})\b[^.;!?]*$")
_LOOK_BACK = 40
_SHORT_PERIODS = {"h": 8766.0, "hr": 8766.0, "mo": 12.0, "yr": 1.0, "wk": 52.18, "d": 365.25}
_HINT = lazy(
    r"\b(?:in|of|out|every|each|per|once|twice|a|an|one|two|three|four|minus|negative|below|bucks|grand|bce?|or|and"
    r"|night|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|of|thirty|fifteen|forty|hundred|thousand|million|billion|at)\b"
    r"|ly\b|'\d\d\b|\d-\d\d\b|\d ?h(?:ou)?rs|next|following|b\.\s?c|minimum|least|most|max|wards"
)


def plain_values(folded: str, asked: Asked, *, often: bool, share: bool) -> str:
    """Return a normalised text with its values in canonical form; `often` and `share` enable frequencies and shares."""
    folded = _plain_figures(folded, asked)
    if _HINT.search(folded) is None:
        return folded
    if often:
        folded = _OFTEN.sub(_frequency, folded)
    if share:
        folded = _ALL_BUT.sub(lambda match: f" {_percent(1 - _fraction_value(match))} ", folded)
        folded = _SHARE.sub(_share_in_parts, _OUT_OF.sub(_share_of, folded))
    folded = _BELOW_ZERO.sub(r"-\1\2", _SIGNED.sub("-", folded))
    folded = _RATE.sub(r"\1 per \2", folded)
    folded = _SPAN.sub(r"1 \1", _ONE_PERIOD.sub(r"\1 1 \2", folded))
    if asked.kind == "quantity":
        folded = _NEXT_DAY.sub(r"1 \1", folded)
    folded = _SLANG.sub(lambda match: _SLANG_WORDS.get(match[0], match[0]), folded)
    folded = _SHARED_MULTIPLIER.sub(r"\g<low> \g<many>\g<to>\g<high> \g<many>", folded)
    folded = _OR_MORE.sub(_read_bound, folded)
    return _plain_times(folded, asked)


_POWER = lazy(
    r"(?<![\w.^])(?:(\d{1,15}(?:\.\d{1,15})?) ?[x*×] ?)?(\d{1,4})(?:\^|\*\*)\(?([+-]?\d{1,2})\)?(?![\w^]|\.\d)"
)
_EXPONENT = lazy(r"(?<![\w.])(\d{1,15}(?:\.\d{1,15})?)e([+-]?\d{1,2})(?![\w]|\.\d)")
_HOURS = lazy(r"(?<![\w.,:])(\d{1,3})(?: ?h ?([0-5]\d)(?: ?m(?:in(?:utes)?)?)?|:([0-5]\d) ?(?:h|hrs?|hours?))(?![\w:])")
_NOTHING = lazy(
    r"\b(?:none|nil|zero|nothing)\b|\b(?:there (?:are|were|is|was)|has|have|had|with|found|found:) no(?= [a-z])(?! "
    r"(?:more|less|fewer|longer|one|way|doubt))|^no(?= [a-z])(?! (?:more|less|fewer|longer|one|way|idea|doubt))"
)
_HOW_MANY = lazy(r"\bhow (?:many|much)\b|\b(?:number|count|amount) of\b")
_MOST_POWER = 30


def _plain_figures(folded: str, asked: Asked) -> str:
    """Evaluate powers and spell out hours with minutes: 2^10, 1e-3, 1h30."""
    if "^" in folded or "**" in folded:
        folded = _POWER.sub(_worked_out, folded)
    if "e" in folded:
        folded = _EXPONENT.sub(lambda match: _figure(float(match[0])), folded)
    if asked.kind in ("quantity", "number", "open") and "h" in folded:
        folded = _HOURS.sub(lambda match: f"{match[1]} hours {match[2] or match[3]} minutes", folded)
    return folded


def _worked_out(match: re.Match[str]) -> str:
    base, power = float(match[2]), int(match[3])
    if abs(power) > _MOST_POWER or (not base and power < 0):
        return match[0]
    return _figure(float(match[1] or 1) * base**power)


def _figure(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.15f}".rstrip("0")


def as_zero(folded: str, asked: Asked, wanted: str) -> str:
    """Replace `None` or `there are no errors` by 0, if 0 is expected and the question asks how many."""
    if not _ZERO.fullmatch(wanted) or not _HOW_MANY.search(asked.folded):
        return folded
    return _NOTHING.sub(lambda match: "0" if " " not in match[0] else match[0][:-2] + "0", folded)


_ZERO = lazy(r"\W*(?:0|zero|none|nil|nothing)\b(?: [a-z]+)?\W*")


def _plain_times(folded: str, asked: Asked) -> str:
    folded = _YEARS.sub(_whole_years, _ERA.sub("bc", folded))
    if asked.kind == "date" or asked.year:
        folded = _SHORT_YEAR.sub(lambda match: ("19" if int(match[1]) > 30 else "20") + match[1], folded)
    if asked.kind == "time":
        folded = _MILITARY.sub(r"\1:\2", folded)
        folded = _AT_HOUR.sub(lambda match: f"at {_NUMBERS.get(match[1], match[1])}:00", folded)
    if asked.kind in ("time", "date", "quantity", "name"):
        folded = _SPOKEN_CLOCK.sub(_clock, _TWELVE_AT_NIGHT.sub("midnight", folded))
    folded = _SPELLED_DAY.sub(lambda match: f"{ORDINALS[match['day'].replace(' ', '-')]} {match['month']}", folded)
    if "day" in asked.words or asked.kind in ("date", "time") or "open" in asked.words:
        folded = _WEEKDAY.sub(lambda match: _WEEKDAYS[match[1]], folded)
    return folded


def _whole_years(match: re.Match[str]) -> str:
    """Expand 1618-48 to 1618-1648; in 2019-05 the second number is a month."""
    later = int(match[3]) > max(int(match[2]), _MONTHS)
    return f"{match[1]}{match[2]}-{match[1]}{match[3]}" if later else match[0]


def _read_bound(match: re.Match[str]) -> str:
    low = (match["way"] or "").startswith(
        ("more", "over", "above", "up", "on", "longer", "higher", "larger", "older")
    ) or (match["least"] or "").endswith(("minimum", "least", "min"))
    return f"{'at least' if low else 'at most'} {match[1] or match[3]}"


def _frequency(match: re.Match[str]) -> str:
    if match["alone"]:
        return _ADVERBS[match["alone"]]
    if match["each"]:
        amount, unit = _PERIODS[match["each"]]
        return f"every {amount} {unit}"
    if match["of"]:
        amount, unit = _PERIODS[match["of"]]
        return f"every {2 * amount} {unit}"
    times = _count((match["count"] or match["daily"]).split()[0].rstrip("x×"))
    period = match["period"] or {"daily": "day", "weekly": "week", "monthly": "month"}.get(match["adverb"], "year")
    amount, unit = _PERIODS[period]
    return f"every {amount / (times or 1):g} {unit}"


def _count(word: str) -> int:
    return _TIMES.get(word) or _NUMBERS.get(word) or (int(word) if word.isdigit() else 1)


def _share_of(match: re.Match[str]) -> str:
    some, every = _count(match["some"]), _count(match["all"])
    return f" {_percent(some / every)} " if some < every <= 100 else match[0]


def _share_in_parts(match: re.Match[str]) -> str:
    return f" {_percent(_fraction_value(match))} " if _fraction_value(match) < 1 else match[0]


def _fraction_value(match: re.Match[str]) -> float:
    top = 1 if match["top"] in ("a", "an") else _NUMBERS[match["top"]]
    return top / _PART_NAMES[match["part"]]


def _percent(share: float) -> str:
    return f"{100 * share:.6g} %"


def _clock(match: re.Match[str]) -> str:
    rest = match["rest"] or ""
    half = " am" if "morning" in rest else " pm" if "the " in rest or "night" in rest else rest
    return f"{_NUMBERS[match['hour']]}:{_MINUTES[match['minute']]:02}{half}"


def asks_share(folded: str, answers: str) -> bool:
    """Whether question or expected answer are about a share."""
    return _SHARES.search(folded) is not None or _SHARES.search(answers) is not None


def asks_often(folded: str, answers: str) -> bool:
    """Whether question or expected answer are about a frequency."""
    return _ASKS_OFTEN.search(folded) is not None or _HAS_OFTEN.search(answers) is not None


def times_a_year(folded: str, start: int, end: int) -> float:
    """Return the periods per year of an amount: 12 for `a month`, `the monthly rent is …`; 0 if none is named."""
    match = _PERIOD.match(folded, end)
    if match is None:
        before = _PERIOD_BEFORE.search(folded, max(0, start - _LOOK_BACK), start)
        return _PER_ADVERB[before[1]] if before else 0.0
    if match["noun"]:
        return _PER[match["noun"]]
    return _SHORT_PERIODS[match["short"]] if match["short"] else _PER_ADVERB[match["adverb"]]


def asked_times_a_year(folded: str) -> float:
    """Return the number of periods per year that a question names: 1 for `what does it cost a year`; 0 if none."""
    match = _PERIOD.search(folded)
    return times_a_year(folded, match.start(), match.start()) if match else 0.0
