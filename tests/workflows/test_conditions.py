"""Conditions in whole runs: which are played, that faults really strike, and what stands side by side."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Reply, Request, ToolCall
from proctor import fault_injection as conditions
from proctor.config import Config
from proctor.demo import benchmark_path
from proctor.errors import InputError, UsageError
from proctor.findings.run import ConditionFinding
from proctor.running import calls
from proctor.storage import open_store
from proctor.workflows.demo import CONDITIONS
from proctor.workflows.read import list_runs, read_findings

Options = dict[str, Any]
CASES = [(f"q {number}", f"answer {number}") for number in range(1, 7)]
FAULTS: dict[str, dict[str, Any]] = {
    "hiccup": {"tool": "look_up", "fails": 1},
    "broken": {"tool": "look_up", "missing": True},
    "nonsense": {"tool": "look_up", "answers": "42"},
    "poor": {"budget": 0},
}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(calls, "_FIRST_PAUSE", 0.0001)
    return {"store": tmp_path / "store.db", "config": Config(conditions=FAULTS), "reviewer": "exact"}


@conditions.tool
async def look_up(question: str) -> str:
    return f"answer {question.rpartition(' ')[2]}"


async def fragile(request: Request) -> str:
    return await look_up(request.question)


async def patient(request: Request) -> str:
    try:
        return await look_up(request.question)
    except conditions.ToolFailed:
        return await look_up(request.question)


def under(evaluation: proctor.Evaluation) -> dict[str, ConditionFinding]:
    return {each.name: each for each in evaluation.findings.conditions}


def rates(evaluation: proctor.Evaluation) -> dict[str, float | None]:
    return {name: each.pass_rate.value for name, each in under(evaluation).items()}


@pytest.mark.parametrize(
    ("asked", "played"),
    [
        (None, ("",)),
        ("none", ("",)),
        ("hiccup", ("hiccup",)),
        (["broken", "hiccup"], ("broken", "hiccup")),
        (["none", "poor", "none"], ("", "poor")),
        ({"poor", "hiccup", "broken"}, ("broken", "hiccup", "poor")),
        (iter(["none", "poor"]), ("", "poor")),
        ({"poor": 1, "broken": 2}.keys(), ("poor", "broken")),
        ("all", ("", "hiccup", "broken", "nonsense", "poor")),
        (["hiccup", "all"], ("", "hiccup", "broken", "nonsense", "poor")),
    ],
)
async def test_the_conditions_that_were_asked_for_are_played_and_reach_the_agent(
    options: Options, asked: Any, played: tuple[str, ...]
) -> None:
    seen: Counter[str | None] = Counter()

    async def agent(request: Request) -> str:
        seen[request.condition] += 1
        return "yes"

    evaluation = await proctor.aevaluate(CASES, agent=agent, conditions=asked, trials=2, **options)
    assert evaluation.run.settings.conditions == played
    assert seen == dict.fromkeys((name or None for name in played), 12)
    assert evaluation.run.planned == 12 * len(played)
    assert [each.name for each in evaluation.findings.conditions] == (list(played) if len(played) > 1 else [])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("hicup", "there is no condition 'hicup': did you mean 'hiccup'\\?"),
        (["hiccup", "storm"], "there is no condition 'storm': .*expected one of none, all, hiccup, broken"),
        ("", "there is no condition ''"),
        (7, "conditions=7 are not usable; expected a name, or a list of names"),
        ({"hiccup", 7}, "are not usable; expected a name, or a list of names"),
    ],
)
async def test_an_unknown_condition_is_refused_with_the_nearest(options: Options, asked: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        await proctor.aevaluate(CASES, agent=fragile, conditions=asked, **options)


async def test_where_none_is_declared_it_is_said_where_to_declare_them(options: Options) -> None:
    options["config"] = Config()
    told = r"declare them as \[conditions.NAME\] in proctor.toml"
    for asked, why in (("all", "there are no conditions to run"), ("nope", "'nope': no condition is declared here")):
        with pytest.raises(UsageError, match=f"{why}; {told}"):
            await proctor.aevaluate(CASES, agent=fragile, conditions=asked, **options)


async def test_a_fault_that_is_declared_wrongly_is_refused_even_if_it_is_not_played(options: Options) -> None:
    options["config"] = Config(conditions={"odd": {"tool": "look_up", "fial": 1}})
    with pytest.raises(InputError, match="condition 'odd' has an unknown key 'fial'; did you mean 'fails'"):
        await proctor.aevaluate(CASES, agent=fragile, **options)


async def test_the_faults_strike_each_attempt_anew_and_only_under_their_condition(options: Options) -> None:
    weak = await proctor.aevaluate(CASES, agent=fragile, conditions="all", trials=2, concurrency=20, **options)
    assert rates(weak) == {"": 1.0, "hiccup": 0.0, "broken": 0.0, "nonsense": 0.0, "poor": 0.0}
    assert weak.findings.counts.failed_by_agent == 3 * 12
    assert under(weak)["nonsense"].counts.failed_by_agent == 0
    reasons = {trouble.reason.partition(":")[0] for trouble in weak.findings.troubles}
    assert reasons == {"ToolFailed", "BudgetExhausted"}
    strong = await proctor.aevaluate(CASES, agent=patient, conditions="all", trials=2, concurrency=20, **options)
    assert rates(strong) == {"": 1.0, "hiccup": 1.0, "broken": 0.0, "nonsense": 0.0, "poor": 0.0}


async def test_conditions_are_compared_with_the_plain_run_case_by_case(options: Options) -> None:
    evaluation = await proctor.aevaluate(CASES, agent=fragile, conditions=["none", "hiccup", "nonsense"], **options)
    plain, hiccup, nonsense = evaluation.findings.conditions
    assert (plain.name, plain.difference, plain.p_value) == ("", None, None)
    for each in (hiccup, nonsense):
        assert each.difference is not None
        assert (each.difference.value, each.difference.n) == (-1.0, 6)
        assert each.p_value is not None
        assert each.p_value < 0.1
        assert (each.counts.planned, each.counts.pending) == (6, 0)
    assert evaluation.findings.pass_rate.value == 1.0
    assert evaluation.findings.pass_rate == plain.pass_rate, "the plain run is the headline"
    assert evaluation.findings.mean_score == plain.mean_score
    [(_, summary)] = list_runs(store=str(options["store"]), limit=1)
    assert summary is not None
    assert summary.rate == plain.pass_rate, "in the list, too"
    assert evaluation.findings.cases[0].conditions == {"": (1, 1), "hiccup": (1, 0), "nonsense": (1, 0)}
    first = evaluation.findings.cases[0]
    assert (first.verdict, first.worst_verdict, first.under_all, first.attempts) == ("pass", "fail", (3, 1), 3)
    assert any("of the run without faults" in note for note in evaluation.findings.notes)


async def test_without_a_plain_run_the_numbers_are_over_all_conditions(options: Options) -> None:
    evaluation = await proctor.aevaluate(CASES, agent=fragile, conditions=["hiccup", "nonsense"], **options)
    assert evaluation.findings.pass_rate.attempts == 12
    assert any("over 2 conditions together" in note for note in evaluation.findings.notes)


async def test_a_fault_lasts_over_a_whole_conversation(options: Options) -> None:
    async def agent(request: Request) -> str:
        try:
            return await look_up(request.question)
        except conditions.ToolFailed:
            return "no idea"

    evaluation = await proctor.aevaluate(CASES, agent=agent, type="abm-static", conditions="all", **options)
    passed = {attempt.key.condition: attempt.turn_passed for attempt in evaluation.attempts()}
    assert passed[""] == (True,) * 6
    assert passed["hiccup"] == (False, *[True] * 5), "one call of the conversation fails, not one of each turn"
    assert passed["nonsense"] == passed["broken"] == (False,) * 6
    assert rates(evaluation) == {"": 1.0, "hiccup": pytest.approx(5 / 6), "broken": 0.0, "nonsense": 0.0, "poor": 0.0}
    hiccup = under(evaluation)["hiccup"]
    assert hiccup.pass_rate.n == 1
    assert hiccup.difference is not None
    assert hiccup.difference.value == pytest.approx(-1 / 6)


async def test_resume_plays_what_is_missing_under_each_condition(options: Options) -> None:
    down = True
    seen: Counter[tuple[str, str | None]] = Counter()

    async def agent(request: Request) -> str:
        if down and request.question == "q 3" and request.condition != "broken":
            raise ConnectionError("the network is down")
        seen[request.question, request.condition] += 1
        return await patient(request)

    asked = ["none", "hiccup", "broken"]
    first = await proctor.aevaluate(CASES, agent=agent, conditions=asked, retries=0, **options)
    assert first.run.status == "failed"
    missing = {name: each.counts.failed_by_environment for name, each in under(first).items()}
    assert missing == {"": 1, "hiccup": 1, "broken": 0}
    down = False
    again = await proctor.aresume(first.run.id, agent=agent, store=options["store"], config=Config())
    assert again.run.status == "completed"
    assert rates(again) == {"": 1.0, "hiccup": 1.0, "broken": 0.0}, "the stored benchmark knows the faults"
    assert set(seen.values()) == {1}
    assert len(seen) == 18


async def test_a_suites_own_conditions_stand_beside_those_of_the_project(options: Options, tmp_path: Path) -> None:
    suite = {
        "name": "own",
        "conditions": {"hiccup": {"tool": "look_up", "fails": 3}, "late": {"tool": "look_up", "delay": 0.001}},
        "cases": [{"id": "a", "question": "q 1", "expect": {"keywords": ["answer 1"]}}],
    }
    write(tmp_path / "suite.yaml", json.dumps(suite))
    del options["reviewer"]
    evaluation = await proctor.aevaluate(tmp_path / "suite.yaml", agent=patient, conditions="all", **options)
    assert set(rates(evaluation)) == {"", *FAULTS, "late"}
    assert rates(evaluation)["hiccup"] == 0.0, "the suite's hiccup fails three times"
    assert rates(evaluation)["late"] == 1.0


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def test_the_librarian_suffers_when_its_search_fails(options: Options) -> None:
    options |= {"config": Config(conditions=CONDITIONS), "reviewer": "embedded"}
    evaluation = await proctor.aevaluate(
        benchmark_path(), agent="demo:librarian", conditions=["none", "search-fails"], **options
    )
    plain, failing = evaluation.findings.conditions
    assert plain.pass_rate.value is not None
    assert failing.pass_rate.value is not None
    assert failing.pass_rate.value < plain.pass_rate.value - 0.3
    assert failing.difference is not None
    assert failing.difference.high is not None
    assert failing.difference.high < 0
    assert failing.p_value is not None
    assert failing.p_value < 0.05


def waiting(question: str) -> str:
    return wait_for(question)


@conditions.tool
def wait_for(question: str) -> str:
    return f"answer {question.rpartition(' ')[2]}"


@pytest.mark.parametrize("agent", [fragile, waiting])
@pytest.mark.parametrize("beside", [{}, {"lies": "stale"}])
async def test_attempts_that_time_out_in_a_delay_have_come_across_it(
    options: Options, agent: Any, beside: dict[str, Any]
) -> None:
    tool = "look_up" if agent is fragile else "wait_for"
    options["config"] = Config(conditions={"late": {"tool": tool, "delay": 0.5, **beside}})
    found = await proctor.aevaluate(CASES[:2], agent=agent, conditions="all", timeout=0.1, retries=0, **options)
    late = under(found)["late"]
    assert (late.pass_rate.value, late.met) == (0.0, 2)
    assert not any("met the fault" in note for note in found.findings.notes)


async def test_a_fault_that_nobody_came_across_is_said_to_test_nothing(options: Options) -> None:
    async def careless(request: Request) -> str:
        return "answer 1"

    met = await proctor.aevaluate(CASES, agent=patient, conditions=["none", "hiccup"], **options)
    assert (under(met)[""].met, under(met)["hiccup"].met) == (None, 6)
    assert not any("met the fault" in note for note in met.findings.notes)
    for asked in (["none", "hiccup", "broken"], ["hiccup", "broken"], "hiccup"):
        unmet = await proctor.aevaluate(CASES, agent=careless, conditions=asked, **options)
        named = "hiccup" if asked == "hiccup" else "hiccup, broken"
        assert any(note.startswith(f"No attempt met the fault of {named}:") for note in unmet.findings.notes)
        assert any("wrapped by proctor.conditions?" in note for note in unmet.findings.notes)
    assert read_findings(unmet.run.id, store=unmet.store).notes == unmet.findings.notes
    again = await proctor.arescore(met.run.id, passing_score=0.5, store=met.store, config=options["config"])
    assert (under(again)[""].met, under(again)["hiccup"].met) == (None, 6)


@pytest.mark.parametrize("told", [True, False], ids=["told", "not told"])
async def test_a_fault_goes_on_being_counted_where_a_conversation_is_resumed(told: bool, options: Options) -> None:
    asked: list[str] = []

    async def agent(request: Request) -> Reply:
        asked.append(request.question)
        if len(asked) == 2:
            raise ConnectionError("the line is down")
        try:
            text = await look_up(request.question)
        except conditions.ToolFailed:
            text = "failed"
        return Reply(text=text, tool_calls=(ToolCall(name="look_up", arguments={}),) if told else ())

    settings: Options = {**options, "type": "abm-static", "conditions": "hiccup", "retries": 0, "reviewer": "embedded"}
    broken = await proctor.aevaluate(CASES[:3], agent=agent, **settings)
    assert broken.findings.counts.failed_by_environment == 1
    whole = await proctor.aresume(broken.run.id, agent=agent, store=options["store"], config=options["config"])
    with open_store(whole.store, create=False) as store:
        [attempt] = store.archive.full_attempts(whole.run.id)
    assert [turn.reply.text for turn in attempt.transcript.turns if turn.reply] == ["failed", "answer 2", "answer 3"]
    assert (attempt.resumed, attempt.struck) == ("continued", 3)
