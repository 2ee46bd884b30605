"""proctor rescore --repeats: the judge's own noise, beside the run, and nothing paid twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.lab import Lab, set_up

from proctor.storage import open_store


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of eight cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=8)


def test_the_same_replies_are_judged_again_beside_the_run(lab: Lab) -> None:
    before = lab.run("old", "--trials", "2", "--json", reviewer=lab.reviewer(), wrong={0, 1}).json
    paid = lab.lines("paid")
    said = lab("rescore", "old", "--repeats", "3", "--json")
    assert said.code == 0
    assert lab.lines("judged") == 16 + 3 * 16
    assert lab.lines("paid") == paid
    [noise] = said.json["judge_noise"]
    assert (noise["judge"], noise["repeats"], noise["replies"]) == (lab.reviewer(), 3, 16)
    assert noise["flip_rate"]["value"] == 0.0
    assert noise["unit"] == "cost"
    assert said.json["run"] == before["run"]
    assert said.json["pass_rate"] == before["pass_rate"]
    assert said.json["usage"] == before["usage"]
    assert len(lab("list", "--json").json) == 1


def test_what_was_judged_is_not_paid_again_and_more_repeats_go_on(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer())
    for repeats, judged in (("2", 24), ("2", 24), ("3", 32)):
        assert lab("rescore", "old", "--repeats", repeats).code == 0
        assert lab.lines("judged") == judged


def test_a_sample_draws_the_same_cases_and_a_larger_one_holds_it(lab: Lab) -> None:
    lab.run("old", "--trials", "2", reviewer=lab.reviewer())
    lab("rescore", "old", "--repeats", "2", "--sample", "3")
    assert lab.lines("judged") == 16 + 12
    lab("rescore", "old", "--repeats", "2", "--sample", "5")
    assert lab.lines("judged") == 16 + 20


def test_a_judge_that_is_away_can_go_on_later_with_nothing_lost(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer())
    (lab.folder / "judge-offline").touch()
    away = lab("rescore", "old", "--repeats", "2", "--retries", "0")
    assert away.code == 4
    assert "16 judgements by" in " ".join(away.err.split())
    assert lab("show", "old", "--json").json["status"] == "completed"
    (lab.folder / "judge-offline").unlink()
    assert lab("rescore", "old", "--repeats", "2").code == 0


def test_the_report_tells_the_noise_in_every_form(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer(), wrong={0})
    lab("rescore", "old", "--repeats", "2")
    sentence = "Asked 2 times about 8 replies"
    assert sentence in " ".join(lab("show", "old").out.split())
    assert sentence in lab("show", "old", "--format", "markdown").out
    assert lab("export", "old", "--format", "html", "-o", "r.html").code == 0
    assert sentence in (lab.folder / "r.html").read_text("utf-8")


def test_another_judge_has_noise_of_its_own_and_shares_what_judges_has_asked(lab: Lab) -> None:
    lab.run("old")
    said = lab("rescore", "old", "--repeats", "2", "--reviewer", lab.reviewer())
    assert said.code == 0
    assert lab.lines("judged") == 16
    assert "verdicts that differ with a chance of 0 %" in " ".join(said.out.split())
    with open_store(str(lab.folder / "store.db")) as store:
        run = store.archive.find("old").id
        assert {given.repeat for given in store.judgements.of_run(run)} == {1, 2}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--repeats", "1"), "--repeats 1 is not usable; expected a whole number from 2 to 100"),
        (("--repeats", "2", "--sample", "2"), "expected a whole number from 3"),
        (("--repeats", "2", "--passing-score", "0.5"), "--repeats makes none"),
        (("--repeats", "2", "--name", "again"), "--repeats makes none"),
        (("--repeats", "2", "--gate", "pass_rate>=0.5"), "--repeats makes none"),
        (("--sample", "5", "--passing-score", "0.5"), "goes with --repeats"),
        (("--repeats", "2", "--reviewer", "none"), "name a reviewer"),
    ],
)
def test_what_makes_no_sense_is_refused(lab: Lab, options: tuple[str, ...], told: str) -> None:
    lab.run("old")
    said = lab("rescore", "old", *options)
    assert said.code == 2
    assert told in said.err


def test_a_budget_stops_judging_and_the_same_command_goes_on(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer())
    stopped = lab("rescore", "old", "--repeats", "2", "--budget", "2", "--concurrency", "1")
    assert stopped.code == 4
    assert "still to be given" in " ".join(stopped.err.split())
    judged = lab.lines("judged")
    assert 8 < judged < 24
    assert lab("rescore", "old", "--repeats", "2").code == 0
    assert lab.lines("judged") == 24
