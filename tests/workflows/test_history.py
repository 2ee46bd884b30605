"""Reading a history from a store."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.made_histories import Known, a_run, counts, story, told

from proctor.benchmark import Case
from proctor.codec import benchmark_of
from proctor.errors import InputError, UsageError
from proctor.run import Attempt, Finished, Key
from proctor.storage import Store, open_store
from proctor.storage.archive import DatabaseArchive
from proctor.workflows.compare import compare
from proctor.workflows.history import read_history, save_chart, save_page
from proctor.workflows.read import list_runs


def keep(store: Store, known: Known) -> None:
    """Store a run with attempts that ended so."""
    run, verdicts = known
    store.journal.create(run, benchmark_of([Case(id=case, question=f"{case}?") for case in verdicts], name="handbook"))
    passes = {case: [True] * right + [False] * (counted - right) for case, (counted, right) in verdicts.items()}
    attempts = [
        Attempt(key=Key(run=run.id, exam=case, trial=trial), place=3 * place + trial, passed=passed, finished=True)
        for place, (case, ended) in enumerate(passes.items())
        for trial, passed in enumerate(ended, 1)
    ]
    with store.journal.writing(run.id):
        store.journal.write([Finished(attempt=attempt) for attempt in attempts])


@pytest.fixture
def store(tmp_path: Path) -> str:
    """The made-up story, and one run of another benchmark before it."""
    where = str(tmp_path / "store.db")
    with open_store(where) as opened:
        keep(opened, (a_run(1, benchmark="times", id="261101-000000-ffff"), counts(cases=2)))
        for known in story():
            keep(opened, known)
    return where


def test_what_is_read_is_the_history_of_the_newest_benchmark(store: str) -> None:
    history, expected = read_history(store=store, last=4), told(others=("times",), last=4)
    assert history is not None
    assert (history.benchmark, history.others) == ("handbook", ("times",))
    for found, entry in zip(history.entries, expected.entries, strict=True):
        assert (found.run, found.when, found.rate) == (entry.run, entry.when, entry.rate)
        assert found.change is not None
        assert entry.change is not None
        assert (found.change.verdict, found.change.p_value) == (entry.change.verdict, entry.change.p_value)


def test_a_benchmark_can_be_named(store: str) -> None:
    history = read_history(store=store, benchmark="times")
    assert history is not None
    assert (history.benchmark, len(history.entries), history.others) == ("times", 1, ("handbook",))


def test_a_benchmark_or_agent_that_is_not_stored_is_refused_with_the_nearest(store: str) -> None:
    with pytest.raises(UsageError, match="no stored run has the benchmark 'handbok'; did you mean 'handbook'"):
        read_history(store=store, benchmark="handbok")
    with pytest.raises(UsageError, match="no stored run has the agent 'x'; there are 'python:agent:librarian'"):
        read_history(store=store, agent="x")


def test_only_one_agent_can_be_looked_at(store: str) -> None:
    with open_store(store) as opened:
        keep(opened, (a_run(14, agent="other"), counts()))
    history = read_history(store=store, agent="other")
    assert history is not None
    assert [entry.run.agent for entry in history.entries] == ["other"]


def test_rates_are_those_of_the_list(store: str) -> None:
    listed = {run.id: found.rate for run, found in list_runs(store=store, limit=100) if found is not None}
    history = read_history(store=store)
    assert history is not None
    assert {entry.run.id: entry.rate for entry in history.entries}.items() <= listed.items()


def test_changes_are_those_that_compare_finds(store: str) -> None:
    history = read_history(store=store)
    assert history is not None
    change = history.entries[-1].change
    assert change is not None
    found = compare(change.baseline.run.id, history.entries[-1].run.id, store=store).pass_rate
    assert (found.difference.n, found.p_value) == (change.difference.n, change.p_value)
    for end in ("value", "low", "high"):
        assert getattr(found.difference, end) == pytest.approx(getattr(change.difference, end), abs=1e-12)


def test_runs_with_other_trials_are_compared_over_those_that_both_have(tmp_path: Path) -> None:
    where = str(tmp_path / "store.db")
    once, often = ({f"case-{n}": (trials, trials - (trials > 1 and n < 14)) for n in range(20)} for trials in (1, 8))
    with open_store(where) as opened:
        for number, verdicts in enumerate((once, often), 1):
            keep(opened, (a_run(number, trials=verdicts["case-0"][0], cases=20), verdicts))
    history = read_history(store=where)
    assert history is not None
    change = history.entries[1].change
    assert change is not None
    found = compare(change.baseline.run.id, history.entries[1].run.id, store=where).pass_rate
    assert found.difference.value == change.difference.value == pytest.approx(-14 / 8 / 20)
    assert found.p_value == change.p_value == 1.0  # the first trials all passed
    assert (change.verdict, found.thinned) == ("not shown", True)


def test_no_attempt_is_read(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(archive: DatabaseArchive, run: str) -> None:
        pytest.fail(f"the attempts of {run} were read")

    monkeypatch.setattr(DatabaseArchive, "attempts", read)
    monkeypatch.setattr(DatabaseArchive, "full_attempts", read)
    assert read_history(store=store) is not None


def test_an_empty_store_has_no_history(tmp_path: Path) -> None:
    where = str(tmp_path / "store.db")
    with open_store(where):
        pass
    assert read_history(store=where) is None
    with pytest.raises(UsageError, match="there is no run to draw yet"):
        save_chart(None, tmp_path / "chart.svg")


def test_charts_and_pages_are_written(tmp_path: Path) -> None:
    save_chart(told(), tmp_path / "chart.SVG")
    save_page(told(), tmp_path / "page.html")
    assert (tmp_path / "chart.SVG").read_text("utf-8").startswith("<svg ")
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_a_name_that_is_no_picture_s_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"chart.pdf' is not an image file; expected a name that ends in .svg or .png"):
        save_chart(told(), tmp_path / "chart.pdf")


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*choose another place"):
        save_page(told(), tmp_path / "no" / "page.html")


def test_a_run_that_is_deleted_while_one_reads_is_left_out(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = DatabaseArchive.verdict_counts
    gone = story()[-1][0].id

    def deleting(archive: DatabaseArchive, run: str) -> dict[str, tuple[int, int]]:
        if run == gone:
            with open_store(store) as opened:
                opened.journal.delete(run)
        return read(archive, run)

    monkeypatch.setattr(DatabaseArchive, "verdict_counts", deleting)
    history = read_history(store=store)
    assert history is not None
    assert [entry.left_out for entry in history.entries if entry.run.id == gone] == ["no attempt has a verdict"]
