from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from proctor.reports.run.html import select
from proctor.run import Attempt

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def named(attempt: Attempt) -> str:
    return f"{attempt.key.exam} {attempt.key.trial}"


def test_all_are_shown_where_there_is_room(sample: Sample) -> None:
    shown = select(sample.findings.cases, sample.attempts, named, limit=500)
    assert sum(map(len, shown.values())) == 18
    assert [each.text for each in shown["flaky"]] == ["flaky 1", "flaky 2", "flaky 3"]


def test_what_went_wrong_is_shown_first(sample: Sample) -> None:
    shown = select(sample.findings.cases, sample.attempts, named, limit=9)
    assert list(shown) == ["crashing", "bad", "flaky"]


def test_the_limit_holds_and_passed_trials_give_way(maker: Callable[..., Maker]) -> None:
    made = maker(trials=50)
    case = made.case("a")
    for trial in range(1, 51):
        made.marked(case, 0.1 if trial in (20, 40, 50) else 0.9, trial=trial)
    sample = made.sample()
    shown = select(sample.findings.cases, sample.attempts, named, limit=5)
    assert [each.text for each in shown["a"]] == ["a 1", "a 2", "a 20", "a 40", "a 50"]


def test_only_what_is_shown_is_rendered(maker: Callable[..., Maker]) -> None:
    made = maker()
    for number in range(100):
        made.marked(made.case(f"case-{number}"), 0.9)
    sample, rendered = made.sample(), []
    select(sample.findings.cases, sample.attempts, lambda attempt: rendered.append(attempt) or "", limit=7)  # type: ignore[func-returns-value]
    assert len(rendered) == 7
