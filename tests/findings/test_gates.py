"""Gates: what can be read, what can be met, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.made_runs import in_order, made, pair, verdicts

from proctor.benchmark import Case, Exam
from proctor.errors import InputError, UsageError
from proctor.findings.gates import Gate, GateVerdict, check, exit_code, judge, parse
from proctor.findings.gates.sample_size import plan_gate
from proctor.findings.gates.verdict import at_level
from proctor.findings.run import Findings
from proctor.findings.run.findings import Latency
from proctor.reports.gates import sentence
from proctor.run import Run, Settings
from proctor.statistics.gate import level_of_look
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.usage import Usage


def nobody(name: str) -> Findings:
    raise AssertionError(f"no gate names a run, yet {name} was asked for")


def verdict(text: str, findings: Findings, *others: Findings, **options: Any) -> GateVerdict:
    known = {other.run.id: other for other in others}
    [found] = judge([parse(text)], findings, known.__getitem__ if known else nobody, **options)
    return found


def test_the_median_time_is_compared_exactly_and_what_is_not_played_may_move_it() -> None:
    timed = replace(made(verdicts(3, 0)), latency=Latency(n=3, median=1.5, maximum=9.0, p95=None))
    assert [verdict(f"latency<={bound}", timed).verdict for bound in (2, 1.5, 1)] == ["met", "met", "not met"]
    unplayed = replace(timed, counts=replace(timed.counts, pending=2))
    assert [verdict(f"latency<={bound}", unplayed).verdict for bound in (2, 1)] == ["inconclusive"] * 2
    assert verdict("latency<=2", replace(timed, latency=None)).verdict == "inconclusive"
    assert sentence(verdict("latency<=2", timed)).startswith("The median attempt takes 1.5 s.")


# Reading.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pass_rate>=0.9", {"metric": "pass_rate", "bound": 0.9}),
        ("  pass_rate  >=  .9 ", {"metric": "pass_rate", "bound": 0.9}),
        ("pass_rate>=90%", {"metric": "pass_rate", "bound": 0.9}),
        ("mean_score<=0.5", {"metric": "mean_score", "bound": 0.5, "upper": True}),
        ("pass_at_k:3>=0.95", {"metric": "pass_at_k", "k": 3, "bound": 0.95}),
        ("pass_hat_k>=0.7", {"metric": "pass_hat_k", "k": None, "bound": 0.7}),
        (
            "category:multi-step reasoning>=0.8",
            {"metric": "category", "category": "multi-step reasoning", "bound": 0.8},
        ),
        ("category:a:b>=0.8", {"metric": "category", "category": "a:b", "bound": 0.8}),
        ("failures<=0", {"metric": "failures", "bound": 0.0, "upper": True}),
        ("cost<=12.5", {"metric": "cost", "bound": 12.5, "upper": True}),
        ("latency<=2", {"metric": "latency", "bound": 2.0, "upper": True}),
        ("not worse than nightly by 0.02", {"baseline": "nightly", "bound": 0.02}),
        ("Not worse than last by 2 %", {"baseline": "last", "bound": 0.02}),
        ("not worse than last by 2 points", {"baseline": "last", "bound": 0.02}),
        ("not worse than a run by hand by 0.1", {"baseline": "a run by hand", "bound": 0.1}),
    ],
)
def test_a_gate_is_read(text: str, expected: Mapping[str, Any]) -> None:
    assert parse(text) == Gate(text=text, **expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected METRIC>=NUMBER"),
        ("pass_rate", "expected METRIC>=NUMBER"),
        ("pass_rate>0.9", "use >= or <=, as in pass_rate>=0.9"),
        ("pass_rate==0.9", "use >= or <=, as in pass_rate>=0.9"),
        ("category:a b < 90%", "use >= or <=, as in category:a b<=90%"),
        ("pass_rates>=0.9", "did you mean 'pass_rate'"),
        ("speed>=0.9", "expected one of pass_rate, mean_score"),
        ("pass_rate>=high", "'high' cannot be used"),
        ("pass_rate>=nan", "'nan' cannot be used"),
        ("pass_rate>=-0.1", "'-0.1' cannot be used"),
        ("pass_rate>=90", "lies between 0 and 1, so 90 can decide nothing"),
        ("pass_rate>=120%", "lies between 0 and 1"),
        ("pass_rate:3>=0.9", "takes no '3' after a colon"),
        ("pass_hat_k:0>=0.9", "expected a whole number of at least 1"),
        ("pass_hat_k:two>=0.9", "expected a whole number of at least 1"),
        ("category>=0.9", "expected category:NAME"),
        ("failures<=5%", "'5%' cannot be used"),
        ("failures<=-1", "'-1' cannot be used; expected a number of at least 0"),
        ("not worse than by 0.02", "cannot be read"),
        ("not worse than last by much", "'much' cannot be used"),
        ("not worse than last by 2", "the margin lies between 0 and 1"),
    ],
)
def test_a_gate_that_cannot_be_read_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(text)
    assert said in str(refused.value)
    assert repr(text) in str(refused.value)


# Judging.


@pytest.mark.parametrize(
    ("gate", "passes", "failures", "expected"),
    [
        ("pass_rate>=0.88", 30, 0, "met"),  # [.8865, 1]
        ("pass_rate>=0.89", 30, 0, "inconclusive"),
        ("pass_rate>=0.97", 27, 3, "not met"),  # [.7438, .9654]
        ("pass_rate>=0.96", 27, 3, "inconclusive"),
        ("pass_rate<=0.97", 27, 3, "met"),
        ("pass_rate<=0.74", 27, 3, "not met"),
        ("mean_score>=0.7", 27, 3, "met"),
        ("pass_at_k:1>=0.7", 27, 3, "met"),
        ("pass_hat_k>=0.7", 27, 3, "met"),
        ("failures<=0", 27, 3, "met"),
        ("failures>=1", 27, 3, "not met"),
    ],
)
def test_the_bound_of_the_interval_decides(gate: str, passes: int, failures: int, expected: str) -> None:
    assert verdict(gate, made(verdicts(passes, failures))).verdict == expected


def test_a_gate_without_k_takes_the_k_that_is_printed() -> None:
    findings = made({f"c{n}": ["pass", "pass", "fail"] for n in range(30)})
    assert verdict("pass_hat_k:1>=0.5", findings).verdict == "met"
    assert verdict("pass_hat_k>=0.5", findings).verdict == "not met"
    assert verdict("pass_hat_k>=0.5", findings, k=1).verdict == "met"
    assert verdict("pass_hat_k>=0.5", findings, k=2).gate.k == 2


def test_a_k_beyond_the_trials_is_refused() -> None:
    with pytest.raises(UsageError, match="needs 3 trials of each case, and there is 1"):
        verdict("pass_hat_k:3>=0.5", made(verdicts(5, 0)))


def test_a_category_is_judged_on_its_own_cases() -> None:
    findings = made(verdicts(30, 10), categories={f"c{n}": ("easy" if n < 30 else "hard",) for n in range(40)})
    assert verdict("category:easy>=0.8", findings).verdict == "met"
    assert verdict("category:hard>=0.8", findings).verdict == "not met"
    with pytest.raises(UsageError, match="no case has the category 'new'; expected one of easy, hard"):
        verdict("category:new>=0.8", findings)


def test_missing_attempts_are_taken_at_worst_and_at_best() -> None:
    whole = made(verdicts(100, 0))
    assert verdict("pass_rate>=0.95", whole).verdict == "met"
    lacking = made(in_order(*["pass"] * 95, *["lost"] * 5))
    found = verdict("pass_rate>=0.95", lacking)
    assert (found.verdict, found.obstacle, found.further_cases) == ("inconclusive", "missing", None)
    assert verdict("pass_rate>=0.85", lacking).verdict == "met"
    assert verdict("pass_rate<=0.85", lacking).verdict == "not met"


def test_attempts_that_stay_without_a_mark_keep_a_gate_open_however_many_cases_there_are() -> None:
    few = made({"a": ["pass"] * 2, "b": ["fail"] * 2, "c": ["unscored"] * 2, "d": ["unscored"] * 2})
    many = made(in_order(*["pass"] * 20, *["fail"] * 20, *["unscored"] * 40))
    for findings in (few, many):
        for gate in ("pass_rate>=0.3", "pass_rate<=0.7"):
            found = verdict(gate, findings)
            assert (found.verdict, found.obstacle, found.further_cases) == ("inconclusive", "unmarked", None)
    to_play = verdict("pass_rate>=0.3", made({"a": ["pass"], "b": ["fail"], "c": ["lost"], "d": ["lost"]}))
    assert (to_play.obstacle, to_play.further_cases) == ("missing", None)


def test_without_any_verdict_nothing_is_decided() -> None:
    found = verdict("pass_rate>=0.5", made(in_order("lost", "unscored")))
    assert (found.verdict, found.obstacle) == ("inconclusive", "unknown")


def test_failures_are_counted_exactly_and_pending_attempts_may_add_to_them() -> None:
    crashed = made(in_order("crash", "lost", "pass"))
    assert verdict("failures<=2", crashed).verdict == "met"
    assert verdict("failures<=1", crashed).verdict == "not met"
    going_on = made(in_order("crash", "pending", "pass"))
    assert verdict("failures<=1", going_on).verdict == "inconclusive"
    assert verdict("failures<=2", going_on).verdict == "met"
    assert verdict("failures<=0", going_on).verdict == "not met"
    assert verdict("failures>=1", going_on).verdict == "met"


def test_an_unknown_cost_is_not_zero() -> None:
    assert verdict("cost<=1", made(verdicts(3, 0))).verdict == "inconclusive"
    paid = made(verdicts(3, 0), usage=Usage(input_tokens=1, cost=0.25))
    assert verdict("cost<=0.75", paid).verdict == "met"
    assert verdict("cost<=0.7", paid).verdict == "not met"


# Not worse than a run.


@pytest.mark.parametrize(
    ("fixed", "broken", "both", "margin", "expected"),
    [
        (8, 2, 90, 0.02, "met"),  # low −.0079
        (8, 2, 90, 0.005, "inconclusive"),
        (5, 15, 180, 0.002, "not met"),  # high −.0041
        (5, 15, 180, 0.05, "inconclusive"),
        (0, 0, 50, 0.05, "inconclusive"),  # low −.0551
        (0, 0, 50, 0.06, "met"),
    ],
)
def test_not_worse_is_decided_on_the_paired_difference(
    fixed: int, broken: int, both: int, margin: float, expected: str
) -> None:
    a, b = pair(fixed, broken, both)
    assert verdict(f"not worse than a by {margin}", b, a).verdict == expected


def test_not_worse_than_a_run_that_was_examined_differently_is_refused() -> None:
    a, b = made(verdicts(5, 0), id="a"), made(verdicts(5, 0), id="b", reviewer="exact")
    with pytest.raises(UsageError, match="reviewer differs"):
        verdict("not worse than a by 0.02", b, a)
    assert verdict("not worse than a by 0.02", b, a, force=True).verdict == "inconclusive"


# What would settle it.


def test_further_cases_by_the_formula() -> None:
    found = verdict("pass_rate>=0.9", made(verdicts(27, 1)))
    y, g, z, power = 27 / 28, 0.9, 1.959964, 0.841621
    needed = ((z * (g * (1 - g)) ** 0.5 + power * (y * (1 - y)) ** 0.5) / (y - g)) ** 2
    assert found.further_cases == pytest.approx(needed - 28, abs=1)


def test_a_rate_at_the_gate_names_no_number_of_cases() -> None:
    found = verdict("pass_rate>=0.9", made(verdicts(90, 10)))
    assert (found.verdict, found.further_cases, found.obstacle) == ("inconclusive", None, "at the gate")


def test_a_difference_that_is_not_at_the_margin_names_a_number_of_pairs() -> None:
    a, b = pair(8, 2, 90)
    found = verdict("not worse than a by 0.005", b, a)
    assert found.further_cases is not None
    assert found.further_cases >= 1


def test_a_difference_at_the_margin_names_none() -> None:
    a, b = pair(0, 2, 98)
    found = verdict("not worse than a by 0.02", b, a)
    assert (found.further_cases, found.obstacle) == (None, "at the gate")


# Several gates, and several looks.


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((), 0),
        (("pass_rate>=0.5", "failures<=0"), 0),
        (("pass_rate>=0.5", "pass_rate>=0.9"), 3),
        (("pass_rate>=0.9", "pass_rate>=0.99"), 1),
    ],
)
def test_all_must_be_met_and_one_not_met_decides(texts: Sequence[str], expected: int) -> None:
    assert exit_code(judge([parse(text) for text in texts], made(verdicts(27, 3)), nobody)) == expected


def test_a_second_look_needs_more_to_be_sure() -> None:
    findings = made(verdicts(30, 0))
    assert verdict("pass_rate>=0.88", findings).verdict == "met"
    second = verdict("pass_rate>=0.88", findings, look=2)
    assert second.verdict == "inconclusive"
    assert second.estimate is not None
    assert second.estimate.level == pytest.approx(0.975)


@pytest.mark.parametrize("values", [[1.0] * 12, [0.0] * 12, [1.0, 0.5, 0.25] * 7, [1.0] * 9 + [0.0]])
@pytest.mark.parametrize("missing", [0, 3])
def test_another_level_gives_the_interval_that_its_own_computation_would(values: list[float], missing: int) -> None:
    worst, best = Sums.of([*values, *[0.0] * missing]), Sums.of([*values, *[1.0] * missing])
    level = level_of_look(3)
    options: dict[str, Any] = {"attempts": len(values), "missing": missing, "worst": worst, "best": best}
    usual, wanted = (mean_over_cases(Sums.of(values), level=each, **options) for each in (0.95, level))
    moved = at_level(usual, level)
    for name in ("low", "high", "gate_low", "gate_high"):
        assert getattr(moved, name) == pytest.approx(getattr(wanted, name), abs=1e-12), name


# Before the first call.


def exams(number: int, *, category: str = "search") -> list[Exam]:
    return [Exam(id=f"c{n}", cases=(Case(id=f"c{n}", question="?", categories=(category,)),)) for n in range(number)]


def run(**settings: Any) -> Run:
    known = made(verdicts(1, 0)).run
    return Run(
        id="new", name="new", benchmark=known.benchmark, digest=known.digest, agent="x", settings=Settings(**settings)
    )


def refused(text: str, cases: int, *others: Findings, **options: Any) -> str:
    known = {other.run.id: other for other in others}
    settings = options.pop("settings", {})
    with pytest.raises(UsageError) as error:
        check([parse(text)], run(**settings), exams(cases), known.__getitem__, **options)
    return str(error.value)


@pytest.mark.parametrize(("bound", "least"), [(0.7, 9), (0.8, 16), (0.9, 35), (0.95, 73), (0.99, 381)])
def test_a_gate_that_so_few_cases_cannot_meet_is_refused_with_the_number_that_can(bound: float, least: int) -> None:
    said = refused(f"pass_rate>={bound}", least - 1)
    assert f"cannot be met with {least - 1} cases" in said
    assert f"it takes at least {least}, without a single failure" in said
    check([parse(f"pass_rate>={bound}")], run(), exams(least), nobody)
    check([parse(f"pass_rate>={bound}")], run(), exams(least - 1), nobody, force=True)


def test_a_gate_from_above_needs_cases_too() -> None:
    assert "it takes at least 35, without a single pass" in refused("pass_rate<=0.1", 34)


def test_a_category_needs_the_cases_itself() -> None:
    assert "with 20 cases" in refused("category:search>=0.9", 20)
    assert "no case has the category 'other'" in refused("category:other>=0.9", 20)


def test_what_there_are_too_few_of_in_a_battle_are_not_called_cases() -> None:
    static = refused("pass_rate>=0.9", 1, settings={"type": "abm-static", "trials": 3})
    assert "cannot be met with 3 conversations" in static
    assert "Use more trials" in static
    dynamic = refused("held_rate>=0.9", 20, settings={"type": "abm-dynamic"})
    assert "cannot be met with 20 seed questions" in dynamic
    assert "Add seed questions" in dynamic


def test_a_category_of_a_script_counts_all_its_rows() -> None:
    rows = tuple(Case(id=f"c{n}", question="?", categories=("search",)) for n in range(40))
    script = [Exam(id="exam-1", cases=rows)]
    check([parse("category:search>=0.9")], run(type="abm-static"), script, nobody)
    with pytest.raises(UsageError, match="with 40 questions"):
        check([parse("category:search>=0.95")], run(type="abm-static"), script, nobody)


def test_exactly_all_can_never_be_shown() -> None:
    said = refused("pass_rate>=1", 1000)
    assert "no number of cases shows a rate of exactly 1" in said
    assert "Add cases" not in said


def test_a_second_look_needs_more_cases() -> None:
    check([parse("pass_rate>=0.9")], run(), exams(35), nobody)
    assert "cannot be met with 35 cases" in refused("pass_rate>=0.9", 35, look=2)


def test_counts_can_always_be_met() -> None:
    check([parse("failures<=0"), parse("cost<=1")], run(), exams(1), nobody)


def test_a_k_beyond_the_trials_is_refused_before_the_first_call_even_if_forced() -> None:
    assert "needs 3 trials of each case, and there are 2" in refused(
        "pass_at_k:3>=0.5", 100, settings={"trials": 2}, force=True
    )


def test_a_margin_that_so_few_cases_cannot_show_is_refused() -> None:
    said = refused("not worse than a by 0.02", 50, made(verdicts(50, 0), id="a"))
    assert "cannot be met with 50 cases" in said
    assert "it takes at least 139, without a single flip" in said
    check([parse("not worse than a by 0.02")], run(), exams(139), lambda _: made(verdicts(139, 0), id="a"))


def test_a_baseline_that_leaves_room_to_be_better_can_be_met_with_few_cases() -> None:
    check([parse("not worse than a by 0.02")], run(), exams(50), lambda _: made(verdicts(20, 30), id="a"))


def test_a_baseline_that_is_not_comparable_is_refused_before_the_first_call_unless_forced() -> None:
    before = made(verdicts(50, 50), id="a", passing_score=0.9)
    assert "passing score differs (0.9 against 0.7)" in refused("not worse than a by 0.02", 100, before)
    check([parse("not worse than a by 0.02")], run(), exams(100), lambda _: before, force=True)


def test_a_baseline_without_a_case_in_common_is_refused_even_if_forced() -> None:
    before = made({"elsewhere": ["pass"]}, id="a")
    assert "no case in common" in refused("not worse than a by 0.02", 100, before, force=True)


# Planning.


def test_the_fewest_cases_for_each_number_of_failures() -> None:
    assert plan_gate("pass_rate>=0.9").fewest == ((0, 35), (1, 53), (2, 69), (5, 113))
    assert plan_gate("category:search>=0.95", failures=2).fewest == ((2, 142),)
    assert plan_gate("pass_rate<=0.1", failures=1).fewest == ((1, 53),)


def test_equal_agents_need_two_thousand_cases_for_two_points() -> None:
    assert plan_gate("not worse than x by 0.02", flips=0.10).needed == 1963


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("failures<=0", {}),
        ("not worse than x by 0.02", {}),
        ("not worse than x by 0", {"flips": 0.1}),
        ("not worse than x by 0.02", {"flips": 0.1, "power": 1.0}),
    ],
)
def test_a_gate_that_cannot_be_planned_is_refused(text: str, options: Any) -> None:
    with pytest.raises(UsageError):
        plan_gate(text, **options)


def test_a_bound_of_one_cannot_be_planned() -> None:
    with pytest.raises(InputError):
        plan_gate("pass_rate>=1")
