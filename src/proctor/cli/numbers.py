"""Numbers on the command line: what they may be stands in words in the help and in the message."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from proctor.reports.words import cut
from proctor.settings import Bounds, shown

F = TypeVar("F", bound=Callable[..., Any])
_SPAN = re.compile(r"(?P<number>[0-9.]+) ?(?P<unit>ms|s|m|h|d|%)")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "ms": 0.001}
_ENDLESS = 10**9
"""A bound that only keeps a store from overflowing is not worth a word in the help."""


class NumberType(click.ParamType[float]):
    """A number, whole or not, within bounds."""

    def __init__(self, bounds: Bounds | None = None, *, whole: bool = False) -> None:
        self.bounds = bounds
        self.whole = whole or (bounds is not None and bounds.whole)
        self.name = "N" if self.whole else "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number."""
        named = "the value" if param is None else max(param.opts, key=len)
        try:
            number: float = int(value) if self.whole else float(value)
        except (ValueError, OverflowError):
            raise click.UsageError(
                f"{named} {shown(value)} is {self._kind(no=True)}; {self._hint(value)}", ctx
            ) from None
        if self.bounds is not None and not self.bounds.holds(number):
            raise click.UsageError(f"{named} {cut(str(value), 40)} is not usable; {self._hint(value)}", ctx)
        return number

    def _kind(self, *, no: bool) -> str:
        return f"{'no' if no else 'a'}{' whole' if self.whole else ''} number"

    def _hint(self, value: object) -> str:
        wanted = self._kind(no=False) if self.bounds is None else self.bounds.requirement
        meant = self._meant(str(value))
        return f"expected {wanted}" if meant is None else f"expected {wanted}: did you mean {meant:.15g}?"

    def _meant(self, text: str) -> float | None:
        """The number that `5m` or `90%` stands for, where that can be given here."""
        found, bounds = _SPAN.fullmatch(text.strip()), self.bounds
        if found is None or bounds is None or found["number"].count(".") > 1 or found["number"] == ".":
            return None
        timed = found["unit"] in _SECONDS and bounds.unit == "seconds"
        share = found["unit"] == "%" and bounds.most == 1
        number = float(found["number"]) * (_SECONDS[found["unit"]] if timed else 0.01)
        return number if (timed or share) and bounds.holds(number) else None


def number(*names: str, bounds: Bounds | None = None, whole: bool = False, **attributes: Any) -> Callable[[F], F]:
    """An option that takes a number; what it may be is added to its help."""
    told = in_words(attributes.pop("help"), bounds)
    if attributes.pop("show_default", False):
        told = f"{told.removesuffix('.')} [default: {attributes['default']:,}]."
    return click.option(*names, type=NumberType(bounds, whole=whole), help=told, **attributes)


def in_words(told: str, bounds: Bounds | None) -> str:
    """The help of an option with the bounds of its number, unless it names them itself."""
    if bounds is None or f"{bounds.most:,.0f}" in told or " from 0 to 1" in told:
        return told
    low = f"above {bounds.above:g}" if bounds.above is not None else f"{bounds.least or 0:g}"
    if bounds.most >= _ENDLESS:
        span = low if bounds.above is not None else f"at least {low}"
    else:
        span = f"{low}{', up to' if bounds.above is not None else ' to'} {bounds.most:,.0f}"
    sentence, default, value = told.removesuffix(".").partition(" [default")
    return f"{sentence.removesuffix('.')} ({span}){default}{value}."
