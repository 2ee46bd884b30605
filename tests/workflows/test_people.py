"""What labels make of a run beside its own: carried over, by category, between people, over two runs and over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import Request
from proctor.benchmark import Case
from proctor.errors import UsageError
from proctor.findings.gates import judge, parse
from proctor.findings.run import Findings
from proctor.findings.run.people import PeopleFinding
from proctor.reports.comparison import json as comparison_json
from proctor.reports.comparison.markdown import render as in_markdown
from proctor.reports.comparison.words import by_people
from proctor.reports.history.json import as_list
from proctor.reports.history.words import notes
from proctor.reports.run.json import as_dict
from proctor.score import Part, Review
from proctor.transcript import Turn
from proctor.workflows.case_slice import read_slice
from proctor.workflows.compare import compare
from proctor.workflows.history import read_history
from proctor.workflows.human_labels import draw, put_label
from proctor.workflows.read import read_findings

CASES = [
    Case(
        id=f"case-{number}", question=f"question {number}", answer="yes", categories=("even" if number % 2 else "odd",)
    )
    for number in range(60)
]


def answer(question: str) -> str:
    """Right in three of four cases."""
    return "no" if int(question.split()[1]) % 4 == 0 else "yes"


def better(question: str) -> str:
    return "no" if int(question.split()[1]) % 10 == 0 else "yes"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def examined(place: Path, name: str, agent: Callable[[str], str] = answer, **options: Any) -> str:
    options = {"reviewer": "exact", **options}
    return str(proctor.evaluate(CASES, agent=agent, store=place, name=name, **options).run.id)


def label(
    place: Path, run: str, *, count: int = 60, who: str = "ann", unlike: Callable[[int], bool] = lambda number: False
) -> None:
    """Label as the judge does, but for some."""
    for each in draw(run, store=str(place), count=count, who=who):
        number = int(each.attempt.key.exam.split("-")[1])
        put_label(each.attempt.key, passed=bool(each.attempt.passed) ^ unlike(number), who=who, store=str(place))


def people_of(findings: Findings) -> PeopleFinding:
    assert findings.people is not None
    return findings.people


def test_labels_of_a_run_with_the_same_judge_are_carried_over_and_marked(place: Path) -> None:
    old = examined(place, "old")
    label(place, old, unlike=lambda number: number % 15 == 1)
    new = examined(place, "new", better)
    findings = read_findings(new, store=str(place))
    carried = findings.carried
    assert findings.people is None
    assert carried is not None
    assert (carried.carried_from, carried.labels, carried.rate.method) == (old, 60, "rogan-gladen")
    # of 43 that people pass there the judge passes 42, and of 17 that they fail it fails 14; here it passes .9
    assert carried.rate.value == pytest.approx((0.9 + 14 / 17 - 1) / (42 / 43 + 14 / 17 - 1))
    assert (carried.rate.low or 0) < 0.9 < (carried.rate.high or 0)
    assert f"carried over from 60 labels of run {old} with the same judge and rubric" in findings.notes[-1]
    told = as_dict(findings)
    assert "pass_rate_people" not in told
    assert told["pass_rate_people_carried"]["carried_from"] == old


def test_a_run_tells_what_is_carried_over_as_soon_as_it_ends(place: Path) -> None:
    label(place, examined(place, "old"))
    new = proctor.evaluate(CASES, agent=better, reviewer="exact", store=place)
    assert new.findings.carried == read_findings(new.run.id, store=str(place)).carried
    assert new.findings.notes == read_findings(new.run.id, store=str(place)).notes


def test_own_labels_come_first(place: Path) -> None:
    label(place, examined(place, "old"))
    new = examined(place, "new")
    label(place, new, count=20)
    findings = read_findings(new, store=str(place))
    assert findings.carried is None
    assert people_of(findings).labels == 20


@pytest.mark.parametrize("changed", [{"reviewer": "embedded"}, {"passing_score": 0.5}, {"weights": {"correctness": 2}}])
def test_labels_of_another_judge_or_another_passing_score_are_not_carried_over(
    place: Path, changed: dict[str, Any]
) -> None:
    label(place, examined(place, "old"))
    assert read_findings(examined(place, "new", **changed), store=str(place)).carried is None


@pytest.mark.parametrize("own", [{"criteria": {"law": "Is it lawful?"}}, {"passing_score": 0.1}])
def test_labels_are_not_carried_over_to_cases_that_are_judged_by_something_of_their_own(
    place: Path, own: dict[str, Any]
) -> None:
    label(place, examined(place, "old"))
    of_their_own = [replace(case, **own) for case in CASES]
    new = proctor.evaluate(of_their_own, agent=answer, reviewer="exact", store=place).run.id
    assert read_findings(new, store=str(place)).carried is None


def gappy(case: Case, turns: Sequence[Turn]) -> Review:
    """Marks what is right, and has no word for the other cases."""
    reply = turns[-1].reply
    if reply is not None and reply.text == "yes":
        return Review(parts=(Part(name="correctness", value=1.0),))
    return Review(unscored="it has no word for it")


def test_what_has_no_verdict_bounds_the_rate_as_people_judge_and_its_gate(place: Path) -> None:
    run = examined(place, "gappy", reviewer=gappy)
    label(place, run)
    findings = read_findings(run, store=str(place))
    rate = people_of(findings).rate
    assert (rate.value, rate.missing, rate.worst, rate.best) == (1.0, 15, 0.75, 1.0)
    assert "15 attempts without a verdict: 75 % at worst, 100 % at best" in " ".join(findings.notes)
    assert as_dict(findings)["pass_rate_people"]["worst"] == 0.75
    [verdict] = judge([parse("pass_rate>=0.8 by people")], findings, lambda _: findings)
    assert (verdict.verdict, verdict.obstacle) == ("inconclusive", "unmarked")
    [looser] = judge([parse("pass_rate>=0.6 by people")], findings, lambda _: findings)
    assert looser.verdict == "met"


def test_two_runs_as_people_judge_differ_for_sure_only_whatever_is_missing(place: Path) -> None:
    old, new = examined(place, "old"), examined(place, "new", reviewer=gappy)
    for run in (old, new):
        label(place, run)
    compared = compare(old, new, store=str(place), force=True)
    assert compared.people is not None
    difference = compared.people.difference
    assert difference is not None
    assert (difference.missing, difference.side) == (15, 0)
    assert (difference.value, difference.worst, difference.best) == pytest.approx((0.25, 0.0, 0.25))
    assert by_people(compared).endswith("and with 15 attempts without a verdict 0 to +25; no difference is shown")


def test_a_judge_that_hardly_tells_people_apart_carries_nothing_and_says_so(place: Path) -> None:
    label(place, examined(place, "old"), unlike=lambda number: number % 2 == 0)
    findings = read_findings(examined(place, "new"), store=str(place))
    assert findings.carried is not None
    assert findings.carried.rate.value is None
    assert "cannot be carried over: the judge is too inaccurate" in findings.notes[-1]


def test_a_gate_by_people_is_not_met_by_labels_that_were_carried_over(place: Path) -> None:
    label(place, examined(place, "old"))
    findings = read_findings(examined(place, "new", better), store=str(place))
    [verdict] = judge([parse("pass_rate>=0.5 by people")], findings, lambda _: findings)
    assert verdict.verdict == "inconclusive"


def test_categories_with_ten_labels_have_a_rate_of_their_own(place: Path) -> None:
    run = examined(place, "old")
    label(place, run, unlike=lambda number: number % 10 == 1)
    people = people_of(read_findings(run, store=str(place)))
    assert set(people.categories) == {"even", "odd"}
    odd = people.categories["odd"]  # every fourth case is even in number, and judged wrong
    assert (odd.value, odd.attempts, odd.n) == (0.5, 30, 30)
    assert people.categories["even"].value == pytest.approx(0.8)


def test_some_of_the_cases_have_the_rate_that_their_own_labels_tell(place: Path) -> None:
    run = examined(place, "old")
    label(place, run, unlike=lambda number: number % 2 == 1 and number % 3 == 0)
    odd, even = (read_slice(run, {"category": name}, store=str(place)) for name in ("odd", "even"))
    assert (people_of(odd).labels, people_of(even).labels) == (30, 30)
    assert people_of(odd).rate.value == odd.pass_rate.value
    assert people_of(even).rate.value == pytest.approx(2 / 3)
    assert people_of(read_findings(run, store=str(place))).categories["even"] == people_of(even).rate
    [verdict] = judge([parse("pass_rate>=0.9 by people")], even, lambda _: even)
    assert verdict.verdict == "not met"


def test_categories_with_fewer_have_none(place: Path) -> None:
    run = examined(place, "old")
    label(place, run, count=15)
    assert len(people_of(read_findings(run, store=str(place))).categories) < 2


def test_how_people_agree_with_each_other_is_told(place: Path) -> None:
    run = examined(place, "old")
    label(place, run)
    assert people_of(read_findings(run, store=str(place))).between is None
    label(place, run, count=60, who="bob", unlike=lambda number: number < 6)
    findings = read_findings(run, store=str(place))
    between = people_of(findings).between
    assert between is not None
    assert (between.agreement.value, between.agreement.n) == (0.9, 60)
    assert between.kappa.value == pytest.approx(0.74, abs=0.02)
    assert any("People agree with each other on 90 %" in note for note in findings.notes)
    told = as_dict(findings)["pass_rate_people"]
    assert told["between_people"]["kappa"]["method"] == "cohen"


def test_two_labelled_runs_are_compared_as_people_judge(place: Path) -> None:
    a, b = examined(place, "a"), examined(place, "b", better)
    label(place, a, unlike=lambda number: number % 4 == 1)
    label(place, b)
    compared = compare(a, b, store=place)
    assert compared.people is not None
    difference = compared.people.difference
    assert difference is not None
    assert difference.value == pytest.approx(0.9 - 0.5)
    assert difference.low is not None
    assert difference.low > 0
    assert "B is better" in by_people(compared)
    assert comparison_json.as_dict(compared)["pass_rate_people"]["difference"]["attempts"] == 120
    assert "As people judge: A 50 %" in in_markdown(compared)


def test_where_one_run_is_not_labelled_it_says_which(place: Path) -> None:
    a, b = examined(place, "a"), examined(place, "b", better)
    assert compare(a, b, store=place).people is None
    label(place, a)
    compared = compare(a, b, store=place)
    assert compared.people is not None
    assert (compared.people.difference, compared.people.missing) == (None, (b,))
    assert by_people(compared) == f"to tell it as people judge, label more replies of {b}"
    assert comparison_json.as_dict(compared)["pass_rate_people"]["to_label"] == [b]


def test_runs_with_other_cases_are_not_held_against_each_other_by_labels(place: Path) -> None:
    a = examined(place, "a")
    b = proctor.evaluate(CASES[:40], agent=answer, reviewer="exact", store=place, name="b").run.id
    label(place, a)
    label(place, b, count=40)
    with pytest.raises(UsageError):
        compare(a, b, store=place)
    forced = compare(a, b, store=place, force=True)
    assert "other cases" in by_people(forced)


def test_a_history_tells_the_rate_as_people_judge_of_labelled_runs(place: Path) -> None:
    a, b = examined(place, "a"), examined(place, "b", better)
    label(place, a, unlike=lambda number: number % 4 == 1)
    history = read_history(store=str(place))
    assert history is not None
    first, second = (row["pass_rate_people"] for row in as_list(history))
    assert (first["value"], first["attempts"], second) == (0.5, 60, None)
    entries = {entry.run.id: entry for entry in history.entries}
    assert "50 % (38 – 62) as people judge, from 60 labels" in list(notes(entries[a]))
    assert not any("people" in note for note in notes(entries[b]))


class Fragile:
    """Breaks in every second conversation, and gives in in some of the others."""

    def __call__(self, request: Request) -> str:
        number = int((request.history[0] if request.history else request).question.split()[1])
        if number % 2 == 0:
            raise ValueError("broken")
        return "no" if number % 3 == 0 and request.history else "yes"


def test_conversations_in_which_the_agent_broke_are_held_by_nobody(place: Path) -> None:
    run = proctor.evaluate(
        CASES[:20], agent=Fragile, type="abm-dynamic", examiner="prober", max_turns=3, store=place
    ).run.id
    for each in draw(run, store=str(place), count=20):
        put_label(each.attempt.key, passed=True, who="ann", store=str(place))
    findings = read_findings(run, store=str(place))
    assert findings.counts.failed_by_agent == 10
    rate = people_of(findings).rate
    assert (rate.value, rate.n) == (0.5, 20)
    assert (rate.high or 1) <= 0.5
