"""What a person calls a run → its id."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.errors import NoSuchRun

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
            raise NoSuchRun(f"{wanted!r} may be {_list_matches(matches)}: give the whole id")
    raise NoSuchRun(
        f"no run has the id, name or beginning of an id {wanted!r}",
        terminal=": `proctor list` shows all of them",
        page="; the list of runs shows all of them",
    )


def _list_matches(matches: Sequence[str]) -> str:
    shown = ", ".join(matches[:_SHOWN])
    more = len(matches) - _SHOWN
    return f"any of {shown} and {more} more" if more > 0 else f"any of {shown}"
