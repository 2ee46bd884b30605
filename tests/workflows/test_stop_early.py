"""A run stops as soon as its gates are decided, and is then as complete as any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import proctor
from proctor.benchmark import Benchmark, Case, Exam
from proctor.config import Config, RunConfig
from proctor.errors import EnvironmentFault, UsageError
from proctor.findings.gates.interim import InterimLooks
from proctor.run import Attempt, Key, Run, Settings
from proctor.running.plan import in_order
from proctor.storage import open_store
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.gates import read_gates
from proctor.workflows.tally import RunTally

GATE = "pass_rate>=0.9"
CASES = [(f"What is {number}?", str(number)) for number in range(200)]


def agent(right: float, *, broken: float = 0.0, asked: list[str] | None = None) -> Callable[[str], str]:
    """Right on this share of the questions, always the same ones; on another share its server is away."""

    def answer(question: str) -> str:
        if asked is not None:
            asked.append(question)
        luck = Random(question).random()
        if luck < broken:
            raise EnvironmentFault("nobody is home")
        number = question.removeprefix("What is ").removesuffix("?")
        return number if luck < broken + right else "no idea"

    return answer


def play(store: Path, answer: object, *, gate: object = GATE, **options: Any) -> Evaluation:
    cases = options.pop("cases", CASES)
    told = {"reviewer": "exact", "store": store, "stop_early": gate, "retries": 0, **options}
    return proctor.evaluate(cases, agent=answer, **told)


def verdicts(result: Evaluation, *gates: str) -> list[str]:
    return [each.verdict for each in read_gates(gates or [GATE]).judge(result.findings)]


@pytest.mark.parametrize(("right", "verdict"), [(0.99, "met"), (0.6, "not met"), (0.9, "inconclusive")])
def test_it_stops_at_a_verdict_or_when_none_is_in_sight(tmp_path: Path, right: float, verdict: str) -> None:
    asked: list[str] = []
    result = play(tmp_path / "s.db", agent(right, asked=asked))
    run, interim = result.run, result.run.interim
    assert interim is not None
    assert (run.status, interim.verdicts, run.cut) == ("completed", {GATE: verdict}, True)
    assert verdicts(result) == [verdict]
    assert interim.cases <= run.planned == len(asked) < len(CASES)
    assert interim.of == len(CASES)
    assert interim.hopeless is (verdict == "inconclusive")


def test_the_bounds_are_stored_before_the_first_call_and_each_look_as_it_is_taken(tmp_path: Path) -> None:
    seen: list[Run] = []

    def look(tally: RunTally) -> None:
        with open_store(str(tmp_path / "s.db")) as store:
            seen.append(store.archive.find("watched"))

    play(tmp_path / "s.db", agent(0.99), concurrency=1, name="watched", watch=look)
    first, *_, last = [run.interim for run in seen if run.interim is not None]
    assert seen[0].interim == first
    assert (first.look, first.looks, first.is_settled, [point.value for point in first.path]) == (
        0, 20, False, [None] * 20
    )  # fmt: skip
    assert [(point.low, point.high) for point in (first.path[0], first.path[5])] == [(3 - 9, None), (45 - 54, 60 - 54)]
    taken = [point.value is not None for point in last.path]
    assert taken == [True] * last.look + [False] * (20 - last.look)
    assert last.path[: last.look][-1].attempts == 10 * last.look


def test_what_was_not_asked_is_neither_pending_nor_missing(tmp_path: Path) -> None:
    findings = play(tmp_path / "s.db", agent(0.6)).findings
    counts = findings.counts
    assert (counts.pending, counts.planned) == (0, counts.scored)
    assert (findings.pass_rate.missing, findings.pass_rate.n) == (0, counts.planned)
    assert len(findings.cases) == counts.planned
    assert findings.complete
    assert any("Stopped early" in note for note in findings.notes)


def test_the_stored_run_tells_the_same_as_the_run_that_was_just_played(tmp_path: Path) -> None:
    from proctor.workflows.read import findings_of_run

    result = play(tmp_path / "s.db", agent(0.6))
    with open_store(str(tmp_path / "s.db")) as store:
        assert findings_of_run(store, store.archive.find(result.run.id)) == result.findings


def test_calls_that_are_under_way_are_kept(tmp_path: Path) -> None:
    answered: list[str] = []

    async def slow(question: str) -> str:
        await asyncio.sleep(0)
        answered.append(question)
        return "no idea"

    result = play(tmp_path / "s.db", slow, concurrency=40)
    assert result.findings.counts.scored == len(answered)


def test_to_the_end_plays_the_rest_and_the_verdict_stays(tmp_path: Path) -> None:
    store, asked = tmp_path / "s.db", list[str]()
    first = play(store, agent(0.99))
    whole = proctor.resume(first.run.id, agent=agent(0.2, asked=asked), store=store, to_the_end=True)
    assert (whole.run.status, whole.run.planned, whole.run.cut) == ("completed", len(CASES), False)
    assert len(asked) == len(CASES) - first.run.planned
    assert whole.findings.pass_rate.n == len(CASES)
    assert verdicts(whole) == ["met"], "of the crossing, whatever came later"
    with pytest.raises(UsageError, match="did not stop early"):
        proctor.resume(first.run.id, agent=agent(0.2), store=store, to_the_end=True)


def test_a_run_that_was_cut_short_goes_on_with_the_same_looks(tmp_path: Path) -> None:
    asked: list[str] = []
    once = play(tmp_path / "once.db", agent(0.9, asked=asked), concurrency=1)

    def interrupt(tally: RunTally) -> None:
        if tally.done >= 37:
            raise KeyboardInterrupt

    store = tmp_path / "twice.db"
    with pytest.raises(KeyboardInterrupt):
        play(store, agent(0.9), concurrency=1, name="cut", watch=interrupt)
    again = proctor.resume("cut", agent=agent(0.9), store=store)
    assert again.run.interim == once.run.interim
    assert once.run.planned == len(asked)
    assert abs(again.run.planned - once.run.planned) <= 1, "the call in flight at the crossing is kept"


@pytest.mark.parametrize(("right", "gate", "verdict"), [(0.9, "pass_rate>=0.7", "met"), (0.5, GATE, "not met")])
def test_a_crossing_holds_although_attempts_were_lost_and_the_rest_plays_them_again(
    tmp_path: Path, right: float, gate: str, verdict: str
) -> None:
    store = tmp_path / "s.db"
    result = play(store, agent(right, broken=0.1), gate=gate)
    run, counts = result.run, result.findings.counts
    assert (run.status, run.cut, verdicts(result, gate)) == ("completed", True, [verdict])
    assert counts.failed_by_environment > 0 == counts.pending
    assert result.findings.pass_rate.missing == counts.failed_by_environment
    whole = proctor.resume(run.id, agent=agent(right), store=store, to_the_end=True)
    assert (whole.run.status, whole.findings.counts.scored) == ("completed", len(CASES))
    assert verdicts(whole, gate) == [verdict]


@pytest.mark.parametrize("trials", [1, 2])
def test_at_the_last_look_what_was_lost_is_played_again_before_the_verdict(tmp_path: Path, trials: int) -> None:
    store = tmp_path / "s.db"
    result = play(store, agent(0.77, broken=0.15), trials=trials)
    assert (result.run.status, result.run.cut, result.findings.counts.pending) == ("failed", False, 0)
    again = proctor.resume(result.run.id, agent=agent(1.0), store=store)
    assert (again.run.status, again.run.cut) == ("completed", True), "decided before all was played again"
    whole = proctor.resume(result.run.id, agent=agent(1.0), store=store, to_the_end=True)
    assert (whole.run.status, whole.findings.counts.failed_by_environment) == ("completed", 0)


def test_a_case_that_nobody_could_judge_counts_against_either_verdict(tmp_path: Path) -> None:
    cases = tuple(
        Case(id=question, question=question, answer=None if "7" in question else answer) for question, answer in CASES
    )
    result = play(tmp_path / "s.db", agent(1.0), cases=Benchmark(name="b", digest="d", cases=cases))
    assert result.findings.counts.unscored > 0
    assert result.run.interim is not None
    assert result.run.interim.verdicts == {GATE: "inconclusive"}


def test_several_trials_are_looked_at_on_effective_cases(tmp_path: Path) -> None:
    result = play(tmp_path / "s.db", agent(0.99), trials=3)
    interim = result.run.interim
    assert interim is not None
    assert interim.verdicts == {GATE: "met"}
    assert interim.attempts < 3 * len(CASES)
    assert result.findings.pass_at_k[3].missing == 0


def test_lists_and_history_miss_nothing_of_a_run_that_stopped_within_its_trials(tmp_path: Path) -> None:
    from proctor.workflows.history import read_history
    from proctor.workflows.read import list_runs

    store = str(tmp_path / "s.db")
    found = play(tmp_path / "s.db", agent(0.99), trials=3).findings.pass_rate
    [(_, summary)] = list_runs(store=store, limit=1)
    history = read_history(store=store)
    assert summary is not None
    assert history is not None
    for rate in (summary.rate, history.entries[0].rate):
        assert rate is not None
        assert (rate.value, rate.low, rate.high, rate.n, rate.missing) == (
            found.value, found.low, found.high, found.n, found.missing
        )  # fmt: skip
    assert found.missing == 0


def test_several_gates_stop_it_when_all_are_met_or_one_is_not(tmp_path: Path) -> None:
    gates = ("pass_rate>=0.5", "pass_rate>=0.8")
    good, bad = (play(tmp_path / f"{right}.db", agent(right), gate=gates) for right in (0.97, 0.65))
    assert verdicts(good, *gates) == ["met", "met"]
    assert verdicts(bad, *gates)[1] == "not met"
    assert good.run.cut
    assert bad.run.cut


def test_a_gate_against_a_run_stops_it_too_and_keeps_to_the_run_it_meant(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    play(store, agent(0.95), gate=())
    gate = "not worse than last by 0.1"
    worse = play(store, agent(0.6), gate=gate)
    assert worse.run.interim is not None
    assert worse.run.interim.verdicts == {gate: "not met"}
    better = play(store, agent(0.99), gate="not worse than last by 0")
    assert better.run.interim is not None
    assert better.run.interim.verdicts == {"not worse than last by 0": "met"}


def test_held_rate_stops_a_battle(tmp_path: Path) -> None:
    cases = [(f"What is the capital of land {number}?", f"City {number}") for number in range(40)]
    result = play(
        tmp_path / "s.db", lambda question: "no idea", cases=cases, gate="held_rate>=0.8", type="abm-dynamic",
        reviewer="embedded", max_turns=2,
    )  # fmt: skip
    assert result.run.interim is not None
    assert result.run.status == "completed"


def test_rescoring_judges_what_was_asked(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = play(store, agent(0.6))
    again = proctor.rescore(first.run.id, reviewer="embedded", store=store)
    assert (again.run.status, again.run.planned, again.run.interim) == ("completed", first.run.planned, None)
    assert again.findings.pass_rate.missing == 0


def test_workers_stop_early_too(tmp_path: Path) -> None:
    result = play(tmp_path / "s.db", wrong, workers=2)
    assert result.run.interim is not None
    assert (result.run.status, result.run.interim.verdicts) == ("completed", {GATE: "not met"})
    assert result.run.planned < len(CASES)


def wrong(question: str) -> str:
    return "no idea"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gate": "mean_score>=0.9"}, "only pass_rate and held_rate"),
        ({"gate": "pass_rate>=0.9 by people"}, "labels"),
        ({"gate": "pass_rate>=1"}, "between 0 and 1"),
        ({"gate": "failures<=3"}, "only pass_rate and held_rate"),
        ({"order": "backwards"}, "file or random"),
        ({"gate": True}, r"stop_early=True names no gate, and \[run\] has none"),
        ({"gate": 0.9}, "stop_early=0.9 is not a gate; expected one or a list"),
        ({"gate": [0.9]}, "is not a gate"),
        ({"cases": CASES[:35]}, "cannot be met by stopping early on 35 cases, however they end: it takes about 36"),
        ({"cases": CASES[:35], "gate": "pass_rate<=0.1"}, "cannot be met"),
        ({"cases": CASES[:40], "trials": 4}, "it takes about 45"),
        ({"cases": CASES[:40], "gate": "held_rate>=0.9", "type": "abm-dynamic"}, "on 40 conversations"),
    ],
)
def test_what_cannot_stop_a_run_early_is_refused_before_the_first_call(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        play(tmp_path / "s.db", agent(1), **options)


def test_a_plain_yes_means_the_gates_of_the_configuration_and_a_no_none(tmp_path: Path) -> None:
    config = Config(run=RunConfig(gate=("pass_rate>=0.5",), stop_early=True))
    for stops, gates in ((True, ("pass_rate>=0.5",)), (None, ("pass_rate>=0.5",)), (False, ())):
        result = play(tmp_path / "s.db", agent(1), gate=stops, config=config)
        assert result.run.settings.stop_early == gates


def test_a_run_that_stopped_early_is_not_extended_by_trials(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    result = play(store, agent(0.6))
    with pytest.raises(UsageError, match="--to-the-end"):
        proctor.resume(result.run.id, agent=agent(0.6), store=store, trials=2)


def run_of(order: str, digest: str = "d") -> Run:
    settings = Settings(order="random" if order == "random" else "file")
    return Run(id="r", name="r", benchmark="b", digest=digest, agent="a", settings=settings)


def exams(sizes: dict[str, int]) -> tuple[Exam, ...]:
    cases = [
        Case(id=f"{name}-{n}", question="?", categories=(name,)) for name, size in sizes.items() for n in range(size)
    ]
    return tuple(Exam(id=case.id, cases=(case,)) for case in Benchmark(name="b", digest="d", cases=tuple(cases)).cases)


def test_the_random_order_is_the_same_each_time_and_keeps_every_category_in_its_share() -> None:
    all_of = exams({"common": 90, "rare": 10})
    order = in_order(run_of("random"), all_of)
    assert order == in_order(run_of("random"), all_of)
    assert order != in_order(run_of("random", "other"), all_of)
    assert sorted(row for row, _ in order) == list(range(100))
    assert [row for row, _ in in_order(run_of("file"), all_of)] == list(range(100))
    for start in range(0, 100, 10):
        stretch = [exam.cases[0].categories[0] for _, exam in order[start : start + 10]]
        assert abs(stretch.count("rare") - 1) <= 1


def test_once_the_gates_are_decided_no_look_is_announced_any_more() -> None:
    exams = [Exam(id=str(n), cases=(Case(id=str(n), question=f"{n}?", answer="yes"),)) for n in range(100)]
    settings = Settings(stop_early=("pass_rate>=0.7",))
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=settings, planned=100)
    gating = read_gates(["pass_rate>=0.7"])
    looks = InterimLooks(run, exams, [(1, exam.id) for exam in exams], gating.wanted, lambda name: pytest.fail(name))
    assert looks.ahead
    assert looks.add(Attempt(key=Key(run="r", exam=exam.id), passed=True, finished=True) for exam in exams)
    assert looks.ahead == ""
