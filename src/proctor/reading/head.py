"""The learned head: gradient-boosted trees that map features to the probability that a person calls a reply right.

The trees are numbers in `head.json`, fitted by `bench/reviewer.py --fit`; the model card is in the docs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple


class Tree(NamedTuple):
    """A decision tree of fixed depth: its inner nodes level by level, then its leaves."""

    features: list[int]
    thresholds: list[float]
    leaves: list[float]


class Head(NamedTuple):
    """A tree ensemble with its base score."""

    base: float
    depth: int
    trees: list[Tree]


def probability(features: Sequence[float], *, long: bool) -> float:
    """Return the probability that a person would call the reply right."""
    return 1.0 / (1.0 + math.exp(-log_odds(load_heads()[long], features)))


def log_odds(head: Head, features: Sequence[float]) -> float:
    """Sum the leaf values of all trees; at each node a value above the threshold goes right."""
    total, inner = head.base, (1 << head.depth) - 1
    for columns, thresholds, leaves in head.trees:
        node = 0
        while node < inner:
            node = 2 * node + (2 if features[columns[node]] > thresholds[node] else 1)
        total += leaves[node - inner]
    return total


@lru_cache(maxsize=1)
def load_heads() -> tuple[Head, Head]:
    """Load the two ensembles shipped with the package: for short expected answers, and for statements."""
    data = json.loads(files("proctor.reading").joinpath("head.json").read_text(encoding="utf-8"))
    return _head(data["short"]), _head(data["long"])


def _head(data: dict[str, Any]) -> Head:
    return Head(data["base"], data["depth"], [Tree(*tree) for tree in data["trees"]])
