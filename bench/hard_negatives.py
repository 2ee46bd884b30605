"""Hard negatives: right replies with one thing changed that makes them wrong; a head must not trust overlap."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

_NUMBER = re.compile(r"\d+")
_BE = re.compile(r"\b(?:is|was|are|were|by|in|called)\b")
_EXCHANGES = """
km miles | metres feet | meters yards | hours minutes | days weeks | months years | kg pounds | dollars euros |
million billion | °C °F
"""
_UNITS = {
    one: other
    for pair in _EXCHANGES.split("|")
    for first, second in [pair.split()]
    for one, other in ((first, second), (second, first))
}
_UNIT = re.compile(rf"\b(?:{'|'.join(map(re.escape, _UNITS))})\b")
_REFERENCE = "references"


def hard_negatives(rows: Sequence[dict[str, Any]], rng: random.Random, *, share: float) -> Iterator[dict[str, Any]]:
    """For a share of the right rows, one with the matched answer changed."""
    others = [row[_REFERENCE][0] for row in rows]
    for row in rows:
        if row["right"] and rng.random() < share:
            changed = _change(row, others, rng)
            if changed is not None:
                yield {**row, "candidate": changed, "right": False, "made": True}


def _change(row: dict[str, Any], others: Sequence[str], rng: random.Random) -> str | None:
    reply: str = row["candidate"]
    found = next((ref for ref in row[_REFERENCE] if ref and ref.lower() in reply.lower()), None)
    if found is None:
        return None
    if _NUMBER.search(found):
        return _with_other_number(reply, found, rng)
    way = rng.random()
    if way < 0.15 and (unit := _UNIT.search(reply)):
        return reply[: unit.start()] + _UNITS[unit[0]] + reply[unit.end() :]
    if way < 0.35:
        return _denied(reply, found)
    return _with_other_name(row, reply, found, others, rng)


def _with_other_number(reply: str, found: str, rng: random.Random) -> str:
    """Every mention gets the same other number: one digit is changed, or two change places."""
    digits = _NUMBER.search(found)
    assert digits is not None
    old = digits[0]
    place = rng.randrange(len(old))
    new = old[:place] + str((int(old[place]) + rng.randint(1, 8)) % 10) + old[place + 1 :]
    if new.startswith("0"):
        new = str(rng.randint(1, 8)) + new[1:]
    return re.sub(rf"(?<!\d){old}(?!\d)", new if new != old else new + "0", reply)


def _denied(reply: str, found: str) -> str | None:
    """`It is X` becomes `It is not X`."""
    at = reply.lower().find(found.lower())
    verbs = list(_BE.finditer(reply, 0, at))
    if not verbs:
        return None
    return f"{reply[: verbs[-1].end()]} not{reply[verbs[-1].end() :]}"


def _with_other_name(
    row: dict[str, Any], reply: str, found: str, others: Sequence[str], rng: random.Random
) -> str | None:
    for _ in range(6):
        other = rng.choice(others)
        same_form = other[:1].isupper() == found[:1].isupper() and abs(len(other.split()) - len(found.split())) <= 1
        if same_form and not _NUMBER.search(other) and other.lower() not in " ".join(row[_REFERENCE]).lower():
            return re.sub(re.escape(found), other.replace("\\", ""), reply, flags=re.IGNORECASE)
    return None
