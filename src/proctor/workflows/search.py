"""What somebody typed into a search: the very words, in their order."""

from __future__ import annotations


def says(typed: str, *texts: str, id: str = "") -> bool:  # noqa: A002
    """Whether one of the texts holds what was typed, in any case, or the id begins with it.

    Letters inside an id find nothing: most ids are digests, in which short words stand by chance.
    """
    wanted = _plain(typed)
    return not wanted or _plain(id).startswith(wanted) or any(wanted in _plain(text) for text in texts)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
