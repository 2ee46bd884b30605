from __future__ import annotations

from typing import Any

import pytest
from tests.metrics.scripted import conversation, interaction, judge_by, knows, source

from proctor.errors import InputError
from proctor.metrics.agentic import Agentic, Batch, Dataset, Retriever


def refused(*datasets: Any) -> str:
    judge = judge_by(knows)
    with pytest.raises(InputError) as caught:
        Agentic.run(source(*datasets), model=judge, k=1)
    assert judge.prompts == [], "nothing is asked before the input is checked"
    return str(caught.value)


def with_tools(**others: Any) -> Dataset:
    return Dataset(session_id="s1", conversation=[interaction("q0"), interaction("q1", **others)])


def test_an_empty_source_is_refused() -> None:
    assert refused() == "Source.load_dataset() returned no Dataset; expected at least one conversation"


def test_an_empty_conversation_is_named() -> None:
    said = refused(conversation("good"), Dataset(session_id="bad", conversation=[]))
    assert said.startswith("dataset 2, conversation 'bad': its conversation is empty")


def test_a_repeated_session_needs_a_trial_number() -> None:
    assert "dataset 2, conversation 'a': session_id='a' with trial=1 is already dataset 1" in refused(
        conversation("a"), conversation("a")
    )
    repeated = source(conversation("a"), conversation("a", trial=2))
    assert len(Agentic.run(repeated, model=judge_by(knows), k=1)) == 2


def test_a_repeated_qa_id_within_a_dataset_is_named_and_elsewhere_it_is_fine() -> None:
    twice = Dataset(session_id="s1", conversation=[interaction("q"), interaction("q")])
    assert "conversation 's1', interaction 2 (qa_id='q'): this qa_id is already that of interaction 1" in refused(twice)
    data = source(conversation("a"), conversation("b"))
    assert len(Agentic.run(data, model=judge_by(knows), k=1)) == 2


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_a_missing_ground_truth_is_named(nothing: str | None) -> None:
    said = refused(with_tools(ground_truth_assistant=nothing))
    assert said.startswith("dataset 1, conversation 's1', interaction 2 (qa_id='q1'): ground_truth_assistant=")


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"agentic": {"tools_used": ["calculator"]}}, "tools_used, call 1: a tool call is a dict"),
        ({"agentic": {"tools_used": {"tool_name": "x"}}}, "expected a list of tool calls"),
        ({"agentic": {"tools_used": [{"parameters": {}}]}}, "tools_used, call 1: a tool call without 'tool_name'"),
        ({"agentic": {"tools_used": [{"name": "x", "arguments": "{"}]}}, "not a JSON object"),
        ({"agentic": {"tools_use": []}}, "unknown key 'tools_use'; did you mean 'tools_used'?"),
        ({"agentic": {"final_answer_uses_tools": "yes"}}, "expected True or False"),
        ({"ground_truth_agentic": {"expected_tool": []}}, "did you mean 'expected_tools'?"),
        (
            {"ground_truth_agentic": {"colour": "red"}},
            "unknown key 'colour'; expected one of expected_tools, tool_sequence",
        ),
        ({"ground_truth_agentic": {"expected_tools": [], "must_use_result": "yes"}}, "expected True or False"),
        (
            {"ground_truth_agentic": {"expected_tools": [{"name": "x", "colour": 1}]}},
            "unknown key 'colour' in an expect",
        ),
        (
            {"ground_truth_agentic": {"expected_tools": [{"name": "x", "must_use_result": "yes"}]}},
            "must_use_result='yes'; expected true or false",
        ),
        ({"ground_truth_agentic": {"expected_tools": [{"tool_name": "x"}, 5]}}, "expected_tools, call 2"),
        ({"ground_truth_agentic": {"expected_tools": [], "tool_sequence_matters": 1}}, "tool_sequence_matters"),
        ({"ground_truth_agentic": {"alternatives": "x"}}, "alternatives='x'"),
        ({"ground_truth_agentic": {"alternatives": [5]}}, "expected_tools=5"),
        ({"ground_truth_agentic": {"expected_tools": [{"name": "x", "match": {"a": {"pattern": "("}}}]}}, "pattern"),
    ],
)
def test_malformed_tool_dictionaries_are_named_with_their_place(others: dict[str, Any], words: str) -> None:
    said = refused(with_tools(**others))
    assert said.startswith("dataset 1, conversation 's1', interaction 2 (qa_id='q1'): ")
    assert words in said


def test_all_problems_are_said_at_once_and_a_long_list_is_cut() -> None:
    said = refused(*(Dataset(session_id=f"s{i}", conversation=[]) for i in range(15)))
    assert said.startswith("15 problems in the data:\n- dataset 1, ")
    assert said.endswith("… and 5 more")
    assert said.count("\n") == 11


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "returned NoneType; expected a list of Dataset"),
        ("text", "returned str"),
        (conversation("a"), "returned Dataset"),
        ([5], "dataset 1 of Broken is of type int; expected a Dataset"),
        ([{"session_id": "s9"}], "Dataset session_id='s9': conversation: Field required"),
        ([{"session_id": "s9", "conversation": [], "trial": 0}], "trial: Input should be greater than or equal to 1"),
    ],
)
def test_what_is_no_list_of_datasets_is_refused(found: Any, words: str) -> None:
    class Broken(Retriever):
        def load_dataset(self) -> Any:
            return found

    with pytest.raises(InputError) as caught:
        Agentic.run(Broken, model=judge_by(knows), k=1)
    assert words in str(caught.value)


def test_a_batch_that_cannot_be_built_is_named_by_its_id() -> None:
    class Broken(Retriever):
        def load_dataset(self) -> list[Dataset]:
            missing: Any = {"qa_id": "q7", "query": "?"}
            return [Dataset(session_id="a", conversation=[Batch(**missing)])]

    with pytest.raises(
        InputError, match=r"Broken.load_dataset\(\) failed: Batch qa_id='q7': assistant: Field required"
    ):
        Agentic.run(Broken, model=judge_by(knows), k=1)


@pytest.mark.parametrize("retriever", [None, 5, "x", object, int])
def test_what_is_no_retriever_is_refused(retriever: Any) -> None:
    with pytest.raises(InputError, match="expected a subclass of Retriever"):
        Agentic.run(retriever, model=judge_by(knows), k=1)


def test_options_that_do_not_fit_the_retriever_are_refused() -> None:
    class Narrow(Retriever):
        def __init__(self) -> None:
            super().__init__()

        def load_dataset(self) -> list[Dataset]:
            return [conversation("a")]

    with pytest.raises(InputError, match="Narrow cannot be made"):
        Agentic.run(Narrow, model=judge_by(knows), k=1, retriever_options={"path": "x"})
    with pytest.raises(InputError, match="already made"):
        Agentic.run(Narrow(), model=judge_by(knows), k=1, retriever_options={"path": "x"})


def test_a_retriever_that_was_not_finished_is_refused() -> None:
    with pytest.raises(InputError, match="abstract"):
        Agentic.run(Retriever, model=judge_by(knows), k=1)


def test_fields_of_the_reference_are_accepted_and_misspelt_ones_are_not() -> None:
    batch = interaction("q", logprobs={}, observation="note", weight=0.5, agentic={}, ground_truth_agentic={}, mine=1)
    data = Dataset(session_id="a", conversation=[batch], language=None, chatbot_role="r", context="c", mine=1)  # type: ignore[call-arg]
    (metric,) = Agentic.run(source(data), model=judge_by(knows), k=1)
    assert metric.tool_correctness_scores == [None]
    with pytest.raises(ValueError, match="did you mean 'ground_truth_agentic'"):
        interaction("q", ground_truth_agentics={})
