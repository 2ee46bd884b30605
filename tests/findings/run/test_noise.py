"""What repeated judgements show of a judge, and what is cheapest to add."""

from __future__ import annotations

import random

import pytest

from proctor.findings.run.noise import NoiseFinding, RunSize, noise_finding
from proctor.reports.noise import as_dict, noise_sentences
from proctor.score import SecondOpinion
from proctor.usage import Usage

SIZE = RunSize(cases=30, trials=2, attempt_cost=None)


def judged(
    chance: float, *, cases: int = 30, trials: int = 2, repeats: int = 3, cost: float | None = None
) -> list[SecondOpinion]:
    """Two of three cases pass; with this chance a judgement says the opposite."""
    rng = random.Random(3)
    usage = Usage() if cost is None else Usage(calls=1, cost=cost)
    return [
        SecondOpinion(
            exam=str(case), trial=trial, judge="j", repeat=repeat, usage=usage,
            passed=(case % 3 > 0) ^ (rng.random() < chance), value=0.5 + 0.4 * (case % 3 > 0),
        )
        for repeat in range(1, repeats + 1)
        for case in range(cases)
        for trial in range(1, trials + 1)
    ]  # fmt: skip


def found(given: list[SecondOpinion], size: RunSize = SIZE) -> NoiseFinding:
    noise = noise_finding("strict", given, size)
    assert noise is not None
    return noise


def test_what_was_judged_once_shows_no_noise() -> None:
    assert noise_finding("j", judged(0.1, repeats=1), SIZE) is None
    assert noise_finding("j", [], SIZE) is None


def test_a_judge_that_never_changes_its_mind_adds_nothing_and_more_judgements_do_not_help() -> None:
    noise = found(judged(0.0))
    assert noise.flips is not None
    assert noise.flips.value == 0.0
    assert noise.verdicts is not None
    assert noise.verdicts.judgements.value == 0.0
    assert noise.cheapest == "cases"
    assert [option.add for option in noise.options if option.gain == 0] == ["trials", "judgements"]
    assert any("cases" in sentence and "Cheapest" in sentence for sentence in noise_sentences(noise))


def test_a_judge_that_errs_often_is_told_with_its_share() -> None:
    noise = found(judged(0.2))
    assert noise.flips is not None
    assert noise.flips.value == pytest.approx(0.32, abs=0.1)
    told = " ".join(noise_sentences(noise))
    assert "Asked 3 times about 60 replies, strict gives two verdicts that differ" in told
    assert "the judge " in told


def test_cheap_judgements_are_worth_more_than_dear_attempts() -> None:
    dear = RunSize(cases=30, trials=2, attempt_cost=1.0)
    assert found(judged(0.3, cost=0.001), dear).cheapest == "judgements"
    assert found(judged(0.02, cost=1.0), dear).cheapest == "cases"
    assert found(judged(0.3, cost=0.001), dear).unit == "cost"
    assert found(judged(0.3), dear).unit == "calls"


def test_twice_as_many_cases_halve_the_variance() -> None:
    noise = found(judged(0.1))
    assert noise.half_width is not None
    widths = {option.add: option.half_width for option in noise.options}
    assert widths["cases"] == pytest.approx(noise.half_width / 2**0.5)
    assert widths["cases"] <= min(widths["trials"], widths["judgements"])


def test_replies_without_a_verdict_each_time_and_cases_that_lack_some_are_left_out() -> None:
    given = [each for each in judged(0.1) if not (each.exam == "0" and each.trial == 2)]
    given = [
        SecondOpinion(exam=each.exam, trial=each.trial, judge="j", repeat=each.repeat, unscored="cut off")
        if each.exam == "1" and each.repeat == 2
        else each
        for each in given
    ]
    noise = found(given)
    assert noise.replies == 56
    assert noise.left_out == 3
    assert "3 more were not judged each time" in next(noise_sentences(noise))


def test_a_last_repeat_that_was_cut_off_leaves_the_others() -> None:
    given = [each for each in judged(0.1) if each.repeat < 3 or each.exam in ("0", "1")]
    assert found(given).repeats == 2


def test_one_trial_cannot_be_told_from_its_case() -> None:
    noise = found(judged(0.1, trials=1), RunSize(cases=30, trials=1, attempt_cost=None))
    assert noise.verdicts is not None
    assert noise.verdicts.trials is None
    assert [option.add for option in noise.options] == ["cases", "judgements"]
    assert "What more trials would do is not known, as each case was tried once." in " ".join(noise_sentences(noise))
    variance = as_dict(noise)["variance"]
    assert variance["trials"] is None


def test_too_few_cases_and_no_verdicts_are_said() -> None:
    few = found(judged(0.1, cases=2), RunSize(cases=2, trials=2, attempt_cost=None))
    assert few.verdicts is None
    assert "judge at least 3" in " ".join(noise_sentences(few))
    assert as_dict(few)["cheapest"] is None


def test_a_part_below_nothing_is_said() -> None:
    given = [
        SecondOpinion(exam=str(case), trial=1, judge="j", repeat=repeat, passed=bool((case + repeat) % 2))
        for case in range(4)
        for repeat in (1, 2)
    ]
    assert "came out below 0" in " ".join(noise_sentences(found(given, RunSize(cases=4, trials=1, attempt_cost=None))))
