"""Mask personal data in texts: e-mail addresses, phone numbers, cards, IBANs, keys, and a custom list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from proctor.redaction.known import known
from proctor.redaction.personal_numbers import Span, cards_in, ibans_in, phones_in
from proctor.redaction.shapes import secrets_in

Kind = Literal["key", "email", "iban", "card", "phone", "masked"]
KINDS: tuple[Kind, ...] = ("key", "email", "iban", "card", "phone", "masked")
"""Kinds by priority when matches overlap; `masked` are matches of the custom list."""
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%'-]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_][\w-]{1,62}")
PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(KINDS)})(?:-\d+)?\]")
_LOGIN = re.compile(r"://[^/?#\s:@]*:([^/?#\s@]+)@")


class PersonalData:
    """Masks texts consistently: the same value always gets the same placeholder, such as `[email-1]`."""

    def __init__(self, own: Callable[[str], Iterable[Span]] | None = None) -> None:
        """`own` returns the spans of a text to mask in addition."""
        self.counts: Counter[Kind] = Counter()
        """Number of values masked by kind; the values themselves are never revealed."""
        self._own = own
        self._numbers: Counter[Kind] = Counter()
        self._names: dict[tuple[Kind, str], str] = {}

    def mask(self, text: str) -> str:
        """Replace each value by a numbered placeholder, and secrets of the environment by their names."""
        self.counts["key"] += len(known().names_in(text))
        return self._replace(known().scrub(text), self._name)

    def outline(self, text: str) -> str:
        """Replace each value by its kind only, so that texts that differ in nothing else become equal."""
        return self._replace(known().scrub(text), lambda kind, _: f"[{kind}]")

    def _name(self, kind: Kind, value: str) -> str:
        self.counts[kind] += 1
        key = (kind, _plain(kind, value))
        if key not in self._names:
            self._numbers[kind] += 1
            self._names[key] = f"[{kind}-{self._numbers[kind]}]"
        return self._names[key]

    def _replace(self, text: str, name: Callable[[Kind, str], str]) -> str:
        """Repeat until nothing changes: masking one value may reveal another beside it."""
        while (masked := self._replace_once(text, name)) != text:
            text = masked
        return text

    def _replace_once(self, text: str, name: Callable[[Kind, str], str]) -> str:
        masked, end = [], 0
        for start, stop, kind in _join_places(self._find_spans(text), PLACEHOLDER.finditer(text)):
            masked += [text[end:start], name(kind, text[start:stop])]
            end = stop
        return "".join([*masked, text[end:]])

    def _find_spans(self, text: str) -> Iterator[tuple[int, int, Kind]]:
        if "@" in text:
            logins = [found.span() for found in _LOGIN.finditer(text)]
            for found in _EMAIL.finditer(text):
                if not any(start < found.end() and found.start() < end for start, end in logins):
                    yield (*found.span(), "email")
        if any(map(str.isdigit, text)):
            yield from ((*place, "iban") for place in ibans_in(text))
            yield from ((*place, "card") for place in cards_in(text))
            yield from ((*place, "phone") for place in phones_in(text))
        yield from ((*place, "key") for place in secrets_in(text))
        if self._own is not None:
            yield from ((*place, "masked") for place in self._own(text))


def _join_places(
    places: Iterator[tuple[int, int, Kind]], placeholders: Iterator[re.Match[str]]
) -> Iterator[tuple[int, int, Kind]]:
    """Merge overlapping spans, so that no part of a value remains; existing placeholders stay."""
    taken = [found.span() for found in placeholders]
    joined: list[tuple[int, int, Kind]] = []
    for start, end, kind in sorted(places):
        if any(start < stop and begin < end for begin, stop in taken):
            continue
        if joined and start < joined[-1][1]:
            before, until, first = joined.pop()
            start, end, kind = before, max(end, until), min(first, kind, key=KINDS.index)
        joined.append((start, end, kind))
    yield from joined


def _plain(kind: Kind, value: str) -> str:
    """Return a value without formatting."""
    if kind in ("card", "phone"):
        return "".join(filter(str.isdigit, value))
    if kind == "iban":
        return "".join(filter(str.isalnum, value)).upper()
    return value.casefold() if kind in ("email", "masked") else value
