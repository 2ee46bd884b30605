"""proctor run, as its users run it."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys

import pytest
from tests.cli.desk import Desk

RIGHT = "def answer(question): return 'yes'\n"
WRONG = "def answer(question): return 'no'\n"
NOISY = """\
import os, subprocess, sys

def answer(question):
    print("print")
    sys.stdout.write("write\\n")
    os.write(1, b"os.write\\n")
    subprocess.run(["echo", "subprocess"], check=True)
    return "yes"
"""
EVERY_OTHER_TRIAL = "def answer(request): return 'yes' if request.trial % 2 else 'no'\n"
MIXED = """\
def answer(question):
    number = int(question.split()[1])
    if number == 1: raise ValueError("it broke")
    if number == 2: raise ConnectionError("the network is down")
    return "yes" if number < 6 else "no"
"""
PAID = """\
def answer(question):
    return {"text": "yes", "usage": {"input_tokens": 10, "output_tokens": 5, "cost": 0.01}}
"""


def test_the_json_has_every_key_that_is_held_stable(desk: Desk) -> None:
    said = desk.run(desk.agent(RIGHT), "--json")
    assert said.code == 0
    wanted = "run name status benchmark agent reviewer type trials attempts pass_rate mean_score pass_at_k pass_hat_k"
    assert {*wanted.split(), "categories", "usage", "duration_s"} <= set(said.json)
    assert {"planned", "scored", "unscored", "failed", "pending", "failed_by"} <= set(said.json["attempts"])
    assert said.json["attempts"]["failed_by"] == {"agent": 0, "environment": 0}
    for estimate in (said.json["pass_rate"], said.json["mean_score"], said.json["pass_at_k"]["1"]):
        assert set(estimate) == {"value", "low", "high", "n", "attempts", "method"}
    assert (said.json["status"], said.json["type"], said.json["trials"]) == ("completed", "standard", 1)
    assert (said.json["benchmark"], said.json["reviewer"]) == ("benchmark", "embedded")


def test_every_planned_attempt_is_accounted_for_and_what_is_missing_is_bounded(desk: Desk) -> None:
    desk.benchmark(8)
    said = desk.run(desk.agent(MIXED), "--retries", "0", "--json")
    assert said.code == 4
    counts = said.json["attempts"]
    assert counts == {
        "planned": 8,
        "scored": 6,
        "unscored": 0,
        "failed": 2,
        "pending": 0,
        "failed_by": {"agent": 1, "environment": 1},
    }
    rate = said.json["pass_rate"]
    assert (rate["n"], rate["attempts"], rate["missing"]) == (7, 7, 1)
    assert rate["value"] == pytest.approx(3 / 7)
    assert (rate["worst"], rate["best"]) == (pytest.approx(3 / 8), pytest.approx(4 / 8))
    score = said.json["mean_score"]
    assert (score["n"], score["missing"]) == (6, 2)
    assert said.json["status"] == "failed"
    assert "1 attempt" in said.err
    assert f"proctor resume {said.json['run']}" in said.err


def test_pass_at_k_and_pass_hat_k_come_from_the_trials(desk: Desk) -> None:
    said = desk.run(desk.agent(EVERY_OTHER_TRIAL), "--trials", "3", "--json")
    assert said.code == 0
    assert said.json["attempts"]["planned"] == 9
    values = {k: estimate["value"] for k, estimate in said.json["pass_at_k"].items()}
    assert values == {"1": pytest.approx(2 / 3), "2": 1.0, "3": 1.0}
    values = {k: estimate["value"] for k, estimate in said.json["pass_hat_k"].items()}
    assert values == {"1": pytest.approx(2 / 3), "2": pytest.approx(1 / 3), "3": 0.0}


def test_k_picks_what_is_printed(desk: Desk) -> None:
    agent = desk.agent(EVERY_OTHER_TRIAL)
    assert "pass^3" in desk.run(agent, "--trials", "3").out
    said = desk.run(agent, "--trials", "3", "--k", "2")
    assert "pass^2" in said.out
    assert "pass^3" not in said.out


@pytest.mark.parametrize("k", ["4", "0", "-1"])
def test_k_beyond_the_trials_is_refused_before_anything_is_stored(desk: Desk, k: str) -> None:
    said = desk.run(desk.agent(RIGHT), "--trials", "3", "--k", k)
    assert (said.code, said.out) == (2, "")
    assert f"--k {k} " in said.err
    assert not (desk.folder / ".proctor").exists()


def test_only_json_reaches_standard_output_whatever_the_agent_prints(desk: Desk) -> None:
    said = desk.run(desk.agent(NOISY), "--json", "--concurrency", "1")
    assert said.code == 0
    assert said.json["pass_rate"]["value"] == 1.0
    heard = [line for line in said.err.splitlines() if line in ("print", "write", "os.write", "subprocess")]
    assert heard == ["print", "write", "os.write", "subprocess"] * 3


def test_without_json_the_report_is_all_that_reaches_standard_output(desk: Desk) -> None:
    said = desk.run(desk.agent(NOISY))
    assert said.code == 0
    assert said.out.startswith("python:agent_")
    assert "os.write" not in said.out
    assert "3 passed" in said.out


def test_the_report_fits_80_columns_and_ends_with_the_next_command(desk: Desk) -> None:
    said = desk.run(desk.agent(WRONG), "--name", "a long name " * 12, "--trials", "2")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    assert said.out.splitlines()[-1].startswith("Next  proctor show ")
    assert "embedded reviewer" in said.out


def test_names_and_labels_are_kept(desk: Desk) -> None:
    said = desk.run(desk.agent(RIGHT), "--name", "première", "--label", "model=x", "--label", "note=a=b", "--json")
    assert said.json["name"] == "première"
    assert said.json["labels"] == {"model": "x", "note": "a=b"}
    assert desk("show", "première", "--json").json["run"] == said.json["run"]


@pytest.mark.parametrize("label", ["model", "=x", ""])
def test_a_label_without_key_and_value_is_refused(desk: Desk, label: str) -> None:
    said = desk.run(desk.agent(RIGHT), "--label", label)
    assert said.code == 2
    assert "KEY=VALUE" in said.err


def test_the_passing_score_decides_and_the_score_stays(desk: Desk) -> None:
    half = desk.agent("def answer(question): return 'yes'\ndef half(reply): return 0.5\n")
    reviewer = half.replace(":answer", ":half")
    strict = desk.run(half, "--reviewer", reviewer, "--json").json
    mild = desk.run(half, "--reviewer", reviewer, "--passing-score", "0.5", "--json").json
    assert (strict["pass_rate"]["value"], mild["pass_rate"]["value"]) == (0.0, 1.0)
    assert strict["mean_score"]["value"] == mild["mean_score"]["value"] == 0.5


@pytest.mark.parametrize(
    ("weights", "score"),
    [
        ("correctness=1,reasoning=0", 1.0),
        ("correctness=.5,reasoning=.5", 0.5),
        ("correctness=3,reasoning=1", 0.75),
        ("correctness=.1,reasoning=.2,context=.7000000000000002", 1 / 3),
    ],
)
def test_weights_are_normalised_over_the_parts_that_were_judged(desk: Desk, weights: str, score: float) -> None:
    agent = desk.agent("def answer(q): return 'yes'\ndef two(reply): return {'correctness': 1, 'reasoning': 0}\n")
    said = desk.run(agent, "--reviewer", agent.replace(":answer", ":two"), "--weights", weights, "--json")
    assert said.code == 0
    assert said.json["mean_score"]["value"] == pytest.approx(score)
    assert said.json["parts"]["reasoning"]["value"] == 0.0


def test_parts_of_ones_own_can_be_weighed(desk: Desk) -> None:
    agent = desk.agent("def answer(q): return 'yes'\ndef own(reply): return {'style': 0.9, 'length': 0.1}\n")
    said = desk.run(agent, "--reviewer", agent.replace(":answer", ":own"), "--weights", "style=1", "--json")
    assert said.code == 0
    assert said.json["mean_score"]["value"] == pytest.approx(0.9)


def test_weights_that_match_no_part_leave_the_reply_unscored_and_never_0(desk: Desk) -> None:
    said = desk.run(desk.agent(RIGHT), "--weights", "reasoning=1", "--json")
    assert said.code == 3
    assert "This is no test: nothing was judged." in said.err
    assert said.json["attempts"]["unscored"] == 3
    assert said.json["mean_score"]["value"] is None
    assert (said.json["mean_score"]["worst"], said.json["mean_score"]["best"]) == (0.0, 1.0)
    assert "has a weight" in said.json["troubles"][0]["reason"]


def test_tokens_and_cost_are_added_up(desk: Desk) -> None:
    said = desk.run(desk.agent(PAID), "--trials", "2", "--json")
    assert said.json["usage"]["input_tokens"] == 60
    assert said.json["usage"]["output_tokens"] == 30
    assert math.isclose(said.json["usage"]["cost"], 0.06)


def test_the_trial_reaches_the_agent_and_every_trial_is_asked(desk: Desk) -> None:
    code = "def answer(request):\n    note(f'{request.question} {request.trial}')\n    return 'yes'\n"
    desk.run(desk.agent(code), "--trials", "3")
    assert desk.calls() == {f"q {case} {trial}": 1 for case in (1, 2, 3) for trial in (1, 2, 3)}


def test_results_are_kept_where_the_option_then_the_environment_then_the_file_says(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = desk.agent(RIGHT)
    desk.write("proctor.toml", 'store = "of-the-file.db"\n')
    desk.run(agent)
    assert (desk.folder / "of-the-file.db").exists()
    monkeypatch.setenv("PROCTOR_STORE", "of-the-environment.db")
    desk.run(agent)
    assert (desk.folder / "of-the-environment.db").exists()
    desk.run(agent, "--store", "of-the-option.db")
    assert (desk.folder / "of-the-option.db").exists()
    assert not (desk.folder / ".proctor").exists()


def test_defaults_come_from_the_file_and_the_command_line_wins(desk: Desk) -> None:
    agent = desk.agent(EVERY_OTHER_TRIAL)
    desk.write("proctor.toml", f'[run]\nagent = "mine"\ntrials = 2\n[agents.mine]\nspec = "{agent}"\n')
    said = desk("run", "benchmark.csv", "--json")
    assert (said.json["agent"], said.json["trials"]) == ("mine", 2)
    said = desk("run", "benchmark.csv", "--trials", "1", "--agent", agent, "--json")
    assert (said.json["agent"], said.json["trials"]) == (agent, 1)


def test_a_program_is_examined_by_its_command_line(desk: Desk) -> None:
    said = desk.run("command:echo yes", "--json")
    assert said.json["pass_rate"]["value"] == 1.0
    assert desk.run("command:false", "--json").json["attempts"]["failed_by"]["agent"] == 3


def test_a_module_that_prints_when_it_is_imported_does_not_spoil_the_json(desk: Desk) -> None:
    said = desk.run(desk.agent("print('LOADING MODEL')\ndef answer(question): return 'yes'"), "--json")
    assert said.json["attempts"]["scored"] == 3
    assert "LOADING MODEL" in said.err


def test_what_an_agent_prints_while_the_program_ends_does_not_spoil_the_json(desk: Desk) -> None:
    agent = desk.agent("import atexit\natexit.register(print, 'GOODBYE')\ndef answer(question): return 'yes'")
    command = [sys.executable, "-m", "proctor", "run", "benchmark.csv", "--agent", agent, "--json"]
    done = subprocess.run(command, cwd=desk.folder, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["attempts"]["scored"] == 3
    assert "GOODBYE" in done.stderr


def test_nobody_listening_to_the_progress_does_not_end_the_run(desk: Desk) -> None:
    gone, ours = os.pipe()
    os.close(gone)
    program = [sys.executable, "-m", "proctor", "run", "benchmark.csv", "--agent", desk.agent(RIGHT)]
    with os.fdopen(ours, "wb") as stderr:
        done = subprocess.run(program, stdout=subprocess.PIPE, stderr=stderr, cwd=desk.folder, check=False)
    assert done.returncode == 0
    assert b"completed" in done.stdout


def test_a_run_that_cannot_be_stored_is_not_announced(desk: Desk) -> None:
    (desk.folder / "store").mkdir()
    said = desk("run", "benchmark.csv", "--agent", desk.agent(RIGHT), "--store", "store")
    assert said.code != 0
    assert said.err.startswith("Error: the store")


def test_a_dry_run_tells_the_time_by_the_last_run_of_the_same_agent_and_benchmark(desk: Desk) -> None:
    agent = desk.agent("def answer(q): return 'yes'")
    assert "time about" not in desk.run(agent, "--dry-run").out
    played = desk.run(agent, "--json").json["run"]
    said = " ".join(desk.run(agent, "--trials", "2", "--dry-run").out.split())
    assert re.search(rf"time about \d+ m?s: run {played} took \d+ ms for 3 attempts, 3 at once", said)
    told = desk.run(agent, "--trials", "2", "--dry-run", "--json").json["by_last_run"]
    assert (told["run"], told["attempts"]) == (played, 3)


def test_a_battle_is_announced_by_its_conversations(desk: Desk) -> None:
    said = desk.run(desk.agent("def answer(q): return 'yes'"), "--type", "abm-dynamic", "--max-turns", "2")
    assert "benchmark, 3 conversations" in said.err


def test_everything_about_a_run_can_stand_in_the_file(desk: Desk) -> None:
    desk.write("suite.yaml", "expect:\n  keywords: [yes]\ncases: []\n")
    agent = desk.agent(RIGHT)
    desk.write(
        "proctor.toml",
        f"""\
[run]
agent = "{agent}"
type = "abm-dynamic"
agent_kind = "orchestrator"
seeds = 1
max_turns = 3
trials = 2
k = 1
condition = ["none", "slow"]
label = {{team = "search"}}
gate = "failures<=0"

[conditions.slow]
budget = 5
""",
    )
    said = desk("run", "benchmark.csv", "--json").json
    assert (said["type"], said["kind"], said["labels"]["team"]) == ("abm-dynamic", "orchestrator", "search")
    assert said["attempts"]["planned"] == 1 * 2 * 2
    assert [gate["gate"] for gate in said["gates"]] == ["failures<=0"]
    other = desk(
        "run", "benchmark.csv", "--json", "--type", "standard", "--condition", "none", "--label", "team=x"
    ).json
    assert (other["type"], other["labels"]["team"], other["attempts"]["planned"]) == ("standard", "x", 6)


def test_a_flag_in_the_file_can_be_taken_back(desk: Desk) -> None:
    desk.write("proctor.toml", "[run]\nannotations = true\ncache = true\n")
    agent = desk.agent(WRONG)
    assert "::" in desk.run(agent).err
    assert "::" not in desk.run(agent, "--no-annotations", "--no-cache").err
