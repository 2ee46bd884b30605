"""Which runs a gate may name, and when it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.errors import NoSuchRun, StoreError
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.gates import RunGates, read_gates, with_baselines


def played(store: Path, name: str) -> Evaluation:
    return proctor.evaluate([("one?", "yes")], agent=lambda question: "yes", reviewer="exact", store=store, name=name)


def resolved(text: str, run: Evaluation, store: Path) -> RunGates:
    return with_baselines(read_gates([text]), run.run, store=str(store))


def test_a_gate_names_any_run_but_its_own(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first, second = played(store, "nightly"), played(store, "nightly")
    for name in ("last", "nightly", first.run.id, first.run.id[:-1]):
        [gate] = resolved(f"not worse than {name} by 0.5", second, store).wanted
        assert gate.baseline == first.run.id
    [gate] = resolved("not worse than last by 0.5", first, store).wanted
    assert gate.baseline == second.run.id


def test_a_name_that_several_others_share_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    played(store, "nightly"), played(store, "nightly")
    with pytest.raises(NoSuchRun, match="give the whole id"):
        resolved("not worse than nightly by 0.5", played(store, "new"), store)


def test_a_gate_that_names_its_own_run_says_so(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    played(store, "old")
    new = played(store, "new")
    for name in ("new", new.run.id):
        with pytest.raises(NoSuchRun, match=f"run {name} cannot be compared with itself"):
            resolved(f"not worse than {name} by 0.5", new, store)
    with pytest.raises(NoSuchRun, match="no run has the name"):
        resolved("not worse than nightly by 0.5", new, store)


def test_without_another_run_there_is_nothing_to_be_worse_than(tmp_path: Path) -> None:
    only = played(tmp_path / "s.db", "only")
    with pytest.raises(NoSuchRun, match="no other run is stored yet"):
        resolved("not worse than last by 0.5", only, tmp_path / "s.db")


def test_a_store_that_is_not_there_is_opened_only_for_gates_that_name_a_run(tmp_path: Path) -> None:
    only = played(tmp_path / "s.db", "only")
    assert resolved("pass_rate>=0.1", only, tmp_path / "nowhere.db").baselines == {}
    with pytest.raises(StoreError):
        resolved("not worse than last by 0.5", only, tmp_path / "nowhere.db")


def test_a_run_extended_by_trials_is_looked_at_again(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    cases = [(f"{number}?", "yes") for number in range(35)]

    def agent(request: proctor.Request) -> str:
        return "yes"

    first = proctor.evaluate(cases, agent=agent, reviewer="exact", store=store)
    [usual] = read_gates(["pass_rate>=0.9"]).judge(first.findings)
    assert (usual.verdict, usual.look) == ("met", 1)
    extended = proctor.resume(first.run.id, agent=agent, trials=2, store=store)
    [later] = read_gates(["pass_rate>=0.9"]).judge(extended.findings)
    assert (later.verdict, later.look) == ("inconclusive", 2)
    [third] = read_gates(["pass_rate>=0.5"], look=2).judge(extended.findings)
    assert third.look == 3
