"""Harvest a stored run or an uploaded file in memory: a suite of drafts and a report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from proctor.errors import InputError
from proctor.workflows.harvest.harvest import HarvestOptions, HarvestReport, harvest

ENDINGS = (".json", ".jsonl", ".ndjson")
"""File extensions of recordings."""


def harvest_run(run: str, *, store: str, wanted: HarvestOptions) -> tuple[HarvestReport, bytes]:
    """Return the drafts of a stored run, by id; empty bytes if there are none."""
    with TemporaryDirectory() as made:
        return _harvest(run, Path(made), store, wanted)


def harvest_recording(file: str, content: bytes, *, store: str, wanted: HarvestOptions) -> tuple[HarvestReport, bytes]:
    """Return the drafts of a recording; raise InputError if it is not one."""
    ending = Path(file).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{file!r} does not have the extension of a recording; expected {', '.join(ENDINGS)}")
    with TemporaryDirectory() as made:
        path = Path(made) / f"recording{ending}"
        path.write_bytes(content)
        try:
            return _harvest(str(path), Path(made), store, wanted)
        except InputError as error:
            raise InputError(error.on_page.replace(str(path), file)) from error


def _harvest(source: str, folder: Path, store: str, wanted: HarvestOptions) -> tuple[HarvestReport, bytes]:
    output = folder / "drafts.yaml"
    report = harvest([source], output, store=store, wanted=wanted, force=False)
    return report, output.read_bytes() if report.cases else b""
