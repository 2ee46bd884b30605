"""Attempts → findings, against numbers worked out by hand."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from math import comb

import pytest

from proctor import Attempt, Case, Exam, Failure, Part, Run, Score, Settings, Unscored, Usage
from proctor.findings.run import Findings, gather, stability
from proctor.run import Key, Spec
from proctor.score import CheckResult
from proctor.transcript import Reply, Transcript, Turn

BROKE = Failure(stage="agent", owner="agent", reason="it broke")
DOWN = Failure(stage="agent", owner="environment", reason="the network is down")
AWAY = Failure(stage="reviewer", owner="environment", reason="the judge is away")


def exam(name: str, *categories: str) -> Exam:
    return Exam(id=name, cases=(Case(id=name, question=f"what is {name}?", categories=categories),))


def attempt(
    name: str,
    trial: int = 1,
    *,
    score: float | None = None,
    failure: Failure | None = None,
    parts: dict[str, float] | None = None,
    seconds: float | None = None,
    usage: Usage | None = None,
    finished: bool = True,
    unscored: str | None = None,
) -> Attempt:
    """One attempt, which passes at 0.7."""
    shown = tuple(Part(name=part, value=value) for part, value in (parts or {"correctness": score or 0.0}).items())
    scores = () if score is None else (Score(turn=1, of="agent", parts=shown, value=score, by="judge"),)
    verdict = None if score is None else score >= 0.7
    return Attempt(
        key=Key(run="r", exam=name, trial=trial),
        scores=scores,
        unscored=() if unscored is None else (Unscored(turn=1, of="agent", by="judge", reason=unscored),),
        failure=failure,
        passed=False if failure is not None and failure.owner == "agent" else verdict,
        finished=finished,
        seconds=seconds,
        usage=usage or Usage(),
    )


def found(exams: Iterable[Exam], attempts: Iterable[Attempt], **settings: object) -> Findings:
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=Settings(**settings))  # type: ignore[arg-type]
    return gather(run, tuple(exams), attempts)


def test_the_pass_rate_is_the_mean_of_case_means_and_never_of_pooled_attempts() -> None:
    attempts = [
        attempt("a", 1, score=1.0),
        attempt("a", 2, score=1.0),
        attempt("a", 3, score=1.0),
        attempt("b", 1, score=0.0),
        attempt("b", 2, failure=DOWN),
        attempt("b", 3, failure=DOWN),
    ]
    rate = found([exam("a"), exam("b")], attempts, trials=3).pass_rate
    assert rate.value == pytest.approx(1 / 2)  # pooled it would be 3 of 4
    assert (rate.n, rate.attempts, rate.missing) == (2, 4, 2)
    assert rate.worst == pytest.approx((3 / 3 + 0 / 3) / 2)
    assert rate.best == pytest.approx((3 / 3 + 2 / 3) / 2)
    assert rate.method == "wilson-cases"


def test_wilson_of_27_of_30_is_as_published() -> None:
    names = [f"c{number}" for number in range(30)]
    findings = found(map(exam, names), [attempt(name, score=float(i >= 3)) for i, name in enumerate(names)])
    assert findings.pass_rate.value == pytest.approx(0.9)
    assert findings.pass_rate.low == pytest.approx(0.7438, abs=5e-5)
    assert findings.pass_rate.high == pytest.approx(0.9654, abs=5e-5)


def test_a_case_without_a_counted_attempt_is_missing_from_n_and_bounded() -> None:
    findings = found([exam("a"), exam("b"), exam("c")], [attempt("a", score=1.0), attempt("b", failure=AWAY)])
    rate = findings.pass_rate
    assert (rate.value, rate.n, rate.missing) == (1.0, 1, 2)
    assert rate.worst == pytest.approx(1 / 3)
    assert rate.best == 1.0
    assert rate.gate_low is not None
    assert rate.low is not None
    assert rate.gate_low < rate.low
    assert [case.verdict for case in findings.cases] == ["pass", "missing", "missing"]


def test_every_planned_attempt_is_counted_once() -> None:
    attempts = [
        attempt("a", score=0.8),
        attempt("b", score=0.2),
        attempt("c", failure=BROKE),
        attempt("d", failure=DOWN),
        attempt("e", unscored="it could not be read"),
        attempt("f", score=None, finished=False),
    ]
    findings = found(map(exam, "abcdefg"), attempts)
    counts = findings.counts
    assert (counts.scored, counts.unscored, counts.failed_by_agent, counts.failed_by_environment) == (2, 1, 1, 1)
    assert (counts.pending, counts.planned, counts.failed) == (2, 7, 2)
    assert counts.planned == counts.scored + counts.unscored + counts.failed + counts.pending
    assert not findings.complete


def test_an_agents_failure_is_not_passed_and_has_no_score() -> None:
    exams = [Exam(id=name, cases=(Case(id=name, question="which?", answer="this"),)) for name in "ab"]
    findings = found(exams, [attempt("a", score=0.9), attempt("b", failure=BROKE)])
    assert (findings.pass_rate.value, findings.pass_rate.n, findings.pass_rate.missing) == (0.5, 2, 0)
    assert (findings.mean_score.value, findings.mean_score.n, findings.mean_score.missing) == (0.9, 1, 1)
    assert findings.mean_score.worst == pytest.approx(0.45)
    assert findings.mean_score.best == pytest.approx(0.95)
    assert findings.complete


def test_a_mark_that_is_missing_is_neither_0_nor_nothing() -> None:
    findings = found([exam("a"), exam("b")], [attempt("a", score=1.0), attempt("b", unscored="too long")])
    assert (findings.mean_score.value, findings.mean_score.worst, findings.mean_score.best) == (1.0, 0.5, 1.0)
    assert (findings.pass_rate.value, findings.pass_rate.worst, findings.pass_rate.best) == (1.0, 0.5, 1.0)
    assert findings.complete, "the judge has spoken, if only to say that it cannot tell"


def test_without_any_mark_the_mean_is_unknown_with_bounds() -> None:
    findings = found([exam("a")], [attempt("a", unscored="too long")])
    assert findings.mean_score.value is None
    assert (findings.mean_score.missing, findings.mean_score.worst, findings.mean_score.best) == (1, 0.0, 1.0)
    assert findings.mean_score.note == "no score was given"


def test_by_checks_alone_no_mark_is_missing() -> None:
    passed = Attempt(key=Key(run="r", exam="a"), passed=True, finished=True)
    findings = found([exam("a", "x")], [passed], reviewer=None)
    assert findings.pass_rate.value == 1.0
    assert (findings.mean_score.value, findings.mean_score.missing) == (None, 0)
    assert findings.categories["x"].mean_score.missing == 0


def test_pass_at_k_and_pass_hat_k_with_unequal_trials() -> None:
    """Case a: 2 of 4; b: 3 of 3 counted, one lost; c: 1 of 1, three lost."""
    attempts = [
        *(attempt("a", trial, score=float(trial <= 2)) for trial in (1, 2, 3, 4)),
        *(attempt("b", trial, score=1.0) for trial in (1, 2, 3)),
        attempt("b", 4, failure=DOWN),
        attempt("c", 1, score=1.0),
    ]
    findings = found(map(exam, "abc"), attempts, trials=4)
    at, hat = findings.pass_at_k, findings.pass_hat_k
    assert list(at) == list(hat) == [1, 2, 3, 4]
    assert at[1].value == pytest.approx((2 / 4 + 1 + 1) / 3)
    assert at[2].value == pytest.approx(((1 - comb(2, 2) / comb(4, 2)) + 1) / 2)
    assert hat[2].value == pytest.approx((comb(2, 2) / comb(4, 2) + 1) / 2)
    assert hat[3].value == pytest.approx((0 + 1) / 2)
    assert hat[4].value == pytest.approx(0)
    assert [hat[k].n for k in (1, 2, 3, 4)] == [3, 2, 2, 1]
    assert [hat[k].attempts for k in (1, 2, 3, 4)] == [8, 7, 7, 4]
    assert all(hat[k].missing == 4 for k in hat)
    # at worst b has 3 of 4 and c 1 of 4, at best both 4 of 4
    assert hat[2].worst == pytest.approx((1 / 6 + comb(3, 2) / comb(4, 2) + 0) / 3)
    assert hat[2].best == pytest.approx((1 / 6 + 1 + 1) / 3)
    assert at[2].worst == pytest.approx((5 / 6 + 1 + (1 - comb(3, 2) / comb(4, 2))) / 3)


def test_pass_hat_k_of_the_airline_tasks_is_as_published() -> None:
    """tau-bench airline, 50 tasks of four trials, as in the worked example."""
    histogram = {0: 14, 1: 12, 2: 10, 3: 4, 4: 10}
    names = [(f"t{passes}-{number}", passes) for passes, count in histogram.items() for number in range(count)]
    attempts = [attempt(name, trial, score=float(trial <= c)) for name, c in names for trial in (1, 2, 3, 4)]
    hat = found((exam(name) for name, _ in names), attempts, trials=4).pass_hat_k
    published = {
        1: (0.42, 0.3216, 0.5252),
        2: (0.2733, 0.1790, 0.3936),
        3: (0.22, 0.1298, 0.3478),
        4: (0.2, 0.1124, 0.3304),
    }
    for k, (value, low, high) in published.items():
        assert hat[k].value == pytest.approx(value, abs=5e-5)
        assert hat[k].low == pytest.approx(low, abs=5e-5)
        assert hat[k].high == pytest.approx(high, abs=5e-5)


def test_categories_have_their_own_cases_and_a_case_may_be_in_several() -> None:
    exams = [exam("a", "x"), exam("b", "x", "y"), exam("c")]
    attempts = [
        *(attempt("a", trial, score=1.0) for trial in (1, 2)),
        *(attempt("b", trial, score=1.0 if trial == 1 else 0.4) for trial in (1, 2)),
        *(attempt("c", trial, score=0.0) for trial in (1, 2)),
    ]
    categories = found(exams, attempts, trials=2).categories
    assert list(categories) == ["x", "y"]
    assert (categories["x"].cases, categories["x"].passed) == (2, 1)
    assert categories["x"].pass_rate.value == pytest.approx((1 + 0.5) / 2)
    assert categories["y"].mean_score.value == pytest.approx(0.7)


def test_a_part_is_the_mean_over_the_cases_that_have_it() -> None:
    attempts = [
        attempt("a", 1, score=0.5, parts={"correctness": 1.0, "reasoning": 0.2}),
        attempt("a", 2, score=0.5, parts={"correctness": 0.0, "reasoning": 0.4}),
        attempt("b", 1, score=0.5, parts={"correctness": 1.0}),
    ]
    parts = found([exam("a"), exam("b")], attempts, trials=2).parts
    assert parts["correctness"].value == pytest.approx((0.5 + 1.0) / 2)
    assert parts["reasoning"].value == pytest.approx(0.3)
    assert (parts["reasoning"].n, parts["reasoning"].attempts) == (1, 2)


def test_the_median_is_over_marks() -> None:
    attempts = [attempt(name, score=score) for name, score in (("a", 0.0), ("b", 0.2), ("c", 0.9), ("d", 1.0))]
    assert found(map(exam, "abcd"), attempts).median_score == pytest.approx(0.55)
    assert found([exam("a")], []).median_score is None


def test_the_95th_percentile_is_the_least_value_that_95_percent_do_not_exceed() -> None:
    names = [f"c{number}" for number in range(20)]
    timed = [attempt(name, score=1.0, seconds=float(number)) for number, name in enumerate(names, 1)]
    latency = found(map(exam, names), timed).latency
    assert latency is not None
    assert (latency.n, latency.median, latency.p95, latency.maximum) == (20, 10.5, 19.0, 20.0)


def test_fewer_than_twenty_times_have_no_95th_percentile() -> None:
    latency = found([exam("a")], [attempt("a", score=1.0, seconds=2.0)]).latency
    assert latency is not None
    assert (latency.p95, latency.maximum) == (None, 2.0)
    assert found([exam("a")], [attempt("a", failure=BROKE)]).latency is None


def test_usage_is_added_up_and_a_cost_that_is_not_known_stays_unknown() -> None:
    known = Usage(input_tokens=1, output_tokens=2, calls=1, cost=0.5)
    unknown = Usage(input_tokens=10, calls=1)
    both = [attempt("a", score=1.0, usage=known), attempt("b", failure=BROKE, usage=known)]
    assert found(map(exam, "ab"), both).usage == Usage(input_tokens=2, output_tokens=4, calls=2, cost=1.0)
    mixed = [attempt("a", score=1.0, usage=known), attempt("b", score=1.0, usage=unknown)]
    assert found(map(exam, "ab"), mixed).usage.cost is None


def test_a_case_is_flaky_when_some_trials_passed() -> None:
    attempts = [
        *(attempt("a", trial, score=float(trial == 1)) for trial in (1, 2)),
        attempt("b", 1, score=1.0),
        attempt("b", 2, failure=BROKE),
        *(attempt("c", trial, failure=BROKE) for trial in (1, 2)),
    ]
    cases = found(map(exam, "abc"), attempts, trials=2).cases
    assert [case.verdict for case in cases] == ["flaky", "flaky", "fail"]
    assert [(case.passed, case.counted, case.failed_by_agent) for case in cases] == [(1, 2, 0), (1, 2, 1), (0, 2, 2)]
    assert cases[0].question == "what is a?"


def test_troubles_are_gathered_by_reason_the_most_frequent_first() -> None:
    attempts = [
        attempt("a", failure=DOWN),
        attempt("b", failure=BROKE),
        attempt("c", failure=BROKE),
        attempt("d", unscored="too long"),
    ]
    troubles = found(map(exam, "abcd"), attempts).troubles
    assert [(each.owner, each.reason, each.count, each.example.exam) for each in troubles] == [
        ("agent", "it broke", 2, "b"),
        ("environment", "the network is down", 1, "a"),
        ("unscored", "too long", 1, "d"),
    ]


def test_findings_do_not_depend_on_the_order_of_the_attempts() -> None:
    rng = random.Random(7)
    names = [f"c{number}" for number in range(12)]
    attempts = [attempt(name, trial, score=rng.choice([0.0, 0.5, 1.0])) for name in names for trial in (1, 2, 3)]
    shuffled = attempts[:]
    rng.shuffle(shuffled)
    ordered, mixed = (found(map(exam, names), each, trials=3) for each in (attempts, shuffled))
    assert ordered.pass_hat_k == mixed.pass_hat_k
    assert ordered.pass_rate == mixed.pass_rate
    assert ordered.cases == mixed.cases
    assert stability(ordered) == stability(mixed)


def test_conditions_are_planned_for() -> None:
    assert found([exam("a")], [], trials=2, conditions=("", "slow")).counts.planned == 4


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"reviewer": "embedded"}, True),
        ({"reviewer": "mine", "built": {"reviewer": Spec(spec="embedded")}}, True),
        ({"reviewer": "exact", "built": {"reviewer": Spec(spec="exact")}}, False),
        ({"reviewer": None}, False),
    ],
)
def test_results_of_the_embedded_reviewer_say_so_under_any_name(settings: dict[str, object], said: bool) -> None:
    notes = found([exam("a")], [attempt("a", score=1.0)], **settings).notes
    assert any("embedded reviewer" in note for note in notes) is said
    assert found([exam("a")], [], **settings).notes == ()


def test_few_cases_and_failures_of_the_agent_are_noted() -> None:
    notes = found([exam("a")], [attempt("a", failure=BROKE)], reviewer=None).notes
    assert notes[0].startswith("With 1 case the intervals are wide")
    assert notes[1].startswith("The agent itself failed in 1 attempt: counted as not passed")
    names = [f"c{number}" for number in range(30)]
    assert found(map(exam, names), [attempt(name, score=1.0) for name in names], reviewer=None).notes == ()


def test_what_a_failed_attempt_is_to_the_mean_score_is_said_as_it_is() -> None:
    exams = [exam("a"), exam("b")]
    good, broke = attempt("a", score=1.0), attempt("b", failure=BROKE)
    half_way = replace(broke, scores=good.scores)
    unmarked = replace(good, scores=())

    def told(*attempts: Attempt, **settings: object) -> str:
        notes = found(exams, attempts, **settings).notes
        return next(note for note in notes if "agent itself failed" in note)

    said = "The agent itself failed in 1 attempt: counted as not passed"
    assert told(good, broke) == f"{said} and left out of the mean score."
    assert told(good, half_way) == f"{said}; in the mean score the replies before the failure count."
    assert told(unmarked, broke, reviewer=None) == f"{said}."


@pytest.mark.parametrize(("unscored", "bounded"), [(0, False), (1, False), (6, True)])
def test_more_than_five_percent_without_a_mark_are_noted_as_bounded(unscored: int, bounded: bool) -> None:
    names = [f"c{number}" for number in range(100)]
    attempts = [
        attempt(name, unscored="too long") if number < unscored else attempt(name, score=float(number % 2))
        for number, name in enumerate(names)
    ]
    notes = found(map(exam, names), attempts, reviewer="exact").notes
    assert any(note.startswith(f"Bounded: {unscored} of 100 attempts") for note in notes) is bounded


def test_missing_marks_that_outweigh_the_interval_are_noted_as_bounded() -> None:
    names = [f"c{number}" for number in range(2000)]
    attempts = [attempt(name, score=1.0) for name in names[:-10]]
    attempts += [attempt(name, unscored="too long") for name in names[-10:]]
    [note] = found(map(exam, names), attempts, reviewer="exact").notes
    assert note.startswith("Bounded: 10 of 2000 attempts")


def test_stability_needs_two_trials_and_ten_cases() -> None:
    names = [f"c{number}" for number in range(10)]
    attempts = [attempt(name, trial, score=float(name != "c0")) for name in names for trial in range(1, 21)]
    classes = stability(found(map(exam, names), attempts, trials=20))
    assert classes is not None
    assert (classes["c0"], classes["c1"]) == ("stable-fail", "stable-pass")
    assert stability(found(map(exam, names), [attempt(name, score=1.0) for name in names])) is None
    assert stability(found(map(exam, names[:9]), [a for a in attempts if a.key.exam != "c9"], trials=20)) is None


def test_the_order_in_which_attempts_finish_does_not_matter() -> None:
    exams = [exam(name) for name in "abcdef"]
    attempts = [
        replace(
            attempt(
                name,
                trial,
                score=0.1 * trial + 0.05 * place,
                parts={"context": 0.3} if place == 0 else {"reasoning": 0.7, "correctness": 0.9},
                failure=DOWN if (place + trial) % 5 == 0 else BROKE if (place + trial) % 5 == 1 else None,
                seconds=0.1 * place,
            ),
            place=10 * place + trial,
        )
        for place, name in enumerate("abcdef")
        for trial in (1, 2, 3)
    ]
    straight = found(exams, attempts, trials=3)
    random.Random(1).shuffle(attempts)
    mixed = found(exams, attempts, trials=3)
    assert list(mixed.parts) == list(straight.parts) == ["correctness", "reasoning", "context"]
    assert mixed.troubles == straight.troubles
    assert mixed.counts == straight.counts
    assert mixed.pass_rate == straight.pass_rate
    assert mixed.mean_score.value == pytest.approx(straight.mean_score.value)


def test_a_case_knows_the_checks_that_it_failed_in_whatever_order_its_trials_come() -> None:
    def checked(name: str, trial: int, place: int, **passed: bool | None) -> Attempt:
        results = tuple(
            CheckResult(turn=1, name=check, passed=verdict, evidence=f"{check} in trial {trial}")
            for check, verdict in passed.items()
        )
        return replace(attempt(name, trial, score=1.0), checks=results, place=place)

    attempts = [
        checked("a", 1, 0, keywords=True, limits=None),
        checked("a", 2, 1, keywords=False, limits=False),
        checked("a", 3, 2, keywords=False, limits=True),
        checked("b", 1, 3, keywords=False, limits=True),
        checked("c", 1, 4, keywords=True, limits=None),
    ]
    expected = {
        "a": {"keywords": "keywords in trial 2", "limits": "limits in trial 2"},
        "b": {"keywords": "keywords in trial 1"},
        "c": {},
    }
    for order in (attempts, attempts[::-1]):
        findings = found(map(exam, "abc"), order, trials=3)
        assert {case.id: case.failed_checks for case in findings.cases} == expected
        assert list(findings.cases[0].failed_checks) == ["keywords", "limits"]


def test_a_row_that_could_not_be_judged_is_not_failed_because_the_agent_broke_later() -> None:
    rows = tuple(Case(id=name, question=f"what is {name}?", answer="x") for name in ("one", "two", "three", "four"))
    broken = replace(attempt("script", failure=BROKE), turn_passed=(True, None, None))  # at the third of four
    shown = found([Exam(id="script", cases=rows)], [broken], type="abm-static").rows
    assert [(row.counted, row.passed, row.unscored) for row in shown] == [(1, 1, 0), (0, 0, 1), (1, 0, 0), (1, 0, 0)]
    assert [row.failed_by_agent for row in shown] == [0, 0, 1, 1]


def test_categories_of_a_script_are_those_of_its_rows() -> None:
    rows = (
        Case(id="one", question="1?", answer="x", categories=("maths",)),
        Case(id="two", question="2?", answer="x", categories=("music",)),
    )
    talked = replace(attempt("script", score=0.5), turn_passed=(True, False))
    shown = found([Exam(id="script", cases=rows)], [talked], type="abm-static").categories
    assert {name: category.pass_rate.value for name, category in shown.items()} == {"maths": 1.0, "music": 0.0}


def test_a_category_of_seed_questions_has_the_mean_share_of_replies_that_passed_as_the_run_has() -> None:
    exams = [replace(exam(name, category), open=True) for name, category in (("a", "x"), ("b", "x"), ("c", "y"))]
    attempts = [
        replace(attempt(name, score=0.5), turn_passed=passed, passed=all(passed))
        for name, passed in (("a", (True, True, True, False)), ("b", (True, True)), ("c", (False, True)))
    ]
    shown = found(exams, attempts, type="abm-dynamic")
    assert {name: each.pass_rate.value for name, each in shown.categories.items()} == {"x": 0.875, "y": 0.5}
    assert shown.categories["x"].passed == 1  # held
    assert shown.pass_rate.value == pytest.approx((0.75 + 1 + 0.5) / 3)


def test_a_category_of_seed_questions_says_what_is_missing() -> None:
    exams = [replace(exam(name, "x"), open=True) for name in "ab"]
    played = replace(attempt("a", score=1.0), turn_passed=(True, False), passed=False)
    rate = found(exams, [played], type="abm-dynamic").categories["x"].pass_rate
    assert (rate.value, rate.n, rate.missing, rate.worst, rate.best) == (0.5, 1, 1, 0.25, 0.75)


def test_replies_that_are_consistently_wrong_are_told() -> None:
    seed = replace(exam("a"), open=True)
    asked = (
        Turn(number=1, question="what is a?", reply=Reply(text="five"), case="a"),
        Turn(number=2, question="Which source says so?", reply=Reply(text="five"), strategy="source", refers_to=1),
        Turn(number=3, question="what is a?", reply=Reply(text="five"), case="a", strategy="ask-again", refers_to=1),
    )
    wrong = attempt("a", score=0.0)
    talked = replace(wrong, transcript=Transcript(turns=asked), turn_passed=(False, None, False))
    notes = found([seed], [talked], type="abm-dynamic").notes
    assert any(note.startswith("1 reply repeated a wrong answer where the right one is not known: ") for note in notes)
