"""The workflow of the page on CI, and the action: their steps are run, on main and on a pull request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.docs.pages import ROOT, blocks
from tests.docs.workflow import Machine, Step

import proctor

PAGE = blocks(ROOT / "docs/how-to/gate-in-ci.md")
WORKFLOW: dict[str, Any] = yaml.safe_load(next(block.text for block in PAGE if "runs-on" in block.text))
STEPS: list[Step] = WORKFLOW["jobs"]["examine"]["steps"]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
AGENT = next(block.text for block in PAGE if block.file == "agent.py")


def machine(place: Path, *, branch: str, run: str, **inputs: str) -> Machine:
    """A fresh checkout of a branch; whatever is not main is a pull request."""
    folder = place / run
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    rows = [f'"What is {a} times {b}?";"{a * b}"' for a in range(2, 12) for b in range(2, 12)]
    (folder / "times.csv").write_text("\n".join(rows) + "\n")
    event = {} if branch == "main" else {"pull_request": {"number": "7", "head": {"repo": {"full_name": "a/b"}}}}
    github = {
        "run_id": run, "run_attempt": "1", "ref": f"refs/heads/{branch}", "ref_name": branch, "repository": "a/b",
        "token": "t", "event": {**event, "repository": {"default_branch": "main"}},
    }  # fmt: skip
    return Machine(
        folder=folder, cache=place / "cache", contexts={"github": github, "inputs": inputs}, environment=WORKFLOW["env"]
    )


def strong(question: str) -> str:
    """What agent.py calls by this name."""
    names: dict[str, Any] = {}
    exec(AGENT, names)
    return str(names["strong"](question))


def by(agent: str, gate: str) -> list[Step]:
    """The steps of the page with another agent, and another gate in force."""
    return [
        {**step, "run": f'GATE="{gate}"\n' + step["run"].replace("agent:strong", f"agent:{agent}")}
        if "proctor" in step.get("run", "") and "pip" not in step["run"]
        else step
        for step in STEPS
    ]


def test_a_pull_request_is_reported_and_compared_with_main_before_its_job_fails(tmp_path: Path) -> None:
    ours = machine(tmp_path, branch="feature", run="1")
    proctor.evaluate(
        ours.folder / "times.csv",
        agent=strong,
        reviewer="exact",
        labels={"branch": "main"},
        store=ours.cache / "proctor.db",
    )
    assert ours.play(by("weak", "pass_rate>=0.95")) == 1, ours.output
    assert all((ours.folder / name).exists() for name in ours.artefacts)
    comment = ours.written("gh-comment")
    assert comment == ours.written("summary-of-the-job")
    assert "not met" in comment
    assert "−13" in comment  # weak against main's strong
    assert ours.written("gh-arguments").startswith("pr comment 7 ")
    assert "::error file=times.csv,line=" in ours.output


def inputs_of(**given: str) -> dict[str, str]:
    defaults = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    return defaults | {"benchmark": "times.csv", "arguments": "--reviewer exact --trials 1"} | given


def test_the_action_does_the_same(tmp_path: Path) -> None:
    given = inputs_of(agent="python:agent:weak", gate="pass_rate>=0.8")
    ours = machine(tmp_path, branch="feature", run="1", **given)
    assert ours.play(ACTION["runs"]["steps"]) == 0, ours.output
    assert ours.contexts["steps"]["examine"]["outputs"]["code"] == "3"
    assert "::warning::The gate is inconclusive" in ours.output
    assert "inconclusive" in ours.written("gh-comment")
    assert (ours.folder / ours.artefacts[0]).exists()


def test_the_action_compares_with_a_run_of_main_of_the_same_agent_and_benchmark(tmp_path: Path) -> None:
    ours = machine(tmp_path, branch="feature", run="1", **inputs_of(agent="python:agent:weak", gate="pass_rate>=0.8"))
    for agent, rows in (("weak", 100), ("strong", 100), ("weak", 40)):  # only the first of them, the oldest
        cases = ours.folder / f"{'times' if rows == 100 else 'other'}.csv"
        cases.write_text("\n".join((ours.folder / "times.csv").read_text().splitlines()[:rows]) + "\n")
        options = f"--agent python:agent:{agent} --reviewer exact --label branch=main --name {agent}-{rows}"
        ours.command(f"proctor run {cases.name} {options} --store {ours.cache}/proctor.db")
    assert ours.play(ACTION["runs"]["steps"]) == 0, ours.output
    before = ours.contexts["steps"]["examine"]["outputs"]["before"]
    listed = json.loads(ours.command("proctor list --json"))
    assert [run["name"] for run in listed if run["run"] == before] == ["weak-100"]


def test_examinations_of_one_workflow_keep_apart_what_they_keep() -> None:
    kept = [step["with"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert all("${{ inputs.report }}" in str(given.get("key") or given["name"]) for given in kept)


def test_proctor_is_installed_from_where_it_is() -> None:
    """The one step that is not run here: the name alone would install a stranger's package."""
    installs = [step["run"] for step in STEPS if step.get("run", "").startswith("pip install")]
    assert [line.split("  #")[0] for line in installs] == [
        'pip install "proctor @ git+https://github.com/OWNER/proctor"'
    ]


def test_only_runs_of_main_are_kept(tmp_path: Path) -> None:
    for branch in ("feature", "main"):
        ours = machine(tmp_path, branch=branch, run=branch)
        ours.install("proctor", "#!/bin/sh\ntouch summary.md junit.xml report.html; mkdir -p .proctor\n")
        assert ours.play(STEPS) == 0, ours.output
        assert ours.cache.exists() == (branch == "main")
        assert bool(ours.written("gh-arguments")) == (branch != "main")


@pytest.mark.parametrize(
    ("exits", "inconclusive", "code"),
    [(0, "fail", 0), (1, "pass", 1), (2, "pass", 1), (3, "pass", 0), (3, "fail", 3), (4, "pass", 4)],
)
def test_what_became_of_the_run_decides_about_the_job(exits: int, inconclusive: str, code: int, tmp_path: Path) -> None:
    program = f'#!/bin/sh\ntouch proctor-summary.md summary.md junit.xml\n[ "$1" != run ] || exit {exits}\n'
    for number, steps in enumerate((ACTION["runs"]["steps"], STEPS if inconclusive == "pass" else [])):
        ours = machine(tmp_path, branch="feature", run=str(number), **inputs_of(inconclusive=inconclusive))
        ours.install("proctor", program)
        assert not steps or ours.play(steps) == code, ours.output


def test_the_page_tells_every_input_of_the_action() -> None:
    page = (ROOT / "docs/how-to/gate-in-ci.md").read_text("utf-8")
    assert [name for name in ACTION["inputs"] if f"`{name}`" not in page] == []


def test_our_own_workflow_runs_targets_that_there_are() -> None:
    ours = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))
    lines = [step["run"] for job in ours["jobs"].values() for step in job["steps"] if "run" in step]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert [line for line in lines if f"\n{line.split()[1]}:" not in makefile] == []
