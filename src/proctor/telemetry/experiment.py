"""How Langfuse files a run: an experiment over the items of a dataset: Experiment."""

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
    """From `experiment_id`."""
    name: str
    """The run's name; unique within the dataset."""
    title: str
    """What is tried over many runs: the agent."""
    dataset: str
    """The dataset's name, which starts the ids of its items."""
    dataset_id: str
    """As the server gave it."""
    description: str = ""
    """What the run is for."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Model, prompt version, commit: the run's labels."""
    environment: str = "sdk-experiment"
    """Where Langfuse shows it; this one keeps experiments apart from live traffic."""
    release: str = ""
    """The agent's version."""


def experiment_id(project_id: str, dataset_id: str, name: str) -> str:
    """The id under which Langfuse gathers the items of one run."""
    told = encode(["langfuse-experiment-v1", project_id, dataset_id, name])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def item_id(dataset: str, exam: Exam) -> str:
    """The item of an exam. Langfuse wants it unique over all datasets."""
    return f"{dataset}:{exam.id}"


def item_input(exam: Exam) -> dict[str, Any]:
    """What an exam asks."""
    asked = [_question_fields(case) for case in exam.cases]
    return asked[0] if len(asked) == 1 else {"turns": asked}


def item_expected(exam: Exam) -> dict[str, Any] | None:
    """What an exam expects; None: nothing that could be told."""
    expected = [_expected_fields(case) for case in exam.cases]
    if not any(expected):
        return None
    return expected[0] if len(expected) == 1 else {"turns": expected}


def item_metadata(exam: Exam) -> dict[str, Any]:
    """What else is known of an exam."""
    categories = dict.fromkeys(category for case in exam.cases for category in case.categories)
    return {"case_id": exam.id} | ({"category": ", ".join(categories)} if categories else {})


def _question_fields(case: Case) -> dict[str, Any]:
    return {"question": case.question} | ({"context": case.context} if case.context else {})


def _expected_fields(case: Case) -> dict[str, Any]:
    calls = case.expect.tool_calls or ()
    told = {
        "reference_answer": case.answer,
        "reasoning": case.reasoning,
        "expected_tools": list(case.expect.tools_used or dict.fromkeys(call.name for call in calls)),
    }
    return {name: value for name, value in told.items() if value}
