"""The table of linked words, drawn from WordNet 3.0: `python bench/wordnet.py /usr/share/wordnet` writes it anew.

Two stems are linked where a common sense of one is a sense of the other, or its kin, or is explained with the other.
The words are those of `../shared/data`, of WordNet's own explanations and of the texts its senses were counted in.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor.reading.text.fold import fold
from proctor.reading.text.overlap import STOP
from proctor.reading.text.words import stem, words

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
TARGET = Path(__file__).resolve().parents[1] / "src" / "proctor" / "reading" / "wordnet.txt"
SENSES, EXPLAINED = 4, 2
"""Of a word and part of speech, the commonest so many are looked at, and the explanations of so many."""
COUNTED, EXPLAINING, WRITTEN = 5, 40, 5
"""How often a word stands in the counted texts, in explanations or in the data for it to be in the table."""
PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
ALIKE = ("+", "\\", "$", "<")
NEAR = ("@", "@i", "&", "*", ">", "^")
LEAST_LETTERS = 3
_QUOTED = re.compile(r'"[^"]*"?')

Sense = tuple[str, str]


class Senses(NamedTuple):
    """What WordNet says of its senses."""

    words: dict[Sense, list[str]]
    kin: dict[Sense, list[tuple[str, Sense]]]
    explained: dict[Sense, str]


def read_senses(folder: Path) -> Senses:
    """All senses with their words, their kin by kind, and their explanations."""
    found = Senses({}, {}, {})
    for part in PARTS:
        for line in _lines(folder / f"data.{part}"):
            head, _, explained = line.partition("|")
            fields = head.split()
            sense = (_part(fields[2]), fields[0])
            count = int(fields[3], 16)
            rest = fields[5 + 2 * count :]
            found.words[sense] = [word.split("(")[0].lower() for word in fields[4 : 4 + 2 * count : 2]]
            found.kin[sense] = [(rest[at], (_part(rest[at + 2]), rest[at + 1])) for at in range(0, 4 * _kin(fields), 4)]
            found.explained[sense] = _QUOTED.sub("", explained)
    return found


def _kin(fields: list[str]) -> int:
    return int(fields[4 + 2 * int(fields[3], 16)])


def _part(letter: str) -> str:
    return "a" if letter == "s" else letter


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  "))


def senses_by_stem(folder: Path, most: int) -> dict[str, set[Sense]]:
    """Stem → the commonest senses of its words, `most` of a part of speech."""
    found: dict[str, set[Sense]] = defaultdict(set)
    for part, letter in PARTS.items():
        for line in _lines(folder / f"index.{part}"):
            fields = line.split()
            if not fields[0].isalpha() or len(fields[0]) < LEAST_LETTERS:
                continue
            places = fields[6 + int(fields[3]) :]
            counted = int(fields[5 + int(fields[3])])
            for place in places[: max(2, min(most, counted))]:
                found[stem(fields[0])].add((letter, place))
    return found


def common_stems(folder: Path, senses: Senses) -> set[str]:
    """The stems that are common enough for the table."""
    counted: Counter[str] = Counter()
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        counted[stem(key.partition("%")[0])] += int(count)
    explaining = Counter(word for text in senses.explained.values() for word in set(_telling(text)))
    written = Counter(word for text in _data() for word in _telling(text))
    return {
        word
        for word in {*counted, *explaining, *written}
        if word.isalpha() and (counted[word] >= COUNTED or explaining[word] >= EXPLAINING or written[word] >= WRITTEN)
    } - STOP


def _telling(text: str) -> list[str]:
    return [word for word in words(fold(text)) if word not in STOP and len(word) >= LEAST_LETTERS]


def _data() -> Iterator[str]:
    for path in sorted(DATA.glob("*_dev.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield from _texts(row)


def _texts(row: dict[str, Any]) -> Iterator[str]:
    yield from (str(row.get(key) or "") for key in ("question", "candidate", "reply"))
    yield from row.get("references") or ()


def linked(folder: Path) -> dict[str, tuple[set[str], set[str], set[str]]]:
    """Stem → later stems of the same sense, of a near one, and of its explanation."""
    senses, own, explained = read_senses(folder), senses_by_stem(folder, SENSES), senses_by_stem(folder, EXPLAINED)
    common = common_stems(folder, senses) & own.keys()
    alike = {word: own[word] | _reached(senses, own[word], ALIKE) for word in common}
    near = {word: alike[word] | _reached(senses, own[word], NEAR) for word in common}
    bearers: dict[Sense, set[str]] = defaultdict(set)
    for word in common:
        for sense in own[word]:
            bearers[sense].add(word)
    found: dict[str, tuple[set[str], set[str], set[str]]] = {word: (set(), set(), set()) for word in common}
    for word in common:
        same = {other for sense in alike[word] for other in bearers[sense]}
        beside = {other for sense in near[word] for other in bearers[sense]}
        told = {other for sense in explained[word] for other in _telling(senses.explained[sense])} & common
        for kind, others in enumerate((same, beside, told)):
            for other in others - {word}:
                found[min(word, other)][kind].add(max(word, other))
    return found


def _reached(senses: Senses, own: set[Sense], kinds: tuple[str, ...]) -> set[Sense]:
    return {other for sense in own for kind, other in senses.kin[sense] if kind in kinds}


def write(folder: Path) -> None:
    """The table: a stem, then the later stems of the same sense / of a near one / of its explanation."""
    lines = []
    for word, (same, near, told) in sorted(linked(folder).items()):
        near -= same
        told -= same | near
        if same or near or told:
            lines.append(f"{word} {' '.join(sorted(same))} / {' '.join(sorted(near))} / {' '.join(sorted(told))}")
    notice = TARGET.read_text(encoding="utf-8").partition("[links]\n")[0]
    TARGET.write_text(f"{notice}[links]\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
