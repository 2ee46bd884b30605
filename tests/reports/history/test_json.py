from __future__ import annotations

import json

from tests.made_histories import a_run, counts, day, told

from proctor.findings.run import Summary
from proctor.reports.history.json import as_list
from proctor.reports.run.json import run_row
from proctor.reports.values import estimate


def test_every_run_has_its_row_and_its_place() -> None:
    history = told()
    rows = as_list(history)
    assert [row["segment"] for row in rows] == [1] + [2] * 8
    assert history.entries[0].rate is not None
    assert rows[0] | run_row(history.entries[0].run, Summary(rate=history.entries[0].rate)) == rows[0]
    assert rows[0]["not_comparable"] == []
    assert rows[1]["not_comparable"] == [
        "the cases of the benchmark handbook were changed between them (version 41d0c2b8 against 9f2c1a77)"
    ]
    assert [row["left_out"] for row in rows if row["left_out"]] == ["paused: its process ended"]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_a_change_is_told_with_its_baseline_and_what_it_was_held_against() -> None:
    history = told()
    entry, row = history.entries[-1], as_list(history)[-1]
    assert entry.change is not None
    assert row["change"] == {
        "baseline": history.entries[-2].run.id,
        "look": 6,
        "difference": estimate(entry.change.difference),
        "p_value": entry.change.p_value,
        "level": 0.005,
        "verdict": "better",
    }
    assert row["changed_labels"] == {"model": "large", "commit": "e81b960"}
    assert (row["when"], row["by"], row["group"]) == (day(12), None, None)


def test_groups_are_told() -> None:
    assert {(row["by"], row["group"]) for row in as_list(told(by="model"))} == {("model", "large"), ("model", "small")}


def test_battles_have_a_rate_of_their_own_name() -> None:
    (row,) = as_list(told([(a_run(1, type="abm-static"), counts())]))
    assert row["pass_rate"] is None
    assert row["held_rate"]["value"] == 1.0


def test_nothing_stored_is_an_empty_list() -> None:
    assert as_list(None) == []
