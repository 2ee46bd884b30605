"""What a run has come to while it goes on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import proctor
from proctor.benchmark import Benchmark, Case, Exam
from proctor.findings.run import gather
from proctor.run import Attempt, ExamType, Failure, Finished, Key, Owner, Reviewed, Run, Settings
from proctor.statistics.intervals import Sums
from proctor.storage import Store
from proctor.storage.live_counts import LiveCounts
from proctor.storage.rows import verdict_of
from proctor.transcript import Reply, Request, Transcript, Turn
from proctor.usage import Usage
from proctor.web.site.live import RunProgress
from proctor.workflows.read import summarise
from proctor.workflows.tally import RunTally


def ended(exam: str, trial: int, passed: bool | None) -> Attempt:
    return Attempt(key=Key(run="r", exam=exam, trial=trial), passed=passed, finished=True)


def test_the_sums_that_are_kept_are_those_of_all_cases_after_every_trial() -> None:
    chance, tally = random.Random(7), RunTally(planned=200)
    seen: dict[str, list[bool]] = {}
    for trial in range(1, 6):
        for case in range(40):
            passed = chance.random() < case / 40
            seen.setdefault(str(case), []).append(passed)
            tally.count(ended(str(case), trial, passed))
        afresh = Sums.of(sum(each) / len(each) for each in seen.values())
        assert tally.pass_rate() == pytest.approx(afresh.mean)
        assert tally.interval() == pytest.approx(afresh.interval())


def test_what_has_no_verdict_leaves_the_rate_alone() -> None:
    tally = RunTally(planned=3)
    assert (tally.pass_rate(), tally.interval()) == (None, None)
    lost = Failure(stage="agent", owner="environment", reason="away")
    tally.count(Attempt(key=Key(run="r", exam="a"), failure=lost, finished=True))
    tally.count(ended("b", 1, None))
    assert (tally.done, tally.failed, tally.lost, tally.pass_rate()) == (2, 1, 1, None)
    tally.count(ended("c", 1, True))
    assert tally.pass_rate() == 1.0


async def test_the_rate_while_a_battle_goes_on_is_the_one_it_ends_with(tmp_path: Path) -> None:
    def breaks_off(request: Request) -> str:
        if request.turn == 2:
            raise RuntimeError("I have had enough")
        return "1"

    seen: list[tuple[float | None, tuple[float, float] | None]] = []
    result = await proctor.aevaluate(
        [("What is 0 + 1?", "1"), ("What is 1 + 1?", "2"), ("What is 2 + 1?", "3")],
        agent=breaks_off, type="abm-static", trials=4, store=tmp_path / "s.db",
        watch=lambda tally: seen.append((tally.pass_rate(), tally.interval())),
    )  # fmt: skip
    rate = result.findings.pass_rate
    assert rate.value == pytest.approx(1 / 3), "what a script had left to ask is not passed"
    assert seen[-1][0] == pytest.approx(rate.value)
    assert seen[-1][1] == pytest.approx((rate.low, rate.high))


async def test_a_battle_is_as_far_as_its_turns(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    await proctor.aevaluate(
        [(f"What is {number} + 1?", str(number + 1)) for number in range(4)],
        agent=lambda question: "1", type="abm-static", store=tmp_path / "s.db",
        watch=lambda tally: seen.append(tally.steps),
    )  # fmt: skip
    assert {planned for _, planned in seen} == {4}
    done = [done for done, _ in seen]
    assert done == sorted(done)
    assert {1, 2, 3} & {*done}, "before the conversation is over"
    assert done[-1] == 4


def test_a_conversation_that_ended_early_took_all_its_turns() -> None:
    exam = benchmark_of("abm-dynamic")[0]
    tally = RunTally(planned=2, conversations={exam.id: exam}, seeds=True, turns=5)
    tally.add([Reviewed(key=Key(run="r", exam=exam.id), turn=2, reviews=())])
    assert tally.steps == (2, 10)
    tally.count(ended(exam.id, 1, True))
    assert tally.steps == (5, 10)


OWNERS: tuple[Owner, ...] = ("agent", "environment")
TYPES: tuple[ExamType, ...] = ("standard", "abm-static", "abm-dynamic")


def benchmark_of(kind: ExamType) -> list[Exam]:
    """Three exams: of one case each, of a script, or of a seed question."""
    rows = 3 if kind == "abm-static" else 1
    return [
        Exam(
            id=f"e{number}",
            cases=tuple(Case(id=f"e{number}-{row}", question=f"{number} {row}?", answer="x") for row in range(rows)),
            open=kind == "abm-dynamic",
        )
        for number in range(3)
    ]


@st.composite
def attempts(draw: st.DrawFn, kind: ExamType) -> list[Attempt]:
    """Some of the planned attempts, whatever became of them."""
    return [
        draw(attempt_at(kind, exam, trial))
        for exam in benchmark_of(kind)
        for trial in range(1, draw(st.integers(0, 2)) + 1)
    ]


@st.composite
def attempt_at(draw: st.DrawFn, kind: ExamType, exam: Exam, trial: int) -> Attempt:
    most = 5 if exam.open else len(exam.cases)
    verdicts = tuple(draw(st.lists(st.none() | st.booleans(), min_size=1, max_size=most)))
    owner = draw(st.none() | st.sampled_from(OWNERS))
    finished = draw(st.booleans()) or owner is not None
    if owner is not None:
        verdicts = (*verdicts[:-1], None)
    decided = [verdict for verdict in verdicts if verdict is not None]
    passed = False if owner == "agent" or False in decided else None if owner or None in verdicts else True
    if owner == "environment" or not finished:
        passed = None
    turns = tuple(Turn(number=n, question=f"{n}?", reply=Reply(text="x")) for n in range(1, len(verdicts) + 1))
    return Attempt(
        key=Key(run="r", exam=exam.id, trial=trial),
        transcript=Transcript(turns=turns, ended="examiner"),
        failure=None if owner is None else Failure(stage="agent", owner=owner, reason="it broke", turn=len(turns)),
        turn_passed=verdicts,
        passed=passed,
        finished=finished,
    )


class Held:
    """An archive of one run, as far as a live page reads it."""

    def __init__(self, run: Run, exams: list[Exam], played: list[Attempt]) -> None:
        self.archive = self
        self._run, self._exams, self._played = run, exams, played

    def find(self, run: str) -> Run:
        return self._run

    def benchmark_of(self, run: str) -> Benchmark:
        cases = tuple(case for exam in self._exams for case in exam.cases)
        return Benchmark(name="b", digest="d", cases=cases, exams=tuple(self._exams))

    def since(self, run: str, last: int) -> tuple[Run, int, list[Attempt]]:
        return self._run, len(self._played), self._played[last:]

    def attempts(self, run: str) -> Iterator[Attempt]:
        return iter(self._played)

    def verdict_counts(self, run: str) -> dict[str, tuple[int, int]]:
        over = [attempt for attempt in self._played if attempt.finished and attempt.passed is not None]
        names = {attempt.key.exam for attempt in over}
        mine = {name: [attempt.passed for attempt in over if attempt.key.exam == name] for name in names}
        return {name: (len(verdicts), sum(map(bool, verdicts))) for name, verdicts in mine.items()}

    def usage(self, run: str) -> Usage:
        return sum((attempt.usage for attempt in self._played), Usage())

    def turns_under_way(self, run: str) -> dict[Key, int]:
        return {}

    def standing(self, run: str) -> LiveCounts:
        verdicts = Counter(verdict_of(attempt) for attempt in self._played)
        return LiveCounts(last=len(self._played), verdicts=dict(verdicts), exams=self.verdict_counts(run))


@given(st.data(), st.sampled_from(TYPES))
def test_progress_page_list_and_findings_tell_the_same_rate(data: st.DataObject, kind: ExamType) -> None:
    exams, played = benchmark_of(kind), data.draw(attempts(kind))
    settings = Settings(type=kind, trials=2, max_turns=3)
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=settings, planned=6, status="running")
    found = gather(run, exams, played)
    tally = RunTally.of(run, exams)
    tally.add(Finished(attempt=attempt) for attempt in played)
    held = cast("Store", Held(run, exams, played))
    listed, page = summarise(held, run), RunProgress(held, "r").look()
    assert listed is not None
    low, high = tally.interval() or (None, None)
    rate = found.pass_rate
    assert tally.pass_rate() == page["pass_rate"]["value"] == pytest.approx(rate.value)
    assert (low, high) == (page["pass_rate"]["low"], page["pass_rate"]["high"]) == pytest.approx((rate.low, rate.high))
    for name in ("value", "low", "high", "n", "missing", "worst", "best"):
        assert getattr(listed.rate, name) == pytest.approx(getattr(rate, name)), name
    assert tally.done == page["done"] == found.counts.planned - found.counts.pending
    assert tally.failed == found.counts.failed
    assert tally.lost == found.counts.failed_by_environment
    assert tally.units == page["cases"]
    if found.battle is not None:
        battle = found.battle
        assert (tally.asked, tally.judged) == (battle.asked, battle.judged) == (listed.asked, listed.judged)
        assert page["replies"] == {"asked": battle.asked, "judged": battle.judged}
        assert tally.no_test is listed.no_test is page["no_test"] is found.untested
        assert tally.counted == battle.held_rate.n


@given(st.data(), st.sampled_from(TYPES[1:]))
def test_beside_faults_list_and_findings_tell_of_the_same_replies_of_the_plain_run(
    data: st.DataObject, kind: ExamType
) -> None:
    exams, plain = benchmark_of(kind), data.draw(attempts(kind))
    faulted = [replace(each, key=replace(each.key, condition="slow")) for each in data.draw(attempts(kind))]
    settings = Settings(type=kind, trials=2, max_turns=3, conditions=("", "slow"))
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=settings, planned=12, status="running")
    alone = replace(run, settings=replace(settings, conditions=("",)), planned=6)
    found, by_itself = gather(run, exams, [*plain, *faulted]), gather(alone, exams, plain)
    held = cast("Store", Held(run, exams, [*plain, *faulted]))
    listed, page = summarise(held, run), RunProgress(held, "r").look()
    assert listed is not None
    assert found.battle is not None
    assert by_itself.battle is not None
    assert (listed.asked, listed.judged) == (found.battle.asked, found.battle.judged)
    assert page["replies"] == {"asked": listed.asked, "judged": listed.judged}
    assert page["pass_rate"]["value"] == pytest.approx(listed.rate.value)
    for name in ("value", "low", "high", "n", "missing", "worst", "best"):
        assert getattr(listed.rate, name) == pytest.approx(getattr(found.pass_rate, name)), name
    for told, wanted in (
        (found.pass_rate, by_itself.pass_rate),
        (found.mean_score, by_itself.mean_score),
        (found.battle.held_rate, by_itself.battle.held_rate),
    ):
        assert told == wanted
