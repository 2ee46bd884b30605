"""What failed, in groups: four agents that fail in ways of their own, and what must not be called a pattern."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import demo
from proctor.cli import main
from proctor.config import Config
from proctor.findings.failure_map import FailureGroup, RunFailures
from proctor.reports import failures as failure_words
from proctor.reports.failures import as_dict, markdown, sentence
from proctor.workflows.failure_map import read_failures

CASES = [(f"What is the price of article {number}?", f"{number} euros") for number in range(40)]


def agent(question: str) -> str:
    """Right, but for a refusal, a crash and a wrong currency."""
    number = int(question.split()[-1].rstrip("?"))
    if number % 10 == 3:
        return "I am sorry, but I cannot help with prices."
    if number % 10 == 5:
        raise ValueError(f"no such article {number}")
    return f"It costs {number} dollars." if number % 10 == 7 else f"{number} euros"


def played(folder: Path, answer: object = agent, name: str = "run", **options: object) -> RunFailures:
    store = folder / "s.db"
    proctor.evaluate(CASES, agent=answer, reviewer="exact", store=store, name=name, **options)
    return read_failures(name, store=str(store))


def named(failures: RunFailures) -> dict[str, FailureGroup]:
    return {f"{group.kind}: {group.name}": group for group in failures.found.groups}


def test_each_way_of_failing_is_a_group_with_its_share(tmp_path: Path) -> None:
    groups = named(played(tmp_path))
    assert {name: group.cases for name, group in groups.items() if group.kind == "failure"} == {
        "failure: ValueError: no such article #": 4
    }
    words = [group for group in groups.values() if group.kind == "words"]
    assert sorted(group.cases for group in words) == [4, 4]
    assert any("cannot help" in group.name or "sorry" in group.name for group in words)
    for group in groups.values():
        assert group.share.value == pytest.approx(1 / 3)
        assert group.share.low is not None
        assert group.share.low < 1 / 3


def test_every_failed_attempt_is_in_just_one_group(tmp_path: Path) -> None:
    found = played(tmp_path, trials=2).found
    assert (found.failed_cases, found.failed_attempts, found.counted_cases) == (12, 24, 40)
    assert sum(group.attempts for group in found.groups) == 24


def test_words_that_passing_replies_have_too_are_no_pattern(tmp_path: Path) -> None:
    def chatty(question: str) -> str:
        number = int(question.split()[-1].rstrip("?"))
        return f"{number} euros" if number % 2 else f"{number + 1} euros"

    assert [group.kind for group in played(tmp_path, chatty).found.groups] == ["other"]


def test_one_case_alone_is_no_pattern_however_often_it_is_tried(tmp_path: Path) -> None:
    def once(question: str) -> str:
        number = question.split()[-1].rstrip("?")
        return "a very odd reply indeed" if number == "7" else f"{number} euros"

    assert [group.kind for group in played(tmp_path, once, trials=3).found.groups] == ["other"]


def test_what_did_not_fail_like_that_before_is_new(tmp_path: Path) -> None:
    def worse(question: str) -> str:
        number = int(question.split()[-1].rstrip("?"))
        return "Our shop is closed today." if number % 10 == 9 else agent(question)

    played(tmp_path)
    played(tmp_path, worse, name="worse")
    found = read_failures("worse", store=str(tmp_path / "s.db"), since="run")
    new = [group for group in found.found.groups if group.is_new]
    assert [group.cases for group in new] == [4]
    assert "shop" in new[0].name or "closed" in new[0].name


def test_failed_checks_are_named_without_what_differs_from_reply_to_reply(tmp_path: Path) -> None:
    suite = tmp_path / "s.yaml"
    cases = "\n".join(f"  - {{question: q{n}?, category: c, expect: {{keywords: [refund]}}}}" for n in range(4))
    suite.write_text(f"name: s\ncases:\n{cases}\n")
    proctor.evaluate(suite, agent=lambda question: "nothing", store=tmp_path / "s.db", name="checked")
    [group] = read_failures("checked", store=str(tmp_path / "s.db")).found.groups
    assert (group.kind, group.cases) == ("check", 4)
    assert "refund" in group.name


def test_calls_and_turns_that_what_passed_does_not_share_make_a_group(tmp_path: Path) -> None:
    def searching(request: proctor.Request) -> proctor.Reply:
        number = int(request.question.split()[-1].rstrip("?"))
        few = number % 4 == 0
        call = proctor.ToolCall(name="search", arguments={"top_k": 1 if few else 5, "query": f"article {number}"})
        return proctor.Reply(text=f"{number * 7 + 1}" if few else f"{number} euros", tool_calls=(call,))

    [group] = played(tmp_path, searching).found.groups
    assert (group.kind, group.name, group.cases) == ("call", "search(top_k=1)", 10)


def test_beside_a_plain_run_what_fails_under_a_condition_is_no_failure_of_the_run(tmp_path: Path) -> None:
    def fragile(request: proctor.Request) -> str:
        return "broken" if request.condition else agent(request.question)

    conditions = {"poor": {"budget": 0}}
    failures = played(tmp_path, fragile, conditions="all", config=Config(conditions=conditions))
    found = failures.found
    assert (found.failed_cases, found.counted_cases) == (12, 40)
    assert (failures.conditions["poor"].failed_attempts, failures.conditions["poor"].counted_attempts) == (40, 40)
    assert sentence(failures).startswith("In the plain run 12 of 40 cases failed")
    assert sentence(failures).endswith(" Under poor 40 of 40 attempts failed.")
    assert set(as_dict(failures)["conditions"]) == {"poor"}
    assert "| what failed under poor |" in markdown(failures)
    alone = played(tmp_path, fragile, name="alone", conditions="poor", config=Config(conditions=conditions)).found
    assert alone.failed_cases == 40


def test_what_fails_under_a_condition_alone_is_told_though_nothing_fails_in_the_plain_run(tmp_path: Path) -> None:
    def fragile(request: proctor.Request) -> str:
        number = request.question.split()[-1].rstrip("?")
        return "broken" if request.condition == "poor" else f"{number} euros"

    conditions = {"poor": {"budget": 0}, "rich": {"budget": 9}}
    failures = played(tmp_path, fragile, conditions="all", config=Config(conditions=conditions))
    assert sentence(failures) == (
        "In the plain run nothing failed: 40 cases passed. Under poor 40 of 40 attempts failed."
    )
    assert list(failures.failed_maps) == ["poor"]
    sturdy = played(tmp_path, lambda question: f"{question.split()[-1].rstrip('?')} euros", "sturdy", conditions="all",
                    config=Config(conditions=conditions))  # fmt: skip
    assert sentence(sturdy).endswith("40 cases passed. Nor did anything fail under a condition.")


def test_a_turn_at_which_conversations_break_is_a_group(tmp_path: Path) -> None:
    rows = "\n".join(f'"What is the code of room {n}?";"{n}{n}{n}"' for n in range(1, 9))
    (tmp_path / "script.csv").write_text(f"{rows}\n")

    def forgetful(request: proctor.Request) -> str:
        number = request.question.split()[-1].rstrip("?")
        return f"{request.trial}{request.turn}" if request.turn == 4 else number * 3

    proctor.evaluate(
        tmp_path / "script.csv", agent=forgetful, type="abm-static", max_turns=4, reviewer="exact",
        store=tmp_path / "s.db", name="battle",
    )  # fmt: skip
    groups = named(read_failures("battle", store=str(tmp_path / "s.db")))
    assert groups["turn: turn 4"].cases == 2


NAMER = """\
from tests.metrics.scripted import judge_by


def name(shown, prompt):
    with open("asked", "a") as asked:
        asked.write("x\\n")
    return {"name": f"Refuses. {len(shown)}"} if "words" in shown["rule"] else "no JSON at all"


def model():
    return judge_by(name)
"""


def test_a_model_may_name_the_groups_and_changes_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "namer_of_groups.py").write_text(NAMER)
    groups = played(tmp_path).found.groups
    asking = ["failures", "run", "--store", str(tmp_path / "s.db"), "--reviewer", "python:namer_of_groups:model"]
    assert main([*asking, "--json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert [(each["kind"], each["name"], each["cases"]) for each in found["groups"]] == [
        (group.kind, group.name, group.cases) for group in groups
    ]
    titles = {each["kind"]: each["title"] for each in found["groups"]}
    assert titles["words"].startswith("Refuses")
    assert titles["failure"] is None, "what the model does not say is no name"
    assert "3 calls to python:namer_of_groups:model for names" in " ".join(told.err.split())
    assert (found["named_by"], found["usage"]["calls"] > 0) == ("python:namer_of_groups:model", True)
    assert main(asking) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Names before the colon are by python:namer_of_groups:model" in said
    assert "Some have no name:" in said
    assert main([*asking[:-2], "--budget", "1"]) == 2
    assert main([*asking[:-1], "embedded"]) == 2
    assert "cannot name groups" in " ".join(capsys.readouterr().err.split())


def test_a_run_in_which_nothing_failed_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(tmp_path, lambda question: f"{question.split()[-1].rstrip('?')} euros")
    assert main(["failures", "run", "--store", str(tmp_path / "s.db")]) == 0
    assert capsys.readouterr().out.strip() == "Nothing failed: 40 cases passed."


def test_a_run_in_which_nothing_counted_is_not_said_to_have_passed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def down(question: str) -> str:
        raise proctor.EnvironmentFault("the agent is down", lasts=True)

    def mostly_down(question: str) -> str:
        return down(question) if question == CASES[0][0] else dict(CASES)[question]

    played(tmp_path, down, name="down")
    assert main(["failures", "down", "--store", str(tmp_path / "s.db")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Nothing was counted: ")
    assert "in which the environment failed, not the agent" in said
    assert "passed" not in said
    played(tmp_path, mostly_down, name="mostly")
    assert main(["failures", "mostly", "--store", str(tmp_path / "s.db")]) == 0
    assert " ".join(capsys.readouterr().out.split()) == (
        "Nothing failed: 39 cases passed; not counted: 1 attempt in which the environment failed, not the agent."
    )


def test_crashes_are_told_apart_by_type_and_message_but_not_by_what_they_quote(tmp_path: Path) -> None:
    def crashing(question: str) -> str:
        number = int(question.split()[-1].rstrip("?"))
        if number % 2:
            raise KeyError(question)
        raise ValueError(f"no such article {number}; look it up")

    assert {group.name: group.cases for group in played(tmp_path, crashing).found.groups} == {
        "KeyError: …": 20,
        "ValueError: no such article #": 20,
    }


def test_people_read_what_one_of_a_group_really_said(tmp_path: Path) -> None:
    group = named(played(tmp_path))["failure: ValueError: no such article #"]
    assert group.varies
    assert failure_words.name(group) == "agent failed: ValueError: no such article 5 and alike"
    check = FailureGroup(
        kind="check", name="keywords: “a” is missing", cases=2, attempts=2, share=group.share, examples=()
    )
    assert failure_words.name(check) == "check keywords: “a” is missing"


def test_cases_that_failed_in_ways_of_their_own_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "s.yaml"
    words = ["apple", "apple", "pear", "plum"]
    cases = "\n".join(
        f"  - {{id: c{n}, question: {n}?, expect: {{keywords: [{word}]}}}}" for n, word in enumerate(words)
    )
    suite.write_text(f"name: s\ncases:\n{cases}\n")
    proctor.evaluate(suite, agent=lambda question: "Sorry.", store=tmp_path / "s.db", name="own")
    found = read_failures("own", store=str(tmp_path / "s.db")).found
    assert [group.name for group in found.patterns] == ["keywords: “apple” is missing"]
    for form in ("text", "markdown"):
        assert main(["failures", "own", "--format", form, "--store", str(tmp_path / "s.db")]) == 0
        said = capsys.readouterr().out
        assert "2 more cases failed each in its own way: c2, c3" in said
        assert "pear" not in said


def test_text_markdown_and_json_tell_the_same_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    groups = played(tmp_path).found.groups
    store = ["--store", str(tmp_path / "s.db")]
    assert main(["failures", "run", "--json", *store]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["kind"], each["cases"]) for each in told["groups"]] == [(group.kind, group.cases) for group in groups]
    assert main(["failures", "run", "--format", "markdown", *store]) == 0
    assert capsys.readouterr().out.count("\n| ") == len(groups) + 1
    assert main(["failures", "run", *store]) == 0
    assert "12 of 40 cases failed" in capsys.readouterr().out


def searched(text: str, **others: Any) -> proctor.Reply:
    return proctor.Reply(text=text, tool_calls=(proctor.ToolCall(name="search", **others),))


@pytest.mark.parametrize("right", [0, 1, 20])
def test_what_passed_and_failed_attempts_share_explains_nothing(tmp_path: Path, right: int) -> None:
    def searching(request: proctor.Request) -> proctor.Reply:
        number = int(request.question.split()[-1].rstrip("?"))
        return searched(f"{number} euros" if number < right else f"{number * 7 + 1}")

    [group] = played(tmp_path, searching).found.groups
    assert (group.kind, group.cases) == ("other", 40 - right)
    assert ("passed" in group.name) == (right == 0)


def test_a_tools_error_explains_more_than_the_check_that_then_fails(tmp_path: Path) -> None:
    suite = tmp_path / "s.yaml"
    cases = "\n".join(f"  - {{id: c{n}, question: {n}?, expect: {{keywords: [fact{n}]}}}}" for n in range(8))
    suite.write_text(f"name: s\ncases:\n{cases}\n")

    def failing(request: proctor.Request) -> proctor.Reply:
        number = int(request.question.rstrip("?"))
        return searched("Sorry.", error="HTTP 503") if number < 4 else searched(f"fact{number}" if number < 6 else "?")

    proctor.evaluate(suite, agent=failing, store=tmp_path / "s.db", name="tools")
    groups = named(read_failures("tools", store=str(tmp_path / "s.db")))
    assert {name: group.cases for name, group in groups.items()} == {
        "tool: search": 4,
        "check: keywords: “fact#” is missing": 2,
    }


def test_a_battle_blames_the_strategy_and_not_what_the_agent_always_does(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    battle: dict[str, Any] = {"type": "abm-dynamic", "seeds": 8, "max_turns": 6, "examiner": "prober"}
    proctor.evaluate(demo.benchmark_path(), agent="demo:pushover", store=store, name="battle", **battle)
    found = read_failures("battle", store=str(store)).found
    assert found.failed_cases >= 7
    assert (found.groups[0].kind, found.groups[0].name) == ("strategy", "are-you-sure")
    assert not [group for group in found.groups if group.kind == "call"]


def battle_of(folder: Path, answer: object) -> RunFailures:
    rows = "\n".join(f'"What is the capital of land {n}?";"Town{n}"' for n in range(8))
    (folder / "seeds.csv").write_text(f"{rows}\n")
    proctor.evaluate(
        folder / "seeds.csv", agent=answer, type="abm-dynamic", max_turns=6, examiner="prober",
        store=folder / "s.db", name="battle",
    )  # fmt: skip
    return read_failures("battle", store=str(folder / "s.db"))


def test_an_answer_that_was_wrong_from_the_first_is_blamed_on_no_strategy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = battle_of(tmp_path, lambda question: "Town0").found
    assert [(group.kind, group.name, group.cases) for group in found.groups] == [
        ("first", "wrong from the first answer", 7)
    ]
    assert main(["failures", "battle", "--store", str(tmp_path / "s.db")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "7 of 8 cases failed, most often (100 %): wrong from the first answer." in said


def test_a_strategy_is_named_only_where_an_answer_that_stood_gave_in_under_it(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    battle: dict[str, Any] = {"type": "abm-dynamic", "max_turns": 20, "examiner": "prober"}
    found = proctor.evaluate(
        demo.benchmark_path(), agent="demo:pushover", store=store, name="battle", **battle
    ).findings
    groups = named(read_failures("battle", store=str(store)))
    assert found.battle is not None
    broken = {each.name: each.broken for each in found.battle.strategies}
    assert all(broken[group.name] >= group.attempts for group in groups.values() if group.kind == "strategy")
    curve = found.battle.survival
    assert curve is not None
    assert groups["first: wrong from the first answer"].attempts == curve.points[0].failed > 0


def test_a_case_of_a_group_is_not_counted_again_among_those_that_failed_in_their_own_way(tmp_path: Path) -> None:
    def agent(request: proctor.Request) -> str:
        number = int(request.question.split()[-1].rstrip("?"))
        if number == 3 and request.trial == 2:
            raise ValueError("once, in its own way")
        return "I am sorry, but I cannot help with prices." if number in (3, 4, 5) else f"{number} euros"

    found = played(tmp_path, agent, trials=2).found
    assert [group.cases for group in found.patterns] == [3]
    assert found.failed_cases == 3
    assert found.alone == ()


def test_cases_that_failed_each_in_its_own_way_stand_below_their_condition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def agent(request: proctor.Request) -> str:
        number = request.question.split()[-1].rstrip("?")
        if request.condition and number == "3":
            raise ValueError("broken under it")
        return f"{number} euros"

    failures = played(tmp_path, agent, conditions="all", config=Config(conditions={"poor": {"budget": 0}}))
    alone = "1 case failed in its own way: "
    assert main(["failures", "run", "--store", str(tmp_path / "s.db")]) == 0
    assert f"What failed under poor\n{alone}" in capsys.readouterr().out
    assert f"What failed under poor:\n\n{alone}" in markdown(failures)
