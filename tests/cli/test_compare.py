"""proctor compare, from two runs to what changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.lab import Lab, set_up


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of a hundred cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=100)


@pytest.fixture
def small_lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of eight."""
    return set_up(tmp_path, capsys, monkeypatch, cases=8)


OLD = {*range(8), *range(50, 60)}
NEW = {8, 9, *range(50, 60)}


@pytest.fixture
def compared(lab: Lab) -> Lab:
    """A hundred cases, of which B fixed eight and broke two."""
    assert lab.run("old", wrong=OLD).code == 0
    assert lab.run("new", wrong=NEW).code == 0
    return lab


def test_eight_fixed_and_two_broken_of_a_hundred(compared: Lab) -> None:
    said = compared("compare", "old", "new", "--json")
    assert said.code == 0
    found = said.json["pass_rate"]
    assert found["difference"]["value"] == pytest.approx(0.06)
    assert found["difference"]["low"] == pytest.approx(-0.0079, abs=5e-5)
    assert found["difference"]["high"] == pytest.approx(0.1255, abs=5e-5)
    assert found["better"] == pytest.approx(0.9740, abs=5e-5)
    assert found["p_value"] == pytest.approx(0.1094, abs=5e-5)
    assert said.json["flips"] == {"broken": 2, "fixed": 8, "changed": 0, "flaky": 0, "missing": 0, "unchanged": 90}
    assert {case["question"] for case in said.json["cases"][:2]} == {"Question number 8?", "Question number 9?"}


def test_the_page_begins_with_the_sentence_and_fits_80_columns(compared: Lab) -> None:
    said = compared("compare", "old", "new")
    assert said.code == 0
    assert " ".join(said.out.split()).startswith(
        "A difference is likely, but not beyond doubt: B (new) passes 6 points more often (−1 to 13), "
        "probability 0.97 that it is better."
    )
    assert max(len(line) for line in said.out.splitlines()) <= 80
    assert "Question number 8?" in said.out


@pytest.mark.parametrize(("a", "b"), [("last", "last"), ("new", "last")])
def test_a_run_with_itself_is_refused(compared: Lab, a: str, b: str) -> None:
    run = compared("show", "last", "--json").json["run"]
    said = compared("compare", a, b, "--force")
    assert (said.code, said.out) == (2, "")
    assert f"A={a!r} and B={b!r} are the same run {run}; expected two: `proctor list` shows" in said.err


def test_last_and_prefixes_are_runs_too(compared: Lab) -> None:
    whole = compared("show", "old", "--json").json["run"]
    assert compared("compare", whole, "last", "--json").json["b"]["name"] == "new"


def test_markdown_for_a_pull_request(compared: Lab) -> None:
    said = compared("compare", "old", "new", "--format", "markdown")
    assert said.out.startswith("### A difference is likely")
    assert "| Pass rate | 82 % | 88 % | **+6** | −1 to +13 |" in said.out


def test_an_unknown_run_exits_2(compared: Lab) -> None:
    said = compared("compare", "old", "nobody")
    assert (said.code, said.out) == (2, "")
    assert "no run has the name 'nobody', or an id that begins with it" in said.err


def test_runs_with_another_passing_score_are_refused_and_the_command_that_helps_helps(lab: Lab) -> None:
    lab.run("old", wrong=OLD)
    lab.run("new", "--passing-score", "0.9", wrong=NEW)
    refused = lab("compare", "old", "new")
    assert (refused.code, refused.out) == (2, "")
    assert "passing score differs (0.7 against 0.9)" in refused.err
    command = refused.err.split("`")[1].removeprefix("proctor ").split()
    assert lab(*command, "--name", "alike").code == 0
    assert lab("compare", "alike", "new").code == 0


def test_forced_it_says_what_differs(lab: Lab) -> None:
    lab.run("old", wrong=OLD)
    lab.run("new", "--passing-score", "0.9", wrong=NEW)
    forced = lab("compare", "old", "new", "--force", "--json")
    assert forced.code == 0
    assert forced.json["comparable"] is False
    assert forced.json["differences"] == ["passing score differs (0.7 against 0.9)"]


def test_other_cases_are_another_benchmark(lab: Lab) -> None:
    lab.run("old", wrong=OLD)
    lab.benchmark(101)
    lab.run("new", wrong=NEW)
    refused = lab("compare", "old", "new")
    assert refused.code == 2
    assert "the cases of the benchmark bench were changed between them" in refused.err
    forced = lab("compare", "old", "new", "--force", "--json").json
    assert forced["pass_rate"]["difference"]["n"] == 100
    assert "Cases in one run only are left out: 0 in A, 1 in B." in forced["warnings"]


def test_an_agent_that_crashes_more_is_a_warning(lab: Lab) -> None:
    lab.run("old", wrong=OLD)
    lab.run("new", wrong=NEW, crashing={70, 71, 72})
    said = lab("compare", "old", "new", "--json").json
    assert any("Failure rates differ" in warning for warning in said["warnings"])
    assert said["mean_score"]["difference"]["n"] == 97
    assert said["pass_rate"]["difference"]["n"] == 100


def test_an_incomplete_run_is_compared_with_bounds(lab: Lab) -> None:
    lab.run("old", wrong=OLD)
    assert lab.run("new", wrong=NEW, offline={70, 71, 72}).code == 4
    said = lab("compare", "old", "new", "--json").json
    assert said["pass_rate"]["difference"]["missing"] == 3
    assert said["pass_rate"]["difference"]["worst"] < said["pass_rate"]["difference"]["value"]
    assert "B lacks the verdict of 3 of 100 attempts (3 failed by the environment)." in said["warnings"]


def test_several_trials_tell_flaky_cases_and_pass_hat_k(small_lab: Lab) -> None:
    small_lab.run("old", "--trials", "4")
    small_lab.run("new", "--trials", "4", wrong={(0, 1), 1})
    said = small_lab("compare", "old", "new", "--json").json
    assert {case["question"]: case["flip"] for case in said["cases"][:2]} == {
        "Question number 1?": "broken",
        "Question number 0?": "flaky",
    }
    assert said["k"] == 4
    assert said["pass_hat_k"]["difference"]["value"] == pytest.approx(-0.25)
    assert said["pass_at_k"]["difference"]["value"] == pytest.approx(-0.125)
    assert small_lab("compare", "old", "new", "--k", "2", "--json").json["k"] == 2
    assert "pass^2" in small_lab("compare", "old", "new", "--k", "2").out
    refused = small_lab("compare", "old", "new", "--k", "5")
    assert refused.code == 2
    assert "k=5 cannot be compared; expected 1 to 4" in refused.err


def test_without_a_store_there_is_nothing_to_compare(lab: Lab) -> None:
    said = lab("compare", "a", "b")
    assert said.code == 2
    assert "there are no results" in said.err
