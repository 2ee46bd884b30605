"""Mapping of a run to a Langfuse experiment over the items of a dataset: Experiment."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.benchmark import Case, Exam
from proctor.codec import encode


@dataclass(frozen=True, kw_only=True, slots=True)
class Experiment:
    """One run as a Langfuse experiment."""

    id: str
    """Result of `experiment_id`."""
    name: str
    """Name of the run, unique within the dataset."""
    title: str
    """What is tested over many runs: the agent."""
    dataset: str
    """Name of the dataset, which is the prefix of its items' ids."""
    dataset_id: str
    """Id assigned by the server."""
    description: str = ""
    """Purpose of the run."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Labels of the run: model, prompt version, commit."""
    environment: str = "sdk-experiment"
    """Langfuse environment; the default separates experiments from live traffic."""
    release: str = ""
    """Version of the agent."""


def experiment_id(project_id: str, dataset_id: str, name: str) -> str:
    """Return the id by which Langfuse groups the items of one run."""
    identity_text = encode(["langfuse-experiment-v1", project_id, dataset_id, name])
    return hashlib.sha256(identity_text.encode()).hexdigest()[:16]


def item_id(dataset: str, exam: Exam) -> str:
    """Return the item id of an exam, which has to be unique over all datasets."""
    return f"{dataset}:{exam.id}"


def item_input(exam: Exam) -> dict[str, Any]:
    """Return the questions of an exam."""
    asked = [_question_fields(case) for case in exam.cases]
    return asked[0] if len(asked) == 1 else {"turns": asked}


def item_expected(exam: Exam) -> dict[str, Any] | None:
    """Return the expectations of an exam, or None if it has none that can be exported."""
    expected = [_expected_fields(case) for case in exam.cases]
    if not any(expected):
        return None
    return expected[0] if len(expected) == 1 else {"turns": expected}


def item_metadata(exam: Exam) -> dict[str, Any]:
    """Return further metadata of an exam."""
    categories = dict.fromkeys(category for case in exam.cases for category in case.categories)
    return {"case_id": exam.id} | ({"category": ", ".join(categories)} if categories else {})


def _question_fields(case: Case) -> dict[str, Any]:
    return {"question": case.question} | ({"context": case.context} if case.context else {})


def _expected_fields(case: Case) -> dict[str, Any]:
    calls = case.expect.tool_calls or ()
    fields = {
        "reference_answer": case.answer,
        "reasoning": case.reasoning,
        "expected_tools": list(case.expect.tools_used or dict.fromkeys(call.name for call in calls)),
    }
    return {name: value for name, value in fields.items() if value}
