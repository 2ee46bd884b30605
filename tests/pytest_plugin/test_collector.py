"""Which files are suites, and what their tests are called and selected by."""

from __future__ import annotations

import pytest
from tests.pytest_plugin.folder import CAPITALS, Folder

from proctor.benchmark import Case
from proctor.codec import case_id
from proctor.pytest_plugin.collector import name_of

pytest_plugins = ["pytester"]

EVERY = ["capitals.yaml::france", "capitals.yaml::italy", "capitals.yaml::japan"]
UNNAMED = "cases:\n  - {question: 'Which policy, if any, covers remote work?'}\n"


def test_each_case_is_a_test_with_its_id(folder: Folder) -> None:
    assert folder.names("capitals.yaml") == EVERY


def test_a_case_without_an_id_is_named_by_its_question(folder: Folder) -> None:
    folder.write("plain.yaml", UNNAMED)
    made = case_id("Which policy, if any, covers remote work?", None)
    assert folder.names("plain.yaml") == [f"plain.yaml::which-policy-if-any-covers-remote-work-{made}"]


def test_an_id_cannot_be_taken_for_a_path_of_tests() -> None:
    assert name_of(Case(id="a::b\n c", question="?")) == "a:b c"


def test_a_suite_that_nobody_named_is_not_collected(folder: Folder) -> None:
    folder.write("test_one.py", "def test_one(): pass\n")
    assert folder.names() == ["test_one.py::test_one"]
    assert folder.names(".") == ["test_one.py::test_one"]


def test_files_that_the_configuration_matches_are_collected(folder: Folder) -> None:
    folder.write("pytest.ini", "[pytest]\nproctor_suites = suites/*.yaml *.suite.jsonl\n")
    folder.write("suites/capitals.yaml", CAPITALS)
    folder.write("suites/notes.yml", CAPITALS)
    folder.write("deep/down/one.suite.jsonl", '{"id": "one", "question": "What is 2 + 2?"}\n')
    expected = ["deep/down/one.suite.jsonl::one", *(f"suites/{name}" for name in EVERY)]
    assert folder.names() == expected


def test_what_another_plugin_collects_stays_its_own(folder: Folder) -> None:
    folder.write("theirs.yaml", "stages:\n  - name: one\n")
    folder.write(
        "conftest.py",
        "import pytest\n"
        "class Theirs(pytest.Item):\n    def runtest(self): pass\n"
        "class File(pytest.File):\n    def collect(self): yield Theirs.from_parent(self, name='one')\n"
        "def pytest_collect_file(file_path, parent):\n"
        "    if file_path.suffix == '.yaml': return File.from_parent(parent, path=file_path)\n",
    )
    assert folder.names("theirs.yaml") == ["theirs.yaml::one"]


def test_with_an_agent_a_named_file_is_meant_and_its_errors_are_told(folder: Folder) -> None:
    folder.write("broken.yaml", "case:\n  - question: What is 2 + 2?\n")
    assert folder.start("broken.yaml").ret == pytest.ExitCode.USAGE_ERROR
    result = folder.test("broken.yaml")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*broken.yaml: line 1, column 1: *did you mean 'cases'*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_named_suite_with_an_error_is_told_without_an_agent(folder: Folder) -> None:
    folder.write("broken.yaml", "cases:\n  - {question: What is 2 + 2?, expect: {keyword: [four]}}\n")
    folder.start("broken.yaml").stdout.fnmatch_lines(["*broken.yaml: line 2, *keyword*did you mean 'keywords'*"])


def test_a_csv_benchmark_is_a_suite_where_it_is_meant(folder: Folder) -> None:
    folder.write("benchmark.csv", '"What is the capital of France?";"Paris"\n"What is the capital of Japan?";"Tokyo"\n')
    assert folder.start("benchmark.csv").ret == pytest.ExitCode.USAGE_ERROR
    result = folder.test("benchmark.csv", "-rA")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["PASSED benchmark.csv::what-is-the-capital-of-france-*", "FAILED *score 0.00 *"])


@pytest.mark.parametrize(
    ("option", "expression", "selected"),
    [
        ("-k", "europe", EVERY[:2]),
        ("-k", "big_boot", EVERY[1:2]),
        ("-k", "Japan or italy", EVERY[1:]),
        ("-m", "europe", EVERY[:2]),
        ("-m", "big_boot and not asia", EVERY[1:2]),
        ("-m", "proctor", EVERY),
        ("-m", "not proctor", []),
    ],
)
def test_categories_are_keywords_and_markers(folder: Folder, option: str, expression: str, selected: list[str]) -> None:
    assert folder.names("capitals.yaml", "--strict-markers", option, expression) == selected


def test_a_single_case_can_be_named(folder: Folder) -> None:
    folder.test("capitals.yaml::italy").assert_outcomes(passed=1)
    assert list(folder.calls()) == ["What is the capital of Italy?"]


@pytest.mark.parametrize("category", ["skip", "xfail", "parametrize", "usefixtures"])
def test_a_category_that_means_something_to_pytest_changes_nothing(folder: Folder, category: str) -> None:
    folder.write(
        "odd.yaml", f"cases:\n  - {{id: one, category: {category}, question: Capital of France?, reference: Paris}}\n"
    )
    folder.test("odd.yaml", "-k", category).assert_outcomes(passed=1)


def test_two_categories_of_one_name_in_two_suites_are_one_marker(folder: Folder) -> None:
    folder.write("more.yaml", CAPITALS)
    assert len(folder.names("capitals.yaml", "more.yaml", "-m", "europe")) == 4


def test_where_a_case_stands_is_told(folder: Folder) -> None:
    result = folder.test("capitals.yaml", "--tb=line")
    result.stdout.fnmatch_lines(["*capitals.yaml:5: keywords: “Tokyo” is missing"])
