"""Which stored runs are meant."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from proctor.errors import UsageError
from proctor.run import Run, Status
from proctor.workflows.run_filter import RunFilter, moment


def run(number: int, *, status: Status = "completed", created: float = 0.0, **labels: str) -> Run:
    return Run(
        id=str(number), name="n", benchmark=f"b{number % 2}", digest="d", agent=f"agent {number % 3}", labels=labels,
        status=status, created=created,
    )  # fmt: skip


RUNS = [run(1, team="a"), run(2, status="failed", team="b"), run(3, created=500.0), run(4, created=900.0, team="a")]


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        (RunFilter(), "1234"),
        (RunFilter(agent="agent 1"), "14"),
        (RunFilter(benchmark="b0"), "24"),
        (RunFilter(status="failed"), "2"),
        (RunFilter(status="queued"), ""),
        (RunFilter(since=500.0), "34"),
        (RunFilter(labels={"team": "a"}), "14"),
        (RunFilter(labels={"team": "a"}, benchmark="b0"), "4"),
    ],
)
def test_only_what_has_all_that_was_asked_for_is_kept(only: RunFilter, ids: str) -> None:
    assert "".join(each.id for each in only.of(RUNS)) == ids


@pytest.mark.parametrize(
    ("only", "message"),
    [
        (RunFilter(agent="agent 9"), "did you mean 'agent"),
        (RunFilter(benchmark="nothing like it"), "there are 'b1', 'b0'"),
        (RunFilter(labels={"tem": "a"}), "did you mean 'team'"),
        (RunFilter(labels={"team": "z"}), "the value of team 'z'"),
    ],
)
def test_a_name_that_no_run_has_is_told_and_not_an_empty_list(only: RunFilter, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        only.of(RUNS)


def test_an_empty_store_has_nothing_to_refuse() -> None:
    assert RunFilter(agent="x", labels={"a": "b"}).of([]) == []


@pytest.mark.parametrize(("age", "seconds"), [("90m", 5400), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600)])
def test_an_age_counts_back_from_now(age: str, seconds: int) -> None:
    assert moment(age) == pytest.approx(time.time() - seconds, abs=5)


@pytest.mark.parametrize("text", ["2026-11-01", "2026-11-01T08:30", "2026-11-01T08:30:00+00:00"])
def test_a_date_is_taken_as_it_stands(text: str) -> None:
    assert moment(text) == datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize("text", ["", "yesterday", "7 years", "2026-13-01", "99999999999d"])
def test_what_is_neither_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(UsageError, match="expected one such as 2026-11-01"):
        moment(text)
