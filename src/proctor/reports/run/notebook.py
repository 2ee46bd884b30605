"""Render the terminal report as HTML for notebooks with light or dark theme, and progress below a cell."""

from __future__ import annotations

import html
import io
import re

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from proctor.findings.run import Findings
from proctor.reports.progress import Progress
from proctor.reports.run.text import render

_WIDTH = 88
_COLOURS = {
    "muted": ("#5b6572", "#9aa5b1"),
    "fail": ("#c4322b", "#ff7b72"),
    "pass": ("#1a7f4b", "#4cc38a"),
    "flaky": ("#9a6700", "#e3b341"),
    "unscored": ("#6e5bb8", "#b5a6ff"),
    "failed": ("#57606a", "#a3acb6"),
}
"""Meaning of a colour → its light-theme and dark-theme values."""
_DARK = (
    "body[data-jp-theme-light=false]",
    "body.vscode-dark",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
    "html[theme=dark]",
)
"""Selectors by which JupyterLab, VS Code and Colab mark a dark theme, which may differ from the system's."""
_PRE = "line-height: 1.25; overflow-x: auto; color: inherit; background: none"
_FORMAT = f'<pre class="proctor-report" style="{_PRE}">{{code}}</pre>'
_STYLED = re.compile(r'style="[^"]*"')
_HEX = re.compile("#[0-9a-f]{6}")
_REDRAW_EVERY = 0.25


class NotebookProgress(Progress):
    """Shows the live lines as output of the cell, and clears them at the end of the run."""

    def __init__(self) -> None:
        from IPython.display import display

        super().__init__(io.StringIO())
        self._output = display(_Lines(""), display_id=True)

    @property
    def is_due(self) -> bool:
        """Whether it is time to redraw."""
        return self._clock() - self._said_at >= _REDRAW_EVERY

    def stop(self) -> None:
        """Clear the output, as the report follows."""
        self._output.update(_Lines(""))

    def _due(self) -> bool:
        return True

    def _show(self) -> None:
        self._said_at = self._clock()
        self._output.update(_Lines(self.lines(_WIDTH)))


class _Lines:
    """Lines of text with an HTML representation for notebooks."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f'<pre style="{_PRE}">{html.escape(self._text)}</pre>' if self._text else "<span></span>"


def as_html(findings: Findings) -> str:
    """Render the report with inline colours, as it shares the page with other output.

    A style sheet adapts the colours to a dark theme; where it is removed as unsafe, the light colours remain.
    """
    console = Console(
        record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, force_jupyter=False, legacy_windows=False
    )
    console.print(render(findings))
    report = console.export_html(theme=_theme(), inline_styles=True, code_format=_FORMAT)
    return _sheet() + _STYLED.sub(_by_meaning, report)


def _theme() -> TerminalTheme:
    """Return the terminal colours for a light theme; dim text is halfway between the first two colours."""
    muted, fail, passed, flaky, unscored, failed = (_rgb(light) for light, _ in _COLOURS.values())
    normal = [muted, fail, passed, flaky, muted, unscored, muted, muted]
    return TerminalTheme(muted, muted, normal, [failed, *normal[1:]])


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _by_meaning(style: re.Match[str]) -> str:
    """Replace each colour by a CSS variable for its meaning, so that the style sheet can change it."""
    named = {light: f"var(--proctor-{meaning}, {light})" for meaning, (light, _) in _COLOURS.items()}
    return _HEX.sub(lambda found: named.get(found[0], found[0]), style[0])


def _sheet() -> str:
    dark = "; ".join(f"--proctor-{meaning}: {colour}" for meaning, (_, colour) in _COLOURS.items())
    return f"<style>{', '.join(f'{place} .proctor-report' for place in _DARK)} {{ {dark} }}</style>"
