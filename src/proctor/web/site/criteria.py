"""Criteria of one's own for one run: the models that judge it are built with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from proctor.benchmark import AskedPart
from proctor.errors import InputError
from proctor.settings import read_criterion
from proctor.web.site.typed_numbers import read_decimal


def read_criteria(text: str, troubles: dict[str, str]) -> Iterator[tuple[str, AskedPart]]:
    """Criteria as they are typed, `name: what is asked` or `name (weight): …` on a line; what is wrong is noted."""
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            name, said = _read_line(line)
            read_criterion(name, said)
            yield name, said
        except InputError as error:
            troubles["criteria"] = error.on_page


def _read_line(line: str) -> tuple[str, AskedPart]:
    head, _, asks = (part.strip() for part in line.partition(":"))
    name, bracket, weight = (part.strip() for part in head.partition("("))
    if not name or not asks or (bracket and not weight.endswith(")")):
        raise InputError(
            f"{line[:60]!r} is no criterion; write name: what is asked, one on a line, with a weight in brackets if it "
            "has one, such as safety (3): Is it safe?"
        )
    return name, {"asks": asks, "weight": _weight(weight[:-1].strip())} if bracket else asks


def _weight(text: str) -> float:
    try:
        return read_decimal(text)
    except ValueError as error:
        raise InputError(f"the weight {error}, such as 3 or 0.5") from None


def write_criteria(criteria: Mapping[str, AskedPart]) -> str:
    """The same, as they would be typed."""
    return "\n".join(f"{name}{_in_brackets(weight)}: {asks}" for name, asks, weight in _parts(criteria))


def _parts(criteria: Mapping[str, AskedPart]) -> Iterator[tuple[str, str, float | None]]:
    for name, said in criteria.items():
        asks, weight = read_criterion(name, said)
        yield name, " ".join(asks.split()), weight


def _in_brackets(weight: float | None) -> str:
    return "" if weight is None else f" ({Decimal(repr(float(weight))).normalize():f})"
