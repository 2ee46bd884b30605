"""What tests of harvesting share: files of recordings, and what became of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proctor.benchmark import Case
from proctor.formats.suites.suite import read_suite
from proctor.workflows.harvest.harvest import HarvestOptions, HarvestReport, harvest


def lines(path: Path, *records: Any) -> Path:
    """A file of records, one a line."""
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def said(question: str, reply: Any = "yes", **more: Any) -> dict[str, Any]:
    """One recorded reply."""
    return {"question": question, "reply": reply, **more}


def trace(number: int, question: str, reply: str = "yes", **more: Any) -> dict[str, Any]:
    """A Langfuse trace with a model and a tool."""
    identity = f"{number:032x}"
    shared = {"traceId": identity, "startTime": "2026-11-16T10:00:00Z", "endTime": "2026-11-16T10:00:01Z"}
    asked = [{"role": "user", "content": question}]
    return {
        "id": identity,
        "timestamp": f"2026-11-16T10:00:{number:02d}Z",
        "name": "chat",
        "input": {"question": question},
        "output": reply,
        "observations": [
            {**shared, "id": f"g{number}", "type": "GENERATION", "input": asked, "output": reply},
            {**shared, "id": f"t{number}", "type": "TOOL", "name": "search", "input": {"q": "x"}, "output": "y"},
        ],
        **more,
    }


def gather(
    *sources: Path | str, store: str = "", force: bool = True, **wanted: Any
) -> tuple[HarvestReport, list[Case]]:
    """What harvesting says, and the drafts that it wrote beside the first source."""
    output = Path(wanted.pop("output", "drafts.yaml"))
    report = harvest(list(map(str, sources)), output, store=store, wanted=HarvestOptions(**wanted), force=force)
    return report, list(read_suite(output).cases) if report.cases else []
