"""A console on which nothing that is shown is obeyed by the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from proctor.reports.words import harmless


class HarmlessConsole(Console):
    """Shows other people's words as signs, also where they are meant for the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Whatever is shown, nothing in it is obeyed by the terminal but what styles it."""
        for segment in super().render(renderable, options):
            style = segment.style
            if style is not None and style.link is not None and not style.link.isprintable():
                style = style.update_link(None)  # what was printed while lines are drawn is read with its escapes
            safe = segment.control or segment.text.isprintable() or segment.text == "\n"
            yield segment if safe and style is segment.style else Segment(harmless(segment.text), style)
