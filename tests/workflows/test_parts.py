"""Names, specs and live objects → the parts of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor import Case, Request, Review, Turn
from proctor.benchmark import Benchmark
from proctor.config import AgentConfig, Config, PartConfig
from proctor.errors import InputError, UsageError
from proctor.run import Run, Settings, Spec
from proctor.workflows.parts import ChosenPart, build_agent, build_reviewer, choose, kind_of, recast

BENCHMARK = Benchmark(name="b", digest="d", cases=())
CONFIG = Config(
    agents={"mine": AgentConfig(spec="demo:librarian", kind="orchestrator")},
    reviewers={"strict": PartConfig(spec="exact")},
)


class Judge:
    name, rubric = "judge", "1"

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        return Review()

    async def conclude(self, exam: object, turns: object) -> None:
        return None


def test_a_name_in_the_file_comes_before_a_spec() -> None:
    chosen = choose("mine", CONFIG.agents, default="standard")
    assert (chosen.name, chosen.spec, chosen.kind) == ("mine", Spec(spec="demo:librarian"), "orchestrator")
    assert build_agent(chosen, CONFIG).name == "demo:librarian"
    plain = choose("demo:librarian", CONFIG.agents, default="standard")
    assert (plain.name, plain.kind) == ("demo:librarian", "standard")


def test_options_of_a_named_part_travel_with_it() -> None:
    declared = {"prog": AgentConfig.model_validate({"spec": "command:cat", "input": "json"})}
    chosen = choose("prog", declared, default="standard")
    assert chosen.spec == Spec(spec="command:cat", options={"input": "json"})
    assert build_agent(chosen, Config()).takes_request


def answer(question: str) -> str:
    return "yes"


class Answering:
    def reply(self, question: str) -> str:
        return "yes"


@pytest.mark.parametrize(
    ("live", "name"), [(answer, "object:answer"), (Answering, "object:Answering"), (Answering(), "object:Answering")]
)
def test_a_live_object_has_no_spec_and_is_called_after_itself(live: object, name: str) -> None:
    chosen = choose(live, {}, default="standard")
    assert (chosen.name, chosen.spec, chosen.live) == (name, None, live)
    assert build_agent(chosen, Config()).name == name


class Static:
    @staticmethod
    def reply(request: Request) -> str:
        return f"static {request.trial}"


class OfTheClass:
    @classmethod
    def reply(cls, question: str) -> str:
        return f"{cls.__name__} {question}"


@pytest.mark.parametrize(
    ("agent", "text"), [(Static, "static 2"), (OfTheClass, "OfTheClass q"), (Static(), "static 2")]
)
async def test_static_and_class_methods_answer_too(agent: object, text: str) -> None:
    built = build_agent(choose(agent, {}, default="standard"), Config())
    assert (await built.reply(Request(question="q", conversation="c", trial=2))).text == text


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nobody", "in proctor.toml; expected one of mine, "),
        ("my_agent:answer", "did you mean 'python:my_agent:answer'?"),
        ("my_agent.py:answer", "did you mean 'python:my_agent:answer'?"),
        ("min", "did you mean 'mine'?"),
        ("demo", "did you mean 'demo:…'?"),
        ("pyton:a:b", "did you mean 'python:…'?"),
        ("bots/mine.py", "as in python:bots.mine:FUNCTION"),
        ("ftp://localhost", "there is no agent 'ftp://localhost'"),
    ],
)
def test_an_unknown_agent_names_the_nearest(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        build_agent(choose(spec, CONFIG.agents, default="standard"), CONFIG)


def test_reviewers_are_built_in_declared_live_or_models() -> None:
    assert build_reviewer(choose("embedded", {}, default="standard"), CONFIG, "standard").name == "embedded"
    assert build_reviewer(choose("strict", CONFIG.reviewers, default="standard"), CONFIG, "standard").name == "exact"
    judge = Judge()
    assert build_reviewer(choose(judge, {}, default="standard"), CONFIG, "standard").name == judge.name
    function = choose(lambda reply: 1.0, {}, default="standard")
    assert build_reviewer(function, CONFIG, "standard").name == "object:<lambda>"


class Unfinished:
    """A reviewer that lacks its `rubric` and its name."""

    review, conclude = Judge.review, Judge.conclude


@pytest.mark.parametrize(
    ("live", "words"),
    [
        (Unfinished(), "the reviewer 'object:Unfinished' is of type Unfinished; expected a function"),
        (Judge, "the reviewer 'object:Judge' is a class; expected an instance of it"),
        (3, "the reviewer 'object:int' is of type int; expected a function"),
    ],
)
def test_what_cannot_review_is_refused_before_the_run(live: object, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        build_reviewer(choose(live, {}, default="standard"), CONFIG, "standard")


def test_an_unknown_reviewer_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'strict'"):
        build_reviewer(choose("strikt", CONFIG.reviewers, default="standard"), CONFIG, "standard")


@pytest.mark.parametrize(("asked", "kind"), [(None, "orchestrator"), ("standard", "standard")])
def test_the_kind_is_what_was_asked_else_what_was_declared(asked: str | None, kind: str) -> None:
    assert kind_of(choose("mine", CONFIG.agents, default="standard"), asked) == kind


@pytest.mark.parametrize("kind", ["desktop", "robot"])
def test_other_kinds_are_refused(kind: str) -> None:
    with pytest.raises(UsageError, match="standard"):
        kind_of(ChosenPart(name="a", spec=None), kind)


def run_of(**settings: Any) -> Run:
    return Run(id="r1", name="r", benchmark="b", digest="d", agent="mine", settings=Settings(**settings))


def test_a_stored_run_is_cast_again_from_what_it_stored_and_not_from_the_file() -> None:
    built = {"agent": Spec(spec="command:cat"), "reviewer": Spec(spec="exact")}
    cast = recast(run_of(built=built, reviewer="strict"), BENCHMARK, CONFIG, {})
    assert (cast.agent.name, cast.reviewers[0].name) == ("command:cat", "exact")
    assert recast(run_of(built=built, reviewer=None), BENCHMARK, CONFIG, {}).reviewers == ()


def test_what_is_handed_in_again_comes_before_what_was_stored() -> None:
    built = {"agent": Spec(spec="command:cat"), "reviewer": Spec(spec="exact")}
    judge = Judge()
    cast = recast(run_of(built=built), BENCHMARK, CONFIG, {"agent": answer, "reviewer": judge})
    assert cast.agent.name == "mine"
    assert [reviewer.name for reviewer in cast.reviewers] == [judge.name]


@pytest.mark.parametrize("role", ["agent", "reviewer"])
def test_a_live_object_that_is_not_handed_in_again_is_asked_for(role: str) -> None:
    built = {"agent": Spec(spec="command:cat"), "reviewer": Spec(spec="exact")}
    del built[role]
    with pytest.raises(UsageError, match=re.escape(f"proctor.resume('r1', {role}=…)")):
        recast(run_of(built=built), BENCHMARK, CONFIG, {})


def test_a_relative_program_is_found_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "agent.sh"
    program.write_text("#!/bin/sh\necho yes\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert build_agent(choose("command:./agent.sh", {}, default="standard"), Config()).name == "command:./agent.sh"
