"""Find personal numbers by format and check digits: payment cards, IBANs, phone numbers.

A number only counts if it is written as such: order numbers, dates, prices, ISBNs and IP addresses consist of the same
digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

# --- payment cards -----------------------------------------------------------------------------

_GROUPS = re.compile(r"(?<!\w)\d+(?:[ \u00a0\u202f-]\d+)*(?!\w)")
_DIGITS = re.compile(r"\d+")
_BRANDS = re.compile(
    r"4\d{15}(?:\d{3})?|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|(?:6011|64[4-9]\d|65\d\d|62\d\d|35(?:2[89]|[3-8]\d))\d{12,15}|(?:30[0-5]\d|3[689]\d\d)\d{10,15}"
    r"|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}"
)
"""Number ranges of Visa, Mastercard, American Express, Discover, UnionPay and JCB, Diners, Maestro."""
_WRITTEN = ((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 8), (8, 4, 4), (4, 8, 4), (8, 8))
"""Usual groupings of card digits."""
_MOST_GROUPS = max(map(len, _WRITTEN))


def cards_in(text: str) -> Iterator[Span]:
    """Yield payment cards: the digits of a brand with a valid check digit, ungrouped or in the usual groups."""
    for run in _GROUPS.finditer(text):
        found = list(_DIGITS.finditer(text, *run.span()))
        place = 0
        while place < len(found):
            size = _card_size(found[place : place + _MOST_GROUPS])
            if size:
                yield found[place].start(), found[place + size - 1].end()
            place += size or 1


def _card_size(groups: Sequence[re.Match[str]]) -> int:
    """Return how many of the first digit groups form a card number, or 0."""
    for shape in ((len(groups[0][0]),), *_WRITTEN):
        some = groups[: len(shape)]
        if tuple(len(each[0]) for each in some) == shape and is_card("".join(each[0] for each in some)):
            return len(shape)
    return 0


def is_card(digits: str) -> bool:
    """Whether the digits can be a card number: prefix and length of a brand, and a valid Luhn check digit."""
    if _BRANDS.fullmatch(digits) is None:
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


# --- IBANs -------------------------------------------------------------------------------------

_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19,
    "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29,
    "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24,
    "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
    "YE": 30,
}  # fmt: skip
"""Country → length of its IBANs in the SWIFT registry."""
_IBAN_HEAD = re.compile(r"(?<![^\W_])[A-Za-z]{2}[0-9]{2}")
_IBAN_NEXT = re.compile(r"[ \u00a0\u202f-]?([A-Za-z0-9])")


def ibans_in(text: str) -> Iterator[Span]:
    """Yield IBANs: a country code, its length, and valid check digits; ungrouped or in groups."""
    after = 0
    for head in _IBAN_HEAD.finditer(text):
        length = _LENGTHS.get(head[0][:2].upper())
        if length is None or head.start() < after:
            continue
        written, end = head[0], head.end()
        while len(written) < length and (more := _IBAN_NEXT.match(text, end)):
            written, end = written + more[1], more.end()
        if len(written) == length and not text[end : end + 1].isalnum() and is_iban(written):
            after = end
            yield head.start(), end


def is_iban(written: str) -> bool:
    """Whether the check digits of an IBAN without spaces are valid (ISO 13616, modulus 97)."""
    turned = written[4:] + written[:4]
    return int("".join(str(int(each, 36)) for each in turned)) % 97 == 1


# --- phone numbers -----------------------------------------------------------------------------

_BLANK = " \u00a0\u202f"
_APART = rf"[{_BLANK}./()-]"
_ALONE = rf"(?<![\w.,+/-])(?<!\d[{_BLANK}])"
"""Not preceded by another part of a number."""
_INTERNATIONAL = re.compile(
    rf"(?:(?<![\w+])\+|{_ALONE}00(?=[1-9]\d{{0,3}}{_APART}))(?:{_APART}{{0,2}}\d){{8,15}}(?!\d)"
)
_NORTH_AMERICAN = re.compile(
    _ALONE
    + r"(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d(?P<apart>[ .-]))[2-9]\d\d(?(apart)(?P=apart)|[ .-])\d{4}(?![\w/-]|\.\d)"
)
_WITH_TRUNK = re.compile(
    rf"{_ALONE}(?:\(0[1-9]\d{{0,4}}\)|0[1-9]\d{{0,4}})(?:[{_BLANK}/-]{{1,3}}\d{{2,8}}){{1,4}}(?!\w|[/-]\d|[.,]\d)"
    rf"|{_ALONE}0[1-9](?:\.\d\d){{4}}(?!\w|\.\d)"
)
"""Match a national number: a 0, the area code, and at least one separator."""
_AFTER_CUE = re.compile(
    r"(?i)\b(?:tel|telephone|telefon|telefono|teléfono|tél|téléphone|phone|mobile|mobil|móvil|cell|cellphone|handy|fax|"
    rf"whatsapp)\b[^\d\n+]{{0,20}}(?P<number>\(?\d(?:{_APART}{{0,2}}\d){{5,14}})(?!\w)"
)
_OTHER_CUE = re.compile(
    r"(?i)(?:\b(?:order|orders|invoice|ref|reference|ticket|case|article|item|sku|isbn|issn|ean|serial|part|account|"
    r"customer|bestellung|rechnung|auftrag|artikel|kunde|no|nr|number|nummer|id)|#)[\s.:#-]{0,4}$"
)
"""Match words that mark a number as something other than a phone number."""
_DATE = re.compile(r"(?:\d{4}([-/.])\d\d\1\d\d|\d\d([ /.-])\d\d\2(?:19|20)?\d\d(?!\2\d))(?!\d)")
_MACHINE = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?!\d)")
_POSTCODE = re.compile(r"\d{5}-\d{4}")


def phones_in(text: str) -> Iterator[Span]:
    """Yield phone numbers: international, in a national format, or after a word such as `phone`."""
    yield from _international(text)
    for found in _AFTER_CUE.finditer(text):
        start, end = found.span("number")
        if not (_DATE.match(text, start) or _MACHINE.match(text, start)):
            yield start, end
    for found in _NORTH_AMERICAN.finditer(text):
        if not _is_of_something_else(text, found.start()):
            yield found.span()
    for found in _WITH_TRUNK.finditer(text):
        digits = sum(map(str.isdigit, found[0]))
        other = _DATE.match(found[0]) or _POSTCODE.fullmatch(found[0]) or _is_of_something_else(text, found.start())
        if 9 <= digits <= 12 and not other:
            yield found.span()


def _international(text: str) -> Iterator[Span]:
    """Yield the longest valid number at each + or 00, even if more digits follow."""
    found = _INTERNATIONAL.search(text)
    while found:
        start, after = found.start(), found.end()
        groups = reversed([group.end() for group in _DIGITS.finditer(text, *found.span())])
        for end in groups:
            if _can_be_called(text[start:end]):
                yield start, (after := end)
                break
        found = _INTERNATIONAL.search(text, after)


def _can_be_called(number: str) -> bool:
    """Whether the number of digits after + or 00 is valid by E.164; eleven for North America."""
    digits = "".join(filter(str.isdigit, number))
    digits = digits.removeprefix("00") if not number.startswith("+") else digits
    return len(digits) == 11 if digits.startswith("1") else 8 <= len(digits) <= 15 and not digits.startswith("0")


def _is_of_something_else(text: str, start: int) -> bool:
    return _OTHER_CUE.search(text, max(0, start - 24), start) is not None
