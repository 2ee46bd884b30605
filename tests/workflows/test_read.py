"""Reading what is stored: the numbers of a list are those of the findings."""

from __future__ import annotations

import io
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from rich.console import Console

import proctor
from proctor.reports.runs import runs_table
from proctor.storage import open_store
from proctor.workflows.read import list_runs, read_findings

CASES = [(f"question {number}", "yes") for number in range(7)]


def wavering(request: proctor.Request) -> str:
    """Right, wrong, or out of reach, by the question and by how often it was asked."""
    number = int(request.question.rpartition(" ")[2])
    if number == 3:
        raise ConnectionError("away")
    return "yes" if (number + request.trial) % 3 else "no"


@pytest.fixture
def store(tmp_path: Path) -> str:
    """With a run that has passes, failures and losses."""
    where = str(tmp_path / "s.db")
    proctor.evaluate(CASES, agent=wavering, name="wavering", reviewer="exact", trials=6, retries=0, store=where)
    return where


def test_the_rate_in_a_list_is_that_of_the_findings_with_its_bounds(store: str) -> None:
    [(_, listed)] = list_runs(store=store, limit=5)
    found = read_findings("wavering", store=store).pass_rate
    assert listed is not None
    assert asdict(listed.rate) == pytest.approx(asdict(found))
    assert (listed.asked, listed.judged, listed.no_test) == (None, None, False)
    assert 0 < found.missing < 42
    assert found.worst is not None


def test_a_run_that_never_began_has_all_its_attempts_missing(store: str) -> None:
    with open_store(store) as opened:
        old = opened.archive.find("wavering")
        new = replace(old, id="new", name="new", created=old.created + 1)
        opened.journal.create(new, opened.archive.benchmark_of(old.id))
    (_, listed), _ = list_runs(store=store, limit=5)
    assert listed is not None
    assert listed.rate == read_findings("new", store=store).pass_rate
    assert (listed.rate.value, listed.rate.missing) == (None, 42)


def test_what_cannot_be_read_is_listed_without_a_rate(store: str) -> None:
    with open_store(store) as opened, opened.archive._database.writing() as connection:
        connection.exec_driver_sql("UPDATE runs SET settings = '{'")
    [(run, listed)] = list_runs(store=store, limit=5)
    assert (run.name, run.status, listed) == ("wavering", "failed", None)


def test_a_damaged_attempt_or_benchmark_does_not_matter_to_a_list(store: str) -> None:
    [(_, before)] = list_runs(store=store, limit=5)
    with open_store(store) as opened, opened.archive._database.writing() as connection:
        connection.exec_driver_sql("UPDATE attempts SET body = '{'")
        connection.exec_driver_sql("UPDATE benchmarks SET body = '{'")
    assert [listed for _, listed in list_runs(store=store, limit=5)] == [before]


def test_a_run_whose_agent_never_answered_is_known_as_such_in_the_list(tmp_path: Path) -> None:
    def broken(question: str) -> str:
        raise RuntimeError("database is down")

    store = str(tmp_path / "store.db")
    for agent in (broken, lambda question: "wrong"):
        proctor.evaluate([("one?", "yes"), ("two?", "no")], agent=agent, store=store, reviewer="exact")
    (wrong, found), (crashed, failed) = list_runs(store=store, limit=5)
    assert (wrong.status, crashed.status) == ("completed", "completed")
    assert found is not None
    assert failed is not None
    assert (found.never_answered, failed.never_answered) == (False, True)
    printed = io.StringIO()
    Console(file=printed, width=130).print(runs_table([(crashed, failed)]))
    assert "✗ agent failed" in printed.getvalue()
    assert "✓" not in printed.getvalue()
