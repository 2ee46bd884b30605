"""Where an agent streams, the time to its first token is stored, counted and told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path

from rich.console import Console

from proctor import aevaluate
from proctor.reports.run.json import as_dict
from proctor.reports.run.text import render
from proctor.storage import open_store
from proctor.workflows.read import findings_of_run

ASKED = [("What is 2 + 2?", "4"), ("What is 1 + 3?", "4")]


async def stream(question: str) -> AsyncIterator[str]:
    yield "4"
    yield "."


async def test_it_is_known_of_an_agent_that_streams(tmp_path: Path) -> None:
    found = await aevaluate(ASKED, agent=stream, reviewer="exact", store=tmp_path / "s.db")
    with open_store(found.store) as opened:
        read = findings_of_run(opened, opened.archive.find("last"))
    assert read.first_token == found.findings.first_token
    assert read.first_token is not None
    assert read.latency is not None
    assert read.first_token.n == 2
    assert 0 <= read.first_token.median <= read.latency.median
    assert as_dict(read)["first_token"]["n"] == 2
    shown = StringIO()
    Console(file=shown, width=100).print(render(read))
    assert "First token" in shown.getvalue()


async def test_it_is_unknown_of_one_that_does_not(tmp_path: Path) -> None:
    found = await aevaluate(ASKED, agent=lambda question: "4", reviewer="exact", store=tmp_path / "s.db")
    assert found.findings.first_token is None
    assert as_dict(found.findings)["first_token"] is None
