"""Orchestrators in whole runs: declared or seen from their steps, under every condition, in battles too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Reply, Request, Step, Usage
from proctor.config import AgentConfig, Config
from proctor.demo import benchmark_path
from proctor.errors import UsageError
from proctor.reports.run.json import as_dict
from proctor.storage import open_store
from proctor.workflows.demo import CONDITIONS
from proctor.workflows.read import read_findings
from proctor.workflows.tally import RunTally

Options = dict[str, Any]
CASES = [(f"q {number}", "yes") for number in range(1, 5)]
STEPS = (
    Step(id="p", kind="plan", name="plan", detail='["researcher", "writer"]', start=0.0, end=1.0),
    Step(id="a", kind="delegate", name="find", agent="researcher", start=1.0, end=3.0, usage=Usage(input_tokens=30)),
    Step(id="b", kind="delegate", name="write", agent="writer", start=1.0, end=2.0, usage=Usage(input_tokens=10)),
)


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Options:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return {"store": tmp_path / "store.db", "reviewer": "exact"}


async def orchestrates(request: Request) -> Reply:
    return Reply(text="yes", steps=STEPS, usage=Usage(input_tokens=40), seconds=3.0)


async def answers(request: Request) -> str:
    return "yes"


def stored_kind(evaluation: proctor.Evaluation) -> str:
    with open_store(evaluation.store, create=False) as store:
        return store.archive.find(evaluation.run.id).kind


def orchestration(evaluation: proctor.Evaluation) -> Any:
    assert evaluation.findings.orchestration is not None
    return evaluation.findings.orchestration


async def test_one_that_is_still_at_work_reads_as_what_it_is(options: Options) -> None:
    seen = []

    def watch(tally: RunTally) -> None:
        with open_store(options["store"], create=False) as store:
            seen.append((tally.done, next(iter(store.archive.runs())).kind))

    await proctor.aevaluate(CASES, agent=orchestrates, watch=watch, **options)
    assert seen[0] == (0, "standard")
    assert all(kind == "orchestrator" for done, kind in seen if done)


async def test_one_is_seen_from_its_steps_and_stored_as_what_it_is(options: Options) -> None:
    evaluation = await proctor.aevaluate(CASES, agent=orchestrates, **options)
    assert evaluation.run.kind == stored_kind(evaluation) == "orchestrator"
    found = orchestration(evaluation)
    assert (found.attempts, found.outlined) == (4, 4)
    assert found.success.value == 1.0
    assert found.parallelism.overlap.value == pytest.approx(1 / 3)
    assert found.parallelism.speed_up.value == pytest.approx(4 / 3)
    assert found.per_success.tokens.value == 40.0
    assert found.resources.tokens["researcher"].value == pytest.approx(0.75)


async def test_what_is_read_back_is_what_was_found_while_it_ran(options: Options) -> None:
    for kind in (None, "orchestrator"):
        evaluation = await proctor.aevaluate(CASES, agent=orchestrates, kind=kind, **options)
        assert read_findings(evaluation.run.id, store=evaluation.store) == evaluation.findings


async def test_where_no_reply_has_steps_there_is_nothing_to_tell_of_them(options: Options) -> None:
    plain = await proctor.aevaluate(CASES, agent=answers, **options)
    assert (plain.run.kind, plain.findings.orchestration) == ("standard", None)
    declared = await proctor.aevaluate(CASES, agent=answers, kind="orchestrator", **options)
    assert (declared.run.kind, declared.findings.orchestration) == ("orchestrator", None)
    assert declared.findings.pass_rate.value == 1.0


async def test_the_kind_may_be_declared_with_the_agent(options: Options) -> None:
    config = Config(agents={"team": AgentConfig(spec="demo:orchestrator", kind="orchestrator")})
    evaluation = await proctor.aevaluate(benchmark_path(), agent="team", config=config, **options)
    assert evaluation.run.kind == "orchestrator"


@pytest.mark.parametrize(("kind", "message"), [("desktop", "desktop agents are not supported"), ("swarm", "'swarm'")])
async def test_other_kinds_are_refused_before_anything_is_asked(options: Options, kind: str, message: str) -> None:
    async def agent(question: str) -> str:
        raise AssertionError("it was asked")

    with pytest.raises(UsageError, match=message):
        await proctor.aevaluate(CASES, agent=agent, kind=kind, **options)


async def test_one_that_is_seen_late_is_told_of_as_if_it_had_been_declared(options: Options) -> None:
    async def late(request: Request) -> Reply:
        return await orchestrates(request) if request.question == "q 4" else Reply(text="yes")

    seen = await proctor.aevaluate(CASES, agent=late, concurrency=1, **options)
    declared = await proctor.aevaluate(CASES, agent=late, concurrency=1, kind="orchestrator", **options)
    assert (orchestration(seen).attempts, orchestration(seen).outlined) == (4, 1)
    assert orchestration(seen).parallelism == orchestration(declared).parallelism


async def test_the_demonstrations_team_recovers_under_each_condition(options: Options) -> None:
    options |= {"config": Config(conditions=CONDITIONS), "reviewer": "embedded"}
    evaluation = await proctor.aevaluate(benchmark_path(), agent="demo:orchestrator", conditions="all", **options)
    assert evaluation.run.kind == "orchestrator"
    under = {each.name: each for each in evaluation.findings.conditions}
    assert set(under) == {"", *CONDITIONS}
    shown = {name: each.orchestration for name, each in under.items()}
    assert all(each is not None and each.attempts == 30 for each in shown.values())
    plain, failing, missing = shown[""], shown["search-fails"], shown["checker-missing"]
    assert plain is not None
    assert failing is not None
    assert missing is not None
    assert plain.recovery.errors == 0
    assert failing.recovery.errors >= 30
    assert failing.recovery.re_plans >= 30
    assert failing.recovery.recovered.value is not None
    assert failing.recovery.recovered.value > 0.5
    assert missing.recovery.errors > 0
    assert "checker" not in missing.resources.tokens or missing.resources.tokens["checker"].value == 0.0
    assert under["search-fails"].pass_rate.value == under[""].pass_rate.value, "it gets over a failing search"
    assert orchestration(evaluation).attempts == 120
    assert plain.parallelism.at_once >= 2


async def test_resume_goes_on_with_one_that_was_seen(options: Options) -> None:
    down = True

    async def agent(request: Request) -> Reply:
        if down and request.question == "q 2":
            raise ConnectionError("the network is down")
        return await orchestrates(request)

    first = await proctor.aevaluate(CASES, agent=agent, retries=0, **options)
    assert (first.run.status, first.run.kind) == ("failed", "orchestrator")
    down = False
    again = await proctor.aresume(first.run.id, agent=agent, store=options["store"])
    assert (again.run.status, again.run.kind) == ("completed", "orchestrator")
    assert (orchestration(again).attempts, orchestration(again).success.value) == (4, 1.0)


@pytest.mark.parametrize("exam_type", ["abm-static", "abm-dynamic"])
async def test_an_orchestrator_is_examined_in_a_battle_too(options: Options, exam_type: str) -> None:
    evaluation = await proctor.aevaluate(CASES, agent=orchestrates, type=exam_type, max_turns=4, **options)
    assert evaluation.run.kind == "orchestrator"
    assert evaluation.findings.battle is not None
    assert orchestration(evaluation).outlined == orchestration(evaluation).attempts
    assert evaluation.findings.battle.conversations == orchestration(evaluation).attempts


async def test_expected_sub_agents_and_steps_are_planning_and_checks_at_once(options: Options, tmp_path: Path) -> None:
    expect = {"sub_agents": ["researcher", "writer"], "steps": ["plan", "delegate"]}
    wrong = {"sub_agents": ["researcher", "lawyer"]}
    suite = {
        "name": "team",
        "cases": [
            {"id": "right", "question": "q 1", "expect": expect},
            {"id": "wrong", "question": "q 2", "expect": wrong},
        ],
    }
    write(tmp_path / "team.yaml", json.dumps(suite))
    del options["reviewer"]
    evaluation = await proctor.aevaluate(tmp_path / "team.yaml", agent=orchestrates, **options)
    assert {case.id: case.verdict for case in evaluation.findings.cases} == {"right": "pass", "wrong": "fail"}
    cases = {case.id: case.shares for case in orchestration(evaluation).cases}
    assert cases["right"]["used"] == 1.0
    assert cases["wrong"]["used"] == 0.5


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def test_json_tells_of_the_steps_over_all_conditions_and_under_each(options: Options) -> None:
    options["config"] = Config(conditions={"poor": {"budget": 0}})
    evaluation = await proctor.aevaluate(CASES, agent=orchestrates, conditions="all", **options)
    said = as_dict(evaluation.findings)
    keys = {
        "attempts", "outlined", "success", "seconds", "per_success", "planning", "coordination", "parallelism",
        "recovery", "resources", "cases", "oddities",
    }  # fmt: skip
    assert set(said["orchestration"]) == keys
    assert [set(each["orchestration"]) for each in said["conditions"]] == [keys, keys]
    assert set(said["orchestration"]["recovery"]) == {"recovered", "errors", "re_plans"}
    assert set(said["orchestration"]["parallelism"]) == {"overlap", "speed_up", "critical", "at_once"}
    assert as_dict((await proctor.aevaluate(CASES, agent=answers, **options)).findings)["orchestration"] is None
