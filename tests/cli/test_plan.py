"""proctor plan, from assumptions, from stored runs, and for gates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.desk import Desk
from tests.cli.lab import Lab, set_up

from proctor.workflows.human_labels import draw, put_label


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of a hundred cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=100)


@pytest.fixture
def small_lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of eight."""
    return set_up(tmp_path, capsys, monkeypatch, cases=8)


def test_five_points_and_ten_percent_of_flips_take_306_cases(lab: Lab) -> None:
    said = lab("plan", "--difference", "0.05", "--flips", "0.10", "--json")
    assert said.code == 0
    assert [(each["trials"], each["cases"]) for each in said.json["plans"]] == [(1, 306), (2, 306), (4, 306)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--labels", "2"), "--labels 2 is not usable; expected half the width of an interval, from 0.001 to 0.5"),
        (("--gate", "pass_rate>=1"), "no number of cases can show a rate of 100 %; choose a bound from 0 to below 1"),
    ],
)
def test_a_mistake_is_named_as_it_was_typed(options: tuple[str, str], words: str, lab: Lab) -> None:
    said = lab("plan", *options)
    assert (said.code, words in said.err) == (2, True)


def test_trials_help_down_to_a_floor(lab: Lab) -> None:
    options = ("--difference", "0.05", "--flips", "0.10", "--noise", "0.06", "--trials", "1,8,1000000")
    said = lab("plan", *options, "--json").json
    assert [each["cases"] for each in said["plans"]] == [306, 141, said["floor"]]
    assert said["plans"][1]["attempts"] == 2 * 141 * 8


def test_more_power_takes_more_cases(lab: Lab) -> None:
    usual = ("plan", "--difference", "0.05", "--flips", "0.10", "--trials", "1", "--json")
    assert lab(*usual, "--power", "0.9").json["plans"][0]["cases"] > lab(*usual).json["plans"][0]["cases"]


def test_two_runs_of_one_trial_tell_the_flips(lab: Lab) -> None:
    lab.run("old", wrong=set(range(8)))
    lab.run("new", wrong={8, 9})
    said = lab("plan", "--difference", "0.05", "--run", "old", "--run", "new")
    assert said.code == 0
    assert "in which 10 % of cases" in said.out
    assert "  306  " in said.out


def test_stored_runs_tell_how_long_it_will_take(lab: Lab) -> None:
    lab.run("before", wrong={1, 2, 3})
    lab.run("after", wrong={3, 4, 5})
    command = "plan", "--difference", "0.1", "--run", "before", "--run", "after"
    assert "at the speed of the stored ones" in " ".join(lab(*command).out.split())
    assert all(each["seconds"] > 0 for each in json.loads(lab(*command, "--json").out)["plans"])
    assumed = json.loads(lab("plan", "--difference", "0.1", "--flips", "0.2", "--json").out)
    assert all(each["seconds"] is None for each in assumed["plans"])


def test_two_runs_of_several_trials_tell_chance_from_change(small_lab: Lab) -> None:
    small_lab.run("old", "--trials", "2", wrong={(0, 1), 1})
    small_lab.run("new", "--trials", "2", wrong={(2, 2)})
    said = small_lab("plan", "--difference", "0.1", "--run", "old", "--run", "new", "--json").json
    # σ² = 1/16 in both; d = ½, 1, −½, 0 …: their variance is 3/14 − … less the chance of two trials
    assert said["spread"]["within_a"] == pytest.approx(1 / 16)
    assert said["spread"]["within_b"] == pytest.approx(1 / 16)
    differences = [0.5, 1.0, -0.5, 0, 0, 0, 0, 0]
    mean = sum(differences) / 8
    seen = sum((each - mean) ** 2 for each in differences) / 7
    assert said["spread"]["between"] == pytest.approx(seen - 1 / 16)
    assert said["trials_help"] is True


def test_one_run_of_several_trials_and_an_assumed_share_of_flips(small_lab: Lab) -> None:
    small_lab.run("old", "--trials", "2", wrong={(0, 1), 1})
    said = small_lab("plan", "--difference", "0.05", "--run", "old", "--flips", "0.2", "--json").json
    assert said["spread"]["between"] == pytest.approx(0.2 - 0.0025 - 2 / 16)
    refused = small_lab("plan", "--difference", "0.05", "--run", "old")
    assert refused.code == 2
    assert "give --flips, such as 0.10, or a second --run" in refused.err


def test_the_fewest_cases_of_a_gate(lab: Lab) -> None:
    said = lab("plan", "--gate", "pass_rate>=0.9", "--json").json
    assert [(each["failures"], each["cases"]) for each in said["fewest"]] == [(0, 35), (1, 53), (2, 69), (5, 113)]
    assert "         2     69" in lab("plan", "--gate", "pass_rate>=0.9", "--failures", "2").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give one of --difference, such as 0.05, --gate and --labels"),
        (["--difference", "0.05", "--gate", "pass_rate>=0.9"], "give one of --difference"),
        (["--difference", "0.05"], "Give --flips, such as 0.10, or stored runs by --run"),
        (["--difference", "5", "--flips", "0.1"], "--difference 5 is not usable"),
        (["--difference", "0.05", "--flips", "0.01"], "--flips 0.01 is not usable"),
        (["--difference", "0.05", "--flips", "0.1", "--noise", "0.2"], "--noise 0.2 is not usable"),
        (["--difference", "0.05", "--flips", "0.1", "--power", "1"], "--power 1 is not usable"),
        (["--difference", "0.05", "--flips", "0.1", "--trials", "1,two"], "expected something like 1,2,4"),
        (["--difference", "0.05", "--flips", "0.1", "--trials", "0"], "expected something like 1,2,4"),
        (["--difference", "0.05", "--flips", "0.1", "--trials", "1000001"], "each at most 1,000,000"),
        (["--difference", "1e-300", "--flips", "0.1"], "from 0.000001 to below 1"),
        (["--gate", "pass_rate>=0.9", "--failures", "9" * 400], "expected a whole number from 0 to 1,000,000"),
        (["--gate", "failures<=0"], "is compared exactly"),
        (["--gate", "not worse than x by 0.02"], "such as 0.10 (--flips)"),
    ],
)
def test_what_cannot_be_planned_exits_2_and_says_why(small_lab: Lab, options: list[str], said: str) -> None:
    refused = small_lab("plan", *options)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err


def test_stored_runs_that_do_not_fit_together_are_refused(small_lab: Lab) -> None:
    small_lab.run("once")
    small_lab.run("twice", "--trials", "2")
    small_lab.run("strict", "--passing-score", "0.9")
    plan = ("plan", "--difference", "0.05", "--run", "once", "--run")
    assert "one has a single trial, the other several" in small_lab(*plan, "twice").err
    assert "passing score differs" in small_lab(*plan, "strict").err
    assert "plan from one or two" in small_lab(*plan, "twice", "--run", "strict").err
    assert "leave --flips out" in small_lab(*plan, "strict", "--flips", "0.1").err
    assert "leave --noise out" in small_lab(*plan, "strict", "--noise", "0.1").err
    assert "One trial a case cannot show" in small_lab(*plan[:-1], "--flips", "0.1").err


def test_runs_in_which_nothing_varied_tell_nothing(small_lab: Lab) -> None:
    small_lab.run("a", "--trials", "2")
    small_lab.run("b", "--trials", "2")
    said = small_lab("plan", "--difference", "0.05", "--run", "a", "--run", "b")
    assert said.code == 2
    assert "nothing varied" in said.err


def test_labels_are_fewer_the_better_judge_and_people_correlate(lab: Lab) -> None:
    said = lab("plan", "--labels", "0.03", "--json").json
    assert [(each["correlation"], each["labels"]) for each in said["needed"]] == [
        (0.0, 385), (0.7, 196), (0.8, 139), (0.9, 73),
    ]  # fmt: skip
    assert "385" in lab("plan", "--labels", "0.03").out


def test_labels_are_planned_from_a_labelled_run(lab: Lab) -> None:
    lab.run("old", wrong=range(20))
    bare = lab("plan", "--labels", "0.03", "--run", "old")
    assert (bare.code, "has no pass rate as people judge" in bare.err) == (2, True)
    store = str(lab.folder / "store.db")
    for each in draw("old", store=store, count=40):
        put_label(each.attempt.key, passed=bool(each.attempt.passed), who="ann", store=store)
    said = lab("plan", "--labels", "0.03", "--run", "old", "--json").json
    assert (said["labels"], len(said["needed"])) == (40, 2)
    assert [each["correlation"] for each in said["needed"]] == pytest.approx([0.0, 0.93], abs=0.05)  # no error so far
    assert said["rate"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    "options", [("--labels", "3"), ("--labels", "0"), ("--labels", "0.03", "--rate", "1"), ("--labels", "nan"),
                ("--labels", "0.03", "--difference", "0.05"), ("--labels", "0.03", "--run", "a", "--run", "b")]
)  # fmt: skip
def test_labels_that_cannot_be_planned_are_refused(lab: Lab, options: tuple[str, ...]) -> None:
    said = lab("plan", *options)
    assert (said.code, said.out) == (2, "")


@pytest.mark.parametrize(
    ("gate", "options", "told"),
    [
        ("held_rate>=0.9", (), "200 conversations"),
        ("not worse than last by 0", (), "how often cases flip"),
        ("pass_rate>=0.9", ("--trials", "4"), "200 cases × 4 trials"),
    ],
)
def test_what_is_not_counted_case_by_case_is_planned_on_the_scale_of_z(
    desk: Desk, gate: str, options: tuple[str, ...], told: str
) -> None:
    wanted = ("plan", "--gate", gate, "--stop-early", "--cases", "200", *options)
    assert told in " ".join(desk(*wanted).out.split())
    looks = desk(*wanted, "--json").json["looks"]
    assert len(looks) == 20
    assert (looks[-1]["attempts"], round(looks[-1]["z"], 2)) == (800 if options else 200, 2.22)


def test_of_a_gate_on_too_many_passes_failures_are_counted_and_said_to_be(desk: Desk) -> None:
    wanted = ("plan", "--gate", "pass_rate<=0.1", "--stop-early", "--cases", "200")
    assert "without looks 189 failures in 200 cases meet it" in " ".join(desk(*wanted).out.split())
    told = desk(*wanted, "--json").json
    assert (told["bound"], told["counted"]) == (0.1, "failures")
    assert [round(each["rate"], 2) for each in told["courses"]] == [0.2, 0.15, 0.1, 0.08, 0.06, 0.04, 0.02]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--gate", "pass_rate>=0.9 by people"), "rests on labels"),
        (("--gate", "mean_score>=0.9"), "cannot stop a run early"),
        (("--gate", "pass_rate>=0.9", "--cases", "35"), "it takes about 36"),
        (("--gate", "pass_rate>=0.9", "--trials", "2,4"), "expected one number of --trials, not 2"),
    ],
)
def test_plan_refuses_what_run_refuses_to_stop_early_for(desk: Desk, options: tuple[str, ...], message: str) -> None:
    refused = desk("plan", "--stop-early", *options)
    assert (refused.code, message in refused.err) == (2, True), refused
