from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from tests.models.scripted import Blocking, JsonMode, OwnChain, Prose, Status, Tooled, called, said
from tests.models.verdict import PydanticVerdict, Verdict

from proctor.errors import EnvironmentFault, Misconfigured
from proctor.models.structured import ModelUnavailable, StructuredAnswer, UnusableAnswer, ask
from proctor.spending.prices import Price

GOOD = '{"score": 0.25, "why": "vague"}'
GOOD_CALL = called({"score": 0.25, "why": "vague"})


async def put(model: BaseChatModel, **options: Any) -> StructuredAnswer[Any]:
    return await ask(model, **{"system": "You judge.", "user": "Judge this.", "schema": Verdict, **options})


@pytest.mark.parametrize("schema", [Verdict, PydanticVerdict])
@pytest.mark.parametrize(
    "model",
    [
        Tooled(script=lambda _: GOOD_CALL),
        JsonMode(script=lambda _: GOOD),
        Prose(script=lambda _: GOOD),
        Blocking(script=lambda _: GOOD),
    ],
    ids=lambda model: type(model).__name__,
)
async def test_every_kind_of_model_gives_the_same_checked_answer(model: BaseChatModel, schema: type) -> None:
    answer = await put(model, schema=schema)
    assert answer.value == schema(score=0.25, why="vague")
    assert (answer.usage.calls, answer.usage.input_tokens, answer.usage.output_tokens) == (1, 100, 20)


async def test_a_model_that_takes_tools_is_bound_to_the_schema_and_not_told_of_it_in_words() -> None:
    model = Tooled(script=[GOOD_CALL])
    await put(model)
    assert model.options[0]["tools"][0]["function"]["name"] == "Verdict"
    assert "as this example" not in model.prompt()


@pytest.mark.parametrize(("model", "structured"), [(Prose(script=[GOOD]), True), (Tooled(script=[GOOD]), False)])
async def test_elsewhere_an_example_stands_in_the_prompt_and_no_schema(model: Prose, structured: bool) -> None:
    await put(model, structured=structured)
    assert '{"score": 0.5, "why": "…"}\nscore is a number from 0 to 1.' in model.prompt()
    assert "properties" not in model.prompt()
    assert "tools" not in model.options[0]


@pytest.mark.parametrize("raw", [True, False])
async def test_a_model_with_a_structured_output_of_its_own_is_asked_through_it(raw: bool) -> None:
    answer = await put(OwnChain(script=[GOOD_CALL], raw=raw), schema=PydanticVerdict)
    assert answer.value == PydanticVerdict(score=0.25, why="vague")
    assert answer.usage.calls == 1
    assert answer.usage.input_tokens == (100 if raw else 0)


async def test_a_chain_of_its_own_cannot_bypass_the_check() -> None:
    model = OwnChain(script=[called({"score": 7}), called({"score": 0.5})])
    assert (await put(model, schema=PydanticVerdict)).value.score == 0.5


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! {GOOD} I hope that helps.",
        f"```json\n{GOOD}\n```",
        f"The format is {{score}}, so:\n```\n{GOOD}\n```\nDone.",
        f'<think>maybe {{"score": 1}}?</think>{GOOD}',
        f"{GOOD}\n{GOOD}",
        '{"score": "0.25", "why": "vague"}',
    ],
)
async def test_json_is_read_out_of_prose(text: str) -> None:
    answer = await put(Prose(script=[text]))
    assert answer.value == Verdict(score=0.25, why="vague")
    assert answer.text == text


@pytest.mark.parametrize(
    ("unusable", "fault"),
    [
        ("I would say it is rather good.", "no complete JSON object"),
        ("", "no complete JSON object"),
        ('{"score": 0.5', "no complete JSON object"),
        ('{"score": 1.5}', "of at most 1"),
        ('{"score": -0.1}', "of at least 0"),
        ('{"score": NaN}', "NaN"),
        ('{"score": 1e999}', "NaN or infinite"),
        ('{"score": true}', "score is true; expected a number"),
        ('{"why": "good"}', "it has no 'score', which it needs"),
        ('The reply said {"score": 1.0}. I say {"score": 0.1}.', "several different answers"),
    ],
)
async def test_an_unusable_answer_is_repaired_once_by_showing_it_and_its_fault(unusable: str, fault: str) -> None:
    model = Prose(script=[unusable, GOOD])
    answer = await put(model, price=Price(input=10.0, output=100.0))
    assert answer.value.score == 0.25
    assert unusable in model.prompt(1)
    assert fault in model.prompt(1)
    assert "Judge this." in model.prompt(1)
    assert answer.usage.calls == 2
    assert answer.usage.input_tokens == 200
    assert answer.usage.cost == pytest.approx(2 * (100 * 10 + 20 * 100) / 1e6)


async def test_after_the_repair_it_is_given_up_with_the_reason_and_the_cost() -> None:
    model = Tooled(script=[called({"score": float("nan")}), called({"score": 2})])
    with pytest.raises(UnusableAnswer, match="of at most 1") as caught:
        await put(model)
    assert caught.value.usage.calls == 2
    assert caught.value.usage.output_tokens == 40
    assert len(model.prompts) == 2


async def test_no_repair_is_made_where_none_is_allowed() -> None:
    with pytest.raises(UnusableAnswer) as caught:
        await put(Prose(script=["no"]), repairs=0)
    assert caught.value.usage.calls == 1


async def test_the_repair_is_one_message_to_the_model_so_that_every_provider_takes_it() -> None:
    model = Prose(script=["", GOOD])
    await put(model)
    assert [message.type for message in model.prompts[1]] == ["system", "human"]


async def test_tool_calls_that_differ_are_no_answer() -> None:
    model = Tooled(script=[called({"score": 0.0}, {"score": 1.0}), called({"score": 0.5}, {"score": 0.5})])
    assert (await put(model)).value.score == 0.5
    assert "several different answers" in model.prompt(1)


async def test_a_broken_tool_call_is_shown_in_the_repair() -> None:
    broken = said("", invalid_tool_calls=[{"name": "Verdict", "args": '{"score": 0.', "id": "1", "error": "broken"}])
    model = Tooled(script=[broken, GOOD_CALL])
    assert (await put(model)).value.score == 0.25
    assert '{"score": 0.' in model.prompt(1)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (said("", additional_kwargs={"refusal": "I cannot judge this"}), "the model refused: I cannot judge this"),
        (said('{"why": "so', response_metadata={"finish_reason": "length"}), "cut off"),
        (said('{"why": "so', response_metadata={"stop_reason": "max_tokens"}), "cut off"),
    ],
)
async def test_a_refusal_or_an_output_limit_is_named_as_the_reason(message: Any, reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        await put(Prose(script=lambda _: message))


async def test_content_in_blocks_is_read_as_text() -> None:
    blocks = said([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": GOOD}])
    assert (await put(Prose(script=[blocks]))).value.score == 0.25


async def test_without_usage_metadata_tokens_and_cost_stay_unknown() -> None:
    answer = await put(Prose(script=[said(GOOD, usage_metadata=None)]), price=Price(input=1, output=1))
    assert answer.usage.calls == 1
    assert answer.usage.cost is None


async def test_a_server_that_refuses_the_structured_request_is_asked_in_words_from_then_on() -> None:
    model = Tooled(script=[Status(400), GOOD, GOOD])
    answer = await put(model)
    assert answer.value.score == 0.25
    assert answer.usage.calls == 2
    assert "as this example" in model.prompt(1)
    await put(model)
    assert [bool(options) for options in model.options] == [True, False, False]


async def test_an_answer_that_copies_the_form_of_a_schema_is_read_all_the_same() -> None:
    copied = f'{{"title": "Verdict", "properties": {GOOD}}}'
    assert (await put(Prose(script=[copied]))).value.score == 0.25


@pytest.mark.parametrize("text", [f'{GOOD} No, wait: {{"score": 1', f"<think>Perhaps {GOOD}, but then"])
async def test_what_was_drafted_before_the_cut_is_no_answer(text: str) -> None:
    model = Prose(script=[said(text, response_metadata={"finish_reason": "length"})])
    with pytest.raises(UnusableAnswer, match="cut off at the model's output limit"):
        await put(model)


async def test_an_answer_that_ended_before_the_cut_is_one() -> None:
    model = Prose(script=[said(f"Set {{x}}: {GOOD} And so on and", response_metadata={"finish_reason": "length"})])
    assert (await put(model)).value.score == 0.25


async def test_an_answer_that_was_cut_off_is_unusable_with_these_words_and_is_not_asked_for_again() -> None:
    model = Prose(script=[said('{"score": 0.', response_metadata={"finish_reason": "length"}), GOOD])
    with pytest.raises(UnusableAnswer, match="cut off at the model's output limit") as caught:
        await put(model)
    assert caught.value.usage.calls == 1


async def test_a_request_that_is_refused_in_words_too_is_no_reason_to_give_up_the_structure() -> None:
    model = Tooled(script=[Status(400), Status(400), GOOD_CALL])
    with pytest.raises(Status):
        await put(model)
    assert (await put(model)).value.score == 0.25


async def test_a_prompt_that_is_too_long_for_the_model_is_unusable_not_an_outage() -> None:
    from langchain_core.exceptions import ContextOverflowError

    with pytest.raises(UnusableAnswer, match="too long"):
        await put(Tooled(script=[ContextOverflowError("200001 tokens")]))


async def test_what_was_spent_before_the_model_went_away_is_not_forgotten() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        await put(Prose(script=["no", Status(503, {"Retry-After": "7"})]))
    assert caught.value.spent.calls == 1
    assert caught.value.retry_after == 7.0


async def test_a_wrong_key_is_a_misconfiguration() -> None:
    with pytest.raises(Misconfigured, match="refused the key"):
        await put(Prose(script=[Status(401)]))


async def test_nothing_is_retried_here() -> None:
    model = Prose(script=[Status(429), GOOD])
    with pytest.raises(EnvironmentFault):
        await put(model)
    assert len(model.prompts) == 1


async def test_the_models_own_bug_is_passed_on_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        await put(Prose(script=[ZeroDivisionError()]))


async def test_nothing_of_one_question_reaches_another() -> None:
    model = Prose(script=lambda prompt: "garbage" if "first" in prompt and "earlier answer" not in prompt else GOOD)
    await put(model, user="first question")
    await put(model, user="second question")
    assert "first" not in model.prompt(2)
    assert "garbage" not in model.prompt(2)


async def test_blocking_models_run_beside_each_other() -> None:
    """Each call waits until forty are under way, more than the default pool of threads holds."""
    together = threading.Barrier(40, timeout=10)

    def answer(_: str) -> str:
        together.wait()
        return GOOD

    answers = await asyncio.gather(*(put(Blocking(script=answer)) for _ in range(40)))
    assert len(answers) == 40


async def test_a_call_can_be_given_up() -> None:
    async def never(*_: Any, **__: Any) -> Any:
        await asyncio.Event().wait()

    class Hung(Prose):
        _agenerate = never

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(put(Hung(script=[])), timeout=0.01)
