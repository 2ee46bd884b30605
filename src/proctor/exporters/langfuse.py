"""Langfuse exporter: a run becomes an experiment over a dataset, as in Langfuse's SDK, with deterministic ids."""

from __future__ import annotations

import asyncio
import base64
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from proctor.benchmark import Exam
from proctor.errors import UsageError
from proctor.exporters.contract import FinishedAttempt, Subject
from proctor.exporters.delivery_log import DeliveryMemory, digest
from proctor.exporters.marks import Mark, marks_of
from proctor.exporters.outcome import SENT, DeliveryVerdict, worst
from proctor.exporters.redaction import clean
from proctor.exporters.sender import Sender, about, base_address, unusable, value_at
from proctor.exporters.spans import SpanPost
from proctor.net.addresses import shown
from proctor.run import Attempt, Run
from proctor.telemetry.experiment import Experiment, experiment_id, item_expected, item_id, item_input, item_metadata
from proctor.telemetry.span import trace_id
from proctor.telemetry.trace import spans_of

Score = dict[str, Any]


def scores_of(attempt: Attempt, experiment: Experiment) -> list[Score]:
    """Return the scores of an attempt, attached to the spans they judge."""
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
    """Return a score of the whole experiment."""
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
    """Sends scores one per request, as Langfuse's API requires."""

    def __init__(self, sender: Sender, url: str, redact: Sequence[re.Pattern[str]]) -> None:
        self._sender = sender
        self._url = url
        self._redact = redact

    async def deliver(self, scores: Sequence[Score]) -> list[DeliveryVerdict]:
        """Send the scores; return a verdict for each."""
        return list(await asyncio.gather(*map(self._deliver, self._redact_comments(scores))))

    def _redact_comments(self, scores: Sequence[Score]) -> list[Score]:
        """Redact all comments in one pass, which is much faster than one by one."""
        comments = clean([score.get("comment") for score in scores], self._redact)
        return [
            score if comment is None else {**score, "comment": comment}
            for score, comment in zip(scores, comments, strict=True)
        ]

    async def _deliver(self, score: Score) -> DeliveryVerdict:
        return (await self._sender.json("POST", self._url, score)).verdict


_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
ADDRESSES = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
"""Environment variables for the address, in the order of Langfuse's SDK."""
_VERSION = {"x-langfuse-ingestion-version": "4"}
"""Without this header, spans take minutes to appear."""


class Langfuse:
    """A Langfuse project. Keys and address come from environment variables only."""

    name = "langfuse"
    keeps_run_marks = True

    def __init__(self, subject: Subject) -> None:
        public, secret, base = _settings()
        self.where = shown(base)
        self.identity = f"{self.where} {public}"
        self.link = ""
        self.memory = DeliveryMemory(None)
        self._subject = subject
        self._api, self._sender = _address_and_sender(public, secret, base)
        self._spans = SpanPost(self._sender, f"{self._api}/otel/v1/traces", _VERSION)
        self._scores = ScorePost(self._sender, f"{self._api}/scores", subject.redact)
        self._experiment: Experiment | None = None

    async def begin(self) -> DeliveryVerdict:
        """Check the keys, look up their project, and create the dataset."""
        answer = await self._sender.get(f"{self._api}/projects")
        project = value_at(answer.json(), "data", 0, "id")
        if not answer.verdict.arrived or not project:
            return unusable(answer, "its project", "a Langfuse")
        dataset, verdict = await self._dataset()
        if dataset is None:
            return verdict
        self._experiment = _experiment(self._subject, project, dataset)
        self.link = f"{self.where}/project/{quote(project, safe='')}/experiments/results?baseline={self._experiment.id}"
        return SENT

    @property
    def experiment(self) -> Experiment:
        """The experiment that represents the run; available after `begin`."""
        assert self._experiment is not None, "begin comes first"
        return self._experiment

    @property
    def fingerprint(self) -> str:
        """Digest of the experiment and the redaction patterns."""
        return digest(self.experiment, [pattern.pattern for pattern in self._subject.redact])

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send dataset items, then spans, then scores; each only if what it refers to has arrived."""
        verdicts = await self._items([each.exam for each in played])
        verdicts = await self._traces(played, verdicts)
        return await self._send_scores(played, verdicts)

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Send the run's scores as scores of the experiment."""
        ended = run.ended or run.created
        return await self._scores.deliver([run_score(mark, self.experiment, ended) for mark in marks])

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    async def _dataset(self) -> tuple[str | None, DeliveryVerdict]:
        """Return the dataset's id, or why there is none. An existing dataset is not overwritten."""
        subject = self._subject
        count = len(subject.exams)
        body = {
            "name": subject.dataset,
            "description": clean(subject.description, subject.redact) or f"{count} case{'s' if count != 1 else ''}",
            "metadata": {"source": "proctor", "digest": subject.run.digest},
        }
        content = digest(body)
        if self.memory.knows("dataset", content):
            answer = await self._sender.get(
                f"{self._api}/v2/datasets/{quote(subject.dataset, safe='')}", may_be_missing=True
            )
            if answer.verdict.arrived and (known := value_at(answer.json(), "id")):
                return known, SENT
        answer = await self._sender.json("POST", f"{self._api}/v2/datasets", body)
        made = value_at(answer.json(), "id")
        if not answer.verdict.arrived or not made:
            return None, unusable(answer, "the dataset's id", "a Langfuse")
        self.memory.note({"dataset": content})
        return made, SENT

    async def _items(self, exams: Sequence[Exam]) -> list[DeliveryVerdict]:
        """Send input and expected output of each distinct exam."""
        different = {exam.id: exam for exam in exams}
        contents = clean([_content(exam) for exam in different.values()], self._subject.redact)
        sending = zip(different.values(), contents, strict=True)
        verdicts = await asyncio.gather(*(self._item(exam, content) for exam, content in sending))
        verdict_by_exam = dict(zip(different, verdicts, strict=True))
        return [verdict_by_exam[exam.id] for exam in exams]

    async def _item(self, exam: Exam, fields: dict[str, Any]) -> DeliveryVerdict:
        body = {"id": item_id(self.experiment.dataset, exam), "datasetName": self._subject.dataset, **fields}
        item, content = f"item:{exam.id}", digest(body)
        if self.memory.knows(item, content):
            return SENT
        answer = await self._sender.json("POST", f"{self._api}/dataset-items", body)
        if answer.verdict.arrived:
            self.memory.note({item: content})
        return about("dataset item", answer.verdict)

    async def _traces(
        self, played: Sequence[FinishedAttempt], verdicts: Sequence[DeliveryVerdict]
    ) -> list[DeliveryVerdict]:
        run, redact = self._subject.run, self._subject.redact
        ready = [place for place, verdict in enumerate(verdicts) if verdict.arrived]
        traces = [
            spans_of(run, played[place].exam, played[place].attempt, experiment=self.experiment, redact=redact)
            for place in ready
        ]
        results = list(verdicts)
        for place, verdict in zip(ready, await self._spans.deliver(traces), strict=True):
            results[place] = about("spans", verdict)
        return results

    async def _send_scores(
        self, played: Sequence[FinishedAttempt], verdicts: Sequence[DeliveryVerdict]
    ) -> list[DeliveryVerdict]:
        scores = [
            (place, score)
            for place, verdict in enumerate(verdicts)
            if verdict.arrived
            for score in scores_of(played[place].attempt, self.experiment)
        ]
        results: list[list[DeliveryVerdict]] = [[verdict] for verdict in verdicts]
        delivered = await self._scores.deliver([score for _, score in scores])
        for (place, score), verdict in zip(scores, delivered, strict=True):
            results[place].append(about(f"score {score['name']}", verdict))
        return [worst(each) for each in results]


def connect() -> tuple[str, Sender]:
    """Return the API's address and an authenticated sender, both configured by environment variables, for reading."""
    return _address_and_sender(*_settings())


def _address_and_sender(public: str, secret: str, base: str) -> tuple[str, Sender]:
    basic = base64.b64encode(f"{public}:{secret}".encode()).decode()
    return f"{base}/api/public", Sender({"authorization": f"Basic {basic}"})


def _settings() -> tuple[str, str, str]:
    missing = [name for name in _KEYS if not os.environ.get(name)]
    if not any(map(os.environ.get, ADDRESSES)):
        missing.append(ADDRESSES[0])
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{', '.join(missing)} {are} not set; Langfuse shows its keys in a project's settings, "
            "and its address is something like https://cloud.langfuse.com"
        )
    public, secret = (os.environ[name] for name in _KEYS)
    return public, secret, base_address(None, *ADDRESSES, such_as="https://cloud.langfuse.com")


def _content(exam: Exam) -> dict[str, Any]:
    return {"input": item_input(exam), "expectedOutput": item_expected(exam), "metadata": item_metadata(exam)}


def _experiment(subject: Subject, project: str, dataset: str) -> Experiment:
    run = subject.run
    return Experiment(
        id=experiment_id(project, dataset, subject.title),
        name=subject.title,
        title=run.agent,
        dataset=subject.dataset,
        dataset_id=dataset,
        metadata={"run": run.id, "agent": run.agent, "reviewer": run.settings.reviewer, **run.labels},
        release=run.labels.get("version", ""),
    )
