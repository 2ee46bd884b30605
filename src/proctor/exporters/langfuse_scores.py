"""Marks → Langfuse's scores, a hundred at a time, with a verdict on each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from proctor.exporters.courier import Courier
from proctor.exporters.marks import Mark, marks_of
from proctor.exporters.outcome import SENT, Verdict
from proctor.exporters.redaction import clean
from proctor.run import Attempt
from proctor.telemetry.experiment import Experiment
from proctor.telemetry.span import trace_id

Score = dict[str, Any]
_AT_ONCE = 100
_PARTIAL = 207
_FAULTY = frozenset({400, 413, 422})


def scores_of(attempt: Attempt, experiment: Experiment) -> list[Score]:
    """The scores of an attempt, on the spans that they judge."""
    trace = trace_id(attempt.key)
    return [
        {
            **_score(mark, experiment, attempt.ended),
            "traceId": trace,
            "observationId": mark.span,
        }
        for mark in marks_of(attempt)
    ]


def run_score(mark: Mark, experiment: Experiment, ended: float) -> Score:
    """A score of the whole experiment."""
    return {**_score(mark, experiment, ended), "datasetRunId": experiment.id}


def _score(mark: Mark, experiment: Experiment, when: float) -> Score:
    metadata = {"reviewer": mark.by, "turn": mark.turn, "score": mark.share}
    return {
        "id": mark.id,
        "name": mark.name,
        "value": mark.value if mark.form == "categorical" else float(mark.value),
        "dataType": mark.form.upper(),
        "environment": experiment.environment,
        "timestamp": datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z"),
        "metadata": {name: value for name, value in metadata.items() if value is not None},
        **({"comment": mark.explanation} if mark.explanation else {}),
    }


class ScorePost:
    """Sends scores. They go in lists; a server that knows no lists gets them one by one."""

    def __init__(self, courier: Courier, url: str, redact: Sequence[re.Pattern[str]]) -> None:
        self._courier = courier
        self._url = url
        self._redact = redact
        self._knows_lists = True

    async def deliver(self, scores: Sequence[Score]) -> list[Verdict]:
        """What became of each."""
        verdicts: list[Verdict] = []
        cleaned = self._cleaned(scores)
        for start in range(0, len(cleaned), _AT_ONCE):
            verdicts += await self._deliver(cleaned[start : start + _AT_ONCE])
        return verdicts

    def _cleaned(self, scores: Sequence[Score]) -> list[Score]:
        """All at once, which is much cheaper than one by one."""
        comments = clean([score.get("comment") for score in scores], self._redact)
        return [
            score if comment is None else {**score, "comment": comment}
            for score, comment in zip(scores, comments, strict=True)
        ]

    async def _deliver(self, scores: Sequence[Score]) -> list[Verdict]:
        if not self._knows_lists:
            return await self._one_by_one(scores)
        answer = await self._courier.json("POST", self._url, scores)
        if answer.status != _PARTIAL and answer.status not in _FAULTY:
            return [answer.verdict] * len(scores)
        # a partial answer counts the rejected ones, and says nothing of which they are
        verdicts = await self._one_by_one(scores)
        self._knows_lists = answer.status == _PARTIAL or not all(verdict.arrived for verdict in verdicts)
        return verdicts

    async def _one_by_one(self, scores: Sequence[Score]) -> list[Verdict]:
        answers = await asyncio.gather(*(self._courier.json("POST", self._url, score) for score in scores))
        return [SENT if answer.verdict.arrived else answer.verdict for answer in answers]
