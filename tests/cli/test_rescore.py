"""proctor rescore: new marks for stored replies, without a call to the agent."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.lab import Lab, set_up


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A benchmark of eight cases."""
    return set_up(tmp_path, capsys, monkeypatch, cases=8)


def turns_stored(lab: Lab) -> int:
    with closing(sqlite3.connect(lab.folder / "store.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM turns").fetchone()[0])


def test_another_passing_score_asks_nobody_and_stores_no_transcript_again(lab: Lab) -> None:
    before = lab.run("old", "--json", reviewer=lab.reviewer(), wrong={0, 1}).json
    assert before["pass_rate"]["value"] == 0.75  # right: (.5·1 + .3·.5)/.8 = .8125
    paid, judged, turns = lab.lines("paid"), lab.lines("judged"), turns_stored(lab)
    said = lab("rescore", "old", "--passing-score", "0.9", "--json")
    assert said.code == 0
    assert said.json["pass_rate"]["value"] == 0.0
    assert said.json["mean_score"]["value"] == before["mean_score"]["value"]
    assert said.json["run"] != before["run"]
    assert said.json["name"] == "old, passing at 0.9"
    assert said.json["passing_score"] == 0.9
    assert (lab.lines("paid"), lab.lines("judged"), turns_stored(lab)) == (paid, judged, turns)
    assert lab("show", "old", "--json").json["pass_rate"]["value"] == 0.75


def test_other_weights_are_applied_to_the_stored_parts(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer(), wrong={0, 1})
    said = lab("rescore", "old", "--weights", "reasoning=1", "--passing-score", "0.5", "--json").json
    assert said["mean_score"]["value"] == 0.5
    assert said["pass_rate"]["value"] == 1.0
    assert said["name"] == "old, passing at 0.5 and weighed reasoning=1"


def test_another_reviewer_judges_every_reply(lab: Lab) -> None:
    lab.run("old", wrong={0, 1})
    paid = lab.lines("paid")
    said = lab("rescore", "old", "--reviewer", lab.reviewer(), "--name", "again", "--json")
    assert said.code == 0
    assert (said.json["name"], said.json["pass_rate"]["value"]) == ("again", 0.75)
    assert said.json["parts"]["reasoning"]["value"] == 0.5
    assert (lab.lines("judged"), lab.lines("paid")) == (8, paid)


def test_the_same_reviewer_named_again_judges_anew(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer())
    assert lab("rescore", "old", "--reviewer", lab.reviewer()).code == 0
    assert lab.lines("judged") == 16


def test_reviews_that_were_paid_are_not_counted_again(lab: Lab) -> None:
    cost = pytest.approx
    assert lab.run("old", "--json", reviewer=lab.reviewer()).json["usage"]["cost"] == cost(8 * 0.51)
    kept = lab("rescore", "old", "--passing-score", "0.9", "--json").json
    assert kept["usage"]["cost"] == cost(8 * 0.01)
    anew = lab("rescore", "old", "--reviewer", lab.reviewer(), "--json").json
    assert anew["usage"]["cost"] == cost(8 * 0.51)


def test_a_rescored_run_can_be_rescored(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer(), wrong={0})
    turns, judged = turns_stored(lab), lab.lines("judged")
    lab("rescore", "old", "--passing-score", "0.9", "--name", "strict")
    said = lab("rescore", "strict", "--passing-score", "0.7", "--name", "mild", "--json").json
    assert said["pass_rate"]["value"] == 0.875
    assert (turns_stored(lab), lab.lines("judged")) == (turns, judged)
    assert lab("compare", "old", "mild", "--json").json["pass_rate"]["difference"]["value"] == 0


def test_transcripts_outlive_the_run_they_came_from(lab: Lab) -> None:
    lab.run("old", wrong={0})
    lab("rescore", "old", "--passing-score", "0.9", "--name", "strict")
    assert lab("delete", "old", "--yes").code == 0
    again = lab("rescore", "strict", "--reviewer", lab.reviewer(), "--passing-score", "0.8", "--json")
    assert (again.code, again.json["pass_rate"]["value"]) == (0, 0.875)


def test_the_agents_own_failures_stay_failures(lab: Lab) -> None:
    lab.run("old", crashing={3})
    said = lab("rescore", "old", "--reviewer", lab.reviewer(), "--json")
    assert said.code == 0
    assert said.json["attempts"]["failed_by"] == {"agent": 1, "environment": 0}
    assert said.json["pass_rate"]["value"] == 0.875
    assert said.json["mean_score"]["n"] == 7
    assert said.json["troubles"][0]["reason"] == lab("show", "old", "--json").json["troubles"][0]["reason"]


def test_the_environments_failures_stay_until_the_source_is_resumed(lab: Lab) -> None:
    assert lab.run("old", offline={3, 4}).code == 4
    said = lab("rescore", "old", "--passing-score", "0.9", "--name", "strict", "--json")
    assert said.code == 4
    assert said.json["attempts"]["failed_by"] == {"agent": 0, "environment": 2}
    (lab.folder / "online").touch()
    assert lab("resume", "old").code == 0
    resumed = lab("resume", "strict", "--json")
    assert resumed.code == 0
    assert (resumed.json["attempts"]["scored"], resumed.json["status"]) == (8, "completed")


def test_replies_that_the_old_reviewer_never_saw_are_judged_by_a_new_one(lab: Lab) -> None:
    (lab.folder / "judge-offline").touch()
    assert lab.run("old", reviewer=lab.reviewer()).code == 4
    kept = lab("rescore", "old", "--passing-score", "0.9", "--json")
    assert (kept.code, kept.json["attempts"]["failed_by"]["environment"]) == (4, 8)
    said = lab("rescore", "old", "--reviewer", "exact", "--json")
    assert (said.code, said.json["pass_rate"]["value"]) == (0, 1.0)


def test_replies_that_nobody_could_judge_stay_unscored(lab: Lab) -> None:
    lab.run("old", reviewer="none")
    said = lab("rescore", "old", "--passing-score", "0.9", "--json")
    assert (said.code, said.json["attempts"]["unscored"]) == (3, 8), "nobody judged: no test"
    assert lab("rescore", "old", "--reviewer", "exact", "--json").json["attempts"]["scored"] == 8
    back = lab("rescore", "old", "--reviewer", "none", "--json").json
    assert (back["attempts"]["unscored"], back["reviewer"]) == (8, None)


def test_trials_stay_apart(lab: Lab) -> None:
    lab.run("old", "--trials", "3", wrong={(0, 1), (1, 1), (1, 2), (1, 3)})
    said = lab("rescore", "old", "--reviewer", lab.reviewer(), "--json").json
    assert said["pass_hat_k"]["3"]["value"] == 0.75
    assert said["pass_at_k"]["3"]["value"] == 0.875


def test_gates_are_judged_on_the_new_marks(lab: Lab) -> None:
    lab.run("old", reviewer=lab.reviewer())
    assert lab("rescore", "old", "--passing-score", "0.9", "--gate", "pass_rate>=0.5").code == 1
    assert lab("rescore", "old", "--passing-score", "0.6", "--gate", "pass_rate>=0.5").code == 0
    refused = lab("rescore", "old", "--passing-score", "0.6", "--gate", "pass_rate>=0.9")
    assert refused.code == 2
    against = lab("rescore", "old", "--reviewer", "exact", "--gate", "not worse than old by 0.5")
    assert against.code == 2
    assert "reviewer differs" in against.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "nothing would change: give another reviewer, passing score or weights (--reviewer"),
        (["--passing-score", "7"], "--passing-score 7 is not usable"),
        (["--weights", "correctnes=1"], "did you mean 'correctness'"),
        (["--weights", "correctness=0"], "are all 0"),
        (["--reviewer", "nobody"], "nobody"),
        (["--passing-score", "0.9", "--k", "2"], "--k 2 needs --trials 2 or more, and each case has 1 trial"),
    ],
)
def test_what_cannot_be_done_is_refused_and_makes_no_run(lab: Lab, options: list[str], said: str) -> None:
    lab.run("old")
    refused = lab("rescore", "old", *options)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert len(lab("list", "--json").json) == 1
