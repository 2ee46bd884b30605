"""The learned head of the embedded reviewer: fitted on `../shared/data` and the read halves of our own statements.

`python bench/reviewer.py --fit` writes `src/proctor/reading/head.json`. Equal data give equal trees.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from bench.boosting import Fitted, fit, merge, predict
from bench.hard_negatives import hard_negatives
from bench.hard_statements import hard_statements

from proctor.reading import thesaurus
from proctor.reading.alignment import tokens_of
from proctor.reading.answer import Weighed, mark, weigh
from proctor.reading.features import NAMES
from proctor.reading.thesaurus import Thesaurus, likeness

SETS = Path(__file__).resolve().parent / "sets"
DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
TARGET = Path(__file__).resolve().parents[1] / "src" / "proctor" / "reading" / "head.json"
FOLDS = 4
SEED = 7
HARD_SHARE = 0.35
WEIGHTS = {"evouna": 1.0, "nq301": 3.0, "semeval2013": 3.0, "gsm8k": 0.5, "own": 3.0}
HARD_WEIGHT, HARD_STATEMENT_WEIGHT = 0.6, 0.5
RIGHT_SHARES = {"evouna": 0.84, "nq301": 0.7, "semeval2013": 0.82, "gsm8k": 0.5, "own": 0.67}
"""Each source is weighed to this share of right replies, so that marks mean the same for short and long answers."""
SOURCES = ("evouna", "nq301", "semeval2013", "gsm8k")
EVERY_GSM8K = 5
DRAWS, DRAWN = 5, 0.8
"""Statements have the mean of so many sets of trees, each fitted on the replies to such a share of the questions."""
OWN = ("sentences", "sentences_2", "ordinary", "ordinary_2", "chat")
"""Sets of our own with statements: what chat agents say, of which the head learns the halves that were read."""
SLOPES = {
    "value": 1, "letters": 1, "answers": 0, "aligned": 1, "aligned news": 1, "flips": -1, "opposed": -1,
    "least clause": 1, "numbers missing": -1, "numbers strange": -1, "substitutions": -1, "negation differs": -1,
    "room": 1, "linked news": 1, "linked clause": 1, "linked reply": 1,
    "pairs": 0, "inversions": 0, "question": 0, "f1": 0, "news share": 0,
}  # fmt: skip
"""Features of statements → whether more of it speaks for the reply (1) or against it (-1), whatever the data say.

Of statements there are few questions: features that would tell them apart are left out."""

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


class Rows(NamedTuple):
    """What the head learns from, one row per reply."""

    rows: list[dict[str, Any]]
    weighed: list[Weighed]
    columns: Floats
    right: Flags
    source: npt.NDArray[np.str_]
    made: Flags
    """Whether it is a hard case that was made of another, or one of our own read without the thesaurus."""
    long: Flags
    learns: Flags
    """Whether the head has a say; else the rules decide alone."""
    fold: npt.NDArray[np.int64]


def read_rows() -> list[dict[str, Any]]:
    """The replies of all sources in one form."""
    rows = []
    for name in SOURCES:
        for number, line in enumerate((DATA / f"{name}_dev.jsonl").read_text(encoding="utf-8").splitlines()):
            if name != "gsm8k" or number % EVERY_GSM8K == 0:
                rows.append(_row(name, json.loads(line)))
    return rows


def _row(name: str, data: dict[str, Any]) -> dict[str, Any]:
    right = {
        "evouna": data.get("correct"),
        "nq301": data.get("human") == "Yes",
        "semeval2013": data.get("label") == "correct",
        "gsm8k": data.get("correct"),
    }[name]
    return {
        "source": name,
        "group": data.get("model") or data.get("corpus") or "",
        "question": data["question"],
        "references": data.get("references") or [data["answer"]],
        "candidate": data.get("candidate") or data.get("reply", ""),
        "right": bool(right),
    }


def read_own() -> list[dict[str, Any]]:
    """The statements of our own sets, of the halves that were read alone."""
    return [
        {
            "source": "own",
            "group": name,
            "question": row["question"],
            "references": [row["expected"]],
            "candidate": row["reply"],
            "right": row["label"] == "right",
        }
        for name in OWN
        for row in _read_half(name)
        if row.get("set", "sentences") == "sentences" and row["label"] != "unclear"
    ]


def _read_half(name: str) -> list[dict[str, Any]]:
    """A set's rows that may be read: by their `half`, else every other question of a later set and all of the first."""
    rows = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    numbers = {question: place for place, question in enumerate(dict.fromkeys(row["question"] for row in rows))}
    later = name.endswith("_2")
    return [
        row
        for row in rows
        if (row["half"] == "read" if "half" in row else not later or numbers[row["question"]] % 2 == 0)
    ]


def gather() -> Rows:
    """The rows with their features, hard negatives among them."""
    rows = read_rows()
    short = [row for row in rows if row["source"] in ("evouna", "nq301")]
    long = [row for row in rows if row["source"] == "semeval2013"]
    rows += hard_negatives(short, random.Random(SEED), share=HARD_SHARE)
    rows += hard_statements(long, random.Random(SEED))
    own = read_own()
    rows += own
    weighed = _weigh(rows)
    with _without_thesaurus():
        weighed += _weigh(own)
    rows += [{**row, "made": True} for row in own]
    nothing = [0.0] * len(NAMES)
    columns = np.array([each.features or nothing for each in weighed])
    return Rows(
        rows,
        weighed,
        columns,
        np.array([row["right"] for row in rows]),
        np.array([row["source"] for row in rows]),
        np.array([bool(row.get("made")) for row in rows]),
        columns[:, NAMES.index("statement")] > 0,
        np.array([each.features is not None for each in weighed]),
        np.array([zlib.crc32(row["question"].encode()) % FOLDS for row in rows]),
    )


def _weigh(rows: list[dict[str, Any]]) -> list[Weighed]:
    return [weigh(row["question"], tuple(row["references"]), row["candidate"]) for row in rows]


@contextmanager
def _without_thesaurus() -> Iterator[None]:
    """Our own statements were read to fill the thesaurus: without it they are as strange as those yet to come."""
    nothing = Thesaurus({}, {}, re.compile(r"(?!)"))
    for cached in (likeness, tokens_of):
        cached.cache_clear()
    with patch.object(thesaurus, "load_thesaurus", lambda: nothing):
        try:
            yield
        finally:
            for cached in (likeness, tokens_of):
                cached.cache_clear()


def weights_of(rows: Rows) -> Floats:
    weights = np.array([WEIGHTS[source] for source in rows.source])
    weights[rows.made] = HARD_WEIGHT
    weights[rows.made & (rows.source == "semeval2013")] = HARD_STATEMENT_WEIGHT
    weights[rows.made & (rows.source == "own")] = WEIGHTS["own"]
    for source, wanted in RIGHT_SHARES.items():
        real = (rows.source == source) & (~rows.made | (source == "own")) & rows.learns
        share = rows.right[real].mean()
        weights[real & rows.right] *= wanted / share
        weights[real & ~rows.right] *= (1 - wanted) / (1 - share)
    return weights


def fit_both(rows: Rows, kept: Flags) -> tuple[Fitted, Fitted]:
    """The trees for short answers and for statements."""
    weights, right = weights_of(rows), rows.right.astype(float)
    short, long = kept & rows.learns & ~rows.long & (rows.source != "own"), kept & rows.learns & rows.long
    return (
        fit(rows.columns[short], right[short], weights[short], trees=110, depth=3, rate=0.12),
        merge([_fit_statements(rows, long & _drawn(rows, number), weights) for number in range(DRAWS)]),
    )


def _fit_statements(rows: Rows, kept: Flags, weights: Floats) -> Fitted:
    columns = rows.columns[kept][:, [NAMES.index(name) for name in SLOPES]]
    slopes = np.array(list(SLOPES.values()))
    return fit(columns, rows.right[kept].astype(float), weights[kept], trees=60, depth=3, rate=0.1, slopes=slopes)


def _drawn(rows: Rows, number: int) -> Flags:
    """The replies to the questions of one draw."""
    draws = [zlib.crc32(f"{number} {row['question']}".encode()) % 100 for row in rows.rows]
    return np.array(draws) < 100 * DRAWN


def cross_validated(rows: Rows) -> Floats:
    """Each reply's mark by trees that have not seen its question."""
    chance = np.zeros(len(rows.rows))
    places = [NAMES.index(name) for name in SLOPES]
    for number in range(FOLDS):
        short, long = fit_both(rows, rows.fold != number)
        held = rows.fold == number
        chance[held] = predict(short, rows.columns[held])
        statements = held & rows.long
        chance[statements] = predict(long, rows.columns[statements][:, places])
    return np.array([mark(each, float(value)) for each, value in zip(rows.weighed, chance, strict=True)])


def write(rows: Rows) -> None:
    """The trees fitted on all rows, as numbers in the package."""
    short, long = fit_both(rows, np.ones(len(rows.rows), dtype=bool))
    places = [NAMES.index(name) for name in SLOPES]
    data = {"short": _plain(short, list(range(len(NAMES)))), "long": _plain(long, places)}
    TARGET.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")


def _plain(fitted: Fitted, places: list[int]) -> dict[str, Any]:
    trees = [
        (
            [places[column] for column in columns],
            [float(f"{min(threshold, 1e9):.4g}") for threshold in thresholds],
            [round(leaf, 4) for leaf in leaves],
        )
        for columns, thresholds, leaves in fitted.trees
    ]
    return {"base": round(fitted.base, 4), "depth": fitted.depth, "trees": trees}
