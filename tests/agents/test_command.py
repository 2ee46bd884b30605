"""Programs as agents."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.agents.command import load
from proctor.errors import AgentFault, InputError
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
    return True


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("", {}, "names no program"),
        ("no-such-program-anywhere", {}, "no program 'no-such-program-anywhere'"),
        ("'unclosed", {}, "cannot read the command"),
        (program("1"), {"input": "xml"}, "plain .* or json"),
        (program("1"), {"shell": True}, "no option 'shell'"),
    ],
)
def test_a_wrong_command_is_said_before_the_first_question(spec: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(spec, options)
