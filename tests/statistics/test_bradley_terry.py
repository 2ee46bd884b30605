from __future__ import annotations

import random
from itertools import combinations

import pytest

from proctor.statistics.bradley_terry import FEWEST_CASES, Pair, Ranking, ranking, strengths


def matrix(players: int, wins: dict[Pair, tuple[int, int]]) -> list[list[float]]:
    found = [[0.0] * players for _ in range(players)]
    for (a, b), (mine, theirs) in wins.items():
        found[a][b], found[b][a] = mine, theirs
    return found


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        ({(0, 1): (7, 3), (0, 2): (9, 1), (1, 2): (6, 4)}, [0.8296, -0.1399, -0.6897]),
        ({(0, 1): (5, 0), (0, 2): (5, 0), (1, 2): (5, 0)}, [1.8103, 0.0, -1.8103]),
        ({(0, 1): (8, 2), (1, 2): (8, 2), (0, 2): (2, 8)}, [0.0, 0.0, 0.0]),
    ],
)
def test_worked_examples(wins: dict[Pair, tuple[int, int]], expected: list[float]) -> None:
    assert strengths(matrix(3, wins)) == pytest.approx(expected, abs=5e-5)


def test_strengths_add_up_to_0_and_whoever_never_lost_stays_finite() -> None:
    found = strengths(matrix(3, {(0, 1): (100_000, 0), (0, 2): (100_000, 0), (1, 2): (0, 0)}))
    assert sum(found) == pytest.approx(0)
    assert found[1] == pytest.approx(found[2])
    assert found[0] - found[1] == pytest.approx(12.2, abs=0.2)


def played(cases: int, chances: dict[Pair, float], *, seed: int = 1, ties: float = 0.0) -> list[dict[Pair, float]]:
    """Each case with a contest of every pair, won by its first with these chances."""
    dice = random.Random(seed)
    return [
        {pair: 0.5 if dice.random() < ties else float(dice.random() < chance) for pair, chance in chances.items()}
        for _ in range(cases)
    ]


def everybody(players: int, chance: float) -> dict[Pair, float]:
    return dict.fromkeys(combinations(range(players), 2), chance)


def ranks(found: Ranking) -> list[tuple[int, int]]:
    return [(one.best, one.worst) for one in found.strengths]


def test_a_clear_order_is_ranked() -> None:
    found = ranking(played(60, everybody(3, 0.9)), 3)
    assert ranks(found) == [(1, 1), (2, 2), (3, 3)]
    for one in found.strengths:
        assert one.value.low is not None
        assert one.value.high is not None
        assert one.value.low < (one.value.value or 0) < one.value.high
        assert one.value.n == 60
    assert found.cycles == ()


def test_a_difference_that_the_cases_do_not_show_is_a_tie() -> None:
    assert ranks(ranking(played(40, everybody(3, 0.5)), 3)) == [(1, 3)] * 3


def test_everybody_alike_is_a_tie_of_all() -> None:
    found = ranking([dict.fromkeys(combinations(range(3), 2), 0.5)] * 50, 3)
    assert ranks(found) == [(1, 3)] * 3
    assert [one.value.value for one in found.strengths] == pytest.approx([0, 0, 0])


def test_too_few_cases_have_strengths_without_intervals_or_ranks() -> None:
    found = ranking(played(FEWEST_CASES - 1, everybody(3, 1.0)), 3)
    assert ranks(found) == [(1, 3)] * 3
    for one in found.strengths:
        assert one.value.value is not None
        assert one.value.low is None
        assert "29 cases" in one.value.note
    assert all(meeting.share.low is None for meeting in found.meetings)


def test_a_win_in_every_case_is_certain() -> None:
    assert ranks(ranking([{(0, 1): 1.0}] * FEWEST_CASES, 2)) == [(1, 1), (2, 2)]


def test_a_cycle_that_survives_is_told_and_nobody_is_ranked() -> None:
    found = ranking(played(100, {(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.1}), 3)
    assert found.cycles == ((0, 1, 2),)
    assert ranks(found) == [(1, 3)] * 3


def test_a_cycle_by_chance_is_not_told() -> None:
    found = ranking([{(0, 1): 1.0, (1, 2): 1.0, (0, 2): 0.0}] * 16 + [{(0, 1): 0.0, (1, 2): 0.0, (0, 2): 1.0}] * 14, 3)
    assert [meeting.share.value for meeting in found.meetings] == pytest.approx([16 / 30, 14 / 30, 16 / 30])
    assert found.cycles == ()


def test_a_cycle_of_four_is_found() -> None:
    chances = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0, (0, 3): 0.0, (0, 2): 0.5, (1, 3): 0.5}
    assert ranking(played(60, chances), 4).cycles == ((0, 1, 2, 3),)


def test_pairs_that_never_met_have_no_share_and_are_placed_by_what_they_did_to_others() -> None:
    outcomes = [{(0, 1): 1.0}] * 40 + [{(1, 2): 1.0}] * 40 + [{}]
    found = ranking(outcomes, 3)
    met = {(one.a, one.b): one for one in found.meetings}
    assert met[0, 2].share.value is None
    assert met[0, 2].contests == 0
    assert ranks(found) == [(1, 1), (2, 2), (3, 3)]
    assert found.cases == 80


def test_nothing_played_is_no_cases() -> None:
    found = ranking([], 2)
    assert found.cases == 0
    assert [one.value.value for one in found.strengths] == pytest.approx([0, 0])


def test_the_same_cases_give_the_same_numbers() -> None:
    outcomes = played(40, everybody(4, 0.7), ties=0.3)
    assert ranking(outcomes, 4) == ranking(outcomes, 4)


@pytest.mark.parametrize("ties", [0.0, 0.8])
def test_equals_are_seldom_ranked(ties: float) -> None:
    """The level is that of all pairs together: one tournament in twenty may claim what is not so."""
    claims = sum(
        any(one.certain for one in ranking(played(40, everybody(4, 0.5), seed=seed, ties=ties), 4).meetings)
        for seed in range(60)
    )
    assert claims <= 8


@pytest.mark.parametrize("score", [1.0, 0.5, 0.0])
def test_cases_that_all_ended_alike_give_no_interval_of_no_width(score: float) -> None:
    found = ranking([{(0, 1): score}] * 40, 2)
    for strength in found.strengths:
        assert (strength.value.low, strength.value.high) == (None, None)
        assert "ended alike" in strength.value.note
    [meeting] = found.meetings
    assert meeting.share.low is not None
    assert meeting.share.high is not None
    assert meeting.share.high - meeting.share.low > 0.05
    assert meeting.certain == {1.0: 1, 0.5: 0, 0.0: -1}[score], "that one is stronger is shown all the same"
