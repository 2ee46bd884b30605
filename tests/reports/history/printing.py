"""A history as a terminal of some width would show it."""

from __future__ import annotations

import io

from rich.console import Console

from proctor.findings.history import History
from proctor.reports.history.text import render


def printed(history: History | None, *, width: int = 80, encoding: str = "utf-8") -> str:
    """What is written, without colours."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=width, highlight=False).print(render(history))
    stream.seek(0)
    return stream.read()
