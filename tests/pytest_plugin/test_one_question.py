"""Tests in Python: one question, its reply, and what is said of it."""

from __future__ import annotations

from tests.pytest_plugin.folder import AGENT, Folder

pytest_plugins = ["pytester"]


def test_a_question_is_asked_and_its_reply_held_to_what_is_expected(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "def test_passes(examine):\n"
        "    examined = examine('Capital of France?', expect={'keywords': ['Paris'], 'exclusions': ['Rome']})\n"
        "    assert examined\n"
        "    assert examined.passed is True\n"
        "    assert examined.text == examined.reply.text == 'That is Paris.'\n"
        "    assert [(check.name, check.passed) for check in examined.checks] == [\n"
        "        ('no error', True), ('keywords', True), ('exclusions', True)]\n"
        "    assert examined.failure is None\n"
        "    assert examined.score is None\n"
        "def test_expects_nothing(examine):\n"
        "    assert examine('Capital of Japan?').text == 'I do not know.'\n"
        "def test_answer(examine):\n"
        "    assert examine('Capital of France?', answer='Paris').score > 0.99\n"
        "    assert not examine('Capital of Japan?', answer='Tokyo')\n"
        "def test_another(examine):\n"
        "    assert examine('Who?', agent=lambda question: 'Me.', expect={'keywords': ['me']})\n"
        "def test_context(examine):\n"
        "    assert examine('Who?', context='Ann', agent=lambda request: request.context).text == 'Ann'\n"
        "def test_own_failure(examine):\n"
        "    examined = examine('Capital of Utopia?')\n"
        "    assert not examined\n"
        "    assert (examined.reply, examined.text) == (None, '')\n"
        "    assert 'no such place' in examined.failure.reason\n",
    )
    folder.test("test_it.py").assert_outcomes(passed=6)


def test_a_question_that_expects_nothing_is_for_the_test_to_read_and_passes_where_the_agent_answers(
    folder: Folder,
) -> None:
    folder.write(
        "test_it.py",
        "def test_read(examine):\n"
        "    examined = examine('Capital of France?')\n"
        "    assert (examined.text, examined.score) == ('That is Paris.', None)\n"
        "    assert examined\n"
        "def test_failed(examine):\n"
        "    assert not examine('Capital of Utopia?')\n",
    )
    folder.test("test_it.py").assert_outcomes(passed=2)


def test_an_assertion_that_fails_says_why(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "from proctor.pytest_plugin import assert_passes\n"
        "def test_plain(examine):\n"
        "    assert examine('Capital of Japan?', expect={'keywords': ['Tokyo']})\n"
        "def test_at_length(examine):\n"
        "    assert_passes(examine('Capital of Japan?', expect={'keywords': ['Tokyo']}))\n",
    )
    result = folder.test("test_it.py")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E * assert <✗ keywords: “Tokyo” is missing>"])
    result.stdout.fnmatch_lines(["E *NotPassed: keywords: “Tokyo” is missing", "E *│ I do not know."])
    result.stdout.no_fnmatch_line("*examining.py*")


def test_what_nobody_could_judge_is_an_error(folder: Folder) -> None:
    folder.write("test_it.py", "def test_lost(examine): examine('Capital of Atlantis?', retries=0)\n")
    result = folder.test("test_it.py")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ERROR at call of test_lost*", "E *no verdict: the environment failed (agent): *"])


def test_a_mistake_in_what_is_expected_is_told_as_in_a_suite(folder: Folder) -> None:
    folder.write("test_it.py", "def test_it(examine): examine('Who?', expect={'keyword': ['me']})\n")
    result = folder.test("test_it.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *InputError: examine: expect.keyword: *did you mean 'keywords'*"])


def test_a_question_is_asked_once_whatever_the_configuration_says(folder: Folder) -> None:
    folder.write("proctor.toml", "[run]\ntrials = 3\n")
    folder.write(
        "test_it.py",
        "import pytest, proctor\n"
        "def test_it(examine):\n"
        "    examine('Capital of France?')\n"
        "    with pytest.raises(proctor.ProctorError, match='examine asks once'):\n"
        "        examine('Capital of Italy?', trials=2)\n",
    )
    folder.test("test_it.py").assert_outcomes(passed=1)
    assert folder.calls() == {"Capital of France?": 1}


def test_the_cases_of_a_suite_are_parameters(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "import pytest\n"
        "from proctor.pytest_plugin import cases\n"
        "@pytest.mark.parametrize('case', cases('capitals.yaml'))\n"
        "def test_case(examine, case): assert examine(case)\n",
    )
    assert folder.names("test_it.py") == [f"test_it.py::test_case[{case}]" for case in ("france", "italy", "japan")]
    folder.test("test_it.py").assert_outcomes(passed=2, failed=1)


def test_an_agent_that_is_named_is_built_once_and_closed_at_the_end(folder: Folder) -> None:
    folder.write(
        "agent.py",
        "from proctor import Reply\n"
        "class Agent:\n"
        "    name, takes_request, asked = 'mine', True, 0\n"
        "    async def reply(self, request):\n"
        "        self.asked += 1\n"
        "        return Reply(text=str(self.asked))\n"
        "    async def forget(self, conversation): pass\n"
        "    async def close(self):\n"
        "        with open('closed', 'w') as file: file.write(str(self.asked))\n"
        "answer = Agent()\n",
    )
    folder.write("test_it.py", "def test_it(examine): assert [examine('?').text for _ in '123'] == ['1', '2', '3']\n")
    folder.test("test_it.py").assert_outcomes(passed=1)
    assert (folder.path / "closed").read_text() == "3"


def test_an_async_test_may_ask_too(folder: Folder) -> None:
    folder.write("pytest.ini", "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    folder.write(
        "test_it.py",
        "import asyncio\n"
        "async def test_blocking(examine): assert examine('Capital of France?', expect={'keywords': ['Paris']})\n"
        "async def test_waiting(examine):\n"
        "    loop = asyncio.get_running_loop()\n"
        "    def asks_the_test(question):\n"
        "        return asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 'from the loop'), loop).result(20)\n"
        "    examined = await asyncio.to_thread(examine, '?', agent=asks_the_test)\n"
        "    assert examined.text == 'from the loop'\n",
    )
    folder.elsewhere("test_it.py", "--proctor-agent", AGENT, plugins=["pytest_asyncio.plugin"]).assert_outcomes(
        passed=2
    )


def test_a_traceback_shows_the_test_and_nothing_of_proctor(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "from proctor.pytest_plugin import assert_passes\n"
        "def test_lost(examine): examine('Capital of Atlantis?', retries=0)\n"
        "def test_mistake(examine): examine('Capital?', expect={'keyword': ['x']})\n"
        "def test_setting(examine): examine('Capital?', timeout=-1)\n"
        "def test_typo(examine): examine('Capital?', expct={'keywords': ['x']})\n"
        "def test_wrong(examine): assert_passes(examine('Capital of Japan?', expect={'keywords': ['Tokyo']}))\n",
    )
    result = folder.test("test_it.py")
    result.assert_outcomes(errors=1, failed=4)
    result.stdout.fnmatch_lines(["*test_it.py:2: NoVerdict", "*test_it.py:3: InputError", "*test_it.py:4: UsageError"])
    result.stdout.fnmatch_lines(["*examine has no 'expct'; did you mean 'expect'?"])
    result.stdout.no_fnmatch_line("*one_question.py*")
    result.stdout.no_fnmatch_line("*threads.py*")


def test_a_question_that_names_its_agent_needs_no_other(folder: Folder) -> None:
    folder.write(
        "test_own.py",
        "def test_own(examine):\n"
        "    assert examine('What?', agent=lambda question: 'Paris', expect={'keywords': ['Paris']})\n"
        "def test_nobody(examine):\n"
        "    examine('What?')\n",
    )
    result = folder.start("test_own.py")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*no agent to examine: give --proctor-agent*"])
