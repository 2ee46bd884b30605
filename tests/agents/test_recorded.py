"""What was recorded is said again; what was not is nobody's failure but the file's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proctor import evaluate
from proctor.agents.recorded import load
from proctor.errors import AgentFault, EnvironmentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.transcript import Request, Turn


def agent_for(folder: Path, *records: Any) -> Agent:
    path = folder / "r.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return load(str(path), {})


def asked(question: str, case: str | None = "c1", **more: Any) -> Request:
    return Request(question=question, conversation="c", case=case, **more)


async def test_a_recording_is_said_again_with_all_that_it_held(tmp_path: Path) -> None:
    reply = {"text": "So.", "tool_calls": [{"name": "t", "arguments": {"a": 1}}], "citations": [{"source": "x.md"}]}
    agent = agent_for(tmp_path, {"case": "c1", "question": "Why?", "reply": reply})
    said = await agent.reply(asked("Why?"))
    assert (said.text, said.tool_calls[0].arguments, said.citations[0].source) == ("So.", {"a": 1}, "x.md")
    assert agent.takes_request
    assert agent.name == f"recorded:{tmp_path / 'r.jsonl'}"


async def test_it_takes_the_time_that_it_took_when_it_was_recorded(tmp_path: Path) -> None:
    agent = agent_for(
        tmp_path,
        {"case": "c1", "reply": "So.", "started": 100.0, "ended": 102.5},
        {"case": "c2", "reply": {"text": "So.", "seconds": 7}, "started": 100.0, "ended": 102.5},
        {"case": "c3", "reply": "So."},
    )
    assert [(await agent.reply(asked("?", f"c{number}"))).seconds for number in (1, 2, 3)] == [2.5, 7, None]


async def test_a_conversation_goes_on_from_its_history_alone(tmp_path: Path) -> None:
    turns = [{"question": "Why?", "reply": "So."}, {"question": "Sure?", "reply": "Yes."}]
    agent = agent_for(tmp_path, {"case": "c1", "turns": turns}, {"question": "Sure?", "reply": "of what?"})
    history = (Turn(number=1, question="Why?", case="c1"),)
    assert (await agent.reply(asked("Sure?", None, history=history, turn=2))).text == "Yes."
    assert (await agent.reply(asked("Sure?", None))).text == "Yes."
    assert (await agent.reply(asked("Sure?", None, trial=2))).text == "of what?"


async def test_what_is_not_recorded_is_the_environments(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"case": "c1", "question": "Why?", "reply": "So."})
    with pytest.raises(EnvironmentFault, match=r"no recording for case 'c2' in .*: 'What\?'"):
        await agent.reply(asked("What?", "c2"))
    with pytest.raises(EnvironmentFault, match=r"no recording for trial 2 of case 'c1': there is 1 recording of it"):
        await agent.reply(asked("Why?", trial=2))


async def test_without_a_case_only_the_very_same_question_is_the_one(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"question": "Why?", "reply": "So."})
    assert (await agent.reply(asked(" Why?\n", "c9"))).text == "So.", "blanks around it are no part of a question"
    for question in ("why?", "Why", "Why? And how?"):
        with pytest.raises(EnvironmentFault, match="no recording"):
            await agent.reply(asked(question, "c9"))


async def test_a_recording_without_an_answer_is_the_environments(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"messages": [{"role": "user", "content": "Why?"}]})
    with pytest.raises(EnvironmentFault, match=r"r\.jsonl:1 has no answer"):
        await agent.reply(asked("Why?"))


async def test_a_recorded_failure_is_the_agents(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"case": "c1", "error": "it fell over"})
    with pytest.raises(AgentFault, match=r"failed when it was recorded \(.*r\.jsonl:1\): it fell over"):
        await agent.reply(asked("Why?"))


async def test_only_a_file_in_which_nothing_at_all_is_found_is_the_wrong_one(tmp_path: Path) -> None:
    wrong = agent_for(tmp_path, {"case": "other", "question": "Why?", "reply": "So."})
    for number in range(9):
        with pytest.raises(EnvironmentFault):
            await wrong.reply(asked(f"What {number}?"))
        with pytest.raises(EnvironmentFault):  # a retry is no further question
            await wrong.reply(asked(f"What {number}?"))
    with pytest.raises(Misconfigured, match=r"none of 10 questions is in .*, such as case 'other'"):
        await wrong.reply(asked("What 9?"))


async def test_one_match_is_enough_to_be_the_right_file(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"case": "c1", "question": "Why?", "reply": "So."})
    await agent.reply(asked("Why?"))
    for number in range(12):
        with pytest.raises(EnvironmentFault):
            await agent.reply(asked(f"What {number}?", f"x{number}"))


async def test_a_file_that_changed_stops_the_run(tmp_path: Path) -> None:
    agent = agent_for(tmp_path, {"case": "c1", "reply": "So."})
    agent_for(tmp_path, {"case": "c1", "reply": "Something else."})
    with pytest.raises(Misconfigured, match="has changed"):
        await agent.reply(asked("Why?"))


@pytest.mark.parametrize(("spec", "options"), [("", {}), ("none.jsonl", {}), ("none.jsonl", {"input": "json"})])
def test_what_cannot_be_loaded_is_refused_before_the_run(spec: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"names no file|cannot read|takes no options"):
        load(spec, options)


def test_recordings_are_evaluated_like_a_live_agent(tmp_path: Path) -> None:
    benchmark = tmp_path / "b.csv"
    benchmark.write_text('"How many days?";"30"\n"How many weeks?";"4"\n"How many years?";"1"\n', "utf-8")
    agent = agent_for(
        tmp_path,
        *({"question": "How many days?", "reply": text} for text in ("30", "31")),
        *({"question": "How many weeks?", "reply": text} for text in ("4", "4")),
    )
    done = evaluate(benchmark, agent=agent, reviewer="exact", trials=2, retries=5, store=str(tmp_path / "store.db"))
    counts = done.findings.counts
    assert (counts.scored, counts.failed_by_agent, counts.failed_by_environment) == (4, 0, 2)
    assert [(case.passed, case.counted) for case in done.findings.cases] == [(1, 2), (2, 2), (0, 0)]
    failures = [attempt.failure for attempt in done.attempts() if attempt.failure is not None]
    assert [failure.tries for failure in failures] == [1, 1]  # what is not in a file will not be there in a second
