"""Where in somebody's own code an exception arose, from the traceback that is kept with a failure."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from proctor.reports.words import one_line
from proctor.run import Failure

_FRAME = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+), in (\S+)', re.MULTILINE)
_LIBRARIES = re.compile(r"[/\\](?:site-packages|dist-packages|lib[/\\]python3[^/\\]*|Lib)[/\\]|^<")
_OURS = str(Path(__file__).resolve().parents[1])
_LONGEST = 60


def raised_at(failure: Failure) -> str:
    """`agent.py, line 12, in answer`: the innermost place that is no library's; empty: there is none, or no traceback.

    The folder is left out: it is of one machine.
    """
    own = [found for found in _FRAME.findall(failure.detail) if not _is_foreign(found[0])]
    if not own:
        return ""
    path, line, function = own[-1]
    name = (PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name
    return f"{one_line(name, _LONGEST)}, line {line}, in {one_line(function, _LONGEST)}"


def _is_foreign(path: str) -> bool:
    return path.startswith(_OURS) or _LIBRARIES.search(path) is not None
