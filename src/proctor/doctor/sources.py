"""Sources that should be cited and are not there."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from proctor.benchmark import Case
from proctor.doctor.problem import BenchmarkProblem, complaint
from proctor.reading.text.fold import fold
from proctor.settings import nearest

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/?/", re.IGNORECASE)
_MOST_FILES = 100_000
_HINTED = 20
"""Sources for which the nearest name is looked for among all files."""


def missing_sources(cases: Sequence[Case], folder: str | None) -> Iterator[BenchmarkProblem]:
    """Expected sources that are not in the folder of sources; quotes that can be looked up nowhere."""
    if folder is None:
        yield from _quotes_without_folder(cases)
        return
    if not Path(folder).is_dir():
        yield complaint(
            "no-sources",
            "error",
            [],
            f"there is no folder {folder!r}, where cited sources should be read",
            "give `sources` the folder that holds them",
        )
        return
    there = _files(Path(folder))
    wanted: defaultdict[str, list[Case]] = defaultdict(list)
    for case in cases:
        for source in case.expect.sources:
            wanted[source].append(case)
    hinted = 0
    for source, concerned in wanted.items():
        if not _ADDRESS.match(source) and _plain(source) not in there:
            hinted += 1
            near = nearest(_plain(source), there) if hinted <= _HINTED else ""
            yield complaint(
                "missing-source",
                "warning",
                concerned,
                f"“{source}” should be cited, but is not in the folder of sources",
                f"did you mean “{there[near]}”?" if near else "correct its path, which starts in that folder",
            )


def _quotes_without_folder(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    quoting = [case for case in cases if case.expect.quotes]
    if quoting:
        yield complaint(
            "no-sources",
            "information",
            quoting,
            "quotes should be looked up, but the suite names no folder of `sources`: only tool results can be searched",
            "add `sources:` with the folder that holds them, unless the agent's tools return them",
        )


def _files(folder: Path) -> dict[str, str]:
    """Every name that a file of the folder may be cited by → its path; the extension may be left out."""
    paths = (
        Path(parent, name).relative_to(folder).as_posix() for parent, _, names in os.walk(folder) for name in names
    )
    found: dict[str, str] = {}
    for path in islice(paths, _MOST_FILES):
        found.setdefault(_plain(path), path)
        found.setdefault(_plain(posixpath.splitext(path)[0]), path)
    return found


def _plain(source: str) -> str:
    """A source's name without its anchor; slashes, dots and case do not tell sources apart."""
    path = fold(source.partition("#")[0]).strip().replace("\\", "/")
    return posixpath.normpath(path).strip("/")
