"""Programs as agents."""

from __future__ import annotations

import asyncio
import os
import resource
import shlex
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import proctor
from proctor.agents.command import load
from proctor.errors import AgentFault, EnvironmentFault, InputError, Misconfigured
from proctor.transcript import Request

ASKED = Request(question="what is it?", conversation="one", context="earlier", trial=2)


def program(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


async def test_the_question_goes_in_and_the_answer_comes_out() -> None:
    agent = load(program("print(input().upper())"), {})
    assert (await agent.reply(ASKED)).text == "WHAT IS IT?"
    assert not agent.takes_request


async def test_the_whole_request_as_json_when_asked_for() -> None:
    code = "import json, sys; r = json.load(sys.stdin); print(r['context'], r['trial'])"
    agent = load(program(code), {"input": "json"})
    assert (await agent.reply(ASKED)).text == "earlier 2"
    assert agent.takes_request


async def test_a_json_object_with_text_is_a_whole_reply() -> None:
    code = "import json; print(json.dumps({'text': 'yes', 'tool_calls': [{'name': 'find'}]}))"
    reply = await load(program(code), {}).reply(ASKED)
    assert reply.text == "yes"
    assert reply.tool_calls[0].name == "find"


async def test_text_that_only_looks_like_json_is_text() -> None:
    assert (await load(program("print('{not json')"), {}).reply(ASKED)).text == "{not json"


async def test_standard_error_is_kept_beside_the_reply() -> None:
    code = "import sys; print('warning', file=sys.stderr); print('yes')"
    reply = await load(program(code), {}).reply(ASKED)
    assert (reply.text, reply.stderr.strip()) == ("yes", "warning")


async def test_standard_error_is_kept_beside_a_whole_reply_too() -> None:
    code = "import json, sys; print('warning', file=sys.stderr); print(json.dumps({'text': 'yes'}))"
    reply = await load(program(code), {}).reply(ASKED)
    assert (reply.text, reply.stderr.strip()) == ("yes", "warning")


async def test_a_non_zero_exit_is_the_agents_failure_with_its_last_words() -> None:
    with pytest.raises(AgentFault, match="exit code 3: it broke"):
        await load(program("import sys; print('it broke', file=sys.stderr); sys.exit(3)"), {}).reply(ASKED)


async def test_giving_up_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    asking = asyncio.ensure_future(load(program(code), {}).reply(ASKED))
    pid = int(await eventually(lambda: pid_file.exists() and pid_file.read_text()))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await eventually(lambda: not alive(pid))


async def test_a_child_in_the_background_neither_holds_up_the_answer_nor_lives_on(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = f"sleep 600 & echo $! > {shlex.quote(str(pid_file))}; echo Paris"
    async with asyncio.timeout(60):
        reply = await load(f"sh -c {shlex.quote(script)}", {}).reply(ASKED)
    assert reply.text == "Paris"
    await eventually(lambda: not alive(int(pid_file.read_text())))


async def test_a_child_that_closed_its_output_does_not_live_on(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = f"sleep 600 >/dev/null 2>&1 & echo $! > {shlex.quote(str(pid_file))}; echo Paris"
    assert (await load(f"sh -c {shlex.quote(script)}", {}).reply(ASKED)).text == "Paris"
    await eventually(lambda: not alive(int(pid_file.read_text())))


async def test_what_a_child_prints_last_is_heard_too() -> None:
    script = "(read line < /dev/null; echo is it) & printf 'Paris '"
    reply = await load(f"sh -c {shlex.quote(script)}", {}).reply(ASKED)
    assert sorted(reply.text.split()) == ["Paris", "is", "it"]


async def test_a_long_answer_is_read_to_its_end() -> None:
    assert (await load(program("print('x' * 3_000_000)"), {}).reply(ASKED)).text == "x" * 3_000_000


async def test_a_program_that_prints_too_much_is_ended_and_says_so(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    code = f"import os; open({str(pid_file)!r}, 'w').write(str(os.getpid()))\nwhile True: print('x' * 1000)"
    with pytest.raises(AgentFault, match=r"more than 100,000 bytes .* max_bytes"):
        await load(program(code), {"max_bytes": 100_000}).reply(ASKED)
    await eventually(lambda: not alive(int(pid_file.read_text())))


async def test_a_program_that_complains_without_end_is_read_to_its_answer() -> None:
    code = "import sys; sys.stderr.write('x' * 5_000_000); print('yes')"
    reply = await load(program(code), {}).reply(ASKED)
    assert (reply.text, reply.stderr) == ("yes", "x" * 4000)


async def test_a_program_that_does_not_read_the_question_still_answers() -> None:
    long = Request(question="why? " * 200_000, conversation="one")
    assert (await load(program("print('because')"), {}).reply(long)).text == "because"


async def test_a_machine_that_cannot_start_the_program_is_the_environments() -> None:
    agent = load(program("print('yes')"), {})
    await agent.reply(ASKED)  # whatever asyncio itself opens once is open by now
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(EnvironmentFault, match="Too many open files"):
            await agent.reply(ASKED)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.chmod(0o644), lambda path: path.write_bytes(b"\0")])
async def test_a_program_that_cannot_run_any_more_is_a_misconfiguration(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    script = tmp_path / "agent.sh"
    script.write_text("#!/bin/sh\necho yes\n")
    script.chmod(0o755)
    agent = load(shlex.quote(str(script)), {})
    spoil(script)
    with pytest.raises(Misconfigured, match=r"cannot start .*agent\.sh"):
        await agent.reply(ASKED)


async def test_secrets_are_scrubbed_from_standard_error_before_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "hush-hush-hush")
    code = "import os, sys; print('-', os.environ['SOME_TOKEN'] + '.' * 3993, file=sys.stderr)"
    reply = await load(program(code), {}).reply(ASKED)
    assert "hush" not in reply.stderr
    with pytest.raises(AgentFault, match=r"exit code 3: \$SOME_TOKEN$"):
        await load(program("import os, sys; sys.stderr.write(os.environ['SOME_TOKEN']); sys.exit(3)"), {}).reply(ASKED)


async def eventually(look: Callable[[], Any]) -> Any:
    async with asyncio.timeout(20):
        while not (seen := look()):
            await asyncio.sleep(0.005)
        return seen


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with suppress(FileNotFoundError, ProcessLookupError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()  # dead, but its parent has not asked how
    return True


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("", {}, "names no program"),
        ("no-such-program-anywhere", {}, "no program 'no-such-program-anywhere'"),
        ("'unclosed", {}, "cannot read the command"),
        (program("1"), {"input": "xml"}, "plain .* or json"),
        (program("1"), {"shell": True}, "no option 'shell'; expected one of mode, input"),
        (program("1"), {"imput": "json"}, "did you mean 'input'"),
    ],
)
def test_a_wrong_command_is_said_before_the_first_question(spec: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(spec, options)


# --- programs that break the rules ----------------------------------------------------------------


async def test_bytes_that_are_no_text_are_read_as_far_as_they_are() -> None:
    reply = await load(program("import sys; sys.stdout.buffer.write(b'caf\\xe9\\x00 \\xff\\xfe')"), {}).reply(ASKED)
    assert reply.text == "caf\ufffd\x00 \ufffd\ufffd"


async def test_a_program_that_is_killed_has_failed_itself_and_by_what_is_told() -> None:
    code = "import os, signal; print('half', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(AgentFault, match="was killed by SIGKILL: "):
        await load(program(code), {}).reply(ASKED)


async def test_a_grandchild_that_went_its_own_way_does_not_hold_up_the_answer(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    child = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    code = f"""
        import os, subprocess, sys, time
        subprocess.Popen([sys.executable, "-c", {child!r}], start_new_session=True)
        while not os.path.exists({str(pid_file)!r}) or not os.path.getsize({str(pid_file)!r}): time.sleep(0.01)
        print("Paris")
    """
    try:
        async with asyncio.timeout(60):
            assert (await load(program(dedent(code)), {}).reply(ASKED)).text == "Paris"
    finally:
        os.kill(int(pid_file.read_text()), signal.SIGKILL)


async def test_every_fault_of_a_program_is_told_and_hurts_no_other_case(tmp_path: Path) -> None:
    code = """
        import os, signal, subprocess, sys, time
        question = sys.stdin.read()
        if question == "hang": time.sleep(600)
        if question == "drip":
            while True: print(end=".", flush=True); time.sleep(0.01)
        if question == "endless":
            while True: print(end="x" * 65536)
        if question == "binary": sys.stdout.buffer.write(os.urandom(1000) + bytes([255])); sys.exit()
        if question == "dying": print(end="half", flush=True); os.kill(os.getpid(), signal.SIGSEGV)
        if question == "orphans":
            sleeping = "import time; time.sleep(600)"
            again = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {sleeping!r}])"
            subprocess.run([sys.executable, "-c", again])
        print(question)
    """
    expected = {
        "hang": "did not answer within 5 s",
        "drip": "did not answer within 5 s",
        "endless": "more than 1,000,000 bytes",
        "dying": "was killed by SIGSEGV",
    }
    cases = [(question, question) for question in (*expected, "binary", "orphans", *(f"good {n}" for n in range(6)))]
    agent = load(program(dedent(code)), {"max_bytes": 1_000_000})
    run = await proctor.aevaluate(
        cases, agent=agent, reviewer="exact", store=tmp_path / "s.db", concurrency=6, timeout=5.0, retries=0
    )
    attempts = {attempt.transcript.turns[0].question: attempt for attempt in run.attempts()}
    failures = {question: each.failure.reason for question, each in attempts.items() if each.failure is not None}
    assert failures.keys() == expected.keys()
    assert [question for question, words in expected.items() if words not in failures[question]] == []
    assert [question for question, each in attempts.items() if each.passed] == [
        question for question, _ in cases if question == "orphans" or question.startswith("good")
    ]


@pytest.mark.parametrize(
    ("file", "text", "runs", "said"),
    [
        ("z.sh", "echo hi", False, r"'./z.sh' is not executable; make it so with `chmod \+x ./z.sh`"),
        ("y.sh", "#!/nosuch -x\necho", True, "the script './y.sh' cannot start: its first line wants '/nosuch', which"),
        ("x.sh", "#!/usr/bin/env nopy\n", True, "its first line wants 'nopy', which is not here; install that"),
        ("w.sh", "#!/bin/nosh\r\necho\r\n", True, "its lines end in CR LF, as on Windows: save it with LF"),
    ],
)
def test_a_file_that_cannot_be_started_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, runs: bool, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_bytes(text.encode())
    (tmp_path / file).chmod(0o755 if runs else 0o644)
    with pytest.raises(InputError, match=said):
        load(f"./{file}", {})


def test_a_folder_and_a_file_that_is_not_on_the_path_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.sh").write_text("echo hi")
    with pytest.raises(InputError, match="is a folder; expected a program"):
        load(str(tmp_path), {})
    with pytest.raises(InputError, match=r"on the PATH, but a file of this name here; write ./mine.sh"):
        load("mine.sh", {})
