"""What a case comes to: passed, failed with its reasons, or an error that is nobody's failure."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from tests.pytest_plugin.folder import AGENT, Folder

pytest_plugins = ["pytester"]

LOST = "cases:\n  - {id: atlantis, question: What is the capital of Atlantis?}\n"
TOGETHER = """\
import asyncio

party = asyncio.Barrier(3)

async def answer(question):
    async with asyncio.timeout(20):
        await party.wait()
    return "Paris Rome Tokyo"
"""
"""Answers nobody before three have asked."""


@pytest.fixture
def impatient(folder: Folder) -> Folder:
    """Nothing is tried again, so that no test waits."""
    folder.write("proctor.toml", "[run]\nretries = 0\n")
    return folder


def test_a_case_that_did_not_pass_shows_question_reply_and_evidence(folder: Folder) -> None:
    result = folder.test("capitals.yaml")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ japan _*",
            "keywords: “Tokyo” is missing",
            "question",
            "│ What is the capital of Japan?",
            "reply",
            "│ I do not know.",
            "✗ keywords: “Tokyo” is missing",
            "capitals.yaml: pass rate 66.7 % (21 – 94); 3 cases",
            "FAILED capitals.yaml::japan - keywords: “Tokyo” is missing",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*playing.py*")


def test_lines_of_a_reply_cannot_command_a_ci_system(folder: Folder) -> None:
    folder.write("agent.py", "def answer(question): return 'sorry\\n::add-mask::*\\n  ::error::boo'\n")
    result = folder.test("capitals.yaml")
    result.assert_outcomes(failed=3)
    assert [line for line in result.outlines if line.strip().startswith("::")] == []


def test_tools_citations_and_marks_are_shown(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "def answer(question):\n"
        "    return {'text': 'Kyoto', 'tool_calls': [{'name': 'look_up', 'arguments': {'place': 'Japan'}}],\n"
        "            'citations': [{'source': 'atlas.md', 'quote': 'Kyoto'}]}\n",
    )
    folder.write(
        "judged.yaml",
        "passing_score: 0.5\ncases:\n  - {id: japan, question: What is the capital of Japan?, reference: Tokyo}\n",
    )
    result = folder.test("judged.yaml", "--proctor-reviewer", "exact")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "score 0.00 by exact",
            "expected answer",
            "│ Tokyo",
            "│ Kyoto",
            "│ look_up(place='Japan')",
            "│ atlas.md: “Kyoto”",
            "score 0.00 by exact",
            "  correctness 0.00: *",
        ]
    )


def test_the_agent_s_own_failure_is_a_failed_test(folder: Folder) -> None:
    folder.write("utopia.yaml", "cases:\n  - {id: utopia, question: What is the capital of Utopia?}\n")
    result = folder.test("utopia.yaml")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["the agent failed: ValueError: there is no such place"])


def test_the_environment_s_failure_is_an_error_and_no_failed_test(impatient: Folder) -> None:
    impatient.write("lost.yaml", LOST)
    result = impatient.test("lost.yaml", "--junitxml", "junit.xml")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["no verdict: the environment failed (agent): ConnectionError: no route to Atlantis"])
    result.stdout.no_fnmatch_line("*collecting.py*")
    (case,) = ET.parse(impatient.path / "junit.xml").iter("testcase")
    assert [child.tag for child in case if child.tag != "properties"] == ["error"]


def test_a_mark_that_cannot_be_given_is_an_error_only_where_it_decides(folder: Folder) -> None:
    folder.write("judge.py", "def judge(question, answer, reply): return 'splendid'\n")
    case = "{id: france, question: What is the capital of France?, reference: Paris, expect: {keywords: [Paris]}"
    folder.write(
        "judged.yaml", f"cases:\n  - {case}}}\n  - {case.replace('france', 'decides')}, passing_score: 0.5}}\n"
    )
    result = folder.test("judged.yaml", "--proctor-reviewer", "python:judge:judge", "-rE")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["no verdict: unscored: *", "ERROR judged.yaml::decides - no verdict: unscored: *"])


def test_a_wrong_key_stops_the_suite_and_is_told_of_every_case(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "class Refused(Exception): status_code = 401\n"
        "def answer(question):\n"
        "    with open('calls', 'a') as calls: calls.write('one\\n')\n"
        "    raise Refused('wrong key')\n",
    )
    folder.write("proctor.toml", "[run]\nconcurrency = 1\n")
    result = folder.test("capitals.yaml", "-rE")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["ERROR capitals.yaml::japan - no verdict: the suite stopped: HTTP 401: *"])
    assert folder.calls() == {"one": 1}


def test_a_case_that_was_cut_off_after_it_had_cost_something_says_why_the_suite_stopped(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "from proctor import Usage\n"
        "from proctor.errors import Misconfigured\n"
        "from proctor.failures import with_spending\n"
        "def answer(question):\n"
        "    raise with_spending(Misconfigured('the key is wrong'), Usage(calls=1))\n",
    )
    folder.write("proctor.toml", "[run]\nconcurrency = 1\n")
    folder.write("test_it.py", "def test_paid(examine): examine('Capital of France?')\n")
    result = folder.test("capitals.yaml", "test_it.py", "-rE")
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(["E *NoVerdict: no verdict: the key is wrong"])
    for case in ("france", "japan"):
        result.stdout.fnmatch_lines([f"ERROR capitals.yaml::{case} - no verdict: the suite stopped: the key is wrong"])


@pytest.mark.parametrize(
    ("agent", "words"),
    [("python:nowhere:answer", "there is no module 'nowhere'"), ("parrot", "there is no agent 'parrot'")],
)
def test_an_agent_that_cannot_be_found_is_one_sentence(folder: Folder, agent: str, words: str) -> None:
    result = folder.test("capitals.yaml", agent=agent)
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines([f"*{words}*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_without_an_agent_it_says_where_one_may_be_named(folder: Folder) -> None:
    result = folder.start("capitals.yaml")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["*no agent to examine: give --proctor-agent*"])


def test_an_agent_is_taken_from_the_nearest_place(folder: Folder) -> None:
    for place in ("toml", "ini", "option", "fixture"):
        folder.write(f"{place}_agent.py", f"def answer(question): return 'the one of the {place}'\n")
    suite = "cases:\n  - {{id: one, question: Who are you?, expect: {{keywords: [{}]}}}}\n"

    def is_asked(place: str, *arguments: str) -> None:
        folder.write("who.yaml", suite.format(place))
        folder.start("who.yaml", *arguments).assert_outcomes(passed=1)

    folder.write("proctor.toml", '[run]\nagent = "mine"\n[agents.mine]\nspec = "python:toml_agent:answer"\n')
    is_asked("toml")
    folder.write("pytest.ini", "[pytest]\nproctor_agent = python:ini_agent:answer\n")
    is_asked("ini")
    is_asked("option", "--proctor-agent", "python:option_agent:answer")
    fixture = (
        "import pytest\n@pytest.fixture(scope='session')\ndef proctor_agent(): return lambda question: 'a fixture'\n"
    )
    folder.write("conftest.py", fixture)
    is_asked("fixture", "--proctor-agent", "python:option_agent:answer")


def test_the_fixture_of_the_nearest_conftest_is_the_agent(folder: Folder) -> None:
    fixture = "import pytest\n@pytest.fixture(scope='session')\ndef proctor_agent(): return lambda question: {!r}\n"
    for place in ("here", "there"):
        folder.write(f"{place}/conftest.py", fixture.format(place))
        folder.write(f"{place}/who.yaml", f"cases:\n  - {{question: Who?, expect: {{keywords: [{place}]}}}}\n")
    folder.start("here/who.yaml", "there/who.yaml").assert_outcomes(passed=2)


def test_the_cases_of_a_suite_are_asked_side_by_side(folder: Folder) -> None:
    folder.write("agent.py", TOGETHER)
    folder.test("capitals.yaml").assert_outcomes(passed=3)


def test_every_suite_is_asked_on_the_same_event_loop(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "import asyncio\nloops = []\n"
        "async def answer(question):\n"
        "    loops.append(asyncio.get_running_loop())\n"
        "    return 'the same' if set(loops) == {loops[0]} else 'another'\n",
    )
    for name in ("one", "two"):
        folder.write(f"{name}.yaml", f"cases:\n  - {{question: {name}, expect: {{keywords: [the same]}}}}\n")
    test = "def test_too(examine): assert examine('three', expect={'keywords': ['the same']})\n"
    folder.write("test_too.py", test)
    folder.test("one.yaml", "two.yaml", "test_too.py").assert_outcomes(passed=3)


def test_only_what_is_selected_is_asked(folder: Folder) -> None:
    folder.test("capitals.yaml", "-k", "europe and not italy").assert_outcomes(passed=1, deselected=2)
    assert list(folder.calls()) == ["What is the capital of France?"]


def test_what_is_skipped_is_not_asked(folder: Folder) -> None:
    folder.write(
        "conftest.py",
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    items[0].add_marker(pytest.mark.skip('not today'))\n"
        "    items[1].add_marker(pytest.mark.skipif(False, reason='after all'))\n"
        "    items[2].add_marker(pytest.mark.xfail(reason='known'))\n",
    )
    folder.test("capitals.yaml").assert_outcomes(skipped=1, passed=1, xfailed=1)
    assert sorted(folder.calls()) == ["What is the capital of Italy?", "What is the capital of Japan?"]


def test_a_session_that_stops_early_waits_for_nobody(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "import asyncio\n"
        "async def answer(question):\n"
        "    if 'France' not in question: await asyncio.Event().wait()\n"
        "    return 'Lyon'\n",
    )
    result = folder.test("capitals.yaml", "-x", "--proctor-store", "store.db")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["capitals.yaml: pass rate 0 % (0 – 79); 1 case; 2 attempts without a verdict*"])


def test_an_interrupted_session_ends_though_the_agent_blocks_its_loop(folder: Folder) -> None:
    folder.write(
        "conftest.py",
        "import signal\n"
        "from proctor.pytest_plugin import loop, play as playing\n"
        "loop._FAREWELL = playing._FAREWELL = 0.1\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # also in a job in the background\n",
    )
    folder.write(
        "agent.py",
        "import os, signal, threading\n"
        "async def answer(question):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    threading.Event().wait()\n",
    )
    result = folder.elsewhere("capitals.yaml::france", "--proctor-agent", AGENT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["capitals.yaml: pass rate – *1 attempt without a verdict*"])


def test_a_case_passes_where_enough_of_its_trials_do(folder: Folder) -> None:
    folder.write("agent.py", "def answer(request): return 'Tokyo' if request.trial == 2 else 'Kyoto'\n")
    result = folder.test("capitals.yaml::japan", "--proctor-trials", "3")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["1 of 3 trials passed, 3 needed; trial 1: keywords: “Tokyo” is missing", "trial 1", "trial 3"]
    )
    result.stdout.no_fnmatch_line("trial 2")
    folder.test("capitals.yaml::japan", "--proctor-trials=3", "--proctor-passes=1").assert_outcomes(passed=1)
    folder.test("capitals.yaml::japan", "--proctor-trials=3", "--proctor-passes=2").assert_outcomes(failed=1)


def test_a_case_with_trials_of_its_own_needs_all_of_those(folder: Folder) -> None:
    folder.write("agent.py", "def answer(request): return 'Tokyo' if request.trial == 1 else 'Kyoto'\n")
    case = "{question: The capital of Japan?, expect: {keywords: [Tokyo]}"
    folder.write("own.yaml", f"cases:\n- {case}, id: often, trials: 2}}\n- {case}, id: once}}\n")
    result = folder.test("own.yaml", "-o", "proctor_suites=own.yaml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["1 of 2 trials passed, 2 needed; trial 2: *", "own.yaml: pass rate 75 %*"])
    folder.test("own.yaml", "-o", "proctor_suites=own.yaml", "--proctor-passes=1").assert_outcomes(passed=2)


def test_a_case_that_hangs_on_a_lost_trial_is_an_error(impatient: Folder) -> None:
    impatient.write(
        "agent.py",
        "def answer(request):\n    if request.trial == 1: raise ConnectionError('off')\n    return 'Tokyo'\n",
    )
    impatient.test("capitals.yaml::japan", "--proctor-trials=2").assert_outcomes(errors=1)
    impatient.test("capitals.yaml::japan", "--proctor-trials=2", "--proctor-passes=1").assert_outcomes(passed=1)


@pytest.mark.parametrize("option", ["--proctor-trials=0", "--proctor-passes=0", "--proctor-store=/dev/null/store.db"])
def test_an_option_that_makes_no_sense_is_refused_before_anything_is_asked(folder: Folder, option: str) -> None:
    result = folder.test("capitals.yaml", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option.partition('=')[0]}*"])
    assert not folder.calls()


def test_more_passes_than_trials_are_refused(folder: Folder) -> None:
    result = folder.test("capitals.yaml", "--proctor-passes", "2")
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["*--proctor-passes 2 cannot be reached in 1 trial*"])
    assert not folder.calls()


@pytest.mark.parametrize(
    "text",
    [
        "import os\ndef answer(question): os._exit(0)\n",
        "import os\nasync def answer(question): os._exit(0)\n",
        "import os\nos._exit(0)\n",
        "import os, atexit\natexit.register(os._exit, 0)\ndef answer(question): return 'Lyon'\n",
        "import os, threading\nthreading._register_atexit(os._exit, 0)\ndef answer(question): return 'Lyon'\n",
    ],
)
def test_an_agent_that_ends_the_process_ends_no_session(folder: Folder, text: str) -> None:
    folder.write("agent.py", text)
    folder.write("test_one.py", "def test_one(examine):\n    assert examine('x', expect={'keywords': ['Paris']})\n")
    result = folder.elsewhere("capitals.yaml", "test_one.py", "--proctor-agent", AGENT)
    assert result.ret == 1
    outcomes = result.parseoutcomes()
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 4
    if "Lyon" not in text:
        result.stdout.fnmatch_lines(["*called os._exit(0)*"])
