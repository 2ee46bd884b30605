from __future__ import annotations

import re

import pytest
from tests.examiners.battle import HOLIDAY, battle, exam_of, turn

from proctor.agents.function import adapt
from proctor.errors import AgentFault
from proctor.examiners.agent import AgentExaminer, load
from proctor.examiners.guard import Guarded
from proctor.roles import Examiner
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage

FIRST = [turn(1, HOLIDAY.question, "They have 30 days.")]


class Asker:
    """An agent that plays a list and remembers what it was asked and told to forget."""

    name = "asker"
    takes_request = True

    def __init__(self, *script: str) -> None:
        self.script = list(script)
        self.requests: list[Request] = []
        self.forgotten: list[str] = []

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply(text=self.script.pop(0), usage=Usage(input_tokens=7, calls=1))

    async def forget(self, conversation: str) -> None:
        self.forgotten.append(conversation)

    async def close(self) -> None:
        pass


async def test_an_agents_reply_is_the_next_question() -> None:
    agent = Asker("[source] Where is it written?")
    got = await AgentExaminer(agent).ask(exam_of(), FIRST)
    assert isinstance(got, Turn)
    assert (got.question, got.strategy, got.refers_to) == ("Where is it written?", "source", None)
    assert got.examiner_usage == Usage(input_tokens=7, calls=1)


@pytest.mark.parametrize(
    ("reply", "strategy", "question"),
    [
        ("Where is it written?", "other", "Where is it written?"),
        ("[are you sure] Really?\nHow many?", "are-you-sure", "Really?\nHow many?"),
        ("[magic] Really?", "other", "Really?"),
        ("[28] is that it?", "other", "[28] is that it?"),
    ],
)
async def test_a_strategy_in_brackets_is_recorded_and_anything_else_is_the_question(
    reply: str, strategy: str, question: str
) -> None:
    got = await AgentExaminer(Asker(reply)).ask(exam_of(), FIRST)
    assert isinstance(got, Turn)
    assert (got.strategy, got.question) == (strategy, question)


@pytest.mark.parametrize("reply", ["DONE", " done.\n", "**DONE**", "", "  "])
async def test_done_or_nothing_ends_the_exam(reply: str) -> None:
    assert not isinstance(await AgentExaminer(Asker(reply)).ask(exam_of(), FIRST), Turn)


async def test_a_question_that_speaks_of_being_done_does_not_end_it() -> None:
    assert await AgentExaminer(Asker("How is it done?")).ask(exam_of(), FIRST) is not None


async def test_the_agent_is_told_the_task_and_the_whole_conversation() -> None:
    agent = Asker("Why?")
    await AgentExaminer(agent).ask(exam_of(), FIRST)
    words = agent.requests[0].question
    for part in ("examiner", HOLIDAY.question, "28 days", "They have 30 days.", "are-you-sure", "DONE"):
        assert part in words


async def test_the_agent_sees_the_conversation_from_its_own_side() -> None:
    agent = Asker("Why?")
    turns = [*FIRST, turn(2, "Are you sure?", "Yes, 30 days.")]
    await AgentExaminer(agent).ask(exam_of(), turns, conversation="c1")
    (request,) = agent.requests
    assert (request.turn, request.case, request.context) == (3, HOLIDAY.id, HOLIDAY.context)
    said = [(each.number, each.question, each.reply and each.reply.text) for each in request.history]
    assert said[0][0::2] == (1, HOLIDAY.question)
    assert said[0][1].startswith("You are the examiner")
    assert said[1] == (2, "They have 30 days.", "Are you sure?")
    assert request.question.endswith("Write the question of turn 3.")


@pytest.mark.parametrize("number", [2, 3, 7])
async def test_the_only_turn_that_the_words_number_in_a_sentence_is_the_one_to_be_asked(number: int) -> None:
    agent = Asker("Why?")
    turns = [*FIRST, *(turn(n, f"Sure {n}?", "Yes.", refers_to=1) for n in range(2, number))]
    await AgentExaminer(agent).ask(exam_of(), turns)
    assert set(re.findall(r"turn (\d+)", agent.requests[0].question)) == {str(number)}


async def test_all_questions_of_a_conversation_share_its_id_until_it_is_over() -> None:
    agent = Asker("One?", "Two?", "DONE")
    examiner = Guarded(AgentExaminer(agent))
    await examiner.ask(exam_of(), FIRST, conversation="c1")
    await examiner.ask(exam_of(), [*FIRST, turn(2, "One?", "Yes.")], conversation="c1")
    assert {request.conversation for request in agent.requests} == {"c1/examiner"}
    assert agent.forgotten == []
    await examiner.forget("c1")
    assert agent.forgotten == ["c1/examiner"]


async def test_without_a_conversation_no_two_questions_share_one_and_none_is_kept() -> None:
    agent = Asker("One?", "Two?", "DONE")
    await battle(AgentExaminer(agent), HOLIDAY, lambda *_: "28 days")
    conversations = [request.conversation for request in agent.requests]
    assert len(set(conversations)) == 3
    assert agent.forgotten == conversations


async def test_an_agents_failure_is_raised_and_its_conversation_forgotten() -> None:
    class Broken(Asker):
        async def reply(self, request: Request) -> Reply:
            raise AgentFault("broken")

    agent = Broken()
    with pytest.raises(AgentFault, match="broken"):
        await AgentExaminer(agent).ask(exam_of(), FIRST)
    assert len(agent.forgotten) == 1


async def test_a_plain_function_can_examine_and_is_told_what_was_wrong() -> None:
    seen: list[str] = []

    def ask(question: str) -> str:
        seen.append(question)
        return "Why 30 days?" if "has no words" in question else "?"

    examiner: Examiner = Guarded(AgentExaminer(adapt(ask, name="mine")))
    got = await examiner.ask(exam_of(), FIRST)
    assert isinstance(got, Turn)
    assert (got.question, got.fault, examiner.name) == ("Why 30 days?", None, "mine")
    assert len(seen) == 2


def answer(question: str) -> str:
    return "Why?"


def test_it_is_loaded_by_an_agents_spec() -> None:
    assert load(f"python:{__name__}:answer", {}).name == f"python:{__name__}:answer"
