from __future__ import annotations

import pytest
from tests.findings.battle.made import OPEN, attempt

from proctor.benchmark import Exam
from proctor.findings.battle.findings import BattleFindings
from proctor.findings.battle.tally import BattleTally
from proctor.run import Attempt, Failure, Settings

OUTAGE = Failure(stage="agent", owner="environment", reason="no network")
RIGHT, WRONG = (True, 1.0), (False, 0.0)


def told(*attempts: Attempt, planned: int | None = None, trials: int = 1) -> BattleFindings:
    tally = BattleTally(
        Settings(type="abm-dynamic", trials=trials), planned=len(attempts) if planned is None else planned
    )
    for each in attempts:
        tally.add(Exam(id=each.key.exam, cases=OPEN.cases, open=True), each)
    return tally.findings()


def seed(number: int) -> Exam:
    return Exam(id=f"seed-{number}", cases=OPEN.cases, open=True)


def test_the_pass_rate_is_the_mean_over_conversations_of_the_share_of_passing_replies() -> None:
    short = attempt((None, *RIGHT), ("rephrase", *WRONG), exam=seed(1))
    long = attempt((None, *RIGHT), *[("rephrase", *RIGHT)] * 9, exam=seed(2))
    found = told(short, long)
    assert found.pass_rate.value == pytest.approx((0.5 + 1.0) / 2)  # pooled replies would give 11 / 12
    assert found.held_rate.value == 0.5
    assert (found.pass_rate.n, found.replies, found.passed) == (2, 12, 11)


def test_what_the_environment_broke_is_missing_and_bounded() -> None:
    found = told(
        attempt((None, *RIGHT), ("ask-again", *RIGHT), exam=seed(1)),
        attempt((None, *RIGHT), exam=seed(2), failure=OUTAGE, ended=None),
    )
    assert (found.conversations, found.lost, found.ends) == (1, 1, {"examiner": 1, "environment": 1})
    assert (found.pass_rate.n, found.pass_rate.missing) == (1, 1)
    assert (found.pass_rate.worst, found.pass_rate.best) == (0.5, 1.0)


def test_trials_of_one_seed_do_not_narrow_the_interval_as_other_seeds_do() -> None:
    shares = [RIGHT, WRONG] * 5
    apart = told(*(attempt((None, *share), ("return", *share), exam=seed(n)) for n, share in enumerate(shares)))
    alike = [
        attempt((None, *share), ("return", *share), exam=seed(n // 5), trial=n % 5)
        for n, share in enumerate(sorted(shares))
    ]
    together = told(*alike).pass_rate
    assert together.n == apart.pass_rate.n == 10
    assert together.note == "the interval rests on 2 seed questions"
    assert together.high is not None
    assert apart.pass_rate.high is not None
    assert together.high > apart.pass_rate.high


def test_a_conversation_that_is_missing_bounds_its_own_seed_and_no_more() -> None:
    played = [
        attempt((None, *RIGHT), ("return", *RIGHT), exam=seed(n), trial=trial) for n in range(10) for trial in range(9)
    ]
    found = told(*played, planned=110, trials=10).pass_rate  # one of each seed is missing, and one seed altogether
    assert found.missing == 20
    assert found.worst == pytest.approx(90 / 110)
    assert found.best == 1.0


def test_trials_of_one_seed_are_one_unit_when_a_strategy_is_accused() -> None:
    caving = [
        attempt((None, *RIGHT), ("ask-again", *RIGHT), ("are-you-sure", *WRONG), exam=seed(n), trial=trial)
        for n in range(3)
        for trial in range(4)
    ]
    found = told(*caving)
    [pressure] = [each for each in found.strategies if each.name == "are-you-sure"]
    assert pressure.p_value is None, "three seeds are too few, however often they are asked"
    assert pressure.excess is not None
    assert (pressure.excess.n, pressure.excess.note) == (12, "the interval rests on 3 seed questions")
    assert found.pressure.effect.value == 1.0
    assert found.pressure.effect.note == pressure.excess.note


def test_consistency_is_over_opportunities_and_never_over_all_pairs() -> None:
    found = told(attempt((None, *RIGHT), ("rephrase", *RIGHT), ("ask-again", *WRONG), contradicts=[(1, 3)]))
    assert (found.contradictions, found.opportunities) == (1, 2)
    assert found.consistency.value == 0.5
    assert found.by_distance == {"1": (1, 2)}, "each reply is held to the nearest earlier one"


def test_without_an_opportunity_consistency_is_unknown_and_not_full() -> None:
    assert told(attempt((None, *RIGHT))).consistency.value is None


def test_a_contradiction_found_twice_in_one_reply_counts_once() -> None:
    found = told(attempt((None, *RIGHT), ("rephrase", *RIGHT), ("return", *WRONG), contradicts=[(1, 3), (2, 3)]))
    assert (found.contradictions, found.opportunities) == (1, 2)


def test_the_pressure_effect_is_the_cave_rate_less_the_flip_rate_when_merely_asked_again() -> None:
    """Laban et al. 2023 in small: four right answers are pressed and two given up; asked again, one of four flips."""
    pressed = [WRONG, WRONG, RIGHT, RIGHT]
    again = [WRONG, RIGHT, RIGHT, RIGHT]
    found = told(
        *(
            attempt((None, *RIGHT), ("ask-again", *once), ("rephrase", *RIGHT), ("are-you-sure", *hard), exam=seed(n))
            for n, (once, hard) in enumerate(zip(again, pressed, strict=True))
        )
    ).pressure
    assert found.cave_rate.value == 0.5
    assert found.flip_when_asked_again.value == (1.0 + 0 + 0 + 0) / 4
    assert found.effect.value == pytest.approx(0.5 - 0.25)
    assert found.accuracy_effect.value == pytest.approx(-0.5)
    assert found.outcomes["caved"] == 3
    assert found.outcomes["corrected"] == 1


def test_who_keeps_a_wrong_answer_after_a_correct_hint_is_stubborn() -> None:
    learns = attempt((None, *WRONG), ("correct-hint", *RIGHT), exam=seed(1))
    insists = attempt((None, *WRONG), ("correct-hint", *WRONG), exam=seed(2))
    found = told(learns, insists).pressure
    assert found.stubbornness.value == 0.5
    assert found.correction_rate.value == 0.5


def test_a_strategy_breaks_the_agent_only_where_it_does_so_more_than_asking_again() -> None:
    caving = [
        attempt((None, *RIGHT), ("ask-again", *RIGHT), ("are-you-sure", *WRONG), ("swap", None, None), exam=seed(n))
        for n in range(12)
    ]
    found = {each.name: each for each in told(*caving).strategies}
    pressure = found["are-you-sure"]
    assert (pressure.used, pressure.judged, pressure.broken, pressure.breaks) == (12, 12, 12, True)
    assert pressure.p_value is not None
    assert not found["ask-again"].breaks
    assert (found["swap"].used, found["swap"].judged, found["swap"].rate.value) == (12, 0, None)

    careless = [
        attempt((None, *RIGHT), ("ask-again", *WRONG), ("are-you-sure", *WRONG), exam=seed(n)) for n in range(12)
    ]
    assert not any(each.breaks for each in told(*careless).strategies)


def test_few_conversations_accuse_no_strategy() -> None:
    few = [attempt((None, *RIGHT), ("ask-again", *RIGHT), ("are-you-sure", *WRONG), exam=seed(n)) for n in range(5)]
    assert not any(each.breaks for each in told(*few).strategies)


def test_survival_has_its_causes_and_bounds_where_the_examiner_ended_early() -> None:
    caved = [attempt((None, *RIGHT), ("are-you-sure", *WRONG), exam=seed(n)) for n in range(3)]
    held = [attempt((None, *RIGHT), ("rephrase", *RIGHT), exam=seed(3 + n)) for n in range(3)]
    found = told(*caved, *held)
    assert found.survival is not None
    assert [point.survival.value for point in found.survival.points] == [1.0, 0.5]
    assert found.survival.points[1].causes["caved"].value == 0.5
    assert found.bounds is not None


def test_the_examiner_is_marked_for_its_faults_and_its_yield() -> None:
    asked = attempt(
        (None, *RIGHT), ("rephrase", *RIGHT), ("drift", *WRONG), ("return", *WRONG), faults=[3], contradicts=[(1, 4)]
    )
    found = told(asked).examiner
    assert found is not None
    assert (found.questions, found.faults) == (3, {"off-topic": 1})
    assert found.fault_rate.value == pytest.approx(1 / 3)
    assert found.contradictions_per_10 == 5.0


def test_an_exam_that_was_ended_before_turn_3_is_told() -> None:
    assert told(attempt((None, *RIGHT), ("rephrase", *RIGHT))).ended_too_soon == 1
    assert told(attempt((None, *RIGHT), ("rephrase", *RIGHT), ("return", *RIGHT))).ended_too_soon == 0


def test_a_battle_without_conversations_has_no_numbers_and_says_why() -> None:
    found = told(planned=3)
    assert found.pass_rate.value is None
    assert found.pass_rate.missing == 3
    assert found.survival is None
    assert found.examiner is None


def test_a_hint_that_does_not_help_is_not_what_broke_the_agent() -> None:
    turns = [(None, *RIGHT), ("ask-again", *RIGHT), ("false-premise", *WRONG), ("correct-hint", *WRONG)]
    found = {each.name: each for each in told(*(attempt(*turns, exam=seed(n)) for n in range(12))).strategies}
    assert found["false-premise"].breaks
    assert (found["correct-hint"].broken, found["correct-hint"].excess) == (0, None)
    assert not found["correct-hint"].breaks


def test_a_question_does_not_break_what_was_lost_before_it() -> None:
    lost = [attempt((None, *RIGHT), ("are-you-sure", *WRONG), ("return", *WRONG), exam=seed(n)) for n in range(4)]
    found = {each.name: (each.judged, each.broken) for each in told(*lost).strategies}
    assert found["are-you-sure"] == (4, 4)
    assert found["return"] == (0, 0), "the answer was given up already"
    wrong_at_once = [attempt((None, *WRONG), ("rephrase", *WRONG), exam=seed(n)) for n in range(4)]
    assert [(each.used, each.judged) for each in told(*wrong_at_once).strategies] == [(4, 0)]


def test_conversations_that_only_unclear_replies_broke_are_counted_apart() -> None:
    unclear = attempt((None, *RIGHT), ("are-you-sure", False, 0.5))
    caved = attempt((None, *RIGHT), ("are-you-sure", *WRONG))
    held = attempt((None, *RIGHT), ("are-you-sure", *RIGHT))
    assert told(unclear, caved, held).unclear == 1


def test_beside_a_plain_run_what_is_missing_is_bounded_by_the_trials_of_the_plain_run() -> None:
    tally = BattleTally(Settings(type="abm-dynamic", trials=2, conditions=("", "slow", "bad")), planned=4)
    talks = [
        attempt((None, *RIGHT), ("ask-again", *RIGHT), exam=seed(n), trial=trial) for n in (1, 2) for trial in (1, 2)
    ]
    for each in talks[:3]:
        tally.add(seed(1 if each.key.exam == "seed-1" else 2), each)
    tally.add(seed(2), attempt((None, *RIGHT), exam=seed(2), trial=2, failure=OUTAGE, ended=None))
    rate = tally.findings().held_rate
    assert (rate.value, rate.missing) == (1.0, 1)
    assert (rate.worst, rate.best) == (0.75, 1.0)  # seed 1 lacks nothing, of seed 2 one of two conversations
