"""Gradient boosting of small trees for a yes or no, in NumPy: deterministic, and no more than the bench needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bins = npt.NDArray[np.uint8]
MOST_BINS = 48
LEAST_IN_LEAF = 30.0
SHRINKAGE = 5.0


class Fitted(NamedTuple):
    """Trees of one depth: columns, thresholds and leaves of each."""

    base: float
    depth: int
    trees: list[tuple[list[int], list[float], list[float]]]


class Split(NamedTuple):
    gain: float
    column: int
    bin: int


def edges_of(columns: Floats) -> list[Floats]:
    """For each column the thresholds that are tried: between its values, or between its quantiles."""
    found = []
    for column in columns.T:
        values = np.unique(column)
        if len(values) > MOST_BINS:
            values = np.unique(np.quantile(column, np.linspace(0, 1, MOST_BINS)))
        found.append((values[:-1] + values[1:]) / 2)
    return found


def binned(columns: Floats, edges: list[Floats]) -> Bins:
    made = [np.searchsorted(cut, column, side="left") for column, cut in zip(columns.T, edges, strict=True)]
    return np.stack(made, axis=1).astype(np.uint8)


def fit(
    columns: Floats,
    right: Floats,
    weights: Floats,
    *,
    trees: int,
    depth: int,
    rate: float,
    slopes: npt.NDArray[np.int64] | None = None,
) -> Fitted:
    """Boosted trees by Newton steps on the logistic loss; a slope of 1 or -1 lets a column speak one way only."""
    slopes = np.zeros(columns.shape[1], dtype=np.int64) if slopes is None else slopes
    edges = edges_of(columns)
    bins = binned(columns, edges)
    share = float(np.average(right, weights=weights))
    base = float(np.log(share / (1 - share)))
    score = np.full(len(right), base)
    made = []
    for _ in range(trees):
        chance = 1 / (1 + np.exp(-score))
        gradient, curvature = weights * (right - chance), weights * chance * (1 - chance)
        tree, leaf_of = _tree(bins, edges, slopes, gradient, curvature, depth, rate)
        score += np.asarray(tree[2])[leaf_of]
        made.append(tree)
    return Fitted(base, depth, made)


def merge(fitted: list[Fitted]) -> Fitted:
    """The mean of several fits, as one."""
    count = len(fitted)
    trees = [
        (columns, thresholds, [leaf / count for leaf in leaves])
        for one in fitted
        for columns, thresholds, leaves in one.trees
    ]
    return Fitted(sum(one.base for one in fitted) / count, fitted[0].depth, trees)


def _tree(
    bins: Bins,
    edges: list[Floats],
    slopes: npt.NDArray[np.int64],
    gradient: Floats,
    curvature: Floats,
    depth: int,
    rate: float,
) -> tuple[tuple[list[int], list[float], list[float]], npt.NDArray[np.int64]]:
    node = np.zeros(len(gradient), dtype=np.int64)
    columns, thresholds = [], []
    for level in range(depth):
        splits = _best_splits(bins, edges, slopes, gradient, curvature, node, 1 << level)
        for split in splits:
            columns.append(split.column)
            thresholds.append(float(edges[split.column][split.bin]) if split.gain > 0 else float("inf"))
        chosen = np.array([split.column for split in splits])[node]
        cuts = np.array([split.bin if split.gain > 0 else MOST_BINS + 1 for split in splits])[node]
        node = 2 * node + (bins[np.arange(len(node)), chosen] > cuts)
    size = 1 << depth
    sums, weights = np.bincount(node, gradient, size), np.bincount(node, curvature, size)
    leaves = rate * sums / (weights + SHRINKAGE)
    return (columns, thresholds, [float(leaf) for leaf in leaves]), node


def _best_splits(
    bins: Bins,
    edges: list[Floats],
    slopes: npt.NDArray[np.int64],
    gradient: Floats,
    curvature: Floats,
    node: npt.NDArray[np.int64],
    nodes: int,
) -> list[Split]:
    best = [Split(0.0, 0, 0)] * nodes
    width = MOST_BINS + 1
    for column in range(bins.shape[1]):
        if not len(edges[column]):
            continue
        place = node * width + bins[:, column]
        sums = np.bincount(place, gradient, nodes * width).reshape(nodes, width)
        weights = np.bincount(place, curvature, nodes * width).reshape(nodes, width)
        gains = _gains(sums.astype(np.float64), weights.astype(np.float64), int(slopes[column]))
        for number in range(nodes):
            at = int(np.argmax(gains[number, : len(edges[column])]))
            if gains[number, at] > best[number].gain + 1e-9:
                best[number] = Split(float(gains[number, at]), column, at)
    return best


def _gains(sums: Floats, weights: Floats, slope: int) -> Floats:
    left, below = sums.cumsum(axis=1), weights.cumsum(axis=1)
    all_sums, all_weights = left[:, -1:], below[:, -1:]
    right, above = all_sums - left, all_weights - below
    gain = left**2 / (below + SHRINKAGE) + right**2 / (above + SHRINKAGE) - all_sums**2 / (all_weights + SHRINKAGE)
    if slope:
        rises = right / (above + SHRINKAGE) >= left / (below + SHRINKAGE)
        gain = np.where(rises == (slope > 0), gain, 0.0)
    return np.where((below * 4 < LEAST_IN_LEAF) | (above * 4 < LEAST_IN_LEAF), 0.0, gain)


def predict(fitted: Fitted, columns: Floats) -> Floats:
    """The probability of a yes for each row."""
    score = np.full(len(columns), fitted.base)
    inner = (1 << fitted.depth) - 1
    rows = np.arange(len(columns))
    for used, thresholds, leaves in fitted.trees:
        node = np.zeros(len(columns), dtype=np.int64)
        for _ in range(fitted.depth):
            node = 2 * node + 1 + (columns[rows, np.asarray(used)[node]] > np.asarray(thresholds)[node])
        score += np.asarray(leaves)[node - inner]
    return np.asarray(1 / (1 + np.exp(-score)))
