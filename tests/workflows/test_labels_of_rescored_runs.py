"""Labels are of replies: a run that judges those of another anew has its labels, with the verdicts of its own judge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.test_people import examined, label, people_of

import proctor
from proctor.findings.gates import judge, parse
from proctor.findings.run import Findings
from proctor.reports.history.json import as_list
from proctor.reports.judges import as_dict as judges_as_dict
from proctor.reports.run.json import as_dict
from proctor.statistics.intervals import wilson
from proctor.workflows.case_slice import read_slice
from proctor.workflows.change import delete_run
from proctor.workflows.compare import compare
from proctor.workflows.history import read_history
from proctor.workflows.human_labels import put_label
from proctor.workflows.judges import acompare_judges, read_judges
from proctor.workflows.read import read_findings

JUDGE = "from tests.workflows.test_labels_of_rescored_runs import lenient"


def lenient(question: str, reply: str) -> float:
    """Passes every second of what is wrong."""
    return 1.0 if reply == "yes" or int(question.split()[1]) % 8 == 0 else 0.0


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def judged_anew(place: Path, run: str, reviewer: Any = lenient) -> str:
    return str(proctor.rescore(run, reviewer=reviewer, store=place).run.id)


def label_these(place: Path, run: str, numbers: Sequence[int]) -> None:
    """Label these cases as the run's judge does."""
    for attempt in proctor.load_run(run, store=place).attempts():
        if attempt.key.exam in {f"case-{number}" for number in numbers}:
            put_label(attempt.key, passed=bool(attempt.passed), who="ann", store=str(place))


def test_the_rate_as_people_judge_is_by_the_labels_there_and_the_verdicts_here(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)  # as the exact reviewer judges, who is right
    second = judged_anew(place, first)
    findings = read_findings(second, store=str(place))
    people = people_of(findings)
    assert findings.pass_rate.value == pytest.approx(53 / 60)  # 8 of the 15 that are wrong are passed
    assert people.rate.value == pytest.approx(0.75)  # and people's labels on them tell
    assert (people.rate.method, people.labels, people.labels_from) == ("wilson-people", 60, (first,))
    assert people.quality is not None
    assert people.quality.specificity == pytest.approx(7 / 15)
    assert findings.carried is None
    told = as_dict(findings)["pass_rate_people"]
    assert (told["labels_from"], told["labels"]) == ([first], 60)
    assert f"from 60 labels of run {first}, whose replies these are; the judge passes" in " ".join(findings.notes)
    assert "labels_from" not in as_dict(read_findings(first, store=str(place)))["pass_rate_people"]


def test_what_is_labelled_here_comes_first_and_comes_beside(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    second = judged_anew(place, first)
    third = judged_anew(place, second, "exact")
    key = next(iter(proctor.load_run(second, store=place).attempts())).key
    put_label(key, passed=False, who="ann", store=str(place))
    put_label(key, passed=False, who="bob", store=str(place))
    people = people_of(read_findings(second, store=str(place)))
    assert (people.labels, people.people, people.labels_from) == (60, 2, (first,))
    assert people_of(read_findings(third, store=str(place))).labels_from == (second, first)
    assert people_of(read_findings(first, store=str(place))).people == 1


def test_labels_that_are_tied_stand_for_nothing(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    label(place, first, who="bob", unlike=lambda number: number % 3 == 1)
    second = judged_anew(place, first, lambda reply: 0.0)
    rates = [people_of(read_findings(run, store=str(place))).rate.value for run in (first, second)]
    assert rates == [pytest.approx(0.75), pytest.approx(0.75)]


def test_gates_history_and_judges_go_by_them(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    second = judged_anew(place, first)
    findings = read_findings(second, store=str(place))
    gates = [parse("pass_rate>=0.6 by people"), parse("pass_rate>=0.9 by people")]
    assert [each.verdict for each in judge(gates, findings, lambda _: findings)] == ["met", "not met"]
    history = read_history(store=str(place))
    assert history is not None
    assert {row["run"] for row in as_list(history) if row["pass_rate_people"]} == {first, second}
    found = read_judges(second, store=str(place))
    assert f"the labels are those of run {first}, whose replies these are" in found.notes
    [own] = [each for each in judges_as_dict(found)["judges"] if each["own"]]
    assert own["specificity"]["value"] == pytest.approx(7 / 15)


async def test_other_judges_are_held_against_them(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    second = judged_anew(place, first)
    found = await acompare_judges(second, reviewers=["exact"], store=place)
    assert {each.name: each.quality.agreement.value for each in found.judges}["exact"] == 1.0


def test_the_same_replies_do_not_differ_as_people_judge(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    second = judged_anew(place, first)
    third = judged_anew(place, second, "exact")
    pairs = [(first, second), (first, third), (third, second)]
    assert [compare(a, b, store=place, force=True).people for a, b in pairs] == [None, None, None]


def test_they_do_not_differ_either_where_only_the_last_that_judges_them_is_labelled(place: Path) -> None:
    first = examined(place, "first")
    third = judged_anew(place, judged_anew(place, first), "exact")
    label(place, third)
    assert compare(first, third, store=place, force=True).people is None


def test_they_go_with_the_run_that_was_labelled(place: Path) -> None:
    first = examined(place, "first")
    label(place, first)
    second = judged_anew(place, first)
    delete_run(first, store=str(place))
    found: Findings = read_findings(second, store=str(place))
    assert (found.people, found.carried) == (None, None)


def test_a_draw_that_the_other_judge_has_shaped_is_weighed_as_what_it_stands_for(place: Path) -> None:
    """Of 60 cases 15 fail there; nine of them are labelled, and six of 45 that pass: as they are, they would say .4."""
    first = examined(place, "first")
    wrong = [number for number in range(60) if number % 4 == 0]
    right = [number for number in range(60) if number % 4]
    label_these(place, first, [*random.Random(1).sample(wrong, 9), *random.Random(1).sample(right, 6)])
    second = judged_anew(place, first, lambda reply: 1.0)
    rate = people_of(read_findings(second, store=str(place))).rate
    assert rate.value == pytest.approx(0.75)
    assert (rate.low or 0) < wilson(0.75, 15)[0], "labels that weigh differently tell less"


NINE_WRONG = [0, 4, 8, 12, 16, 20, 24, 28, 36]
SIX_RIGHT = [2, 6, 1, 3, 5, 7]
"""The first two of the same category as all that are wrong: half of its 30 cases are."""


def test_in_some_of_the_cases_labels_stand_for_what_they_stand_for_in_the_whole_run(place: Path) -> None:
    first = examined(place, "first")
    label_these(place, first, NINE_WRONG + SIX_RIGHT)
    second = judged_anew(place, first, lambda reply: 1.0)
    odd = people_of(read_slice(second, {"category": "odd"}, store=str(place)))
    assert odd.labels == 11
    assert odd.rate.value == pytest.approx(0.5)
    assert people_of(read_findings(second, store=str(place))).categories["odd"] == odd.rate


def test_they_are_weighed_as_well_where_they_are_carried_over(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are, they would say that a fourth of what is wrong is failed; 7 of 15 are."""
    (place.parent / "judge_of_labels.py").write_text(JUDGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(place.parent))
    first = examined(place, "first")
    label_these(place, first, NINE_WRONG + SIX_RIGHT)
    second = judged_anew(place, first, "python:judge_of_labels:lenient")
    label_these(place, second, SIX_RIGHT[:1])
    other = examined(place, "other", reviewer="python:judge_of_labels:lenient")
    carried = read_findings(other, store=str(place)).carried
    assert carried is not None
    assert (carried.carried_from, carried.labels) == (second, 15)
    assert carried.quality is not None
    assert carried.quality.specificity == pytest.approx(0.506, abs=0.001)
