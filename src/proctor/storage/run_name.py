"""What a person calls a run → its id."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.errors import NoSuchRun
from proctor.settings import nearest

_SHOWN = 5


def resolve(wanted: str, known: Sequence[tuple[str, str]]) -> str:
    """The id meant by `last`, an id, a unique name or a unique prefix, among (id, name) pairs, newest first."""
    if not known:
        raise NoSuchRun("no run is stored yet: start one with `proctor run`")
    if wanted == "last":
        return known[0][0]
    for matches in (
        [run for run, _ in known if run == wanted],
        [run for run, name in known if name == wanted],
        [run for run, _ in known if wanted and run.startswith(wanted)],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise NoSuchRun(f"{_several(wanted, matches, known)}: give the whole id")
    near = nearest(wanted, dict.fromkeys(name for _, name in known if name))
    raise NoSuchRun(
        f"no run has the id, name or beginning of an id {wanted!r}" + (f"; did you mean {near!r}?" if near else ""),
        terminal=" `proctor list` shows all of them" if near else ": `proctor list` shows all of them",
        page=" The list of runs shows all of them" if near else "; the list of runs shows all of them",
    )


def _several(wanted: str, matches: Sequence[str], known: Sequence[tuple[str, str]]) -> str:
    """`3 runs have the name 'nightly': …`, or that an id may begin so."""
    if (matches[0], wanted) in known:
        return f"{len(matches)} runs have the name {wanted!r} ({_list_matches(matches).removeprefix('any of ')})"
    return f"{wanted!r} may be {_list_matches(matches)}"


def _list_matches(matches: Sequence[str]) -> str:
    shown = ", ".join(matches[:_SHOWN])
    more = len(matches) - _SHOWN
    return f"any of {shown} and {more} more" if more > 0 else f"any of {shown}"
