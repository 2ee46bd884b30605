"""--gate on run, resume and show: exit codes, verdicts, and what is refused before the first call."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.desk import Desk
from tests.cli.lab import Lab, set_up


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of a hundred cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=100)


@pytest.fixture
def small_lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of eight."""
    return set_up(tmp_path, capsys, monkeypatch, cases=8)


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["pass_rate>=0.8"], 0),
        (["pass_rate>=0.8", "failures<=0", "mean_score>=0.8"], 0),
        (["pass_rate>=0.9"], 3),
        (["pass_rate>=0.96"], 1),
        (["pass_rate>=0.9", "pass_rate>=0.96"], 1),
        (["pass_rate<=0.5"], 1),
        (["cost<=1"], 0),  # 100 × 0.01
        (["cost<=0.5"], 1),
    ],
)
def test_the_exit_code_is_the_verdict(lab: Lab, gates: list[str], code: int) -> None:
    options = [word for gate in gates for word in ("--gate", gate)]
    said = lab.run("it", "--json", *options, wrong=set(range(10)))
    assert said.code == code
    assert [gate["gate"] for gate in said.json["gates"]] == gates
    assert lab("show", "it", *options).code == code
    assert lab("resume", "it", *options).code == code


def test_without_a_gate_the_list_is_empty(small_lab: Lab) -> None:
    assert small_lab.run("it", "--json").json["gates"] == []


def test_the_report_shows_why_and_what_would_settle_it(lab: Lab) -> None:
    said = lab.run("it", "--gate", "pass_rate>=0.9", wrong=set(range(5)))
    assert said.code == 3
    assert "? inconclusive  pass_rate>=0.9" in said.out
    words = " ".join(said.out.split())
    assert "The pass rate is 95 %, 95 % interval 88.8 to 97.8, which contains 90 %." in words
    assert "further cases would probably settle it." in words


def test_with_json_the_log_says_why_the_command_failed(lab: Lab) -> None:
    lab.run("it", wrong=set(range(10)))
    said = lab("show", "it", "--gate", "pass_rate>=0.8", "--gate", "pass_rate>=0.96", "--json")
    assert said.err == (
        "pass_rate>=0.96 is not met. The pass rate is 90 %, 95 % interval 82.6 to 94.5,\nall of it below 96 %.\n"
    )


def test_markdown_of_a_run_with_its_gates(lab: Lab) -> None:
    lab.run("it", wrong=set(range(10)))
    said = lab("show", "it", "--format", "markdown", "--gate", "pass_rate>=0.8")
    assert said.code == 0
    assert r"- ✓ met, **pass\_rate>=0.8**" in said.out


def test_a_run_that_did_not_complete_exits_4_with_its_verdicts(lab: Lab) -> None:
    gates = ["--gate", "pass_rate>=0.5", "--gate", "pass_rate>=0.96"]
    said = lab.run("it", "--json", *gates, wrong=set(range(10)), offline={50})
    assert said.code == 4
    assert [gate["verdict"] for gate in said.json["gates"]] == ["met", "not met"]
    assert lab("show", "it", *gates).code == 4
    assert lab("show", "it").code == 0
    (lab.folder / "online").touch()
    resumed = lab("resume", "it", *gates, "--json")
    assert resumed.code == 1
    assert resumed.json["status"] == "completed"


def test_missing_attempts_leave_a_gate_open(lab: Lab) -> None:
    said = lab.run("it", "--json", "--gate", "pass_rate>=0.95", offline=set(range(5)))
    assert said.code == 4
    [gate] = said.json["gates"]
    assert (gate["verdict"], gate["further_cases"]) == ("inconclusive", None)
    assert "The missing attempts decide" in gate["sentence"]


@pytest.mark.parametrize("gate", ["pass_rate>0.9", "speed>=1", "pass_rate>=90", "not worse than nobody by 0.02"])
def test_a_gate_that_cannot_be_used_is_refused_before_the_first_call(small_lab: Lab, gate: str) -> None:
    said = small_lab.run("it", "--gate", gate)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Error: ")
    assert small_lab.lines("paid") == 0


def test_a_gate_that_cannot_be_met_is_refused_before_the_first_call_unless_forced(small_lab: Lab) -> None:
    refused = small_lab.run("it", "--gate", "pass_rate>=0.9")
    assert refused.code == 2
    assert "cannot be met with 8 cases, however they end: it takes at least 35" in refused.err
    assert small_lab.lines("paid") == 0
    forced = small_lab.run("it", "--gate", "pass_rate>=0.9", "--force", "--json")
    assert forced.code == 3
    assert forced.json["gates"][0]["further_cases"] == 27


def test_what_is_stored_is_judged_even_if_it_cannot_meet_the_gate(small_lab: Lab) -> None:
    small_lab.run("good")
    small_lab.run("bad", wrong=set(range(8)))
    assert small_lab("show", "good", "--gate", "pass_rate>=0.9").code == 3
    assert small_lab("show", "bad", "--gate", "pass_rate>=0.9").code == 1


def test_a_resumed_run_is_checked_before_it_goes_on(small_lab: Lab) -> None:
    assert small_lab.run("it", offline={1}).code == 4
    paid = small_lab.lines("paid")
    refused = small_lab("resume", "it", "--gate", "pass_rate>=0.9")
    assert refused.code == 2
    assert small_lab.lines("paid") == paid


def test_k_picks_the_k_that_is_gated(lab: Lab) -> None:
    half = {(number, 1) for number in range(100)}
    gate = ("--gate", "pass_hat_k>=0.4")
    assert lab.run("it", "--trials", "2", *gate, wrong=half).code == 1
    assert lab("show", "it", "--k", "1", *gate).code == 0
    assert lab("show", "it", "--gate", "pass_at_k:2>=0.9").code == 0
    beyond = lab("show", "it", "--gate", "pass_at_k:3>=0.9")
    assert beyond.code == 2
    assert "needs 3 trials of each case, and there are 2" in beyond.err


def test_last_is_the_newest_other_run(lab: Lab) -> None:
    gate = ("--gate", "not worse than last by 0.06")
    nobody = lab.run("first", *gate)
    assert nobody.code == 2
    assert lab.lines("paid") == 0
    assert lab.run("first").code == 0
    second = lab.run("second", *gate, "--json", wrong={1})
    assert second.code == 0
    assert second.json["gates"][0]["baseline"] == lab("show", "first", "--json").json["run"]
    assert lab.run("third", *gate, wrong=set(range(30))).code == 1
    assert lab("show", "second", *gate, "--json").json["gates"][0]["value"] == pytest.approx(0.29)


def test_a_name_that_this_run_shares_with_another_means_the_other(lab: Lab) -> None:
    assert lab.run("nightly").code == 0
    assert lab.run("nightly", "--gate", "not worse than nightly by 0.06").code == 0


def test_a_baseline_that_was_examined_differently_is_refused_before_the_first_call(lab: Lab) -> None:
    lab.run("old", "--passing-score", "0.9")
    paid = lab.lines("paid")
    refused = lab.run("new", "--gate", "not worse than old by 0.06")
    assert refused.code == 2
    assert "passing score differs (0.9 against 0.7)" in refused.err
    assert lab.lines("paid") == paid
    assert lab.run("new", "--gate", "not worse than old by 0.06", "--force").code == 0
    assert lab("show", "new", "--gate", "not worse than old by 0.06").code == 2


def test_a_later_look_is_held_to_a_higher_level(lab: Lab) -> None:
    lab.run("it", wrong=set(range(4)))
    first = lab("show", "it", "--gate", "pass_rate>=0.9", "--json")
    third = lab("show", "it", "--gate", "pass_rate>=0.9", "--look", "3", "--json")
    assert (first.code, third.code) == (0, 3)
    assert third.json["gates"][0]["level"] == pytest.approx(0.9875)


def test_a_later_look_at_no_gate_is_refused_before_anybody_is_asked(lab: Lab) -> None:
    lab.run("it")
    paid = lab.lines("paid")
    for refused in (
        lab.run("again", "--look", "2"),
        lab("show", "it", "--look", "2"),
        lab("resume", "it", "--look", "2"),
        lab("rescore", "it", "--look", "2"),
        lab("export", "it", "--look", "2", "--format", "markdown", "-o", "-"),
    ):
        assert refused.code == 2
        assert "--look 2 counts the checks of a gate, and there is none" in refused.err
    assert lab.lines("paid") == paid


def test_what_the_configuration_stops_early_is_played_to_the_end_where_that_is_asked_for(desk: Desk) -> None:
    desk.benchmark(60)
    desk.write("proctor.toml", '[run]\nstop_early = true\ngate = "pass_rate>=0.1"\n')
    agent = desk.agent("def answer(question): return 'yes'\n")
    early = desk.run(agent, "--json").json["attempts"]
    whole = desk.run(agent, "--json", "--no-stop-early").json["attempts"]
    assert early["planned"] < whole["planned"] == whole["scored"] == 60


HALF_RIGHT = """\
import proctor

def answer(request):
    text = "yes" if int(request.question.split()[1]) % 2 else "no"
    return proctor.Reply(text=text, usage=proctor.Usage(input_tokens=10, calls=1))
"""


def test_a_run_that_goes_on_is_held_to_the_gates_it_was_started_with(desk: Desk) -> None:
    desk.benchmark(100)
    agent, gate = desk.agent(HALF_RIGHT), ("--gate", "pass_rate>=0.9")
    for early in ([], ["--stop-early"]):
        stopped = desk.run(agent, *gate, *early, "--max-tokens", "100")
        assert stopped.code == 4, stopped
        over = desk("resume", "last", "--max-tokens", "100000", "--json")
        assert (over.code, [each["verdict"] for each in over.json["gates"]]) == (1, ["not met"])
    assert over.json["stopped_early"]["verdicts"] == {"pass_rate>=0.9": "not met"}
    assert "pass_rate>=0.9 is not met" in " ".join(over.json["notes"])
    whole = desk("resume", "last", "--to-the-end", "--json")
    assert (whole.code, whole.json["gates"][0]["verdict"]) == (1, "not met")
    assert whole.json["stopped_early"] == over.json["stopped_early"]
    assert "pass_rate>=0.9 is not met" in " ".join(desk("show", "last").out.split())
    assert desk("resume", "last", "--gate", "pass_rate>=0.1").code == 0


@pytest.mark.parametrize("gate", ["pass_rate>=0.9", "pass_rate<=0.1"])
def test_the_first_bounds_and_the_calls_to_expect_are_told_before_the_run(desk: Desk, gate: str) -> None:
    desk.benchmark(500)
    agent = desk.agent("def answer(question): return 'yes'\n")
    options = (agent, "--reviewer", "exact", "--gate", gate, "--stop-early")
    counted = "passed" if ">=" in gate else "failed"
    foretold = desk.run(*options, "--dry-run").out
    begun = desk.run(*options).err
    for said in (" ".join(foretold.split()), " ".join(begun.split())):
        assert f"look 1 of 20 at 25: cannot be met yet, not met by ≤ 14 {counted}" in said
        assert f"look 3 of 20 at 75: met by ≥ 75 {counted}" in said
        assert "by the true rate: 27 % at" in said
    assert "at most 500 attempts" in " ".join(foretold.split())
    [planned] = desk.run(*options, "--dry-run", "--json").json["stop_early"]
    assert (planned["gate"], planned["looks"][2]) == (gate, {"cases": 75, "not_met": 57, "met": 75})


def test_a_gate_that_a_run_did_not_stop_for_is_said_to_be_judged_too_surely(desk: Desk) -> None:
    desk.benchmark(200)
    agent = desk.agent("def answer(question): return 'yes'\n")
    desk.run(agent, "--reviewer", "exact", "--gate", "pass_rate>=0.8", "--stop-early")
    note = "was not looked at for this gate"
    for gate, noted in (("pass_rate>=0.9", True), ("pass_rate>=0.8", False), ("failures<=3", False)):
        [told] = desk("show", "last", "--gate", gate, "--json").json["gates"]
        assert (note in told["sentence"]) is noted, gate
    desk("resume", "last", "--to-the-end")
    assert note not in desk("show", "last", "--gate", "pass_rate>=0.9", "--json").out


def test_a_crossing_with_lost_attempts_is_a_verdict_and_the_command_that_plays_them_is_told(desk: Desk) -> None:
    desk.benchmark(200)
    agent = desk.agent(
        "def answer(request):\n"
        "    if int(request.question.split()[1]) % 10 == 0:\n"
        "        raise ConnectionError('nobody is home')\n"
        "    return 'yes'\n"
    )
    options = ("--reviewer", "exact", "--retries", "0", "--gate", "pass_rate>=0.6", "--stop-early")
    said = desk.run(agent, *options)
    assert (said.code, "✓ met  pass_rate>=0.6" in said.out) == (0, True), said
    [told] = [line for line in said.out.splitlines() if line.startswith("Next")]
    assert "--to-the-end" in told
    assert desk("resume", "last", "--to-the-end").code == 4, "they are lost again"
