"""Hard cases of statements: a right one with one thing changed, which makes it wrong, and one in other words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from proctor.reading.opposites import OPPOSITES
from proctor.reading.text.overlap import weight
from proctor.reading.text.words import stem
from proctor.reading.thesaurus import load_thesaurus

_WORD = re.compile(r"[A-Za-z][\w'-]*")
_VERB = re.compile(r"\b(?:is|are|was|were|can|will|does|do|has|have|would|could|must|should)\b")
_LEAST = 7
"""Words of a statement."""


def hard_statements(rows: Sequence[dict[str, Any]], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Made of every right answer and every reference that is long enough: one wrong, and one right in other words."""
    others = [word for row in rows for word in _telling(row["references"][0])]
    for row in rows:
        if not row["right"]:
            continue
        said = rng.choice((row["candidate"], *row["references"]))
        if len(said.split()) < _LEAST:
            continue
        changed = rng.choice((_denied, _with_other_words, _with_opposite, _cut, _swapped))(said, others, rng)
        if changed is not None and changed != said:
            yield {**row, "candidate": changed, "right": False, "made": True}
        if said in row["references"]:
            yield {**row, "candidate": _in_other_words(said, rng), "right": True, "made": True}


def _telling(text: str) -> list[str]:
    return [match[0] for match in _WORD.finditer(text) if weight(stem(match[0].lower())) == 1.0]


def _denied(said: str, others: Sequence[str], rng: random.Random) -> str | None:
    """`It is` becomes `it is not`."""
    verb = _VERB.search(said)
    if verb is None or " not " in said or "n't" in said:
        return None
    return f"{said[: verb.end()]} not{said[verb.end() :]}"


def _with_other_words(said: str, others: Sequence[str], rng: random.Random) -> str | None:
    """One or two telling words become others."""
    words = _telling(said)
    for old in rng.sample(words, min(len(words), rng.randint(1, 2))):
        said = re.sub(rf"\b{re.escape(old)}\b", rng.choice(others).lower(), said)
    return said


def _with_opposite(said: str, others: Sequence[str], rng: random.Random) -> str | None:
    words = [word for word in _WORD.findall(said) if OPPOSITES.get(stem(word.lower()))]
    if not words:
        return _with_other_words(said, others, rng)
    old = rng.choice(words)
    return re.sub(rf"\b{re.escape(old)}\b", rng.choice(sorted(OPPOSITES[stem(old.lower())])), said)


def _cut(said: str, others: Sequence[str], rng: random.Random) -> str | None:
    """Half of it."""
    words = said.split()
    half = len(words) // 2
    return " ".join(words[:half] if rng.random() < 0.5 else words[half:])


def _swapped(said: str, others: Sequence[str], rng: random.Random) -> str | None:
    """Two telling words change places."""
    words = sorted(set(_telling(said)))
    if len(words) < 3:
        return None
    one, other = rng.sample(words, 2)
    return re.sub(rf"\b(?:{re.escape(one)}|{re.escape(other)})\b", lambda m: other if m[0] == one else one, said)


def _in_other_words(said: str, rng: random.Random) -> str:
    """Some of its words by others of their groups."""
    groups = load_thesaurus().groups
    members: dict[int, list[str]] = {}
    for word, numbers in groups.items():
        for number in numbers:
            members.setdefault(number, []).append(word)

    def other(match: re.Match[str]) -> str:
        found = sorted(groups.get(stem(match[0].lower()), ()))
        return rng.choice(members[rng.choice(found)]) if found and rng.random() < 0.6 else match[0]

    return _WORD.sub(other, said)
