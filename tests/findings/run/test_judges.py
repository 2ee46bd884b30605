"""Judges side by side: by category, by length, by cost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.storage.records import a_run

from proctor.findings.run.judges import (
    JudgeOpinion,
    JudgeRecord,
    LabelledReply,
    by_length,
    cascade,
    judges_finding,
)
from proctor.findings.run.people import LabelBasis
from proctor.reports.judges import as_dict, opening
from proctor.run import Key
from proctor.usage import Usage

LABELS = LabelBasis(given=12, people=1, attempts=12)


def replies(count: int = 12) -> list[LabelledReply]:
    return [
        LabelledReply(
            key=Key(run="run-1", exam=str(i)), people=i % 3 > 0, weight=1.0, words=i + 1,
            categories=("even",) if i % 2 == 0 else ("odd", "uneven"),
        )
        for i in range(count)
    ]  # fmt: skip


def judge(name: str, passed: bool | None, **others: object) -> JudgeRecord:
    verdict = JudgeOpinion(passed=passed, **others)  # type: ignore[arg-type]
    return JudgeRecord(name=name, rubric="r", is_own=False, verdicts={each.key: verdict for each in replies()})


def test_a_judge_is_told_by_category_and_by_thirds_of_length() -> None:
    found = judges_finding(a_run(), replies(), [judge("kind", True)], basis=LABELS).judges[0]
    assert {name: quality.agreement.n for name, quality in found.categories.items()} == {
        "even": 6, "odd": 6, "uneven": 6,
    }  # fmt: skip
    assert {name: quality.agreement.n for name, quality in found.lengths.items()} == {
        "up to 4 words": 4, "5 to 8 words": 4, "over 8 words": 4,
    }  # fmt: skip


def test_one_word_is_not_several() -> None:
    said = [1, 1, 1, 1, 2, 2, 2, 2, 9, 9, 9, 9]
    some = [replace(each, words=words) for each, words in zip(replies(), said, strict=True)]
    assert list(by_length(some)) == ["up to 1 word", "2 words", "over 2 words"]


def test_few_replies_or_such_of_one_length_are_not_parted() -> None:
    assert by_length(replies(5)) == {}
    same = [LabelledReply(key=each.key, people=True, weight=1.0, words=7) for each in replies()]
    assert by_length(same) == {}


def test_what_is_not_judged_is_no_verdict_and_what_costs_an_unknown_amount_is_not_free() -> None:
    none = JudgeRecord(name="away", rubric="r", is_own=False, verdicts={})
    paid = judge("paid", True, usage=Usage(calls=1, cost=0.02), seconds=0.5)
    partly = judge("partly", None, unscored="cut off", usage=Usage(calls=1))
    found = judges_finding(a_run(), replies(), [none, paid, partly], basis=LABELS, notes=["stopped"])
    away, known, unknown = found.judges
    assert (away.judged, away.pending, away.quality.agreement.value) == (0, 12, None)
    assert known.cost == pytest.approx(0.02)
    assert known.seconds == 0.5
    assert (unknown.cost, unknown.unscored) == (None, {"cut off": 12})
    assert [each.difference.value for each in found.differences] == [None, None, None]
    assert found.notes == ("stopped",)


def test_a_cascade_takes_the_time_of_the_second_judge_only_where_it_is_asked() -> None:
    sure, unsure = judge("embedded", True, unsure=False), judge("embedded", False, unsure=True)
    asked = [each.key for each in replies()][:3]
    first = replace(sure, verdicts={**sure.verdicts, **{key: unsure.verdicts[key] for key in asked}})
    both = cascade(first, judge("paid", True, usage=Usage(calls=1, cost=0.04), seconds=0.8))
    assert both is not None
    [found] = judges_finding(a_run(), replies(), [both], basis=LABELS).judges
    assert found.seconds == pytest.approx(0.8 * 3 / 12)


def test_a_cascade_takes_an_unknown_time_where_that_of_its_second_judge_is_unknown() -> None:
    sure, unsure = judge("embedded", True, seconds=0.001), judge("embedded", True, unsure=True, seconds=0.001)
    passed_on = [each.key for each in replies()][:3]
    first = replace(sure, verdicts={**sure.verdicts, **{key: unsure.verdicts[key] for key in passed_on}})
    timed, untimed = judge("paid", True, seconds=0.8), judge("own", True)
    partly = replace(untimed, verdicts={**timed.verdicts, passed_on[0]: untimed.verdicts[passed_on[0]]})
    both = [cascade(first, second) for second in (untimed, partly)]
    found = judges_finding(a_run(), replies(), [each for each in both if each is not None], basis=LABELS)
    assert [each.seconds for each in found.judges] == [None, None]


def test_labels_that_do_not_count_are_told_beside_those_that_do() -> None:
    tied = tuple(Key(run="run-1", exam=f"tied {number}") for number in range(7))
    basis = LabelBasis(given=40, people=2, attempts=20, tied=tied)
    assert opening(judges_finding(a_run(), replies(), [], basis=LABELS)).endswith("on 12 labelled attempts:")
    found = judges_finding(a_run(), replies(), [], basis=basis)
    assert opening(found).endswith(
        "on 12 labelled attempts (40 labels by 2 people on 20 attempts, leaving out 7 on which they are evenly divided "
        "and 1 without a reply to judge):"
    )
    assert (as_dict(found)["labels"], as_dict(found)["labels_given"], len(as_dict(found)["tied"])) == (12, 40, 7)
