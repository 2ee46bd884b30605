"""Who judges a run, and how its parts weigh, where nobody has said."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.benchmark import Benchmark
from proctor.doctor import judges
from proctor.score import BATTLE_WEIGHTS, JUDGE_WEIGHTS, STANDARD_WEIGHTS, weights_for

WEIGHED_PARTS = tuple(dict.fromkeys((*STANDARD_WEIGHTS, *BATTLE_WEIGHTS, *JUDGE_WEIGHTS)))
"""The parts of a mark that have a weight unless another is given."""


def usual_reviewer(benchmark: Benchmark, exam_type: str, *, suite: bool, passing_score: float | None = None) -> str:
    """The embedded reviewer; nobody where a suite has nothing but checks."""
    if not suite or exam_type != "standard":
        return "embedded"
    return judges.usual_reviewer(benchmark, passing_score)


def usual_weights(exam_type: str, *, suite: bool) -> Mapping[str, float]:
    """A part's weight by its name."""
    return JUDGE_WEIGHTS if suite and exam_type == "standard" else weights_for(exam_type)
