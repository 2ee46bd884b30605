"""B against A: the numbers, the flips, the warnings, and when it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.made_runs import in_order, made, pair, verdicts

from proctor.errors import UsageError
from proctor.findings.comparison import Compared, compare_findings, unlike
from proctor.findings.run import Findings
from proctor.reports.comparison.json import as_dict
from proctor.reports.comparison.words import basis, marks, rows
from proctor.run import Run, Settings, Spec


def test_a_hundred_cases_of_which_eight_were_fixed_and_two_broken() -> None:
    found = compare_findings(*pair(8, 2, 90)).pass_rate
    assert found.difference.value == pytest.approx(0.06)
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.0079, 0.1255), abs=5e-5)
    assert found.better == pytest.approx(0.9740, abs=5e-5)
    assert found.p_value == pytest.approx(0.1094, abs=5e-5)


def test_two_hundred_cases_of_which_fifteen_were_fixed_and_five_broken() -> None:
    found = compare_findings(*pair(15, 5, 180))
    assert (found.pass_rate.difference.low, found.pass_rate.difference.high) == pytest.approx(
        (0.0041, 0.0949), abs=5e-5
    )
    assert found.pass_rate.better == pytest.approx(0.9886, abs=5e-5)
    assert found.pass_rate.p_value == pytest.approx(0.0414, abs=5e-5)
    assert found.shown == "better"


def test_no_flips_leave_the_doubt_of_fifty_cases() -> None:
    found = compare_findings(*pair(0, 0, 50))
    assert (found.pass_rate.difference.low, found.pass_rate.difference.high) == pytest.approx(
        (-0.0551, 0.0551), abs=5e-5
    )
    assert (found.pass_rate.better, found.pass_rate.p_value) == (0.5, 1.0)
    assert found.shown == "not shown"


def test_b_that_lost_what_a_had_is_worse() -> None:
    assert compare_findings(*pair(5, 15, 180)).shown == "worse"


def test_cases_are_paired_by_id_and_not_by_place() -> None:
    a = made({"x": ["pass"], "y": ["fail"]}, id="a")
    b = made({"y": ["fail"], "x": ["pass"]}, id="b")
    assert compare_findings(a, b).pass_rate.sums.squares == 0


def flips_of(found: Compared) -> dict[str, str]:
    return {change.b.id: change.flip for change in found.cases}


def test_every_case_in_both_runs_has_its_flip() -> None:
    a = made(in_order("pass", "fail", "pass", "lost"), id="a")
    b = made(in_order("fail", "pass", "pass", "pass"), id="b")
    assert flips_of(compare_findings(a, b)) == {"c0": "broken", "c1": "fixed", "c2": "unchanged", "c3": "missing"}


def test_an_agent_that_crashes_on_a_case_has_broken_it() -> None:
    found = compare_findings(made(in_order("pass"), id="a"), made(in_order("crash"), id="b"))
    assert flips_of(found) == {"c0": "broken"}


def test_broken_cases_come_first_and_the_largest_loss_before_smaller_ones() -> None:
    a = made(in_order(0.2, 0.9, 0.75, 0.8, 0.1), id="a")
    b = made(in_order(0.9, 0.3, 0.7, 0.1, 0.95), id="b")
    found = compare_findings(a, b)
    assert [change.b.id for change in found.flipped("broken")] == ["c3", "c1"]
    assert [change.b.id for change in found.flipped("fixed")] == ["c4", "c0"]
    assert [change.flip for change in found.cases] == ["broken", "broken", "fixed", "fixed", "unchanged"]


def test_with_several_trials_a_single_failure_is_flaky_and_not_broken() -> None:
    steady = {f"c{number}": ["pass"] * 4 for number in range(8)}
    shaken = {**steady, "c0": ["pass", "pass", "pass", "fail"], "c1": ["fail"] * 4}
    named = flips_of(compare_findings(made(steady, id="a"), made(shaken, id="b")))
    assert (named["c0"], named["c1"], named["c2"]) == ("flaky", "broken", "unchanged")


def test_the_mean_score_is_compared_over_cases_marked_in_both() -> None:
    found = compare_findings(made(in_order(0.8, "crash", 0.6), id="a"), made(in_order(0.9, 0.9, "unscored"), id="b"))
    assert found.mean_score.difference.n == 1
    assert found.mean_score.difference.value == pytest.approx(0.1)


def test_runs_whose_marks_decide_nothing_are_compared_by_their_marks() -> None:
    a, b = made(in_order("unscored"), id="a"), made(in_order("unscored"), id="b")
    assert compare_findings(a, b).headline.difference.value is None
    marked = replace(a, cases=tuple(replace(case, score=0.5) for case in a.cases))
    assert compare_findings(marked, marked).headline.difference.value == 0


def test_pass_hat_k_is_compared_where_both_runs_have_the_trials() -> None:
    a = made({"x": ["pass", "fail"], "y": ["pass", "pass"]}, id="a")
    b = made({"x": ["pass", "pass"], "y": ["pass", "pass"]}, id="b")
    found = compare_findings(a, b)
    assert found.k == 2
    assert found.pass_hat_k is not None
    assert found.pass_hat_k.difference.value == pytest.approx(0.5)
    assert found.pass_at_k is not None
    assert found.pass_at_k.difference.value == 0


def test_one_trial_has_no_pass_hat_k_unless_asked() -> None:
    assert compare_findings(*pair(1, 0, 5)).pass_hat_k is None
    asked = compare_findings(*pair(1, 0, 5), k=1)
    assert asked.pass_hat_k is not None
    assert asked.pass_hat_k.difference.value == asked.pass_rate.difference.value


@pytest.mark.parametrize("k", [0, -1, 2])
def test_a_k_beyond_the_trials_is_refused(k: int) -> None:
    with pytest.raises(UsageError, match="the trials that both runs have"):
        compare_findings(*pair(1, 0, 5), k=k)


def test_missing_attempts_bound_the_difference_and_can_undo_a_verdict() -> None:
    a, b = pair(15, 5, 180)
    assert compare_findings(a, b).shown == "better"
    lost = {
        case.id: ["lost" if case.id in ("c30", "c31", "c32") else "pass" if case.passed else "fail"] for case in b.cases
    }
    found = compare_findings(a, made(lost, id="b"))
    assert found.pass_rate.difference.low is not None
    assert found.pass_rate.difference.low > 0
    assert found.pass_rate.difference.missing == 3
    assert found.shown == "not shown"


# Categories.


def with_categories(ends: str, *, id: str) -> Findings:  # noqa: A002
    outcomes = in_order(*("pass" if end == "1" else "fail" for end in ends))
    return made(outcomes, id=id, categories={f"c{n}": ("many" if n < 20 else "few",) for n in range(len(ends))})


def test_a_category_that_changed_is_named_after_holm() -> None:
    found = compare_findings(with_categories("0" * 12 + "1" * 11, id="a"), with_categories("1" * 23, id="b"))
    many, few = found.categories["many"], found.categories["few"]
    assert (many.cases, many.a, many.b) == (20, 0.4, 1.0)
    assert many.tested.changed
    assert (few.cases, few.tested.adjusted, few.tested.changed) == (3, None, False)
    assert few.tested.comparison.difference.value == 0


# What must be read first.


def test_failure_rates_more_than_two_points_apart_are_a_warning() -> None:
    b = in_order(*["pass"] * 97, *["crash"] * 3)
    [warning] = compare_findings(made(verdicts(100, 0), id="a"), made(b, id="b")).warnings
    assert "Failure rates differ: 0 of 100 attempts in A, 3 of 100 attempts (3 by the agent) in B" in warning


def test_failure_rates_exactly_two_points_apart_are_none() -> None:
    b = in_order(*["pass"] * 98, *["crash"] * 2)
    assert not compare_findings(made(verdicts(100, 0), id="a"), made(b, id="b")).warnings


def test_attempts_without_a_verdict_are_told_with_their_reasons() -> None:
    b = in_order(*["pass"] * 97, "lost", "unscored", "pending")
    found = compare_findings(made(verdicts(100, 0), id="a"), made(b, id="b"))
    expected = "B lacks the verdict of 3 of 100 attempts (1 unscored, 1 failed by the environment, 1 not run yet)."
    assert expected in found.warnings


def test_a_run_against_itself_says_so() -> None:
    a, _ = pair(1, 1, 3)
    assert "A and B are the same run." in compare_findings(a, a).warnings


# When it is refused.

RUN = Run(id="a", name="a", benchmark="handbook", digest="9f2c", agent="python:a:b")


def changed(**settings: Any) -> Run:
    return replace(RUN, id="b", settings=replace(Settings(), **settings))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            replace(RUN, digest="77aa"),
            "the cases of the benchmark handbook were changed between them (version 9f2c against 77aa)",
        ),
        (changed(reviewer="exact"), "reviewer differs (embedded against exact)"),
        (changed(reviewer=None), "reviewer differs (embedded against none)"),
        (changed(rubric="judge-1"), "they were judged by different rules (rubric standard-1 against judge-1)"),
        (changed(passing_score=0.9), "passing score differs (0.7 against 0.9)"),
        (changed(passing_score=None), "passing score differs (0.7 against none)"),
        (
            changed(weights={"correctness": 1.0}),
            "weights differ (context=0.2, correctness=0.5, reasoning=0.3 against correctness=1)",
        ),
        (changed(checks="suite.yaml"), "checks differ (none against suite.yaml)"),
        (changed(conditions=("", "slow")), "conditions differ (none against none, slow)"),
        (changed(retry_agent_failures=1), "retry agent failures differ (0 against 1)"),
        (changed(type="abm-static"), "type differs (standard against abm-static)"),
        (changed(examiner="prober"), "examiner differs (none against prober)"),
        (
            changed(type="abm-static", max_turns=5, conversation_seconds=2.5),
            "conversation seconds differ (none against 2.5)",
        ),
    ],
)
def test_runs_examined_differently_are_told_apart(other: Run, expected: str) -> None:
    assert expected in [str(one) for one in unlike(RUN, other)]


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, id="b", name="other", benchmark="renamed", agent="python:c:d", labels={"prompt": "2"}),
        changed(trials=5, concurrency=1, timeout=1.0, retries=0, max_turns=3),
        changed(weights={"reasoning": 3, "correctness": 5, "context": 2}),
        changed(built={"reviewer": Spec(spec="embedded"), "agent": Spec(spec="python:x:y")}),
    ],
)
def test_what_changes_no_mark_does_not_matter(other: Run) -> None:
    mine = replace(RUN, settings=replace(Settings(), built={"reviewer": Spec(spec="embedded")}))
    known = (
        other
        if "reviewer" in other.settings.built
        else replace(other, settings=replace(other.settings, built=mine.settings.built))
    )
    assert unlike(mine, known) == []


def test_a_reviewer_whose_name_came_to_mean_another_model_is_another_reviewer() -> None:
    a, b = (changed(reviewer="judge", built={"reviewer": Spec(spec=f"model:openai:{name}")}) for name in ("x", "y"))
    [one] = unlike(a, b)
    assert str(one) == "reviewer differs (judge = model:openai:x against judge = model:openai:y)"


def _checked(reviewer: str | None, spec: str = "", **others: Any) -> Run:
    built = {"reviewer": Spec(spec=spec)} if spec else {}
    known: dict[str, Any] = {"passing_score": None, "own_scores": False, "rubric": spec or "standard-1"}
    return changed(reviewer=reviewer, built=built, **{**known, **others})


def _marked(name: str, **others: Any) -> Run:
    """One whose judge, a model, was seen to decide nothing."""
    return replace(_checked(f"openai:{name}", f"model:openai:{name}", **others), judge_decides=False)


def test_a_judge_that_decides_nothing_leaves_runs_comparable() -> None:
    alone, judged = _checked(None), _marked("x", weights={"tone": 1.0})
    assert unlike(alone, judged) == unlike(judged, alone) == []


@pytest.mark.parametrize(
    "judged",
    [
        _checked("openai:x", "model:openai:x", own_scores=True),
        _checked("openai:x", "model:openai:x", passing_score=0.7),
        _checked("python:my:judge", "python:my:judge"),
        _checked("object:judge"),
        _checked("openai:x", "model:openai:x", type="abm-static"),
        _checked("openai:x", "model:openai:x"),
    ],
    ids=["cases with scores", "a passing score", "custom code", "a live object", "a battle", "a model of an older run"],
)
def test_a_judge_that_may_decide_does_not(judged: Run) -> None:
    assert "reviewer" in [one.what for one in unlike(_checked(None, type=judged.settings.type), judged)]


def test_two_judges_that_decide_nothing_leave_verdicts_comparable_and_marks_not() -> None:
    a, b = (_marked(name) for name in "xy")
    assert unlike(a, b) == []
    assert [one.what for one in unlike(a, b, marks=True)] == ["reviewer", "rubric"]
    found = compare_findings(
        made(in_order("pass", "fail"), id="a", run={"settings": a.settings, "judge_decides": False}),
        made(in_order("pass", "pass"), id="b", run={"settings": b.settings, "judge_decides": False}),
    )
    assert [row.label for row in rows(found)] == ["Pass rate"]
    assert found.warnings == (
        "No verdict hangs on the marks, and they are not compared: reviewer differs (openai:x = model:openai:x against "
        "openai:y = model:openai:y); they were judged by different rules (rubric model:openai:x against "
        "model:openai:y).",
    )
    assert {marks(change) for change in found.cases} == {"–"}


def test_checks_by_other_rules_are_told_apart_beside_a_judge_that_decides_nothing() -> None:
    old, new = _checked(None, rubric="checks-2"), _marked("x", rubric="checks-3+judge-1")
    assert [one.what for one in unlike(old, new)] == ["rubric"]
    assert unlike(_checked(None, rubric="checks-3"), new) == []


def test_custom_code_that_gave_nothing_but_marks_decided_nothing() -> None:
    judge = _checked("python:my:judge", "python:my:judge")
    assert unlike(_checked(None), replace(judge, judge_decides=False)) == []
    assert unlike(_checked(None), replace(judge, judge_decides=True))


def test_a_judge_decides_where_a_case_passes_by_its_mark_alone() -> None:
    marked = replace(_checked("openai:x", "model:openai:x"), judge_decides=True)
    assert "reviewer" in [one.what for one in unlike(_checked(None), marked)]


def test_a_refusal_says_what_differs_and_which_command_mends_it() -> None:
    a, b = made(in_order("pass"), id="a"), made(in_order("pass"), id="b", passing_score=0.9)
    with pytest.raises(UsageError, match=r"passing score differs \(0\.7 against 0\.9\)") as refused:
        compare_findings(a, b)
    assert "`proctor rescore a --passing-score 0.9`" in str(refused.value)


def test_a_refusal_that_no_rescoring_mends_offers_only_force() -> None:
    a, b = made(in_order("pass"), id="a"), made(in_order("pass"), id="b", run={"digest": "other"})
    with pytest.raises(UsageError, match="--force") as refused:
        compare_findings(a, b)
    assert "rescore" not in str(refused.value)


def test_a_forced_comparison_carries_what_differs_and_takes_the_shared_cases() -> None:
    a = made(in_order("pass", "fail"), id="a")
    b = made(in_order("pass", "pass", "pass"), id="b", run={"digest": "other"})
    found = compare_findings(a, b, force=True)
    assert [one.what for one in found.unlike] == ["benchmark content"]
    assert found.pass_rate.difference.n == 2
    assert "Cases in one run only are left out: 0 in A, 1 in B." in found.warnings


def test_numbers_of_a_forced_comparison_go_over_the_shared_cases() -> None:
    a = made(in_order("pass", "fail"), id="a")
    b = made(in_order("pass", "pass", "fail", "fail"), id="b", run={"digest": "other"})
    found = compare_findings(a, b, force=True)
    assert found.is_narrowed
    assert found.rates_over_shared() == (0.5, 1.0)
    [row, *_] = rows(found)
    assert (row.a, row.b, row.difference) == ("50 %", "100 %", "+50")
    said = basis(found)
    assert said.startswith("2 cases counted in both runs; all numbers here are over these.")
    assert said.endswith("Over all of its own: A 50 % of 2 cases, B 50 % of 4 cases")
    assert basis(compare_findings(a, made(in_order("pass", "pass"), id="c"))) == "2 cases counted in both runs"


def test_runs_without_a_case_in_common_cannot_be_forced() -> None:
    a, b = made({"x": ["pass"]}, id="a"), made({"y": ["pass"]}, id="b", run={"digest": "other"})
    with pytest.raises(UsageError, match="no case in common"):
        compare_findings(a, b, force=True)


# unequal trials ----------------------------------------------------------------------------------------


def eight_against_one() -> tuple[Findings, Findings]:
    """The same agent once, all passed, and eight times, one trial missed in fourteen of twenty cases."""
    once = made(in_order(*["pass"] * 20), id="a")
    missed = [["pass"] * (number % 8) + ["fail"] + ["pass"] * (7 - number % 8) for number in range(14)]
    often = {f"c{number}": ends for number, ends in enumerate([*missed, *[["pass"] * 8] * 6])}
    return once, made(often, id="b")


def test_one_miss_in_eight_trials_is_no_difference_from_one_trial_that_passed() -> None:
    once, often = eight_against_one()
    found = compare_findings(once, often)
    assert found.pass_rate.difference.value == pytest.approx(-14 / 8 / 20)
    assert found.pass_rate.thinned
    assert found.pass_rate.p_value == 0.5  # two of the first trials failed
    assert found.shown == "not shown"
    turned = compare_findings(often, once)
    assert turned.pass_rate.p_value == 0.5
    assert turned.shown == "not shown"


def test_the_first_trials_are_those_of_the_lowest_numbers_however_late_they_ended() -> None:
    once = made({f"c{n}": ["fail"] for n in range(6)}, id="a")
    often = made({f"c{n}": ["pass", "fail", "fail"] for n in range(6)}, id="b")
    assert compare_findings(once, often).pass_rate.p_value == pytest.approx(2 / 2**6)
    assert compare_findings(once, often).mean_score.p_value == pytest.approx(2 / 2**6)


def test_a_trial_without_a_verdict_is_no_trial_and_the_next_one_is_the_first() -> None:
    once = made({f"c{n}": ["fail"] for n in range(6)}, id="a")
    often = made({f"c{n}": ["lost", "pass", "fail"] for n in range(6)}, id="b")
    assert compare_findings(once, often).pass_rate.p_value == pytest.approx(2 / 2**6)


def test_marks_pass_at_k_and_categories_rest_on_the_trials_in_common_too() -> None:
    categories = {f"c{n}": ("hard",) for n in range(12)}
    few = made({f"c{n}": [0.9, 0.8] for n in range(12)}, id="a", categories=categories)
    many = made({f"c{n}": [0.9, 0.8, 0.1, 0.1, 0.1] for n in range(12)}, id="b", categories=categories)
    found = compare_findings(few, many)
    assert found.k == 2
    assert found.pass_at_k is not None
    assert found.pass_hat_k is not None
    category = found.categories["hard"].tested
    for each in (found.pass_rate, found.mean_score, found.pass_hat_k, category.comparison):
        assert each.difference.value is not None
        assert each.difference.value < 0
        assert (each.p_value, each.better, each.thinned) == (1.0, 0.5, True)
    assert not category.changed
    assert found.shown == "not shown"


def test_with_equal_trials_nothing_is_cut() -> None:
    a = made({f"c{n}": ["pass", "fail", "lost"] for n in range(9)}, id="a")
    b = made({f"c{n}": ["lost", "pass", "pass"] for n in range(9)}, id="b")
    found = compare_findings(a, b)
    assert not found.pass_rate.thinned
    assert found.pass_rate.p_value == pytest.approx(2 / 2**9)


def test_a_difference_that_the_trials_in_common_do_not_bear_out_is_not_shown() -> None:
    once = made({f"c{n}": ["fail"] for n in range(30)}, id="a")
    lucky_later = made({f"c{n}": ["fail"] + ["pass"] * 7 for n in range(30)}, id="b")
    found = compare_findings(once, lucky_later)
    assert found.pass_rate.difference.side == 1
    assert found.pass_rate.better == 0.5
    assert found.shown == "not shown"


def test_each_number_is_over_the_cases_that_are_said_of_it() -> None:
    a = made({"c0": ["pass", "pass"], "c1": ["pass", "fail"], "c2": ["pass", "pass"], "c3": ["fail", "fail"]}, id="a")
    b = made({"c0": ["pass", "pass"], "c1": ["crash", "crash"], "c2": ["pass", "lost"], "c3": ["pass", "fail"]}, id="b")
    found = compare_findings(a, b)
    assert {row.label: row.cases for row in rows(found)} == {
        "Pass rate": 4, "pass@2": 3, "pass^2": 3, "Mean score": 3,
    }  # fmt: skip
    said = basis(found)
    assert said.startswith("4 cases counted in both runs, 2 trials each; ")
    assert "pass@2 and pass^2 over the 3 cases with 2 counted trials or more in both" in said
    assert "mean score over the 3 cases with a score in both" in said
    assert "all numbers here" not in said
    [mean] = [row for row in rows(found) if row.label == "Mean score"]
    told = as_dict(found)["mean_score"]
    assert (mean.a, mean.b) == (f"{told['a']:.2f}", f"{told['b']:.2f}"), "as in the JSON, over the same cases"


def test_who_fails_more_is_not_said_to_gain_in_a_mean_score_that_there_is_not() -> None:
    a, b = made(in_order(*["pass"] * 20)), made(in_order(*["pass"] * 15, *["crash"] * 5), id="b")
    [told] = compare_findings(a, b).warnings
    assert told.endswith("The mean score leaves failures out and so favours the run with more of them.")
    unmarked = [replace(each, mean_score=replace(each.mean_score, value=None)) for each in (a, b)]
    [told] = compare_findings(*unmarked).warnings
    assert told.endswith("(5 by the agent) in B.")
