"""What was gathered of a run, packed and unpacked: the same findings, or nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor import Attempt, Case, Exam, Failure, Part, Run, Score, Settings, Unscored, Usage
from proctor.findings.comparison import compare_findings
from proctor.findings.run import Accumulator
from proctor.findings.run.snapshot import pack, stamp, unpack
from proctor.run import Key
from proctor.score import CheckResult

EXAMS = tuple(
    Exam(id=f"c{n}", cases=(Case(id=f"c{n}", question=f"q{n}?", answer="yes", categories=(f"k{n % 3}",)),))
    for n in range(12)
)


def a_run(**settings: object) -> Run:
    given = Settings(**{"trials": 4, **settings})  # type: ignore[arg-type]
    planned = len(EXAMS) * given.repeats
    return Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=given, planned=planned)


def attempts(run: Run, seed: int = 1) -> list[Attempt]:
    """Of every sort: marked, failed by everybody, unscored, timed out, cut off, checked, played otherwise."""
    rng = random.Random(seed)
    keys = [
        Key(run="r", exam=exam.id, condition=condition, trial=trial)
        for exam in EXAMS
        for condition in run.settings.conditions
        for trial in range(1, run.settings.trials + 1)
    ]
    return [_attempt(key, place, rng) for place, key in enumerate(keys)]


def _attempt(key: Key, place: int, rng: random.Random) -> Attempt:
    value, dice = rng.random(), rng.random()
    usage = Usage(input_tokens=place, calls=1, cost=value if dice < 0.5 else None)
    base = Attempt(
        key=key, place=place, finished=dice < 0.95, seconds=rng.random() * 9, usage=usage, cut_off=dice < 0.1
    )
    if dice < 0.3:
        owner = "agent" if dice < 0.1 else "environment"
        failure = Failure(stage="agent", owner=owner, reason=f"late {place % 2}", kind="timeout", host="h:1")  # type: ignore[arg-type]
        changed = {"timeout": 3.0} if dice < 0.2 else {}
        return replace(base, failure=failure, passed=False if owner == "agent" else None, changed=changed)
    if dice < 0.4:
        return replace(
            base, unscored=(Unscored(turn=1, of="agent", by="judge", reason="no JSON"),), turn_passed=(None,)
        )
    parts = (Part(name="correctness", value=value), Part(name="context", value=rng.random()))
    score = Score(turn=1, of="agent", parts=parts, value=value, by="judge")
    check = CheckResult(turn=1, name="keywords", passed=rng.choice([True, False, None]), evidence=f"seen {place}")
    struck = None if not key.condition else int(dice > 0.7)
    passed = value > 0.3
    return replace(base, scores=(score,), checks=(check,), passed=passed, turn_passed=(passed,), struck=struck)


def gathered(run: Run, seed: int = 1) -> Accumulator:
    gathering = Accumulator(run, EXAMS)
    for attempt in attempts(run, seed):
        gathering.add(attempt)
    return gathering


@pytest.mark.parametrize("settings", [{}, {"trials": 1}, {"conditions": ("", "slow")}], ids=str)
def test_what_was_packed_gives_the_same_findings(settings: dict[str, object]) -> None:
    run = a_run(**settings)
    gathering = gathered(run)
    body = pack(gathering)
    assert body is not None
    again = unpack(body, run, EXAMS)
    assert again is not None
    assert again.findings(run) == gathering.findings(run)


def test_the_cases_are_no_part_of_what_is_packed_whatever_they_hold() -> None:
    run, body = a_run(), pack(gathered(a_run()))
    odd = {"file": Path("here"), "long": "x" * 9999}
    exams = [replace(exam, cases=tuple(replace(case, metadata=odd) for case in exam.cases)) for exam in EXAMS]
    gathering = Accumulator(run, tuple(exams))
    for attempt in attempts(run):
        gathering.add(attempt)
    packed = pack(gathering)
    assert body is not None
    assert packed is not None
    assert len(packed) == len(body)


def test_two_runs_compare_trial_by_trial_as_before() -> None:
    runs = [a_run(), replace(a_run(), id="other")]
    before = [gathered(run, seed) for seed, run in enumerate(runs)]
    after = [unpack(pack(each) or b"", run, EXAMS) for each, run in zip(before, runs, strict=True)]
    a, b = (each.findings(run) for each, run in zip(before, runs, strict=True))
    c, d = (each.findings(run) for each, run in zip(after, runs, strict=True) if each is not None)
    assert compare_findings(a, b) == compare_findings(c, d)


def test_attempts_that_come_later_are_counted_on_top() -> None:
    run = a_run()
    whole, part = gathered(run), Accumulator(run, EXAMS)
    *most, last = attempts(run)
    for attempt in most:
        part.add(attempt)
    again = unpack(pack(part) or b"", run, EXAMS)
    assert again is not None
    again.add(last)
    assert again.findings(run).counts == whole.findings(run).counts


def test_conversations_and_steps_are_not_packed() -> None:
    assert pack(Accumulator(a_run(type="abm-static"), EXAMS)) is None
    assert pack(Accumulator(replace(a_run(), kind="orchestrator"), EXAMS)) is None


@pytest.mark.parametrize(
    "odd",
    [
        {"usage": Usage(input_tokens=2**63, calls=1)},
        {"failure": Failure(stage="agent", owner="agent", reason="half \ud800", kind="exception")},
    ],
    ids=["more than 64 bits", "half a surrogate pair"],
)
def test_what_no_bytes_can_hold_is_counted_and_not_packed(odd: dict[str, Any]) -> None:
    run = a_run()
    gathering = gathered(run)
    for trial in (1, 2):
        key = Key(run="r", exam="c1", trial=trial)
        gathering.add(Attempt(key=key, finished=True, **odd))
    assert pack(gathering) is None


@pytest.mark.parametrize("body", [b"", b"nonsense", (pack(gathered(a_run())) or b"")[:-20]])
def test_what_cannot_be_read_is_nothing(body: bytes) -> None:
    assert unpack(body, a_run(), EXAMS) is None


def test_a_run_that_was_extended_needs_another_stamp() -> None:
    assert stamp(a_run()) == stamp(replace(a_run(), status="completed", seconds=3.0))
    assert stamp(a_run()) != stamp(a_run(trials=5))
