"""Phoenix exporter: a run becomes an experiment over a dataset; marks become evaluations and span annotations."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from proctor.errors import UsageError
from proctor.exporters.contract import FinishedAttempt, Subject
from proctor.exporters.delivery_log import DeliveryMemory, digest
from proctor.exporters.marks import Mark, marks_of
from proctor.exporters.outcome import SENT, DeliveryVerdict, worst
from proctor.exporters.redaction import clean
from proctor.exporters.sender import RequestResult, Sender, about, base_address, unusable, value_at
from proctor.exporters.spans import SpanPost, Trace, best_encoding
from proctor.run import Attempt, Key, Run
from proctor.telemetry.experiment import item_expected, item_id, item_input, item_metadata
from proctor.telemetry.otlp_protobuf import INSTALL
from proctor.telemetry.span import trace_id
from proctor.telemetry.trace import spans_of

_PROJECT = "openinference.project.name"
_PAGE = 500


class Phoenix:
    """A Phoenix server, over plain HTTP. It takes spans only as protobuf, which needs the extra `otlp`."""

    name = "phoenix"
    keeps_run_marks = True
    link = ""

    def __init__(self, subject: Subject, *, endpoint: str | None = None) -> None:
        variables = ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT")
        self._base = base_address(endpoint, *variables, such_as="http://localhost:6006")
        if best_encoding() != "protobuf":
            raise UsageError(f"Phoenix takes spans as protobuf only. {INSTALL}")
        self.where = self.identity = self._base
        self.memory = DeliveryMemory(None)
        self._subject = subject
        key = os.environ.get("PHOENIX_API_KEY")
        self._sender = Sender({"authorization": f"Bearer {key}"} if key else {})
        self._spans = SpanPost(self._sender, f"{self._base}/v1/traces", encoding="protobuf")
        self._experiment: dict[str, Any] = {}
        self._examples: dict[str, str] = {}
        self._runs: dict[tuple[str, int], str] = {}

    async def begin(self) -> DeliveryVerdict:
        """Find or create the dataset, its examples and the experiment, and load the experiment's runs."""
        answer = await self._call("POST", "datasets/upload?sync=true", self._dataset())
        dataset = value_at(answer.json(), "data", "dataset_id")
        if dataset is None:
            return unusable(answer, "the dataset's id", "a Phoenix")
        answer = await self._get(f"datasets/{dataset}/examples")
        examples = value_at(answer.json(), "data", "examples")
        if not isinstance(examples, list):
            return unusable(answer, "the examples of the dataset", "a Phoenix")
        self._examples = {each["id"]: each.get("node_id") or each["id"] for each in examples}
        verdict = await self._find_experiment(dataset, value_at(answer.json(), "data", "version_id"))
        return verdict if not verdict.arrived else await self._find_runs()

    @property
    def fingerprint(self) -> str:
        """Digest of the experiment's id and the redaction patterns."""
        return digest(self._experiment.get("id"), [pattern.pattern for pattern in self._subject.redact])

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send traces, then the experiment's runs with evaluations, then span annotations."""
        results = [about("spans", verdict) for verdict in await self._spans.deliver([*map(self._trace, played)])]
        ready = [place for place, verdict in enumerate(results) if verdict.arrived]
        filed = await asyncio.gather(*(self._file(played[place]) for place in ready))
        for place, verdict in zip(ready, filed, strict=True):
            results[place] = verdict
        annotated = await self._annotate(
            [each.attempt for each, verdict in zip(played, results, strict=True) if verdict.arrived]
        )
        return [verdict if not verdict.arrived else annotated for verdict in results]

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Store the run's scores in the experiment's metadata, the only place that Phoenix has for them."""
        known = self._experiment.get("metadata") or {}
        scores = (known.get("scores") or {}) | {mark.name: mark.value for mark in marks}
        metadata = known | {"scores": scores}
        answer = await self._call("PATCH", f"experiments/{self._experiment['id']}", {"metadata": metadata})
        return [answer.verdict] * len(marks)

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()

    def _dataset(self) -> dict[str, Any]:
        subject = self._subject
        return {
            "action": "append",  # updates existing examples and deletes none
            "name": subject.dataset,
            "description": clean(subject.description, subject.redact),
            "inputs": [clean(item_input(exam), subject.redact) for exam in subject.exams],
            "outputs": [clean(item_expected(exam) or {}, subject.redact) for exam in subject.exams],
            "metadata": [clean(item_metadata(exam), subject.redact) for exam in subject.exams],
            "example_ids": [item_id(subject.dataset, exam) for exam in subject.exams],
        }

    async def _find_experiment(self, dataset: str, version: Any) -> DeliveryVerdict:
        """Find the experiment of this run by its metadata, or create it."""
        run = self._subject.run
        known, verdict = await self._all(f"datasets/{dataset}/experiments")
        if not verdict.arrived:
            return verdict
        ours = [each for each in known if value_at(each, "metadata", "proctor_run") == run.id]
        if ours:
            self._experiment = ours[0]
            return SENT
        labels = clean({"agent": run.agent, **run.labels}, self._subject.redact)
        body = {
            "name": self._subject.title,
            "metadata": {"proctor_run": run.id, **labels},
            "repetitions": run.settings.repeats,
            "version_id": version,
        }
        answer = await self._call("POST", f"datasets/{dataset}/experiments", body)
        made = value_at(answer.json(), "data")
        if not isinstance(made, dict) or "id" not in made:
            return unusable(answer, "the experiment's id", "a Phoenix")
        self._experiment = made
        return SENT

    async def _find_runs(self) -> DeliveryVerdict:
        """Load the experiment's existing runs, except failed ones, which may be replaced."""
        known, verdict = await self._all(f"experiments/{self._experiment['id']}/runs")
        self._runs = {
            (each["dataset_example_id"], each["repetition_number"]): each["id"]
            for each in known
            if not each.get("error")
        }
        return verdict

    def _trace(self, played: FinishedAttempt) -> Trace:
        """Return the spans, assigned to the experiment's project in Phoenix."""
        spans = spans_of(self._subject.run, played.exam, played.attempt, redact=self._subject.redact)
        project = self._experiment.get("project_name") or self._subject.title
        resource = {**spans[0].resource, _PROJECT: project}
        return [replace(span, resource=resource) for span in spans]

    async def _file(self, played: FinishedAttempt) -> DeliveryVerdict:
        """Send an attempt as a run of the experiment, with evaluations of the whole attempt."""
        attempt = played.attempt
        example = self._examples.get(item_id(self._subject.dataset, played.exam))
        if example is None:
            return DeliveryVerdict(state="unsent", reason="the dataset over there has no such example")
        place = (example, self._repetition(attempt.key))
        if place not in self._runs:
            answer = await self._call("POST", f"experiments/{self._experiment['id']}/runs", self._run(attempt, place))
            made = value_at(answer.json(), "data", "id")
            if made is None:
                return about("run of the experiment", unusable(answer, "the run's id", "a Phoenix"))
            self._runs[place] = made
        bodies = self._evaluations(attempt, self._runs[place])
        answers = await asyncio.gather(*(self._call("POST", "experiment_evaluations", body) for body in bodies))
        pairs = zip(bodies, answers, strict=True)
        return worst(about(f"evaluation {body['name']}", answer.verdict) for body, answer in pairs)

    def _repetition(self, key: Key) -> int:
        """Return the repetition number: trials are numbered condition after condition."""
        settings = self._subject.run.settings
        return settings.conditions.index(key.condition) * settings.most_trials + key.trial

    def _run(self, attempt: Attempt, place: tuple[str, int]) -> dict[str, Any]:
        replies = [turn.reply.text for turn in attempt.transcript.turns if turn.reply is not None]
        failure = attempt.failure
        return {
            "dataset_example_id": place[0],
            "repetition_number": place[1],
            "output": clean(replies[0] if len(replies) == 1 else replies or None, self._subject.redact),
            "error": clean(failure.reason, self._subject.redact) if failure is not None else None,
            "trace_id": trace_id(attempt.key),
            **_times(attempt),
        }

    def _evaluations(self, attempt: Attempt, run: str) -> list[dict[str, Any]]:
        """Return evaluations for marks of the whole attempt, or of its only turn. Names are made unique."""
        alone = len(attempt.transcript.turns) <= 1
        marks = [mark for mark in marks_of(attempt) if alone or mark.turn is None]
        often = Counter(mark.name for mark in marks)
        return [
            {
                "experiment_run_id": run,
                "name": mark.name if often[mark.name] == 1 else f"{mark.name} by {mark.by}",
                **self._annotation_body(mark),
                **_times(attempt),
            }
            for mark in marks
        ]

    async def _annotate(self, attempts: Sequence[Attempt]) -> DeliveryVerdict:
        """Send every mark as an annotation of its span. Phoenix keeps them until the spans arrive."""
        marks = [mark for attempt in attempts for mark in marks_of(attempt)]
        if not marks:
            return SENT
        data = [
            {"span_id": mark.span, "name": mark.name, "identifier": mark.id, **self._annotation_body(mark)}
            for mark in marks
        ]
        answer = await self._call("POST", "span_annotations", {"data": data})
        return about("annotations", answer.verdict)

    def _annotation_body(self, mark: Mark) -> dict[str, Any]:
        words = {True: "pass", False: "fail"}
        label = words[mark.value] if isinstance(mark.value, bool) else None
        result = {
            "label": mark.value if isinstance(mark.value, str) else label,
            "score": None if isinstance(mark.value, str) else float(mark.value),
            "explanation": clean(mark.explanation, self._subject.redact) or None,
        }
        metadata = {"reviewer": mark.by} | ({"turn": mark.turn} if mark.turn is not None else {})
        return {"annotator_kind": "CODE" if mark.by_code else "LLM", "result": result, "metadata": metadata}

    async def _all(self, path: str) -> tuple[list[dict[str, Any]], DeliveryVerdict]:
        """Return all items of a paginated list."""
        listed: list[dict[str, Any]] = []
        cursor = ""
        while True:
            answer = await self._get(f"{path}?limit={_PAGE}{cursor}")
            page = value_at(answer.json(), "data")
            if not answer.verdict.arrived or not isinstance(page, list):
                return listed, unusable(answer, "what there is already", "a Phoenix")
            listed += page
            following = value_at(answer.json(), "next_cursor")
            if not following:
                return listed, SENT
            cursor = f"&cursor={following}"

    async def _get(self, path: str) -> RequestResult:
        return await self._sender.get(f"{self._base}/v1/{path}")

    async def _call(self, method: str, path: str, body: Any) -> RequestResult:
        return await self._sender.json(method, f"{self._base}/v1/{path}", body, may_be_missing=True)


def _times(attempt: Attempt) -> dict[str, str]:
    start, end = (datetime.fromtimestamp(seconds, UTC).isoformat() for seconds in (attempt.started, attempt.ended))
    return {"start_time": start, "end_time": end}
