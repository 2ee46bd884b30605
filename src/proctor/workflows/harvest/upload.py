"""Drafts from a stored run or from a file that somebody uploads: a suite in memory, and what became of the rest."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from proctor.errors import InputError
from proctor.workflows.harvest.harvest import HarvestOptions, HarvestReport, harvest

ENDINGS = (".json", ".jsonl", ".ndjson")
"""How recordings end."""


def harvest_run(run: str, *, store: str, wanted: HarvestOptions) -> tuple[HarvestReport, bytes]:
    """The drafts of a stored run, by its id; empty bytes: there are none."""
    with TemporaryDirectory() as made:
        return _harvest(run, Path(made), store, wanted)


def harvest_recording(file: str, content: bytes, *, store: str, wanted: HarvestOptions) -> tuple[HarvestReport, bytes]:
    """The drafts of a recording; raises InputError where it is none."""
    ending = Path(file).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{file!r} is no recording by its ending; expected {', '.join(ENDINGS)}")
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
