"""With workers: each case is asked once, and what they found is one run."""

from __future__ import annotations

from tests.pytest_plugin.folder import AGENT, Folder
from tests.pytest_plugin.test_play import TOGETHER

from proctor.storage import open_store

pytest_plugins = ["pytester"]

XDIST = ("xdist.plugin",)
CASES = "".join(
    f"  - {{id: case-{number}, question: Capital of {country} {number}?, expect: {{keywords: [Paris]}}}}\n"
    for number, country in enumerate(["France"] * 8 + ["Japan"] * 2 + ["Atlantis"])
)


def test_workers_ask_each_case_once_and_keep_one_run(folder: Folder) -> None:
    folder.write("proctor.toml", "[run]\nretries = 0\n")
    folder.write("many.yaml", f"name: many\ncases:\n{CASES}")
    arguments = ("--proctor-store", "store.db", "--proctor-summary", "summary.md", "--proctor-annotations")
    result = folder.elsewhere("many.yaml", "--proctor-agent", AGENT, "-n", "2", "-v", *arguments, plugins=XDIST)
    result.assert_outcomes(passed=8, failed=2, errors=1)
    assert {line[:5] for line in result.outlines if " many.yaml::" in line and line.startswith("[gw")} >= {
        "[gw0]",
        "[gw1]",
    }
    result.stdout.fnmatch_lines(["keywords: “Paris” is missing", "many.yaml: pass rate 80 % (49 – 94); 10 cases; *"])
    assert sorted(folder.calls().values()) == [1] * 11
    with open_store(folder.path / "store.db", create=False) as opened:
        (run,) = opened.archive.runs()
        attempts = list(opened.archive.full_attempts(run.id))
    assert (run.status, run.planned) == ("failed", 11)
    assert [attempt.key.exam for attempt in attempts] == [f"case-{number}" for number in range(11)]
    assert (folder.path / "summary.md").read_text(encoding="utf-8").count("###") == 1
    assert len([line for line in result.outlines if line.startswith("::error file=many.yaml,line=")]) == 2


def test_a_worker_that_gets_whole_files_asks_side_by_side(folder: Folder) -> None:
    folder.write("agent.py", TOGETHER)
    folder.elsewhere(
        "capitals.yaml", "--proctor-agent", AGENT, "-n", "2", "--dist", "loadfile", plugins=XDIST
    ).assert_outcomes(passed=3)
