"""Runs as files, piece by piece: the first bytes do not wait until every attempt is counted."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import proctor
from proctor.benchmark import Case
from proctor.codec import benchmark_of
from proctor.storage import open_store
from proctor.workflows import export as module
from proctor.workflows import stored_counts
from proctor.workflows.export import ExportedRun, export_pieces, export_run

CASES = benchmark_of([Case(id=f"c{n}", question=f"q{n}", answer="yes") for n in range(6)], name="six")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A run that was not counted when it ended: it was small then."""

    def agent(question: str) -> str:
        if question == "q3":
            raise ValueError("no")
        return "yes" if question != "q1" else "no"

    proctor.evaluate(CASES, agent=agent, trials=3, store=tmp_path / "s.db", reviewer="exact")
    return str(tmp_path / "s.db")


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (module, stored_counts):
        monkeypatch.setattr(place, "LARGE", 1)


def whole(form: str, store: str) -> str:
    return "".join(export_pieces("last", form=form, store=store))


def test_a_large_run_is_counted_while_it_is_exported(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = json.loads(whole("json", store))
    large(monkeypatch)
    on_the_way = whole("json", store)
    assert json.loads(on_the_way) == counted
    assert on_the_way.index('"results"') < on_the_way.index('"pass_rate"')
    again = whole("json", store)
    assert json.loads(again) == counted
    assert again.index('"pass_rate"') < again.index('"results"')


@pytest.mark.parametrize(("form", "first"), [("json", '{"run":'), ("csv", "\ufeffrun,case,"), ("junit", "<?xml ")])
def test_the_first_piece_comes_before_any_attempt_is_read(
    form: str, first: str, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    with open_store(store) as opened:
        exported = ExportedRun(opened, "last")
        monkeypatch.setattr(opened.archive, "attempts", None)
        monkeypatch.setattr(opened.archive, "full_attempts", lambda run: iter(()))
        assert next(module._FORMS[form](exported)).startswith(first)


def test_what_is_sent_on_is_what_is_written_to_a_file(store: str, tmp_path: Path) -> None:
    for form in ("json", "csv", "junit", "markdown", "html"):
        export_run("last", form=form, output=tmp_path / form, store=store)
        assert (tmp_path / form).read_bytes().decode() == whole(form, store)


def test_a_table_without_marks_and_checks_has_no_further_columns(tmp_path: Path) -> None:
    plain = benchmark_of([Case(id="c", question="q")], name="plain")

    def broken(question: str) -> str:
        raise ValueError("no")

    proctor.evaluate(plain, agent=broken, store=tmp_path / "s.db", reviewer=None)
    header, row = csv.reader(whole("csv", str(tmp_path / "s.db")).removeprefix("\ufeff").splitlines())
    assert header[-1] == "first_token"
    assert len(row) == len(header)


def test_a_report_looks_up_only_what_it_shows_and_shows_the_same(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = whole("html", store)
    monkeypatch.setattr(module, "_LOOKED_UP", 0)
    assert whole("html", store) == looked_up


def test_a_reader_that_goes_away_ends_the_export(store: str) -> None:
    pieces = export_pieces("last", form="json", store=store)
    next(pieces)
    del pieces
    with open_store(store) as opened:
        opened.journal.delete(opened.archive.find("last").id)
