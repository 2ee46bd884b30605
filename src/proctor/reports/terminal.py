"""What the terminal needs: a page that fits any width and any encoding, and intervals drawn with characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from proctor.reports.outcomes import Outcome
from proctor.statistics.estimate import Estimate

STYLES = {
    "pass": "green", "fail": "red", "flaky": "yellow", "unscored": "magenta", "failed": "bright_black",
    "pending": "dim", "plain": "",
}  # fmt: skip
_WIDEST = 120
_STAND_INS = str.maketrans("✓✗≈·–…×−├┤─●█▌→", "+x~.-.x-||-o#|>")


class Page:
    """Renderables built for the width at hand, in characters that the output can carry."""

    def __init__(self, build: Callable[[int], Iterable[RenderableType]]) -> None:
        self._build = build

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(options.max_width, _WIDEST)
        segments = console.render(Group(*self._build(width)), options.update_width(width))
        for line in Segment.split_lines(segments):
            for segment in _without_trailing_blanks(line):
                yield Segment(writable(segment.text, options.encoding), segment.style)
            yield Segment.line()


def _without_trailing_blanks(line: list[Segment]) -> list[Segment]:
    kept = list(line)
    while kept:
        last = kept.pop()
        text = last.text.rstrip(" ")
        if text:
            return [*kept, Segment(text, last.style)]
    return []


def writable(text: str, encoding: str) -> str:
    """The text in characters that the encoding has, of the same width."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_stand_in(character, encoding) for character in text)
    except LookupError:
        return writable(text, "ascii")
    return text


def _stand_in(character: str, encoding: str) -> str:
    for candidate in (character, character.translate(_STAND_INS)):
        try:
            candidate.encode(encoding)
        except UnicodeEncodeError:
            continue
        return candidate
    return "?" * cell_len(character)


def drawn(estimate: Estimate, width: int) -> Text:
    """`····├──●─┤··` on a scale from 0 to 1, so that one above the other they compare."""
    if estimate.value is None:
        return Text("·" * width, style="dim")
    low, value, high = (_place(end, width) for end in (estimate.low, estimate.value, estimate.high))
    line = list("├" + "─" * (high - low - 1) + "┤" if high > low else "┤")
    line[value - low] = "●"
    left, right = Text("·" * low, style="dim"), Text("·" * (width - 1 - high), style="dim")
    return Text.assemble(left, "".join(line), right)


def _place(value: float | None, width: int) -> int:
    return min(width - 1, max(0, round((value or 0.0) * (width - 1))))


def signed(outcome: Outcome, text: str = "") -> Text:
    """The outcome's sign, and what goes with it, in its colour."""
    return Text(f"{outcome.sign} {text}".rstrip(), style=STYLES[outcome.style])
