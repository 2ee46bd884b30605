"""An attempt like the ones in the Langfuse recording, and a richer one, for tests to write and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from proctor.benchmark import Case, Exam, Expectation
from proctor.run import Attempt, Key, Run, Settings, Spec
from proctor.score import CheckResult, Part, Score, Unscored
from proctor.telemetry.experiment import Experiment, experiment_id
from proctor.transcript import Citation, Reply, Step, ToolCall, Transcript, Turn
from proctor.usage import Usage

RECORDED = Path(__file__).parents[3] / "shared" / "langfuse" / "recorded.jsonl"
NOON = 1_794_704_551.25

RUN = Run(
    id="261115-000000-aaaa",
    name="agent_v1 2026-11-15",
    benchmark="agent-eval/search",
    digest="9f2c",
    agent="agent_v1",
    labels={"model": "stub-model"},
    settings=Settings(built={"agent": Spec(spec="python:a:b", options={"temperature": 0})}),
)
EXAM = Exam(
    id="case-1",
    cases=(
        Case(
            id="case-1",
            question="What is the data retention policy?",
            answer="30 days",
            categories=("search",),
            expect=Expectation(tools_used=("search_knowledge",)),
        ),
    ),
)
EXPERIMENT = Experiment(
    id=experiment_id("proj-local-1", "ds-agent-eval/search", RUN.name),
    name=RUN.name,
    title="agent_v1",
    dataset="agent-eval/search",
    dataset_id="ds-agent-eval/search",
    description="nightly",
    metadata={"model": "stub-model"},
    release="r1",
)
SEARCH = ToolCall(
    name="search_knowledge",
    arguments={"query": "What is the data retention policy?"},
    result={"hits": [{"chunk_id": "c1", "score": 0.9}]},
)
REPLY = Reply(
    text="30 days",
    tool_calls=(SEARCH,),
    citations=(Citation(source="c1", quote="30 days"),),
    usage=Usage(input_tokens=12, output_tokens=3, calls=1, cost=0.0001),
)


def attempt(*replies: Reply | None, **more: Any) -> Attempt:
    """One attempt at EXAM with these replies, one second each."""
    turns = tuple(
        Turn(
            number=number,
            question=EXAM.cases[0].question if number == 1 else f"Are you sure? ({number})",
            reply=reply,
            case="case-1" if number == 1 else None,
            started=NOON + number,
            ended=NOON + number + 0.5,
        )
        for number, reply in enumerate(replies, 1)
    )
    return Attempt(
        key=Key(run=RUN.id, exam="case-1"),
        transcript=Transcript(turns=turns, ended="script"),
        finished=True,
        started=NOON,
        ended=NOON + len(replies) + 2,
        **more,
    )


def judged() -> Attempt:
    """With a mark, a check, a verdict, and a reviewer that could not mark."""
    score = Score(
        turn=1, of="agent", parts=(Part(name="correctness", value=1.0, explanation="it is"),), value=1.0, by="exact"
    )
    return attempt(
        REPLY,
        scores=(score,),
        checks=(CheckResult(turn=1, name="tools_used", passed=True, evidence="search_knowledge was called"),),
        unscored=(Unscored(turn=1, of="agent", by="broken", reason="judge unavailable"),),
        passed=True,
    )


def orchestrated() -> Reply:
    """A reply with every kind of step, with calls that have times and calls that have none."""
    return Reply(
        text="Whitby, by 3 to 2.",
        tool_calls=(
            ToolCall(name="read", arguments={"path": "a.md"}, result="# A", id="c1", seconds=0.125),
            ToolCall(name="read", arguments={"path": "b.md"}, error="no such file", id="c2"),
            ToolCall(name="count", arguments={}, result='{"looks": "like JSON"}', step=1),
            ToolCall(name="count", arguments={"n": 2}, result=None, step=1),
        ),
        citations=(Citation(source="a.md"), Citation(source="b.md", quote="two")),
        steps=(
            Step(id="p", kind="plan", name="think", start=NOON + 1, end=NOON + 1.1, detail="read both, then count"),
            Step(id="d", kind="delegate", name="look it up", agent="researcher", start=NOON + 1.1, end=NOON + 1.4),
            Step(id="t", kind="tool", name="read", parent="d", call="c1", start=NOON + 1.1, end=NOON + 1.225),
            Step(id="u", kind="tool", name="read", parent="d", call="c2", status="error"),
            Step(id="e", kind="error", name="lost", parent="d", status="error", detail="no such file"),
            Step(id="r", kind="re-plan", name="again", usage=Usage(input_tokens=5, output_tokens=1, calls=1)),
        ),
        usage=Usage(input_tokens=400, output_tokens=20, calls=3),
        seconds=0.5,
        first_token=0.2,
    )


def recorded_requests() -> list[dict[str, Any]]:
    """The requests that Langfuse's own SDK sent."""
    if not RECORDED.exists():
        pytest.skip(f"there is no recording of Langfuse's SDK at {RECORDED}")
    return [msgspec.json.decode(line) for line in RECORDED.read_bytes().splitlines()]
