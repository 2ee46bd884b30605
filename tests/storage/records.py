"""Runs and records to store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proctor.benchmark import Benchmark, Case
from proctor.codec import benchmark_of
from proctor.run import Attempt, Failure, Finished, Key, Record, Reviewed, Run, Turned
from proctor.score import CheckResult, Contradiction, Part, Review, Score, Unscored
from proctor.storage import Store
from proctor.transcript import Citation, Reply, Step, ToolCall, Transcript, Turn
from proctor.usage import Usage

BENCHMARK = benchmark_of([Case(id="a", question="Why?"), Case(id="b", question="How?")], name="two questions")


def a_run(identity: str = "run-1", /, **others: Any) -> Run:
    """A run that is not stored yet."""
    return Run(
        **{
            "id": identity,
            "name": f"name of {identity}",
            "agent": "demo:librarian",
            "created": 1.0,
            **_OF_BENCHMARK,
            **others,
        }
    )


_OF_BENCHMARK = {"benchmark": BENCHMARK.name, "digest": BENCHMARK.digest}


def stored_run(store: Store, identity: str = "run-1", /, *, benchmark: Benchmark = BENCHMARK, **others: Any) -> Run:
    """A run that is."""
    run = a_run(identity, **others)
    store.journal.create(run, benchmark)
    return run


def key(exam: str = "a", *, run: str = "run-1", condition: str = "", trial: int = 1) -> Key:
    return Key(run=run, exam=exam, condition=condition, trial=trial)


def turn(number: int = 1, *, text: str | None = "because") -> Turn:
    """A turn, answered unless `text` is None."""
    reply = None if text is None else Reply(text=text, usage=Usage(input_tokens=3, output_tokens=5, calls=1))
    return Turn(number=number, question=f"question {number}", reply=reply, case="a", started=1.0, ended=2.0)


def attempt(which: Key, *, place: int = 0, turns: int = 1, **others: Any) -> Attempt:
    """An attempt that passed, unless told otherwise."""
    given: dict[str, Any] = {
        "transcript": Transcript(turns=tuple(turn(number) for number in range(1, turns + 1)), ended="script"),
        "scores": (Score(turn=1, of="agent", parts=(Part(name="correctness", value=1.0),), value=1.0, by="embedded"),),
        "turn_passed": (True,) * turns,
        "passed": True,
        "finished": True,
        "usage": Usage(input_tokens=3, output_tokens=5, calls=1),
        "seconds": 0.5,
        "started": 1.0,
        "ended": 2.0,
    }
    return Attempt(key=which, place=place, **{**given, **others})


def failed(which: Key, *, place: int = 0, stage: str = "agent", owner: str = "environment", turns: int = 1) -> Attempt:
    """An attempt that broke."""
    failure = Failure(stage=stage, owner=owner, reason="no route to host", turn=turns)  # type: ignore[arg-type]
    passed = False if owner == "agent" else None
    return attempt(which, place=place, turns=turns, scores=(), turn_passed=(), passed=passed, failure=failure)


def records(of: Attempt) -> list[Record]:
    """What the engine says of an attempt from beginning to end."""
    said: list[Record] = [Turned(key=of.key, turn=turn) for turn in of.transcript.turns]
    return [*said, Finished(attempt=of)]


def played(which: Key, *, place: int = 0, turns: int = 1) -> list[Record]:
    """The records of an attempt that passed."""
    return records(attempt(which, place=place, turns=turns))


def reviewed(which: Key, number: int = 1, *, value: float = 1.0) -> Reviewed:
    review = Review(parts=(Part(name="correctness", value=value),), explanation="so it is", usage=Usage(calls=1))
    return Reviewed(key=which, turn=number, reviews=(review,))


def without_transcript(whole: Attempt) -> Attempt:
    """The attempt as it reads where only the outcome is read."""
    return replace(whole, transcript=Transcript(ended=whole.transcript.ended))


def full_of_everything(which: Key) -> Attempt:
    """An attempt in which no field is empty."""
    call = ToolCall(
        name="search", arguments={"query": "ö\0", "deep": [1, {"x": None}]}, result={"hits": [1.5]},
        error="late", id="c1", step=1, seconds=0.1,
    )  # fmt: skip
    step = Step(
        id="s1", kind="tool", name="search", parent="s0", agent="helper", call="c1", start=1.0, end=2.0,
        status="error", usage=Usage(calls=1), detail="slow",
    )  # fmt: skip
    reply = Reply(
        text="a\nb \U0001f600", tool_calls=(call,), citations=(Citation(source="a.md", quote="x"),), steps=(step,),
        usage=Usage(input_tokens=1, output_tokens=2, calls=3, cost=0.25), seconds=1.5, first_token=0.2, stderr="warned",
    )  # fmt: skip
    said = Turn(
        number=1, question="Why?", reply=reply, case="a", strategy="pressure", refers_to=1, fault="leaking",
        started=1.0, ended=2.5, examiner_usage=Usage(calls=1, cost=0.5),
    )  # fmt: skip
    return attempt(
        which,
        place=7,
        transcript=Transcript(turns=(said,), ended="examiner"),
        unscored=(Unscored(turn=None, of="conversation", by="model", reason="no JSON"),),
        checks=(CheckResult(turn=1, name="keywords", passed=None, evidence="none", value=0.5),),
        contradictions=(Contradiction(turns=(1, 2), quotes=("1", "2"), kind="number", reason="1 is not 2"),),
        failure=Failure(stage="engine", owner="agent", reason="broke", turn=1, tries=3, detail="traceback"),
        turn_passed=(True, None, False),
        passed=False,
        usage=Usage(input_tokens=10, output_tokens=20, calls=30, cost=0.75),
    )
