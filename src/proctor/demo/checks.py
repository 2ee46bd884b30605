"""Two example checks for the demo suite, written as plain functions like a user's own."""

from __future__ import annotations

import re
from typing import Any

from proctor.transcript import Turn

_SUPERSEDED = re.compile(r"\bstatus: (?P<how>superseded by \S+)", re.IGNORECASE)


def in_force(turn: Turn, sources: Any) -> tuple[bool | None, str]:
    """Check that no cited document has been superseded."""
    if turn.reply is None:
        return None, "there is no reply"
    cited = list(dict.fromkeys(citation.source for citation in turn.reply.citations))
    if not cited:
        return True, "nothing is cited"
    for source in cited:
        if found := _SUPERSEDED.search(sources.read(source, turn.reply).text or ""):
            return False, f"{source} is {found['how']}"
    return True, f"in force: {', '.join(cited)}"


def says_where(turn: Turn) -> tuple[bool | None, str]:
    """Check that the reply text names every document it cites."""
    if turn.reply is None:
        return None, "there is no reply"
    cited = {citation.source for citation in turn.reply.citations}
    if not cited:
        return True, "nothing is cited"
    unnamed = sorted(source for source in cited if source not in turn.reply.text)
    return not unnamed, f"does not name {', '.join(unnamed)}" if unnamed else f"names {', '.join(sorted(cited))}"
