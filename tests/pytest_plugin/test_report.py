"""What is kept of a session: runs, summaries, annotations; and nothing that was not asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.pytest_plugin.folder import AGENT, Folder

import proctor
from proctor.run import Run
from proctor.storage import open_store

pytest_plugins = ["pytester"]


def stored(folder: Folder, run: str = "last") -> tuple[Run, list[proctor.Attempt]]:
    with open_store(folder.path / "store.db", create=False) as opened:
        found = opened.archive.find(run)
        return found, list(opened.archive.full_attempts(found.id))


def test_nothing_is_written_unless_asked_for(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder.path / "summary.md"))
    before = {path.name for path in folder.path.iterdir()}
    result = folder.test("capitals.yaml")
    result.stdout.no_fnmatch_line("::*")
    assert {path.name for path in folder.path.iterdir()} - before == {"calls"}


def test_a_suite_is_kept_as_a_run_with_its_transcripts(folder: Folder) -> None:
    result = folder.test("capitals.yaml", "--proctor-store", "store.db", "--proctor-trials", "2")
    run, attempts = stored(folder)
    result.stdout.fnmatch_lines([f"capitals.yaml: pass rate *; kept as run {run.id}"])
    assert (run.status, run.planned, run.agent, run.benchmark) == ("completed", 6, AGENT, "capitals")
    assert run.started is not None
    assert run.ended is not None
    assert run.started <= run.ended
    told = [(each.key.exam, each.key.trial, each.passed) for each in attempts]
    assert told == [(case, trial, case != "japan") for case in ("france", "italy", "japan") for trial in (1, 2)]
    assert attempts[0].transcript.turns[0].reply == proctor.Reply(text="That is Paris.", tools_known=False)


def test_a_kept_run_is_comparable_to_one_of_proctor_run(folder: Folder) -> None:
    folder.test("capitals.yaml", "--proctor-store", "store.db")
    ours, _ = stored(folder)
    theirs = proctor.evaluate(folder.path / "capitals.yaml", agent=AGENT, store=folder.path / "store.db")
    compared = proctor.compare(ours.id, theirs.run.id, store=folder.path / "store.db")
    assert compared.unlike == ()
    assert theirs.run.settings == ours.settings


def test_a_run_of_some_cases_is_another_benchmark(folder: Folder) -> None:
    folder.test("capitals.yaml", "--proctor-store", "store.db")
    whole, _ = stored(folder)
    folder.test("capitals.yaml", "--proctor-store", "store.db", "-k", "europe")
    part, attempts = stored(folder)
    assert [attempt.key.exam for attempt in attempts] == ["france", "italy"]
    assert part.planned == 2
    assert part.digest != whole.digest


def test_what_the_environment_lost_can_be_resumed(folder: Folder) -> None:
    folder.write("proctor.toml", "[run]\nretries = 0\n")
    folder.write(
        "lost.yaml",
        "cases:\n  - {id: atlantis, question: What is the capital of Atlantis?, expect: {keywords: [Poseidonis]}}\n",
    )
    folder.test("lost.yaml", "capitals.yaml", "--proctor-store", "store.db")
    run, _ = stored(folder, "answer on lost")
    assert (run.status, run.reason) == ("failed", "lost 1 of 1 attempts")
    again = proctor.resume(run.id, store=folder.path / "store.db", agent=lambda question: "Poseidonis")
    assert again.run.status == "completed"
    assert again.findings.pass_rate.value == 1


def test_a_session_that_stops_early_keeps_a_paused_run(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "import asyncio\n"
        "async def answer(question):\n"
        "    if 'Italy' in question: await asyncio.Event().wait()\n"
        "    return 'Lyon'\n",
    )
    folder.test("capitals.yaml", "-x", "--proctor-store", "store.db").assert_outcomes(failed=1)
    run, attempts = stored(folder)
    assert (run.status, run.reason, run.planned) == ("paused", "interrupted", 3)
    assert "italy" not in {attempt.key.exam for attempt in attempts}


def test_an_orchestrator_is_known_by_its_steps(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "def answer(question):\n"
        "    return {'text': 'Paris', 'steps': [{'id': '1', 'kind': 'plan', 'name': 'think'}]}\n",
    )
    folder.test("capitals.yaml", "--proctor-store", "store.db")
    run, _ = stored(folder)
    assert run.kind == "orchestrator"


def test_a_summary_is_appended(folder: Folder) -> None:
    summary = folder.write("summary.md", "# Before\n")
    folder.write("more.yaml", "cases:\n  - {id: one, question: Capital of Italy?, expect: {keywords: [Rome]}}\n")
    folder.test("capitals.yaml", "more.yaml", "--proctor-summary", str(summary))
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n### python:agent:answer on capitals: ✓ completed\n")
    assert "### python:agent:answer on more: ✓ completed" in text
    assert "| ✗ | japan | What is the capital of Japan?" in text
    assert "“Tokyo” is missing" in text


def test_annotations_name_the_file_from_the_repository_on(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.path.parent))
    result = folder.test("capitals.yaml", "--proctor-annotations")
    place = f"file={folder.path.name}/capitals.yaml,line=5,title=japan%3A not passed"
    line = f"::error {place}::What is the capital of Japan?%0Akeywords: “Tokyo” is missing"
    assert [each for each in result.outlines if each.startswith("::")] == [line]


def test_a_place_that_cannot_be_written_is_one_sentence(folder: Folder) -> None:
    result = folder.test("capitals.yaml", "--proctor-summary", "nowhere/summary.md")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert "Proctor could not keep the results: " in result.stdout.str() + result.stderr.str()
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_junit_has_the_mark_and_the_agent_s_time_of_a_case(folder: Folder) -> None:
    folder.write("judged.yaml", "cases:\n  - {id: one, question: Capital of Italy?, reference: That is Rome.}\n")
    folder.test("judged.yaml", "--proctor-reviewer", "exact", "--junitxml", "junit.xml").assert_outcomes(passed=1)
    properties = {each.attrib["name"]: each.attrib["value"] for each in ET.parse(Path("junit.xml")).iter("property")}
    assert properties["score"] == "1.0"
    assert float(properties["agent_seconds"]) >= 0


def test_junit_tells_what_nobody_could_judge_from_what_failed(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "def test_lost(examine): examine('Capital of Atlantis?', retries=0)\n"
        "def test_wrong(examine): assert examine('Capital of Japan?', expect={'keywords': ['Tokyo']})\n"
        "def test_right(examine): assert examine('Capital of France?', expect={'keywords': ['Paris']})\n",
    )
    result = folder.test("test_it.py", "--junitxml", "junit.xml")
    result.assert_outcomes(errors=1, failed=1, passed=1)
    (suite,) = ET.parse(folder.path / "junit.xml").iter("testsuite")
    assert (suite.get("errors"), suite.get("failures"), suite.get("tests")) == ("1", "1", "3")
    told = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    assert told == {"test_lost": ["error"], "test_wrong": ["failure"], "test_right": []}


def test_workers_of_xdist_tell_it_too(folder: Folder) -> None:
    folder.write("test_it.py", "def test_lost(examine): examine('Capital of Atlantis?', retries=0)\n")
    folder.elsewhere("test_it.py", "--proctor-agent", AGENT, "-n1", "--junitxml", "junit.xml", plugins=["xdist"])
    (case,) = ET.parse(folder.path / "junit.xml").iter("testcase")
    assert [child.tag for child in case] == ["error"]


def test_the_report_is_a_page_for_each_suite(folder: Folder) -> None:
    folder.test("capitals.yaml", "--proctor-html", "report.html")
    assert "What is the capital of Japan?" in (folder.path / "report.html").read_text(encoding="utf-8")
    folder.write("more/seas.yaml", "cases: [{id: red, question: Which sea?, expect: {keywords: [red]}}]\n")
    folder.test("capitals.yaml", "more/seas.yaml", "--proctor-html", "all.html")
    assert sorted(path.name for path in folder.path.glob("all*")) == ["all-capitals.html", "all-more-seas.html"]


def test_suites_that_differ_only_in_their_ending_or_separators_get_a_page_each(folder: Folder) -> None:
    asked = "cases: [{id: one, question: Which place is %s?, expect: {keywords: [Paris]}}]\n"
    suites = ("more/seas.yaml", "more-seas.yaml", "capitals.yaml")
    for suite in suites:
        folder.write(suite, asked % suite)
    folder.write("capitals.csv", '"Which place is capitals.csv?";"Paris"\n')
    folder.test(*suites, "capitals.csv", "--proctor-html", "all.html")
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.path.glob("all*")}
    assert set(pages) == {
        "all-more-seas-yaml.html",
        "all-more-seas-yaml-2.html",
        "all-capitals-yaml.html",
        "all-capitals-csv.html",
    }
    for suite in (*suites, "capitals.csv"):
        assert sum(f"Which place is {suite}?" in page for page in pages.values()) == 1


def test_a_session_without_suites_says_that_nothing_was_written(folder: Folder) -> None:
    folder.write(
        "test_f.py", "def test_f(examine): assert examine('Capital of France?', expect={'keywords': ['Paris']})"
    )
    shown = folder.test("test_f.py", "--proctor-html", "report.html", "--proctor-summary", "summary.md")
    shown.stdout.fnmatch_lines(["--proctor-summary, --proctor-html: nothing was written: it tells of suites*"])
    assert not (folder.path / "report.html").exists()
    assert "nothing was written" not in folder.test("test_f.py").stdout.str()
