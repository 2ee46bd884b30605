"""proctor list and show: reading what is stored."""

from __future__ import annotations

import re

import pytest
from tests.cli.desk import Desk

RIGHT = "def answer(question): return 'yes'\n"
WRONG = "def answer(question): return 'no'\n"


@pytest.fixture
def two_runs(desk: Desk) -> Desk:
    """A good one and a bad one."""
    assert desk.run(desk.agent(RIGHT), "--name", "good", "--trials", "2").code == 0
    assert desk.run(desk.agent(WRONG), "--name", "bad", "--label", "model=x").code == 0
    return desk


def test_the_newest_run_is_listed_first_with_its_pass_rate(two_runs: Desk) -> None:
    rows = two_runs("list", "--json").json
    assert [row["name"] for row in rows] == ["bad", "good"]
    assert [row["pass_rate"]["value"] for row in rows] == [0.0, 1.0]
    assert [row["planned"] for row in rows] == [3, 6]
    assert rows[0]["labels"] == {"model": "x"}
    assert [row["name"] for row in two_runs("list", "--limit", "1", "--json").json] == ["bad"]


def test_the_table_fits_80_columns(two_runs: Desk) -> None:
    said = two_runs("list")
    assert said.code == 0
    assert max(map(len, said.out.splitlines())) <= 80
    assert "good" in said.out
    assert "100 %" in said.out


def test_an_empty_store_says_what_to_do(two_runs: Desk) -> None:
    for name in ("good", "bad"):
        assert two_runs("delete", name, "--yes").code == 0
    said = two_runs("list")
    assert said.code == 0
    assert "proctor demo" in said.out
    assert two_runs("list", "--json").json == []
    none = two_runs("show", "last")
    assert none.code == 2
    assert "no run is stored yet" in none.error


@pytest.mark.parametrize("only", ["--status paused", "--since 2030-01-01", "--status failed --label model=x"])
def test_filters_that_no_run_passes_are_named(two_runs: Desk, only: str) -> None:
    said = two_runs("list", *only.split())
    assert (said.code, sorted(said.out.split())) == (
        0, sorted(f"No stored run matches {only}; `proctor list` shows all.".split())
    )  # fmt: skip
    assert two_runs("list", *only.split(), "--json").json == []
    said = two_runs("history", *only.split())
    assert said.code == 0
    assert "No run of benchmark matches --s" in said.out
    drawn = two_runs("history", *only.split(), "-o", "chart.svg")
    assert drawn.code == 2
    assert not (two_runs.folder / "chart.svg").exists()


def test_no_store_at_all_says_what_makes_one(desk: Desk) -> None:
    for command in (("list",), ("show", "last"), ("resume", "last"), ("cancel", "last"), ("delete", "last", "--yes")):
        said = desk(*command)
        assert (said.code, said.out) == (2, "")
        assert "`proctor run` or `proctor demo` makes some" in said.error
    assert not (desk.folder / ".proctor").exists()


def test_a_run_is_found_by_id_prefix_name_or_last(two_runs: Desk) -> None:
    wanted = two_runs("show", "good", "--json").json
    assert re.fullmatch(r"\d{6}-\d{6}-[0-9a-f]{4}", wanted["run"])
    assert two_runs("show", wanted["run"], "--json").json == wanted
    newest = two_runs("show", "last", "--json").json
    assert newest["name"] == "bad"
    prefix = next(newest["run"][:size] for size in range(1, 19) if not wanted["run"].startswith(newest["run"][:size]))
    assert two_runs("show", prefix, "--json").json["name"] == "bad"


def test_an_ambiguous_prefix_lists_what_it_may_be(two_runs: Desk) -> None:
    ids = {row["run"] for row in two_runs("list", "--json").json}
    said = two_runs("show", "2")
    assert said.code == 2
    assert all(run in said.error for run in ids)


def test_show_says_what_run_said(two_runs: Desk) -> None:
    said = two_runs.run(two_runs.agent(WRONG), "--trials", "2", "--json")
    assert two_runs("show", "last", "--json").json == said.json
    assert two_runs("show", "last", "--json").out == said.out


def test_show_exits_0_for_a_run_that_is_not_complete(desk: Desk) -> None:
    desk.run(desk.agent("def answer(question): raise ConnectionError('off')\n"), "--retries", "0")
    said = desk("show", "last")
    assert said.code == 0
    assert "! 3 environment failed" in said.out
    assert "proctor resume" in said.out


def test_show_refuses_a_k_beyond_the_trials(two_runs: Desk) -> None:
    assert "pass^1" not in two_runs("show", "good", "--k", "1").out, "it is the pass rate"
    said = two_runs("show", "good", "--k", "3")
    assert (said.code, said.out) == (2, "")
    assert "--k 3 needs --trials 3" in said.err


def test_delete_forgets_a_run_and_only_that(two_runs: Desk) -> None:
    assert two_runs("delete", "bad", "--yes").code == 0
    assert [row["name"] for row in two_runs("list", "--json").json] == ["good"]
    assert two_runs("show", "bad").code == 2


def test_delete_asks_first_and_keeps_the_run_unless_somebody_says_yes(
    two_runs: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for answer in ("n\n", "\n", ""):
        typed = two_runs.write("typed", answer)
        with typed.open() as keyboard:
            monkeypatch.setattr("sys.stdin", keyboard)
            said = two_runs("delete", "bad")
        assert (said.code, said.out) == (2, "")
        assert "is kept" in said.error
    with two_runs.write("typed", "y\n").open() as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        assert two_runs("delete", "bad").code == 0
    assert [row["name"] for row in two_runs("list", "--json").json] == ["good"]


def test_every_command_works_on_postgresql_too(desk: Desk, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROCTOR_STORE", postgres_url)
    code = (
        "import os\ndef answer(q):\n    if not os.path.exists('on'): raise ConnectionError('off')\n    return 'yes'\n"
    )
    assert desk.run(desk.agent(code), "--retries", "0", "--name", "it").code == 4
    assert desk("cancel", "it").code == 0
    assert [row["status"] for row in desk("list", "--json").json] == ["cancelled"]
    (desk.folder / "on").touch()
    assert desk("resume", "it", "--json").json["status"] == "completed"
    assert desk("show", "last", "--json").json["attempts"]["scored"] == 3
    assert desk("export", "it", "--format", "csv", "-o", "run.csv").code == 0
    assert desk("delete", "it", "--yes").code == 0
    assert desk("list", "--json").json == []
    assert not (desk.folder / ".proctor").exists()


def test_a_case_that_is_not_there_is_answered_with_those_that_are(desk: Desk) -> None:
    desk.run(desk.agent("def answer(question): return 'yes'\n"))
    found = desk("show", "last", "--json").json
    said = desk("show", "last", "--case", "nobody")
    assert (said.code, said.out) == (2, "")
    cases = ", ".join(f"{case['id']} ({case['question']})" for case in found["cases"]).replace("), ", "); ")
    assert said.error == (
        f"Error: no case of run {found['run']} has an id that begins with 'nobody', or a question with these words: "
        f"its cases are {cases}"
    )


def test_words_as_they_are_come_before_words_that_hold_them(desk: Desk) -> None:
    desk.benchmark(13)
    desk.run(desk.agent("def answer(question): return 'yes'\n"))
    assert desk("show", "last", "--case", "q 3").err.endswith(" (q 3)\n")
    assert desk("show", "last", "--case", "q").error.startswith("Error: 13 questions have the words 'q': ")


@pytest.fixture
def capitals(desk: Desk) -> Desk:
    desk.write("benchmark.csv", '"What is the capital of France?";"Paris"\n"What is the capital of Spain?";"Madrid"\n')
    desk.run(desk.agent("def answer(question): return 'Paris'\n"))
    return desk


@pytest.mark.parametrize("words", ["SPAIN", "capital spain?", "of Spain"])
def test_a_case_is_found_by_words_of_its_question_and_named(capitals: Desk, words: str) -> None:
    said = capitals("show", "last", "--case", words)
    cases = capitals("show", "last", "--json").json["cases"]
    (spain,) = [case["id"] for case in cases if "Spain" in case["question"]]
    assert said.code == 0
    assert said.err == f"case {spain} (What is the capital of Spain?)\n"
    assert said.out == capitals("show", "last", "--case", spain).out
    assert capitals("show", "last", "--case", spain).err == ""


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("What is 2 plus 2?", "What is 2 plus 2?"),
        ("what is  2 plus 2", "What is 2 plus 2?"),
        ("2 plus 2 plus", "What is 2 plus 2 plus 2?"),
        ("times 2 plus 2", "What is 3 times 2 plus 2?"),
    ],
)
def test_a_whole_question_wins_over_those_that_hold_it_and_a_phrase_over_words(
    desk: Desk, words: str, question: str
) -> None:
    desk.write(
        "benchmark.csv",
        '"What is 2 plus 2?";"4"\n"What is 2 plus 2 plus 2?";"6"\n"What is 3 times 2 plus 2?";"8"\n'
        '"What is 2 plus 3 times 2?";"8"\n',
    )
    desk.run(desk.agent("def answer(question): return '4'\n"))
    found = desk("show", "last", "--case", words)
    assert (found.code, found.err.partition(" (")[2]) == (0, f"{question})\n")


def test_several_cases_with_the_words_are_listed(capitals: Desk) -> None:
    said = capitals("show", "last", "--case", "capital")
    ids = [case["id"] for case in capitals("show", "last", "--json").json["cases"]]
    assert (said.code, said.out) == (2, "")
    assert said.error.startswith("Error: 2 questions have the words 'capital': ")
    assert all(f"{each} (What is the capital of " in said.error for each in ids)
    assert said.error.endswith("; give an id, or more words")


def test_a_case_says_where_its_agent_broke(desk: Desk) -> None:
    agent = desk.agent("def answer(question):\n    return {}['answer']\n")
    desk.run(agent)
    case = desk("show", "last", "--json").json["cases"][0]["id"]
    said = " ".join(desk("show", "last", "--case", case).out.split())
    assert "KeyError: 'answer'" in said
    assert re.search(r"│ \w+\.py, line \d+, in │ answer", said)
    assert str(desk.folder) not in said
