"""proctor tournament, from stored runs to who is strongest."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.lab import Lab, set_up

CASES = 40
JUDGE = """\
from tests.metrics.scripted import judge_by


def decide(shown, prompt):
    with open("asked", "a") as asked:
        asked.write("x\\n")
    first, second = ("answer" in shown[name] for name in ("first reply", "second reply"))
    better = {better}
    return {{"reasoning": "it answers", "better": better, "confidence": 0.9}}


def model():
    return judge_by(decide)
"""
FAIR = '"neither" if first == second else "first" if first else "second"'


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """Three runs: good is right in all cases, fair in three quarters, poor in a quarter."""
    made = set_up(tmp_path, capsys, monkeypatch, cases=CASES)
    for name, wrong in (("good", 0), ("fair", 10), ("poor", 30)):
        assert made.run(name, wrong=range(wrong)).code == 0
    return made


def judge(lab: Lab, better: str = FAIR) -> str:
    module = f"judge_{lab.unique}_{len(better)}"
    (lab.folder / f"{module}.py").write_text(JUDGE.format(better=better))
    return f"python:{module}:model"


def ranks(found: Any) -> list[tuple[int, int]]:
    return [(run["rank"]["best"], run["rank"]["worst"]) for run in found["runs"]]


def test_stored_scores_rank_the_runs_without_asking_anybody(lab: Lab) -> None:
    said = lab("tournament", "poor", "good", "fair", "--json")
    assert said.code == 0
    found = said.json
    assert ranks(found) == [(3, 3), (1, 1), (2, 2)]
    assert [(run["won"], run["tied"], run["lost"]) for run in found["runs"]] == [(0, 30, 50), (40, 40, 0), (20, 50, 10)]
    assert found["sentence"].startswith("B (good) is the strongest")
    assert "is the strongest of 3: 40 won, 40 tied, 0 lost." in found["sentence"]
    assert sum(run["strength"]["value"] for run in found["runs"]) == pytest.approx(0)
    assert all(run["strength"]["low"] < run["strength"]["value"] < run["strength"]["high"] for run in found["runs"])
    assert [pair["certain"] for pair in found["pairs"]] == ["b", "b", "a"]
    assert (found["cases"], found["contests"]) == (CASES, {"planned": 120, "judged": 120, "open": 0})
    assert (found["judge"], found["position_flips"], found["cycles"]) == (None, None, [])


def test_the_page_and_markdown_say_the_same_within_80_columns(lab: Lab) -> None:
    text = lab("tournament", "good", "poor").out
    assert "is the strongest of 2: 30 won, 10 tied, 0 lost" in " ".join(text.split())
    assert max(len(line) for line in text.splitlines()) <= 80
    table = lab("tournament", "good", "poor", "--format", "markdown").out
    assert "| A | · | 87.5 % ! |" in table
    assert "| B | 12.5 % ! | · |" in table


@pytest.mark.parametrize("command", ["tournament", "compare"])
def test_of_a_long_agent_and_its_run_the_id_is_shown_whole(lab: Lab, command: str) -> None:
    named = ["poor", "good", "fair"]
    ids = [run["run"] for run in lab(command, *named, "--json").json["runs"]]
    rows = lab(command, *named).out.splitlines()
    for letter, run in zip("ABC", ids, strict=True):
        assert any(row.startswith(f"{letter}  ") and f" {run} " in row for row in rows), (run, rows)


def test_a_judge_sees_both_orders_without_names_and_the_cost_is_told_before(lab: Lab) -> None:
    spec = judge(lab)
    dry = lab("tournament", "good", "poor", "--reviewer", spec, "--dry-run", "--json").json
    assert (dry["contests"], dry["calls"], dry["cost"]) == (CASES, 60, None)
    assert lab.lines("asked") == 0
    said = lab("tournament", "good", "poor", "--reviewer", spec, "--json")
    assert said.code == 0
    assert lab.lines("asked") == 60, "equal replies are a tie without a call"
    assert "40 contests of 2 runs: 60 calls to python:judge" in " ".join(said.err.split())
    assert "cost unknown" in " ".join(said.err.split())
    found = said.json
    assert (found["runs"][0]["won"], found["runs"][0]["tied"]) == (30, 10)
    assert ranks(found) == [(1, 1), (2, 2)]
    assert (found["position_flips"]["value"], found["position_flips"]["n"]) == (0, 30)
    assert (found["usage"]["calls"], found["usage"]["input_tokens"]) == (60, 600)


def test_a_judge_that_prefers_what_comes_first_decides_nothing(lab: Lab) -> None:
    found = lab("tournament", "good", "poor", "--reviewer", judge(lab, '"first"'), "--json").json
    assert (found["runs"][0]["won"], found["runs"][0]["tied"], found["runs"][0]["lost"]) == (0, 40, 0)
    assert found["position_flips"]["value"] == found["flips_toward_first"]["value"] == 1
    assert "prefers the first place" in " ".join(
        lab("tournament", "good", "poor", "--reviewer", judge(lab, '"first"')).out.split()
    )
    assert ranks(found) == [(1, 2), (1, 2)]
    assert "cannot tell the 2 runs apart" in found["sentence"]


def test_too_few_cases_are_said_to_be_that_whoever_won(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = set_up(tmp_path, capsys, monkeypatch, cases=20)
    for name, wrong in (("good", 0), ("poor", 19)):
        assert few.run(name, wrong=range(wrong)).code == 0
    said = "20 cases are too few to rank these 2 runs."
    assert few("tournament", "good", "poor", "--json").json["sentence"] == said
    assert few("tournament", "good", "poor").out.startswith(said)


def test_what_a_judge_does_not_say_is_left_out_and_told(lab: Lab) -> None:
    said = lab("tournament", "good", "poor", "--reviewer", judge(lab, '"perhaps"'), "--json")
    assert said.code == 0
    assert said.json["contests"] == {"planned": 40, "judged": 10, "open": 0}
    assert any("30 of 40 contests have no verdict" in warning for warning in said.json["warnings"])
    assert ranks(said.json) == [(1, 2), (1, 2)]


def test_a_judge_out_of_reach_is_no_verdict_and_exit_4(lab: Lab) -> None:
    away = judge(lab, '(_ for _ in ()).throw(ConnectionError("away"))')
    said = lab("tournament", "good", "poor", "--reviewer", away, "--retries", "0", "--json")
    assert said.code == 4
    assert said.json["contests"] == {"planned": 40, "judged": 10, "open": 30}
    assert "Continue with the same command" in said.err
    last = said.err.splitlines()[-1]
    assert last.startswith("Error: 30 contests still to be judged: ")
    assert "away" in last


def test_an_agent_that_fails_loses_and_one_without_a_network_does_not(lab: Lab) -> None:
    assert lab.run("broken", crashing=range(20), offline=range(20, 25)).code in (0, 4)
    for options in ((), ("--reviewer", judge(lab))):
        found = lab("tournament", "poor", "broken", *options, "--json", "--force").json
        poor = found["runs"][0]
        assert found["contests"]["judged"] == 35
        if options:
            assert (poor["won"], poor["lost"]) == (20, 5), "a reply wins against none"
        else:
            assert (poor["won"], poor["tied"], poor["lost"]) == (0, 30, 5), "0 is no better than 0"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("good",), "1 run is no tournament"),
        (("good", "good"), "is named twice"),
        (("good", "poor", "--dry-run"), "--dry-run goes with --reviewer"),
        (("good", "poor", "--reviewer", "embedded"), "cannot compare two replies"),
    ],
)
def test_what_cannot_be_meant_is_refused(lab: Lab, arguments: tuple[str, ...], said: str) -> None:
    done = lab("tournament", *arguments)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_runs_judged_differently_are_refused_unless_the_replies_are_judged_anew(lab: Lab) -> None:
    assert lab.run("other", reviewer=lab.reviewer()).code == 0
    assert "cannot be compared" in lab("tournament", "good", "other").err
    assert lab("tournament", "good", "other", "--force").code == 0
    assert lab("tournament", "good", "other", "--reviewer", judge(lab)).code == 0


def test_too_few_cases_are_not_ranked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = set_up(tmp_path, capsys, monkeypatch, cases=8)
    assert few.run("good").code == 0
    assert few.run("poor", wrong=range(8)).code == 0
    found = few("tournament", "good", "poor", "--json").json
    assert ranks(found) == [(1, 2), (1, 2)]
    assert found["runs"][0]["strength"]["low"] is None
    assert any("too few" in warning for warning in found["warnings"])


def test_what_was_judged_is_stored_and_not_asked_again_in_whatever_order_the_runs_are_named(lab: Lab) -> None:
    spec = judge(lab)
    first = lab("tournament", "good", "poor", "--reviewer", spec, "--json").json
    shutil.rmtree(lab.folder / ".proctor" / "cache", ignore_errors=True)
    again = lab("tournament", "poor", "good", "--reviewer", spec, "--json")
    assert lab.lines("asked") == 60
    assert "30 of them judged before: 0 calls" in " ".join(again.err.split())
    assert (again.json["usage"]["calls"], again.json["runs"][1]["won"]) == (0, first["runs"][0]["won"])
    assert again.json["position_flips"] == first["position_flips"]
    lab("tournament", "poor", "good", "fair", "--reviewer", spec, "--json")
    assert lab.lines("asked") == 60 + 2 * (10 + 20), "only pairs with fair are new, and only where the replies differ"
    other = judge(lab, FAIR + " or None")
    assert lab("tournament", "good", "poor", "--reviewer", other, "--dry-run", "--json").json["known"] == 0


def test_a_tournament_is_no_judge_of_its_runs(lab: Lab) -> None:
    before = lab("show", "good", "--json").json
    lab("tournament", "good", "poor", "--reviewer", judge(lab), "--json")
    after = lab("show", "good", "--json").json
    assert (after.get("judge_noise"), after["notes"]) == (before.get("judge_noise"), before["notes"])


def test_ctrl_c_keeps_what_was_judged_and_the_same_command_goes_on(lab: Lab) -> None:
    interrupt = "__import__('os').kill(__import__('os').getpid(), 2)"
    spec = judge(lab, f"(__import__('pathlib').Path('asked').read_text().count('x') == 15 and {interrupt}) or ({FAIR})")
    stopped = lab("tournament", "good", "poor", "--reviewer", spec, "--concurrency", "1", "--json")
    assert stopped.code == 4
    assert "Continue with the same command" in stopped.err
    before = lab.lines("asked")
    known = lab("tournament", "good", "poor", "--reviewer", spec, "--dry-run", "--json").json["known"]
    assert 5 <= known < 15
    done = lab("tournament", "good", "poor", "--reviewer", spec, "--json")
    assert (done.code, done.json["contests"]["open"]) == (0, 0)
    assert lab.lines("asked") - before <= 60 - 2 * known


def test_a_budget_stops_the_judge_and_a_larger_one_goes_on(lab: Lab) -> None:
    spec = judge(lab)
    config = f'[prices]\n"{spec}" = {{ input = 100.0, output = 100.0 }}\n'
    (lab.folder / "proctor.toml").write_text(config)
    whole = lab("tournament", "good", "poor", "--reviewer", spec, "--dry-run", "--json").json["cost"]
    budget = 0.16  # a call is let in by what it may cost, 0.14, and costs 0.0012
    tight = lab("tournament", "good", "poor", "--reviewer", spec, "--budget", str(budget), "--json")
    assert tight.code == 4
    assert 0 < tight.json["contests"]["open"] < 30
    assert 0 < tight.json["usage"]["cost"] <= budget
    assert "still to be judged" in tight.err
    paid = lab.lines("asked")
    done = lab("tournament", "good", "poor", "--reviewer", spec, "--budget", str(whole), "--json")
    assert (done.code, done.json["contests"]["open"]) == (0, 0)
    assert 0 < paid < 60
    assert lab.lines("asked") <= 60 + 10, (
        "of contests cut off between their orders, half is asked again without a cache"
    )
    none = lab("tournament", "good", "fair", "--reviewer", spec, "--budget", "0.000001")
    assert none.code == 2
    assert "not a single contest was judged" in " ".join(none.err.split())
