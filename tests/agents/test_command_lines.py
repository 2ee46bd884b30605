"""Programs that stay and answer line by line."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar

import pytest
from tests.agents.minded.plain import as_lines

from proctor.agents.command import load
from proctor.codec import decode
from proctor.errors import AgentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.testing.agents import AgentContract
from proctor.testing.minds import Mind
from proctor.transcript import Reply, Request, Turn

HEAD = """
import json, os, sys
def say(request, **reply):
    print(json.dumps({"id": request["id"], **reply}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    question = request["question"]
"""


def program(body: str) -> str:
    """A program whose loop does this with each request."""
    code = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


@asynccontextmanager
async def lines(body: str, **options: Any) -> AsyncIterator[Agent]:
    agent = load(program(body), {"mode": "lines", **options})
    try:
        yield agent
    finally:
        await agent.close()


def ask(agent: Agent, question: str, conversation: str | None = None) -> asyncio.Task[Reply]:
    return asyncio.ensure_future(agent.reply(Request(question=question, conversation=conversation or question)))


class TestContract(AgentContract):
    cannot: ClassVar = {
        "network": "a program that fails says so itself, whatever the reason",
        "status": "a program that fails says so itself, whatever the reason",
    }

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        agent = as_lines(mind)
        try:
            yield agent
        finally:
            await agent.close()


async def test_one_process_answers_every_question() -> None:
    async with lines("say(request, text=str(os.getpid()))") as agent:
        said = {(await ask(agent, question)).text for question in "abc"}
    assert len(said) == 1


async def test_it_is_handed_the_whole_request_on_one_line() -> None:
    turn = Turn(number=1, question="first\nline", reply=Reply(text="yes"))
    request = Request(
        question="a\nb", conversation="c", context="d", history=(turn,), case="k", turn=2, trial=3, condition="slow"
    )
    async with lines("say(request, text=line)") as agent:
        line = (await agent.reply(request)).text
    assert decode(line, Request) == request
    assert json.loads(line)["id"] == 1


async def test_a_whole_reply_is_read() -> None:
    async with lines("say(request, text='yes', tool_calls=[{'name': 'find', 'result': 1}])") as agent:
        reply = await ask(agent, "?")
    assert (reply.text, reply.tool_calls[0].name, reply.tool_calls[0].result_known) == ("yes", "find", True)


async def test_answers_may_come_out_of_order() -> None:
    body = """
    if question == "first":
        kept = request
    else:
        say(request, text="second")
        say(kept, text="first")
    """
    async with lines(dedent(body), concurrency=2) as agent:
        replies = await asyncio.gather(ask(agent, "first"), ask(agent, "second"))
    assert [reply.text for reply in replies] == ["first", "second"]


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (3, 3)])
async def test_no_more_questions_are_in_flight_than_it_takes_at_once(concurrency: int, most: int) -> None:
    code = """
import json, os, select
while data := os.read(0, 65536):
    while select.select([0], [], [], 0.05)[0] and (more := os.read(0, 65536)):
        data += more
    for line in data.splitlines():
        print(json.dumps({"id": json.loads(line)["id"], "text": str(data.count(b"\\n"))}), flush=True)
"""
    agent = load(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", {"mode": "lines", "concurrency": concurrency})
    replies = await asyncio.gather(*(ask(agent, question) for question in "abc"))
    await agent.close()
    assert max(int(reply.text) for reply in replies) == most


async def test_conversations_stay_with_their_process_and_are_spread_over_all() -> None:
    async with lines("say(request, text=str(os.getpid()))", processes=2) as agent:
        first = [reply.text for reply in await asyncio.gather(*(ask(agent, "?", name) for name in "abcd"))]
        again = [reply.text for reply in await asyncio.gather(*(ask(agent, "!", name) for name in "abcd"))]
    assert first == again
    assert sorted(first.count(pid) for pid in set(first)) == [2, 2]


async def test_standard_error_of_the_question_is_kept_beside_the_reply() -> None:
    async with lines("print('thinking of', question, file=sys.stderr, flush=True)\nsay(request, text='yes')") as agent:
        first, second = await ask(agent, "one"), await ask(agent, "two")
    assert (first.stderr, second.stderr) == ("thinking of one\n", "thinking of two\n")


async def test_no_more_of_standard_error_is_kept_than_its_end() -> None:
    async with lines("sys.stderr.write('x' * 300_000 + 'end')\nsay(request, text='yes')") as agent:
        reply = await ask(agent, "?")
    assert len(reply.stderr) <= 4000
    assert set(reply.stderr) <= set("xend")


async def test_a_program_that_dies_fails_what_is_in_flight_and_is_started_again() -> None:
    body = """
    if question == "die":
        print("it broke", file=sys.stderr)
        sys.exit(3)
    if question != "wait":
        say(request, text=str(os.getpid()))
    """
    async with lines(dedent(body), concurrency=3) as agent:
        before = await ask(agent, "who?")
        waiting = ask(agent, "wait")
        dying = ask(agent, "die")
        for doomed in (waiting, dying):
            with pytest.raises(AgentFault, match="exit code 3: it broke"):
                await doomed
        after = await ask(agent, "who?")
    assert before.text != after.text


async def test_one_process_that_dies_leaves_the_others_alone() -> None:
    async with lines("sys.exit(1) if question == 'die' else say(request, text=str(os.getpid()))", processes=2) as agent:
        replies = [await one for one in (ask(agent, "?", "a"), ask(agent, "?", "b"))]
        dead = ask(agent, "die", "a")
        with pytest.raises(AgentFault, match="exit code 1"):
            await dead
        assert (await ask(agent, "?", "b")).text == replies[1].text


async def test_a_program_that_only_dies_is_not_started_for_ever() -> None:
    async with lines("sys.exit(7)", restarts=2) as agent:
        for _ in range(3):
            with pytest.raises(AgentFault, match="exit code 7"):
                await ask(agent, "?")
        with pytest.raises(Misconfigured, match=r"ended 3 times in a row .* exit code 7.*restarts = 2"):
            await ask(agent, "?")
        with pytest.raises(Misconfigured, match="3 times"):
            await ask(agent, "?")


async def test_an_answer_in_between_gives_it_another_chance() -> None:
    async with lines("say(request, text='yes') if question == 'fine' else sys.exit(1)", restarts=1) as agent:
        for _ in range(3):
            with pytest.raises(AgentFault):
                await ask(agent, "die")
            assert (await ask(agent, "fine")).text == "yes"


@pytest.mark.parametrize("garbage", ["hello", "[1]", '{"text": "no id"}', '{"id": "1"}', '{"id": 77, "text": "?"}'])
async def test_garbage_is_the_agents_fault_and_is_quoted(garbage: str) -> None:
    async with lines(f"print({garbage!r}, flush=True)\nsay(request, text='late')") as agent:
        with pytest.raises(AgentFault) as caught:
            await ask(agent, "?")
        assert repr(garbage) in str(caught.value)
        assert "log to standard error" in str(caught.value)


async def test_a_late_answer_does_no_harm() -> None:
    async with lines("print('log', flush=True) if question == 'bad' else None\nsay(request, text=question)") as agent:
        with pytest.raises(AgentFault, match="'log'"):
            await ask(agent, "bad")
        assert (await ask(agent, "good")).text == "good"


async def test_a_program_may_say_that_it_failed() -> None:
    async with lines("say(request, error='no such book')") as agent:
        with pytest.raises(AgentFault, match="answered with an error: no such book"):
            await ask(agent, "?")


async def test_an_answer_without_text_is_the_agents_fault() -> None:
    async with lines("say(request, answer='yes')") as agent:
        with pytest.raises(AgentFault, match="without 'text'"):
            await ask(agent, "?")


async def test_a_question_that_is_never_answered_ends_at_its_time_and_the_next_is_answered(tmp_path: Path) -> None:
    body = f"""
    open({str(tmp_path)!r} + "/" + question, "w").write(str(os.getpid()))
    if question == "hang":
        import time; time.sleep(600)
    say(request, text="yes")
    """
    async with lines(dedent(body)) as agent:
        hanging = ask(agent, "hang")
        pid = int(await eventually(lambda: (tmp_path / "hang").exists() and (tmp_path / "hang").read_text()))
        behind = ask(agent, "behind")
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert (await behind).text == "yes"
        await eventually(lambda: not alive(pid))


async def test_one_unanswered_question_does_not_end_a_program_that_answers_others() -> None:
    body = "None if question == 'never' else say(request, text=str(os.getpid()))"
    async with lines(body, concurrency=2) as agent:
        first = await ask(agent, "?")
        never = ask(agent, "never")
        await ask(agent, "!")
        never.cancel()
        with pytest.raises(asyncio.CancelledError):
            await never
        assert (await ask(agent, "??")).text == first.text


async def test_a_hung_program_may_still_answer_what_it_was_asked_before() -> None:
    body = """
    if question == "slow":
        kept = request
    elif question == "go":
        say(kept, text="at last")
    """
    async with lines(dedent(body), concurrency=3) as agent:
        slow, never = ask(agent, "slow", "a"), ask(agent, "never", "b")
        go = ask(agent, "go", "c")
        never.cancel()
        assert (await slow).text == "at last"
        go.cancel()


@pytest.mark.parametrize("end", ["", "\n"])
async def test_a_line_that_is_too_long_is_the_agents_fault(end: str) -> None:
    body = f"sys.stdout.write('x' * 2_000 + {end!r}); sys.stdout.flush()"
    async with lines(body, max_bytes=1_000) as agent:
        with pytest.raises(AgentFault, match=r"a line of more than 1,000 bytes .* max_bytes"):
            await ask(agent, "?")


@pytest.mark.parametrize("noise", ["x\n", "\n", "{}\n", "\xff\xfe\n"])
async def test_a_program_that_prints_without_end_and_answers_nothing_is_ended(noise: str) -> None:
    code = f"{HEAD}    while True: sys.stdout.buffer.write({(noise * 1000).encode('latin-1')!r})"
    agent = load(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", {"mode": "lines", "max_bytes": 100_000})
    with pytest.raises(AgentFault, match=r"expected one line of JSON|bytes that answer nothing, and was ended"):
        await ask(agent, "?")
    with pytest.raises(AgentFault):  # a new one, or the last words of the old
        await ask(agent, "again")
    await agent.close()


async def test_noise_in_between_is_forgiven_by_an_answer() -> None:
    body = "print('x' * 600, flush=True) if question == 'noise' else None\nsay(request, text='yes')"
    async with lines(body, max_bytes=1_000) as agent:
        for _ in range(5):
            with pytest.raises(AgentFault, match="expected one line of JSON"):
                await ask(agent, "noise")
            assert (await ask(agent, "?")).text == "yes"


async def test_closing_lets_it_finish_by_itself(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    code = f"{HEAD}    say(request, text='yes')\nopen({str(trace)!r}, 'w').write('finished')"
    agent = load(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}", {"mode": "lines"})
    await ask(agent, "?")
    await agent.close()
    assert trace.read_text() == "finished"


async def test_closing_ends_a_program_that_will_not_and_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.agents.command.dialogue._GRACE", 0.1)
    pids = tmp_path / "pids"
    script = f"sleep 600 & echo $! > {shlex.quote(str(pids))}; echo $$ >> {shlex.quote(str(pids))}; "
    script += 'read line; echo \'{"id": 1, "text": "yes"}\'; trap "" TERM; while :; do sleep 600; done'
    agent = load(f"sh -c {shlex.quote(script)}", {"mode": "lines"})
    assert (await ask(agent, "?")).text == "yes"
    await agent.close()
    await eventually(lambda: not any(alive(int(pid)) for pid in pids.read_text().split()))


async def test_it_can_be_asked_again_after_closing() -> None:
    async with lines("say(request, text='yes')") as agent:
        await ask(agent, "?")
        await agent.close()
        assert (await ask(agent, "?")).text == "yes"


async def test_a_program_that_is_gone_is_a_misconfiguration(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text("#!/bin/sh\ncat\n")
    script.chmod(0o755)
    agent = load(shlex.quote(str(script)), {"mode": "lines"})
    script.unlink()
    with pytest.raises(Misconfigured, match="cannot start"):
        await ask(agent, "?")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "line"}, "mode='line' is not known; expected once .* or lines"),
        ({"mode": "lines", "proceses": 2}, "did you mean 'processes'"),
        ({"mode": "lines", "input": "json"}, "'input' has no effect with mode = 'lines'"),
        ({"processes": 2}, "'processes' has no effect with mode = 'once'"),
        ({"mode": "lines", "processes": 0}, "processes=0 is not usable"),
        ({"mode": "lines", "concurrency": True}, "concurrency=True is not usable"),
        ({"max_bytes": "10"}, "max_bytes='10' is not usable"),
    ],
)
def test_a_wrong_option_is_said_before_the_first_question(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        load(program("1"), options)


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
