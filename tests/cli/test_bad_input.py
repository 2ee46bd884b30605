"""Bad input: one clear sentence, the right exit code, and nothing lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.desk import STORE, Desk

RIGHT = "def answer(question): return 'yes'\n"
SMALL_DISK = """\
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
import proctor.workflows.ledger
proctor.workflows.ledger._STORE_PATIENCE = 1.0
"""


def refused(desk: Desk, agent: str, *options: str) -> str:
    """The one sentence of a run that never began."""
    said = desk.run(agent, *options)
    assert (said.code, said.out) == (2, "")
    assert said.error.startswith("Error: ")
    return said.error


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("nobody", "there is no agent 'nobody'"),
        ("pyton:agent:answer", "did you mean 'python:…'?"),
        ("python:", "expected package.module:attribute"),
        ("python:no_such_module_anywhere:answer", "there is no module 'no_such_module_anywhere'"),
        ("python:json:lods", "did you mean 'loads'?"),
        ("python:json:decoder", "expected a function"),
        ("python:os:getcwd", "cannot be asked"),
        ("demo:nobody", "demo:librarian"),
        ("command:", "names no program"),
        ("command:no-such-program", "there is no program 'no-such-program'"),
        ("", "no agent"),
    ],
)
def test_an_agent_that_cannot_be_found_is_said_before_anything_is_stored(desk: Desk, agent: str, words: str) -> None:
    assert words in refused(desk, agent)
    assert not (desk.folder / ".proctor").exists()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise RuntimeError('no key')", "raised RuntimeError: no key"),
        ("import no_such_module_anywhere", "needs the missing module 'no_such_module_anywhere'"),
        ("def answer(:", "raised SyntaxError"),
        ("raise SystemExit(3)", "raised SystemExit: 3"),
        ("answer = 3", "expected a function"),
        ("def answer(): return 'yes'", "cannot be asked"),
        ("def answer(one, two): return 'yes'", "missing a required argument: 'two'"),
        ("class answer:\n    def reply(self): return 'yes'", "cannot be asked"),
        ("class answer:\n    pass", "needs a reply(question) method"),
    ],
)
def test_an_agent_that_cannot_be_imported_or_asked_is_refused(desk: Desk, code: str, words: str) -> None:
    assert words in refused(desk, desk.agent(code))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def answer(q): raise ValueError('it broke')", "ValueError: it broke"),
        ("def answer(q): return None", "the agent returned None"),
        ("def answer(q): return 42", "int; expected a str"),
        ("def answer(q): return ['yes']", "list; expected a str"),
        ("def answer(q): return {'answer': 'yes'}", "without 'text'; its keys are ['answer']"),
        ("def answer(q): return {'text': 3}", "not a reply: text is 3; expected a text"),
        ("import sys\ndef answer(q): sys.exit(3)", "called sys.exit(3)"),
        ("import sys\nasync def answer(q): sys.exit('bye')", "called sys.exit('bye')"),
        ("import asyncio\nasync def answer(q): raise asyncio.CancelledError", "was cancelled, but not by Proctor"),
        ("def answer(q): return answer(q)", "RecursionError"),
        ("async def answer(q):\n    yield None", "the agent returned None"),
        ("def answer(q): raise StopIteration", "raised StopIteration"),
        ("class answer:\n    def __init__(self): raise ValueError('no')\n    def reply(self, q): return ''", "no"),
    ],
)
def test_an_agent_that_breaks_fails_each_attempt_and_the_run_completes(desk: Desk, code: str, reason: str) -> None:
    said = desk.run(desk.agent(code), "--json")
    assert said.code == 0
    assert said.json["status"] == "completed"
    assert said.json["attempts"]["failed_by"] == {"agent": 3, "environment": 0}
    assert said.json["pass_rate"]["value"] == 0.0
    assert said.json["mean_score"]["value"] is None
    assert reason in said.json["troubles"][0]["reason"]
    assert "\n" not in said.json["troubles"][0]["reason"]


@pytest.mark.parametrize(
    "code",
    [
        "import threading\ndef answer(q): threading.Event().wait()",
        "import asyncio\nasync def answer(q): await asyncio.Event().wait()",
    ],
)
def test_an_agent_that_hangs_is_not_waited_for_and_not_asked_again(desk: Desk, code: str) -> None:
    said = desk.run(desk.agent(code), "--timeout", "0.05", "--retries", "5", "--json")
    assert said.code == 0
    assert said.json["attempts"]["failed_by"]["agent"] == 3
    assert said.json["troubles"][0]["reason"] == "did not answer within 0.05 s"
    assert all(attempt.failure is not None and attempt.failure.tries == 1 for attempt in desk.attempts())


def test_five_hundred_hung_agents_and_the_process_still_ends(desk: Desk) -> None:
    desk.benchmark(500)
    agent = desk.agent("import time\ndef answer(q): time.sleep(100000)\n")
    process = desk.start("run", "benchmark.csv", "--agent", agent, "--concurrency", "500", "--timeout", "1", "--json")
    said = desk.finish(process)
    assert said.code == 0
    assert said.json["attempts"]["failed_by"]["agent"] == 500


def test_an_empty_reply_is_a_reply_and_is_scored(desk: Desk) -> None:
    said = desk.run(desk.agent("def answer(q): return ''"), "--json")
    assert said.json["attempts"]["scored"] == 3
    assert said.json["mean_score"]["value"] == 0.0


def test_a_missing_benchmark_is_one_sentence(desk: Desk) -> None:
    said = desk("run", "nowhere.csv", "--agent", desk.agent(RIGHT))
    assert (said.code, said.out) == (2, "")
    assert "nowhere.csv" in said.error
    assert "No such file" in said.error


def test_a_benchmark_with_errors_names_the_line_and_the_column(desk: Desk) -> None:
    desk.write("benchmark.csv", '"q";"a"\n"q";""\n')
    assert "line 2, column 5: Answer field is required" in refused(desk, desk.agent(RIGHT))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--trials", "0"), "--trials 0 is not usable; expected a whole number from 1 to 10,000"),
        (("--concurrency", "0"), "--concurrency 0 is not usable"),
        (("--timeout", "0"), "--timeout 0 is not usable; expected a number above 0"),
        (("--timeout", "nan"), "--timeout nan is not usable"),
        (("--retries", "-1"), "--retries -1 is not usable"),
        (("--passing-score", "70"), "--passing-score 70 is not usable; expected a number from 0 to 1"),
        (("--passing-score", "70%"), "did you mean 0.7?"),
        (
            ("--timeout", "5m"),
            "--timeout '5m' is not a number; expected a number above 0, up to 86,400 seconds: did you",
        ),
        (("--trials", "three"), "--trials 'three' is not a whole number; expected a whole number from 1 to 10,000"),
        (("--trials", "2", "--k", "3"), "--k 3 needs --trials 3 or more, and each case has 2 trials"),
        (("--examiner", "foo"), "--examiner foo would ask nothing: --type standard has no examiner"),
        (("--look", "2"), "--look 2 counts the checks of a gate"),
        (("--gate", "pass_rate>=90"), "did you mean 90 % (0.9)?"),
        (("--reviewer", "foo"), "python:…, openai:MODEL and other models, none"),
        (("--sync", "otlp"), "no address to send to; set OTEL_EXPORTER_OTLP_ENDPOINT in the environment"),
        (("what", "is", "this"), "3 arguments too many: what is this; put a text that holds blanks in quotes"),
        (("--weights", "correctnes=1"), "did you mean 'correctness'?"),
        (("--weights", "style=1"), "no part 'style'"),
        (("--weights", "correctness"), "NAME=NUMBER"),
        (("--weights", "correctness=0"), "all 0"),
        (("--weights", "correctness=-1"), "at least 0"),
        (("--weights", "correctness=nan"), "at least 0"),
        (("--type", "duel"), "--type"),
        (("--agent-kind", "desktop"), "desktop agents are not supported"),
        (("--reviewer", "embeded"), "did you mean 'embedded'?"),
        (("--trials", "many"), "--trials"),
        (("--nonsense",), "--nonsense"),
        (("--config", "nowhere.toml"), "nowhere.toml"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused(desk: Desk, options: tuple[str, ...], words: str) -> None:
    assert words in refused(desk, desk.agent(RIGHT), *options)
    assert not (desk.folder / ".proctor").exists()


def make_folder(path: Path) -> None:
    path.mkdir()


def make_text(path: Path) -> None:
    path.write_text("this is no database, only a few words about one\n" * 40)


def make_foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_folder, "is a folder"),
        (make_text, "is not a SQLite database"),
        (make_foreign, "belongs to another program"),
    ],
)
def test_what_is_no_store_is_refused_and_left_alone(desk: Desk, make: Callable[[Path], None], words: str) -> None:
    path = desk.folder / "store.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert words in refused(desk, desk.agent(RIGHT), "--store", "store.db")
    for command in (("list",), ("show", "last"), ("resume", "last"), ("cancel", "last")):
        said = desk(*command, "--store", "store.db")
        assert (said.code, said.out) == (2, "")
        assert words in said.err
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_truncated_store_is_said_to_be_damaged(desk: Desk) -> None:
    desk.run(desk.agent(RIGHT), "--store", "store.db")
    whole = (desk.folder / "store.db").read_bytes()
    (desk.folder / "store.db").write_bytes(whole[:5000])
    for command in (("list",), ("show", "last")):
        said = desk(*command, "--store", "store.db")
        assert (said.code, said.out) == (2, "")
        assert "is damaged" in said.err


@pytest.mark.parametrize("where", ["/dev/null/store.db", "/proc/store.db"])
def test_a_place_where_nothing_can_be_written_is_one_sentence(desk: Desk, where: str) -> None:
    assert "name another" in refused(desk, desk.agent(RIGHT), "--store", where)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hush-hush@127.0.0.1:1/db",
        "postgresql://me@127.0.0.1:1/db?password=hush-hush",
        "mysql://me:hush-hush@h/db",
    ],
)
def test_a_server_that_does_not_answer_is_named_without_the_password(desk: Desk, url: str) -> None:
    said = desk.run(desk.agent(RIGHT), "--store", url)
    assert (said.code, said.out) == (2, "")
    assert "hush-hush" not in said.err
    listed = desk("list", "--store", url)
    assert listed.code == 2
    assert "hush-hush" not in listed.err


def test_a_disk_that_fills_up_stops_the_run_and_loses_nothing_that_was_stored(desk: Desk) -> None:
    desk.benchmark(200)
    agent = desk.agent("def answer(request):\n    note(request.case)\n    return 'yes ' + 'x' * 3000\n")
    run = ("run", "benchmark.csv", "--agent", agent, "--concurrency", "2", "--name", "full", "--json")
    said = desk.finish(desk.start(*run, first=SMALL_DISK))
    assert (said.code, said.out) == (4, "")
    assert "the disk is full" in said.error
    shown = desk("show", "full", "--json").json
    assert shown["status"] in ("failed", "paused")  # where the disk has no room even for the word
    stored = shown["attempts"]["scored"]
    assert 0 < stored < 200
    assert shown["attempts"]["pending"] == 200 - stored
    asked = sum(desk.calls().values())
    resumed = desk("resume", "full", "--json")
    assert resumed.code == 0
    assert resumed.json["attempts"]["scored"] == 200
    assert sum(desk.calls().values()) - asked <= 200 - stored


def test_the_name_of_an_unknown_run_and_of_several_is_said(desk: Desk) -> None:
    assert "there are no results" in desk("show", "last").error
    agent = desk.agent(RIGHT)
    desk.run(agent, "--name", "twin")
    desk.run(agent, "--name", "twin")
    for command in ("show", "resume", "cancel"):
        unknown = desk(command, "nobody")
        assert (unknown.code, unknown.out) == (2, "")
        assert "'nobody'" in unknown.error
        several = desk(command, "twin")
        assert several.code == 2
        assert "give the whole id" in several.error
    assert desk("show", "2").code == 2
    assert desk("show", "last", "--store", STORE).code == 0
