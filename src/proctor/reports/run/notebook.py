"""The terminal's report as a piece of HTML, for notebooks light and dark; and progress under a cell."""

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
"""What a colour stands for → on light ground, on dark."""
_DARK = (
    "body[data-jp-theme-light=false]",
    "body.vscode-dark",
    "body.vscode-high-contrast:not(.vscode-high-contrast-light)",
    "html[theme=dark]",
)
"""How JupyterLab, VS Code and Colab say that the notebook is dark; what the system prefers need not be what it is."""
_PRE = "line-height: 1.25; overflow-x: auto; color: inherit; background: none"
_FORMAT = f'<pre class="proctor-report" style="{_PRE}">{{code}}</pre>'
_STYLED = re.compile(r'style="[^"]*"')
_HEX = re.compile("#[0-9a-f]{6}")
_REDRAW_EVERY = 0.25


class NotebookProgress(Progress):
    """The live lines as an output of the cell, which is empty again when the run is over."""

    def __init__(self) -> None:
        from IPython.display import display

        super().__init__(io.StringIO())
        self._output = display(_Lines(""), display_id=True)

    @property
    def is_due(self) -> bool:
        """Whether it is time to show something new."""
        return self._clock() - self._said_at >= _REDRAW_EVERY

    def stop(self) -> None:
        """Show nothing any more: the report comes next."""
        self._output.update(_Lines(""))

    def _due(self) -> bool:
        return True

    def _say(self) -> None:
        self._said_at = self._clock()
        self._output.update(_Lines(self.lines(_WIDTH)))


class _Lines:
    """Lines of text as a notebook shows them."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f'<pre style="{_PRE}">{html.escape(self._text)}</pre>' if self._text else "<span></span>"


def as_html(findings: Findings) -> str:
    """The report, coloured by inline styles: it shares the page with whatever else the notebook holds.

    In a dark notebook a style sheet changes the colours; where that is taken out as unsafe, those for light remain.
    """
    console = Console(
        record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, force_jupyter=False, legacy_windows=False
    )
    console.print(render(findings))
    report = console.export_html(theme=_theme(), inline_styles=True, code_format=_FORMAT)
    return _sheet() + _STYLED.sub(_by_meaning, report)


def _theme() -> TerminalTheme:
    """The terminal's colours for light ground; what is dim is halfway from the first colour to the second."""
    muted, fail, passed, flaky, unscored, failed = (_rgb(light) for light, _ in _COLOURS.values())
    normal = [muted, fail, passed, flaky, muted, unscored, muted, muted]
    return TerminalTheme(muted, muted, normal, [failed, *normal[1:]])


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _by_meaning(style: re.Match[str]) -> str:
    """Each colour as what it stands for, so that the sheet can change it."""
    named = {light: f"var(--proctor-{meaning}, {light})" for meaning, (light, _) in _COLOURS.items()}
    return _HEX.sub(lambda found: named.get(found[0], found[0]), style[0])


def _sheet() -> str:
    dark = "; ".join(f"--proctor-{meaning}: {colour}" for meaning, (_, colour) in _COLOURS.items())
    return f"<style>{', '.join(f'{place} .proctor-report' for place in _DARK)} {{ {dark} }}</style>"
