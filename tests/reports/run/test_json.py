from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from tests.made_runs import made

from proctor.findings.run import Summary, stability
from proctor.reports import numbers
from proctor.reports.run.json import as_dict, run_row, write_json
from proctor.run import Attempt
from proctor.transcript import Reply

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

STABLE = {
    "run", "name", "status", "benchmark", "agent", "reviewer", "type", "trials", "attempts", "pass_rate", "mean_score",
    "pass_at_k", "pass_hat_k", "categories", "usage", "duration_s",
}  # fmt: skip
ESTIMATE = {"value", "low", "high", "n", "attempts", "method"}
BOUNDS = {"missing", "worst", "best"}


def test_the_stable_keys_are_there(sample: Sample) -> None:
    said = as_dict(sample.findings)
    assert said.keys() >= STABLE
    assert said["attempts"] == {
        "planned": 18, "scored": 9, "unscored": 3, "failed": 6, "pending": 0,
        "failed_by": {"agent": 3, "environment": 3},
    }  # fmt: skip
    assert list(said["pass_at_k"]) == list(said["pass_hat_k"]) == ["1", "2", "3"]
    assert said["usage"].items() >= {"input_tokens": 7308, "output_tokens": 1476, "calls": 9}.items()
    assert said["usage"]["cost"] == sample.findings.usage.cost


def test_bounds_are_given_only_where_marks_are_missing(sample: Sample, maker: Callable[..., Maker]) -> None:
    whole = maker()
    whole.marked(whole.case("a"), 0.9)
    assert as_dict(whole.sample().findings)["pass_rate"].keys() == ESTIMATE
    said = as_dict(sample.findings)
    assert said["pass_rate"].keys() == ESTIMATE | BOUNDS
    assert said["categories"]["search"]["pass_rate"].keys() == ESTIMATE
    assert said["pass_rate"]["missing"] == 6
    assert said["pass_rate"]["worst"] < said["pass_rate"]["value"] < said["pass_rate"]["best"]


def test_planned_is_the_sum_of_what_became_of_them(sample: Sample) -> None:
    partly = as_dict(sample.findings)["attempts"]
    assert partly["planned"] == partly["scored"] + partly["unscored"] + partly["failed"] + partly["pending"]


def test_a_failure_has_no_score(sample: Sample) -> None:
    cases = {case["id"]: case for case in as_dict(sample.findings)["cases"]}
    assert cases["crashing"]["score"] is None
    assert cases["crashing"]["verdict"] == "fail"
    assert cases["offline"]["verdict"] == cases["odd"]["verdict"] == "missing"


def test_the_export_holds_every_attempt_with_its_transcript(sample: Sample) -> None:
    stream = io.StringIO()
    write_json(sample.findings, sample.attempts, stream)
    said = json.loads(stream.getvalue())
    assert said.keys() >= STABLE
    results = {(each["key"]["exam"], each["key"]["trial"]): each for each in said["results"]}
    assert len(results) == 18
    assert results["good", 1]["outcome"] == "passed"
    assert results["good", 1]["transcript"]["turns"][0]["reply"]["tool_calls"][0]["name"] == "search_knowledge"
    assert (results["crashing", 1]["outcome"], results["crashing", 1]["score"]) == ("agent_failed", None)
    assert results["odd", 2]["unscored"][0]["reason"] == "the answer had no number"


def test_the_keys_that_an_attempt_had_in_the_first_version_stay() -> None:
    assert {
        "key", "place", "transcript", "scores", "unscored", "checks", "contradictions", "failure", "turn_passed",
        "passed", "resumed", "finished", "usage", "lost", "seconds", "struck", "started", "ended",
    } <= {each.name for each in fields(Attempt)}  # fmt: skip


def test_the_export_streams(sample: Sample) -> None:
    stream = io.StringIO()
    sizes = []

    def attempts() -> Iterator[Attempt]:
        for attempt in sample.attempts:
            sizes.append(len(stream.getvalue()))
            yield attempt

    write_json(sample.findings, attempts(), stream)
    assert sizes == sorted(set(sizes))


def test_the_export_without_attempts_is_the_summary(sample: Sample) -> None:
    stream = io.StringIO()
    write_json(sample.findings, None, stream)
    assert json.loads(stream.getvalue()).keys() == as_dict(sample.findings).keys()


def test_lone_surrogates_do_not_break_the_export(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a", question="\ud800?"), 0.9, reply=Reply(text="\udfff\x00"))
    whole, stream = made.sample(), io.StringIO()
    write_json(whole.findings, whole.attempts, stream)
    json.loads(stream.getvalue().encode("utf-8"))


def test_a_run_is_listed_with_its_pass_rate(sample: Sample) -> None:
    row = run_row(sample.findings.run, Summary(rate=sample.findings.pass_rate))
    assert row["run"] == "261115-024610-k3f9"
    assert row["pass_rate"]["n"] == 4
    assert (row["replies"], row["no_test"]) == (None, False)
    assert run_row(sample.findings.run, None)["pass_rate"] is None


def test_a_battle_is_listed_with_the_replies_that_were_judged(sample: Sample) -> None:
    row = run_row(sample.findings.run, Summary(rate=sample.findings.pass_rate, asked=14, judged=2, no_test=True))
    assert (row["replies"], row["no_test"]) == ({"asked": 14, "judged": 2}, True)


def test_what_repeated_trials_show_of_each_case_is_told_in_json_and_in_the_report() -> None:
    always, never, now_and_then = ["pass"] * 8, ["fail"] * 8, ["pass", "fail"] * 4
    trials = {f"c{n}": always if n < 7 else never if n < 10 else now_and_then for n in range(12)}
    findings = made(trials)
    said = as_dict(findings)
    assert said["stability"] == {"stable-pass": 7, "flaky": 2, "stable-fail": 3, "unsure": 0}
    assert {case["id"]: case["stability"] for case in said["cases"]}["c11"] == "flaky"
    assert numbers.stable(stability(findings)) == "with more trials, likely 7 stable pass · 2 flaky · 3 stable fail"
    assert numbers.stable({"a": "stable-pass", "b": "unsure"}) == "with more trials, likely 1 stable pass; 1 unsure"


def test_of_one_trial_nothing_is_said_to_be_stable() -> None:
    said = as_dict(made({f"c{n}": ["pass"] for n in range(12)}))
    assert said["stability"] is None
    assert "stability" not in said["cases"][0]
