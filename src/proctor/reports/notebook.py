"""The terminal's report as a piece of HTML, for notebooks."""

from __future__ import annotations

import io

from rich.console import Console

from proctor.findings import Findings
from proctor.reports.text import render

_WIDTH = 88
_FORMAT = '<pre style="line-height: 1.25; overflow-x: auto">{code}</pre>'


def as_html(findings: Findings) -> str:
    """The report, coloured by inline styles: it shares the page with whatever else the notebook holds."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(render(findings))
    return console.export_html(inline_styles=True, code_format=_FORMAT)
