"""Check who holds a role: `Holt is the captain; Berg is the first officer` for `Who is the captain?`"""

from __future__ import annotations

from proctor.reading.expected import Answered
from proctor.reading.question import Asked
from proctor.reading.text.lazy import lazy
from proctor.reading.text.words import stem, stem_set

_WHO_IS = lazy(
    r"^(?:and |so )?who(?:'s| is| was| are| were) (?:the |our |your |its |an? )?"
    r"(?P<role>\w[\w' -]{0,59}?)(?: now| currently| here)?\W*$"
)
_IS = lazy(r" (?:is|was|serves as|works as|acts as)\b")
_BE = stem_set("is was are were")
_CALLED = stem_set("he she they it this that her his their who which")


def holds_another(reply: Answered, asked: Asked, last: int, after: str) -> bool:
    """Whether the reply gives the name ending at `last` another role, and the role asked for to somebody else.

    `after` is the rest of the sentence after the name.
    """
    who = _WHO_IS.match(asked.folded)
    if who is None or not _IS.match(after):
        return False
    role = stem(who["role"].split()[-1])
    clauses: dict[int, list[str]] = {}
    for word, clause in zip(reply.passage.stems, reply.passage.clauses, strict=True):
        clauses.setdefault(clause, []).append(word)
    own = clauses.pop(reply.passage.clauses[last])
    return role not in own and any(_says_of_another(words, role) for words in clauses.values())


def _says_of_another(words: list[str], role: str) -> bool:
    """Whether a clause gives the role to a named person: `Tom Holt is the captain`, but not `she is the captain`."""
    if role not in words:
        return False
    before = words[: words.index(role)]
    return not _BE.isdisjoint(before[1:]) and _CALLED.isdisjoint(before)
