"""kill -9 at random moments: nothing is lost, and only what was in flight is paid again."""

from __future__ import annotations

from pathlib import Path

from tests.workflows.killing import torture

CONCURRENCY = 4
WINDOW = 0.05
DELAY = 0.004


def test_a_run_killed_again_and_again_ends_with_every_attempt_exactly_once(tmp_path: Path) -> None:
    toll = torture(tmp_path, kills=4, cases=100, trials=2, concurrency=CONCURRENCY, delay=DELAY)
    assert toll.kills == 4
    assert toll.stored == toll.planned == 200
    assert toll.passed == 200
    in_flight = CONCURRENCY
    in_the_window = CONCURRENCY * WINDOW / DELAY
    assert 0 <= toll.twice <= toll.kills * (in_flight + in_the_window)
