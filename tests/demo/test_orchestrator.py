import asyncio
from dataclasses import replace

import pytest
from tests.demo.test_benchmark import CASES, FAILED, WEIGHTS

from proctor import fault_injection as conditions
from proctor.benchmark import Case
from proctor.codec import decode, encode
from proctor.demo.agent import load
from proctor.fault_injection import Tally, in_force
from proctor.reviewers import embedded
from proctor.roles import Agent
from proctor.score import reaches, weigh
from proctor.transcript import Reply, Request, Step, Turn
from proctor.workflows.demo import CONDITIONS

FOUNDED = "Who founded the company?"


async def ask(question: str, *, trial: int = 1, delay: float = 0.0, context: str | None = None) -> Reply:
    request = Request(question=question, conversation="c", context=context, trial=trial)
    return await load("orchestrator", {"delay": delay}).reply(request)


async def passes(case: Case, reply: Reply) -> bool:
    review = await embedded.load("", {}).review(case, [Turn(number=1, question=case.question, reply=reply)])
    return reaches(weigh(review.parts, WEIGHTS) or 0.0, 0.7)


async def asked(case: Case, condition: str) -> Reply:
    if not condition:
        return await ask(case.question, context=case.context)
    with in_force(condition, CONDITIONS[condition]):
        return await ask(case.question, context=case.context)


def of(reply: Reply, kind: str) -> list[Step]:
    return [step for step in reply.steps if step.kind == kind]


def untimed(reply: Reply) -> Reply:
    calls = tuple(replace(call, seconds=None) for call in reply.tool_calls)
    steps = tuple(replace(step, start=None, end=None) for step in reply.steps)
    return replace(reply, seconds=None, tool_calls=calls, steps=steps)


def overlap(one: Step, other: Step) -> bool:
    assert one.start is not None
    assert other.start is not None
    assert one.end is not None
    assert other.end is not None
    return one.start < other.end and other.start < one.end


async def test_the_orchestrator_is_an_agent() -> None:
    agent: Agent = load("orchestrator", {})
    assert agent.name == "demo:orchestrator"
    assert agent.takes_request
    await agent.forget("c")
    await agent.close()


async def test_it_answers_the_benchmark_as_well_as_the_librarian() -> None:
    replies = [(case, await asked(case, "")) for case in CASES]
    assert {case.question for case, reply in replies if not await passes(case, reply)} == FAILED


async def test_its_checker_knows_which_document_is_out_of_date() -> None:
    replies = [await ask("What is the daily meal allowance on a business trip?", trial=trial) for trial in range(1, 8)]
    assert {reply.citations[0].source for reply in replies} == {"policies/travel.md"}


async def test_what_is_out_of_date_and_has_no_successor_is_said_to_be() -> None:
    reply = await ask("Within how many days must travel claims be submitted?")
    assert "60 days" in reply.text
    assert reply.text.endswith("It has been replaced by policies/travel.md.")


async def test_the_steps_form_a_tree_under_the_plan() -> None:
    reply = await ask(FOUNDED)
    (plan,) = of(reply, "plan")
    ids = [step.id for step in reply.steps]
    assert len(set(ids)) == len(ids)
    assert {step.parent for step in of(reply, "delegate")} == {plan.id}
    delegates = {step.id: step.agent for step in of(reply, "delegate")}
    assert all(step.agent == delegates[step.parent or ""] for step in of(reply, "tool"))
    assert set(delegates.values()) == {"researcher", "reader", "checker"}


async def test_every_tool_call_is_a_step_and_the_other_way_round() -> None:
    reply = await ask(FOUNDED)
    assert sorted(step.call or "" for step in of(reply, "tool")) == sorted(call.id or "" for call in reply.tool_calls)
    names = {call.id: call.name for call in reply.tool_calls}
    assert all(names[step.call] == step.name for step in of(reply, "tool"))


async def test_times_are_real_and_lie_within_one_another() -> None:
    reply = await ask(FOUNDED)
    by_id = {step.id: step for step in reply.steps}
    for step in reply.steps:
        assert step.start is not None
        assert step.end is not None
        assert step.start <= step.end
        parent = by_id.get(step.parent or "")
        if parent is not None and parent.kind == "delegate":
            assert (parent.start or 0) <= step.start
            assert step.end <= (parent.end or 0) + 0.001
    assert reply.seconds is not None


async def test_the_three_sub_agents_work_at_the_same_time() -> None:
    reply = await ask(FOUNDED, delay=0.01)
    first = {step.agent: step for step in reversed(of(reply, "delegate"))}
    assert overlap(first["researcher"], first["reader"])
    assert overlap(first["researcher"], first["checker"])
    assert overlap(first["reader"], first["checker"])
    in_sequence = sum(call.seconds or 0.0 for call in reply.tool_calls)
    assert (reply.seconds or 0.0) < in_sequence


async def test_usage_is_the_sum_of_what_the_sub_agents_read() -> None:
    reply = await ask(FOUNDED)
    assert reply.usage is not None
    parts = [step.usage for step in of(reply, "delegate") if step.usage]
    assert reply.usage.input_tokens == sum(part.input_tokens for part in parts) > 100
    assert reply.usage.output_tokens == sum(part.output_tokens for part in parts) > 0


@pytest.mark.parametrize("condition", ["", *CONDITIONS])
async def test_the_same_request_gets_the_same_reply_but_for_the_times(condition: str) -> None:
    replies = [untimed(await asked(case, condition)) for case in CASES[:8] for _ in range(2)]
    assert replies[::2] == replies[1::2]


async def test_the_reply_survives_storage() -> None:
    reply = await ask(FOUNDED)
    assert decode(encode(reply), Reply) == reply


async def test_it_recovers_from_a_tool_that_fails_twice() -> None:
    with in_force("search-fails", CONDITIONS["search-fails"]):
        reply = await ask(FOUNDED)
    assert "Ada Gannet" in reply.text
    errors, anew = of(reply, "error"), of(reply, "re-plan")
    assert [step.name for step in errors] == ["ToolFailed", "ToolFailed"]
    assert all(step.status == "error" for step in errors)
    assert [step.name for step in anew] == ["researcher tries again"] * 2
    tries = [step for step in of(reply, "delegate") if step.agent == "researcher"]
    assert [step.status for step in tries] == ["error", "error", "ok"]
    assert [step.parent for step in tries[1:]] == [step.id for step in anew]
    assert [call.error is None for call in reply.tool_calls if call.name == "search_knowledge"] == [False, False, True]


async def test_it_finds_another_way_where_a_tool_never_works() -> None:
    with in_force("broken", {"tool": "search_knowledge", "missing": True}):
        reply = await ask("How long does the probation period last?")
    assert reply.text == "The probation period lasts six months. (hr/probation.md, Length)"
    assert of(reply, "re-plan")[-1].name == "go on without: search by meaning"


async def test_a_missing_checker_leaves_the_answer_unchecked() -> None:
    questions = "What is the daily meal allowance on a business trip?"
    with in_force("checker-missing", CONDITIONS["checker-missing"]):
        replies = [await ask(questions, trial=trial) for trial in range(1, 8)]
    assert {reply.citations[0].source for reply in replies} == {"policies/travel.md", "policies/travel-2021.md"}
    assert all([step.name for step in of(reply, "error")] == ["SubAgentMissing"] for reply in replies)


@pytest.mark.parametrize("missing", ["researcher", "reader", "checker"])
async def test_no_sub_agent_is_indispensable(missing: str) -> None:
    with in_force("alone", {"sub_agent": missing, "missing": True}):
        reply = await ask("Who is the managing director?")
    assert "Ingrid Halvorsen" in reply.text


async def test_a_small_budget_is_kept_and_answers_from_what_there_is() -> None:
    tally = Tally()
    with in_force("small-budget", CONDITIONS["small-budget"], tally=tally):
        reply = await ask("How long does the probation period last?")
    assert "six months" in reply.text
    assert sum(call.error is None for call in reply.tool_calls) == 3
    assert {step.name for step in of(reply, "error")} == {"BudgetExhausted"}
    assert tally.refused > 0


async def test_without_any_means_it_says_so() -> None:
    with in_force("ruined", {"budget": 0}):
        reply = await ask(FOUNDED)
    assert reply.text.startswith("I could not look that up: ")
    assert reply.citations == ()


async def test_words_read_are_spent_as_tokens() -> None:
    with in_force("poor", {"tokens": 10}):
        reply = await ask(FOUNDED)
    assert "BudgetExhausted" in {step.name for step in of(reply, "error")}


async def test_a_senseless_tool_answer_does_not_break_it() -> None:
    with in_force("lying", {"tool": "search_knowledge", "answers": "wrong text"}):
        assert "six months" in (await ask("How long does the probation period last?")).text


async def test_many_at_once_under_different_conditions_do_not_mix() -> None:
    together = await asyncio.gather(*(asked(CASES[2], condition) for condition in ("", *CONDITIONS) * 3))
    alone = [await asked(CASES[2], condition) for condition in ("", *CONDITIONS)] * 3
    assert [untimed(reply) for reply in together] == [untimed(reply) for reply in alone]


async def test_a_late_tool_can_be_cancelled() -> None:
    with in_force("late", {"tool": "search_knowledge", "delay": 3600.0}), pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await ask(FOUNDED)


async def test_a_doubt_goes_to_the_reader_alone() -> None:
    first = await ask(FOUNDED)
    history = (Turn(number=1, question=FOUNDED, reply=first),)
    request = Request(question=f"Are you sure? {FOUNDED}", conversation="c", history=history, turn=2)
    reply = await load("orchestrator", {}).reply(request)
    assert reply.text == f"Yes, I am sure. {first.text}"
    assert {step.agent for step in of(reply, "delegate")} == {"reader"}


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_conditions_of_the_demonstration_can_be_declared(name: str) -> None:
    assert conditions.parse(name, CONDITIONS[name]).name == name


async def test_the_librarian_has_no_other_way_and_says_so() -> None:
    with in_force("search-fails", CONDITIONS["search-fails"]):
        reply = await load("librarian", {}).reply(Request(question=FOUNDED, conversation="c"))
    assert reply.text.startswith("I could not look that up: search_knowledge does not work")
    assert reply.tool_calls[0].error is not None


@pytest.mark.parametrize("sub_agent", ["researcher", "reader", "checker"])
async def test_a_sub_agent_out_of_its_mind_does_not_break_it(sub_agent: str) -> None:
    with in_force("mad", {"sub_agent": sub_agent, "answers": "The moon is made of cheese."}):
        reply = await ask("How long does the probation period last?")
    assert ("cheese" in reply.text) is (sub_agent == "researcher")


async def test_a_quote_that_is_not_found_again_is_said_to_be() -> None:
    with in_force("blind", {"tool": "search_keyword", "answers": []}):
        reply = await ask("How long does the probation period last?")
    assert reply.text.endswith("I could not find these words again.")
