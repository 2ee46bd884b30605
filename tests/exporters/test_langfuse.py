"""Langfuse gets what its own SDK would send, and a second sync changes nothing."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft4Validator
from tests.exporters.langfuse_stub import PROJECT, SECRET, LangfuseStub, langfuse
from tests.exporters.shipped import RUN_OF_THREE, THREE, broken, played, shipped, states, subject
from tests.telemetry.played import RUN, recorded_requests

from proctor.errors import UsageError
from proctor.exporters.delivery_log import DeliveryMemory
from proctor.exporters.langfuse import Langfuse
from proctor.score import CheckResult, Unscored
from proctor.telemetry.span import span_id, trace_id
from proctor.telemetry.trace import task_span

OPENAPI = Path(__file__).parents[3] / "shared" / "langfuse" / "openapi.yml"
TITLE = f"{RUN.name} {RUN.id}"


@pytest.fixture
async def stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    async with langfuse() as running:
        monkeypatch.setenv("LANGFUSE_BASE_URL", running.url)
        yield running


def named(stub: LangfuseStub, name: str) -> list[dict[str, Any]]:
    return [score for score in stub.scores.values() if score["name"] == name]


async def test_a_run_becomes_an_experiment_over_a_dataset_with_scores(stub: LangfuseStub) -> None:
    report = await shipped(Langfuse(subject()))
    assert report.complete
    assert states(report) == ["sent"] * 3
    assert set(stub.datasets) == {RUN.benchmark}
    assert set(stub.items) == {f"{RUN.benchmark}:case-{number}" for number in (1, 2, 3)}
    assert len({trace for trace, _ in stub.spans}) == 3
    assert len(named(stub, "correctness")) == len(named(stub, "tools used")) == len(named(stub, "passed")) == 3


async def test_the_experiment_has_the_id_that_langfuse_derives(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    told = f'["langfuse-experiment-v1","{PROJECT}","ds-{RUN.benchmark}","{TITLE}"]'
    expected = hashlib.sha256(told.encode()).hexdigest()[:16]
    assert {span.attributes["langfuse.experiment.id"] for span in stub.spans.values()} == {expected}
    assert {score["datasetRunId"] for score in stub.scores.values() if "datasetRunId" in score} == {expected}


async def test_two_runs_of_one_name_are_two_experiments(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    other = replace(THREE[0].attempt, key=replace(THREE[0].attempt.key, run="later"))
    await shipped(Langfuse(subject(id="later")), [replace(THREE[0], attempt=other)], concluded=False)
    assert len({span.attributes["langfuse.experiment.id"] for span in stub.spans.values()}) == 2


async def test_a_second_sync_changes_nothing_even_without_a_memory(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    before = stub.kept()
    report = await shipped(Langfuse(subject()))
    assert report.complete
    assert stub.kept() == before


async def test_a_second_sync_sends_nothing_that_was_sent(stub: LangfuseStub, tmp_path: Path) -> None:
    for _ in range(2):
        exporter = Langfuse(subject())
        exporter.memory = DeliveryMemory(tmp_path / "memory.jsonl")
        report = await shipped(exporter)
    assert report.complete
    assert states(report) == ["unchanged"] * 3
    assert stub.paths["POST /otel/v1/traces"] == 1
    assert stub.paths["POST /v2/datasets"] == 1
    assert stub.paths["POST /dataset-items"] == 3
    assert stub.paths["POST /scores"] == len(stub.scores)


async def test_only_what_changed_is_sent_again(stub: LangfuseStub, tmp_path: Path) -> None:
    for attempts in (THREE, (*THREE[:2], played(3, value=0.5))):
        exporter = Langfuse(subject())
        exporter.memory = DeliveryMemory(tmp_path / "memory.jsonl")
        report = await shipped(exporter, attempts, concluded=False)
    assert states(report) == ["unchanged", "unchanged", "sent"]
    assert sorted(score["value"] for score in named(stub, "correctness")) == [0.5, 1.0, 1.0]


async def test_an_edited_case_updates_its_item(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    case = replace(THREE[0].exam.cases[0], answer="31 days")
    edited = replace(THREE[0], exam=replace(THREE[0].exam, cases=(case,)))
    await shipped(Langfuse(subject()), [edited], concluded=False)
    assert len(stub.items) == 3
    assert stub.items[f"{RUN.benchmark}:case-1"]["expectedOutput"]["reference_answer"] == "31 days"


async def test_scores_belong_to_the_task_and_have_their_kinds(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    key = THREE[0].attempt.key
    mine = [score for score in stub.scores.values() if score.get("traceId") == trace_id(key)]
    assert {score["observationId"] for score in mine} == {task_span(key)}
    assert {(score["name"], score["dataType"], score["value"]) for score in mine} == {
        ("overall", "NUMERIC", 1.0),
        ("correctness", "NUMERIC", 1.0),
        ("tools used", "BOOLEAN", 1.0),
        ("passed", "BOOLEAN", 1.0),
        ("outcome", "CATEGORICAL", "passed"),
    }


async def test_a_conversation_s_marks_belong_to_their_turns(stub: LangfuseStub) -> None:
    one = played(1)
    turn = one.attempt.transcript.turns[0]
    turns = (turn, replace(turn, number=2, case=None))
    marks = tuple(replace(one.attempt.scores[0], turn=number, value=number / 2) for number in (1, 2))
    talk = replace(one.attempt, transcript=replace(one.attempt.transcript, turns=turns), scores=marks)
    await shipped(Langfuse(subject()), [replace(one, attempt=talk)], concluded=False)
    places = {(score["observationId"], score["value"]) for score in named(stub, "overall")}
    first, second = (span_id(talk.key, "turn", number) for number in (1, 2))
    assert places == {(first, 0.5), (second, 1.0), (task_span(talk.key), 0.75)}


@pytest.mark.parametrize("owner", ["agent", "environment"])
async def test_a_failure_is_told_as_one_and_never_as_a_mark_of_0(stub: LangfuseStub, owner: str) -> None:
    report = await shipped(Langfuse(subject()), [broken(1, owner=owner)], concluded=False)
    assert report.complete
    (outcome,) = named(stub, "outcome")
    assert (outcome["value"], outcome["comment"]) == (f"{owner} failure", "HTTP 503: no")
    assert not [score for score in stub.scores.values() if score["dataType"] == "NUMERIC"]
    assert [score["value"] for score in named(stub, "passed")] == ([0.0] if owner == "agent" else [])


async def test_what_could_not_be_checked_or_marked_is_not_a_0(stub: LangfuseStub) -> None:
    unread = CheckResult(turn=1, name="quotes", passed=None, evidence="the source cannot be read")
    missing = Unscored(turn=1, of="agent", by="judge", reason="it answered in verse")
    one = played(1, scores=(), unscored=(missing,), checks=(unread,), passed=None)
    await shipped(Langfuse(subject()), [one], concluded=False)
    assert {(score["name"], score["value"]) for score in stub.scores.values()} == {
        ("quotes", "not checkable"),
        ("outcome", "unscored"),
    }


async def test_times_are_those_of_the_attempt(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    assert {score["timestamp"][:19] for score in named(stub, "correctness")} == {"2026-11-15T01:02:34"}


async def test_two_marks_of_one_name_are_two_scores(stub: LangfuseStub) -> None:
    one = played(1)
    twice = replace(one.attempt, scores=one.attempt.scores * 2)
    await shipped(Langfuse(subject()), [replace(one, attempt=twice)], concluded=False)
    assert len(named(stub, "correctness")) == 2


async def test_run_scores_carry_their_interval(stub: LangfuseStub) -> None:
    await shipped(Langfuse(subject()))
    (rate,) = named(stub, "pass_rate")
    assert rate["value"] == pytest.approx(2 / 3)
    assert rate["comment"].startswith("95% interval 0.")
    assert "n = 3" in rate["comment"]
    assert len(named(stub, "pass_at_1")) == 1


async def test_nothing_that_matches_a_pattern_leaves(stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "hunter2hunter2")
    one = played(1)
    check = replace(one.attempt.checks[0], evidence="it said hunter2hunter2 to bob@example.com")
    secret = replace(one, attempt=replace(one.attempt, checks=(check,)))
    report = await shipped(Langfuse(subject(r"\S+@\S+", "30 days", "[0-9a-f]{6,}")), [secret], concluded=False)
    assert report.complete, "a pattern that matches ids cuts no tie"
    held = repr(stub.kept())
    assert "bob@" not in held
    assert "30 days" not in held
    assert "hunter2hunter2" not in held
    assert "$SOME_TOKEN" in held


async def test_the_report_names_the_page_that_langfuse_s_own_sdk_names(stub: LangfuseStub) -> None:
    report = await shipped(Langfuse(subject()))
    (experiment,) = {span.attributes["langfuse.experiment.id"] for span in stub.spans.values()}
    assert report.link == f"{stub.url}/project/{PROJECT}/experiments/results?baseline={experiment}"


async def test_its_address_may_stand_in_langfuse_host(stub: LangfuseStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_HOST", stub.url)
    monkeypatch.delenv("LANGFUSE_BASE_URL")
    assert (await shipped(Langfuse(subject()))).complete
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://127.0.0.1:9")
    assert Langfuse(subject()).where == "http://127.0.0.1:9", "which comes first in its SDK too"


async def test_a_static_battle_has_items_of_its_own(stub: LangfuseStub) -> None:
    run = replace(RUN_OF_THREE.settings, type="abm-static", max_turns=10)
    await shipped(Langfuse(subject(settings=run)), concluded=False)
    await shipped(Langfuse(subject()), concluded=False)
    assert set(stub.datasets) == {f"{RUN.benchmark}/script-10", RUN.benchmark}


@pytest.mark.parametrize("name", ["LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY", "LANGFUSE_BASE_URL"])
def test_a_setting_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://localhost:3000")
    monkeypatch.delenv(name)
    with pytest.raises(UsageError, match=f"^{name} is not set") as caught:
        Langfuse(subject())
    assert SECRET not in str(caught.value)


# --- beside the recording, and the public description of the API -----------------------------------


def _shape(value: Any) -> Any:
    """Keys that say something, and the kinds of what they say."""
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items() if inner is not None}
    return type(value).__name__


def _requests_of(stub: LangfuseStub) -> Counter[tuple[str, str]]:
    return Counter((method, path) for method, path, _ in stub.requests)


async def test_requests_are_those_of_langfuse_s_own_sdk(stub: LangfuseStub) -> None:
    recorded = recorded_requests()
    await shipped(Langfuse(subject()))
    theirs = Counter((each["method"], each["path"]) for each in recorded)
    ours = _requests_of(stub)
    for method, path in ours:
        assert (method, path) in theirs
    for path in ("/api/public/v2/datasets", "/api/public/dataset-items", "/api/public/otel/v1/traces"):
        assert ours["POST", path] == theirs["POST", path]


@pytest.mark.parametrize("path", ["/api/public/v2/datasets", "/api/public/dataset-items"])
async def test_bodies_have_the_shape_of_those_recorded(stub: LangfuseStub, path: str) -> None:
    recorded = next(each for each in recorded_requests() if (each["method"], each["path"]) == ("POST", path))
    await shipped(Langfuse(subject()))
    ours = next(body for method, asked, body in stub.requests if (method, asked) == ("POST", path))
    theirs = _shape(recorded["body"])
    assert _shape(ours).keys() == theirs.keys()
    if "input" in theirs:
        assert _shape(ours)["input"] == theirs["input"]
        assert _shape(ours)["expectedOutput"] == theirs["expectedOutput"]


async def test_scores_have_the_shape_of_those_recorded(stub: LangfuseStub) -> None:
    recorded = recorded_requests()[-1]["body"]
    await shipped(Langfuse(subject()))
    for kind in ("NUMERIC", "BOOLEAN", "CATEGORICAL"):
        theirs = next(score for score in recorded if score["dataType"] == kind and "traceId" in score)
        ours = next(score for score in stub.scores.values() if score["dataType"] == kind and "traceId" in score)
        assert theirs.keys() <= ours.keys() | {"comment"}
        assert type(ours["value"]) is type(theirs["value"])
    theirs = next(score for score in recorded if "datasetRunId" in score)
    ours = next(score for score in stub.scores.values() if "datasetRunId" in score)
    assert theirs.keys() <= ours.keys()


async def test_spans_are_filed_as_those_recorded(stub: LangfuseStub) -> None:
    recorded = recorded_requests()[-2]["body"]["resourceSpans"][0]["scopeSpans"][0]["spans"]
    await shipped(Langfuse(subject()))
    for name in ("experiment-item-run", "experiment-item-task", "experiment-item-evaluation"):
        theirs = next(span for span in recorded if span["name"] == name)
        ours = next(span for span in stub.spans.values() if span.name == name)
        keys = {each["key"] for each in theirs["attributes"] if each["key"].startswith("langfuse.experiment.")}
        assert keys - {"langfuse.experiment.description"} <= ours.attributes.keys()
        assert bool(theirs.get("parentSpanId")) == bool(ours.parent)


def _schema(name: str) -> dict[str, Any]:
    if not OPENAPI.exists():
        pytest.skip(f"there is no description of Langfuse's API at {OPENAPI}")
    described = yaml.load(OPENAPI.read_bytes(), Loader=yaml.CSafeLoader)
    whole: dict[str, Any] = _with_nulls({"components": described["components"]})
    return {"$ref": f"#/components/schemas/{name}", **whole}


def _with_nulls(value: Any) -> Any:
    """OpenAPI's `nullable` in the words of JSON Schema, which lets nothing stand beside a `$ref`."""
    if isinstance(value, list):
        return [_with_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _with_nulls(inner) for name, inner in value.items() if name != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if value.get("nullable") is True else plain


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        ("/api/public/v2/datasets", "CreateDatasetRequest"),
        ("/api/public/dataset-items", "CreateDatasetItemRequest"),
        ("/api/public/scores", "CreateScoreRequest"),
    ],
)
async def test_bodies_are_as_langfuse_describes_them(stub: LangfuseStub, path: str, schema: str) -> None:
    validator = Draft4Validator(_schema(schema))
    await shipped(Langfuse(subject()))
    bodies = [body for method, asked, body in stub.requests if (method, asked) == ("POST", path)]
    assert bodies
    assert not validator.is_valid({}), "the description demands something"
    assert not validator.is_valid(bodies), "one object in a request, and no list"
    for body in bodies:
        validator.validate(body)
