from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.metrics.scripted import (
    BlockingJudge,
    conversation,
    interaction,
    judge_by,
    knows,
    source,
    unsure,
)

import proctor.metrics.agentic
from proctor.errors import InputError
from proctor.metrics.agentic import Agentic, AgenticMetric, BayesianMode, Dataset, Retriever
from proctor.metrics.settings import AgenticOptions

SEED = Path(__file__).parents[3] / "shared" / "seeds" / "002_851077eb549034a7.txt"


def between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end, text.index(start))]


@pytest.mark.skipif(not SEED.exists(), reason="the page with the example is not beside the project")
def test_the_example_of_the_page_runs_with_only_the_imports_changed(capsys: pytest.CaptureFixture[str]) -> None:
    page = SEED.read_text()
    retriever = between(page, "class AgenticRetriever(Retriever):", "Output Schema")
    usage = between(page, "metrics = Agentic.run(", "Required Parameters")
    weights = between(page[page.index("Custom Tool Weights") :], "metrics = Agentic.run(", "Best Practices")
    names: dict[str, Any] = {"judge_model": judge_by(knows)}
    imports = (
        "from proctor.metrics.agentic import Agentic\n"
        "from proctor.metrics.agentic import Retriever\n"
        "from proctor.metrics.schemas import Dataset, Batch\n"
    )
    exec(imports + retriever + usage, names)
    assert capsys.readouterr().out == "conversation_001:\n  pass@3 = 1.000\n  pass^3 = 1.000\n"
    exec(weights, names)
    (metric,) = names["metrics"]
    assert metric.is_fully_correct
    first, second = metric.tool_correctness_scores
    assert first.is_correct
    assert second is None


@pytest.mark.skipif(not SEED.exists(), reason="the page with the schemas is not beside the project")
def test_every_field_and_parameter_of_the_page_is_there() -> None:
    page = SEED.read_text()
    for name in ("AgenticMetric", "ToolCorrectnessScore"):
        listed = between(page, f"class {name}(", "\n\n")
        fields = set(re.findall(r"^    (\w+):", listed, re.MULTILINE))
        assert fields
        assert fields <= set(getattr(proctor.metrics.agentic, name).model_fields)
    table = between(page, "ParameterTypeDefaultDescription\n", "\n\nStatistical Modes").splitlines()[1:]
    parameters = {re.split("StatisticalMode|dict|float|bool", row)[0] for row in table}
    known = AgenticOptions.__annotations__.keys()
    assert len(parameters) == len(table) == 6
    assert {"model", "k", *parameters} <= known


def test_all_names_can_be_had_from_one_line() -> None:
    for name in proctor.metrics.agentic.__all__:
        assert hasattr(proctor.metrics.agentic, name)


def test_page_numbers_of_the_frequentist_mode() -> None:
    metrics = Agentic.run(source(conversation("a", "rrrrrrrwww")), model=judge_by(knows), k=3)
    (metric,) = metrics
    assert (metric.total_interactions, metric.correct_interactions, metric.is_fully_correct) == (10, 7, False)
    assert metric.pass_at_k == pytest.approx(0.973)
    assert metric.pass_pow_k == pytest.approx(0.343)
    assert metric.correct_indices == [0, 1, 2, 3, 4, 5, 6]
    assert metric.correctness_scores == [1.0] * 7 + [0.0] * 3
    intervals = (metric.pass_at_k_ci_low, metric.pass_at_k_ci_high, metric.pass_pow_k_ci_low, metric.pass_pow_k_ci_high)
    assert intervals == (None,) * 4
    assert metric.method == "plug-in"


def test_exact_numbers_of_the_bayesian_mode() -> None:
    source_ = source(conversation("a", "rrrrrrrwww"))
    (metric,) = Agentic.run(source_, model=judge_by(knows), k=3, statistical_mode=BayesianMode())
    assert metric.pass_at_k == pytest.approx(0.945055, abs=5e-7)
    assert metric.pass_pow_k == pytest.approx(0.329670, abs=5e-7)
    assert (metric.pass_at_k_ci_low, metric.pass_at_k_ci_high) == pytest.approx((0.773306, 0.998696), abs=5e-7)
    assert (metric.pass_pow_k_ci_low, metric.pass_pow_k_ci_high) == pytest.approx((0.059437, 0.706721), abs=5e-7)


def test_an_interaction_needs_answer_and_tools_to_be_right() -> None:
    call = {"tool_name": "look", "parameters": {"at": 1}}
    wanted = {"expected_tools": [call]}
    done = {"tools_used": [call], "final_answer_uses_tools": True}
    wrong = {"tools_used": [{"tool_name": "look", "parameters": {"at": 2}}], "final_answer_uses_tools": True}
    batches = [
        interaction("both", agentic=done, ground_truth_agentic=wanted),
        interaction("tools wrong", agentic=wrong, ground_truth_agentic=wanted),
        interaction("answer wrong", right=False, agentic=done, ground_truth_agentic=wanted),
        interaction("no tools asked", agentic=wrong),
    ]
    source_ = source(Dataset(session_id="a", conversation=batches))
    (strict,) = Agentic.run(source_, model=judge_by(knows), k=1)
    assert strict.correct_indices == [0, 3]
    assert strict.tool_correctness_scores[3] is None
    (lenient,) = Agentic.run(source_, model=judge_by(knows), k=1, tool_threshold=0.75)
    assert lenient.correct_indices == [0, 1, 3]


def test_expected_tools_that_were_not_used_score_zero_not_none() -> None:
    batch = interaction("q", ground_truth_agentic={"expected_tools": [{"tool_name": "look"}]})
    (metric,) = Agentic.run(source(Dataset(session_id="a", conversation=[batch])), model=judge_by(knows), k=1)
    (score,) = metric.tool_correctness_scores
    assert score is not None
    assert (score.overall_correctness, score.is_correct, metric.is_fully_correct) == (0.0, False, False)
    assert score.reasoning == "missing look()"


def test_no_tool_expected_and_one_used_is_wrong() -> None:
    batch = interaction("q", agentic={"tools_used": [{"name": "x"}]}, ground_truth_agentic={"expected_tools": []})
    (metric,) = Agentic.run(source(Dataset(session_id="a", conversation=[batch])), model=judge_by(knows), k=1)
    assert metric.tool_correctness_scores[0].overall_correctness == 0  # type: ignore[union-attr]


def test_reversed_tools_are_out_of_order_unless_order_does_not_matter() -> None:
    calls = [{"name": "find"}, {"name": "book"}]
    for matters, sequence in ((True, 0.0), (False, 1.0), (None, 0.0)):
        wanted = {"expected_tools": calls, "tool_sequence_matters": matters}
        batch = interaction("q", agentic={"tools_used": calls[::-1]}, ground_truth_agentic=wanted)
        (metric,) = Agentic.run(source(Dataset(session_id="a", conversation=[batch])), model=judge_by(knows), k=1)
        assert metric.tool_correctness_scores[0].sequence_correct == sequence  # type: ignore[union-attr]


def test_several_right_ways_and_free_extra_calls() -> None:
    wanted = {"expected_tools": [{"name": "a"}], "alternatives": [[{"name": "b"}, {"name": "c"}]]}
    ways = {
        "first way": (["a"], wanted, True),
        "other way": (["b", "c"], wanted, True),
        "neither": (["c"], wanted, False),
        "extra": (["a", "z"], {**wanted, "extra_tools_allowed": True}, True),
        "only alternatives": (["b", "c"], {"alternatives": wanted["alternatives"]}, True),
    }
    batches = [
        interaction(name, agentic={"tools_used": [{"name": tool} for tool in used]}, ground_truth_agentic=expected)
        for name, (used, expected, _) in ways.items()
    ]
    (metric,) = Agentic.run(source(Dataset(session_id="a", conversation=batches)), model=judge_by(knows), k=1)
    assert [score.is_correct for score in metric.tool_correctness_scores if score] == [
        right for *_, right in ways.values()
    ]


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize("use_structured_output", [True, False])
def test_models_with_and_without_structured_output_are_read_alike(
    structured: bool, use_structured_output: bool
) -> None:
    judge = judge_by(knows, structured=structured)
    data = source(conversation("a", "rw"))
    (metric,) = Agentic.run(data, model=judge, k=1, use_structured_output=use_structured_output)
    assert metric.correctness_scores == [1.0, 0.0]
    assert metric.explanations == ["worth 1.0", "worth 0.0"]


def test_a_model_without_an_asynchronous_side_is_asked_too() -> None:
    (metric,) = Agentic.run(source(conversation("a", "rr")), model=BlockingJudge(), k=1)
    assert metric.is_fully_correct


async def test_it_can_be_awaited_and_run_inside_a_running_loop_alike() -> None:
    data = source(conversation("a", "rw"))
    awaited = await Agentic.arun(data, model=judge_by(knows), k=2)
    nested = Agentic.run(data, model=judge_by(knows), k=2)
    assert awaited == nested
    assert awaited.summary == nested.summary


async def test_an_error_inside_a_running_loop_comes_out_as_it_is() -> None:
    with pytest.raises(InputError, match="k=0"):
        Agentic.run(source(conversation("a")), model=judge_by(knows), k=0)


def test_results_do_not_depend_on_the_order_of_the_data() -> None:
    data = [conversation(name, marks) for name, marks in (("a", "rw"), ("b", "rrr"), ("c", "w"), ("d", "ru"))]
    mode = BayesianMode()
    one = Agentic.run(source(*data), model=judge_by(unsure), k=2, statistical_mode=mode)
    other = Agentic.run(source(*data[::-1]), model=judge_by(unsure), k=2, statistical_mode=mode)
    assert list(one) == list(other)[::-1]
    left, right = one.summary.model_dump(), other.summary.model_dump()
    assert left == right


def test_metrics_are_pydantic_models_in_a_list() -> None:
    metrics = Agentic.run(source(conversation("a", "r", assistant_id="v1")), model=judge_by(knows), k=1)
    assert isinstance(metrics, list)
    assert AgenticMetric(**metrics[0].model_dump()) == metrics[0]
    assert metrics[0].assistant_id == "v1"


def test_a_retriever_gets_its_own_options_by_name_or_in_a_dict() -> None:
    class Named(Retriever):
        def __init__(self, path: str = "", **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.path = path

        def load_dataset(self) -> list[Dataset]:
            return [conversation(self.path + self.kwargs.get("suffix", ""))]

    judge = judge_by(knows)
    named: Any = {"path": "x"}
    assert Agentic.run(Named, model=judge, k=1, **named)[0].session_id == "x"
    (metric,) = Agentic.run(Named, model=judge, k=1, retriever_options={"path": "y", "suffix": "z"})
    assert metric.session_id == "yz"
    assert Agentic.run(Named(path="made"), model=judge, k=1)[0].session_id == "made"


def test_datasets_may_come_from_a_generator_as_dicts_or_awaited() -> None:
    class Lazy(Retriever):
        def load_dataset(self) -> Any:
            yield conversation("a")
            yield conversation("b").model_dump()

    class Awaited:
        async def load_dataset(self) -> list[Dataset]:
            await asyncio.sleep(0)
            return [conversation("c")]

    awaited: Any = Awaited
    assert [metric.session_id for metric in Agentic.run(Lazy, model=judge_by(knows), k=1)] == ["a", "b"]
    assert Agentic.run(awaited, model=judge_by(knows), k=1)[0].session_id == "c"


def test_importing_the_metric_loads_no_langchain_and_no_scipy() -> None:
    code = (
        "import sys, proctor.metrics.agentic\n"
        "assert not {'langchain_core', 'scipy', 'numpy', 'rich'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def told_weather(answer: str, *, result: Any = None, **truth: Any) -> AgenticMetric:
    """What is found where the weather was looked up and this was answered."""
    call = {"tool_name": "weather", "parameters": {"city": "Oslo"}} | ({} if result is None else {"result": result})
    batch = interaction(
        "q1",
        query="How warm is it in Oslo?",
        assistant=answer,
        agentic={"tools_used": [call]},
        ground_truth_agentic={"expected_tools": [{"tool_name": "weather", "parameters": {"city": "Oslo"}}], **truth},
    )
    data = source(Dataset(session_id="s", conversation=[batch]))
    [metric] = Agentic.run(data, model=judge_by(lambda *_: 1.0), k=1, tool_threshold=0.5)
    return metric


def test_a_result_that_must_be_used_and_is_not_makes_the_tools_wrong_whatever_their_score() -> None:
    used = told_weather("17 degrees", result={"degrees": 17}, must_use_result=True)
    assert used.is_fully_correct is True
    unused = told_weather("Mild, I guess", result={"degrees": 17}, must_use_result=True)
    [tools] = unused.tool_correctness_scores
    assert tools is not None
    assert (tools.overall_correctness, tools.is_correct, unused.is_fully_correct) == (0.75, False, False)
    assert "result of weather(city='Oslo') not used" in (tools.reasoning or "")
    assert told_weather("Mild, I guess", result={"degrees": 17}).is_fully_correct is True, "0.75 reaches 0.5"


def test_a_result_that_need_not_be_used_is_left_out() -> None:
    [tools] = told_weather("Done", result={"degrees": 17}, must_use_result=False).tool_correctness_scores
    assert tools is not None
    assert (tools.result_utilization, tools.overall_correctness) == (1.0, 1.0)
    assert "not used" not in (tools.reasoning or "")


def test_where_nothing_shows_whether_a_result_was_used_that_must_be_the_interaction_is_unscored() -> None:
    metric = told_weather("17 degrees", must_use_result=True)
    assert (metric.is_fully_correct, metric.scored_interactions, metric.quality) == (None, 0, None)
    [missing] = metric.unscored
    assert "must be used, and nothing shows whether it was" in missing.reason


def test_each_conversation_has_its_quality() -> None:
    good, bad = Agentic.run(source(conversation("a"), conversation("b", "rw")), model=judge_by(knows), k=1)
    assert (good.quality, bad.quality) == ("Reliable", "Needs improvement")


def test_names_of_tools_may_be_folded() -> None:
    batch = interaction(
        "q",
        agentic={"tools_used": [{"name": "get_weather"}]},
        ground_truth_agentic={"expected_tools": [{"name": "getWeather"}]},
    )
    data = source(Dataset(session_id="s", conversation=[batch]))
    for folded in (True, False):
        [found] = Agentic.run(data, model=judge_by(knows), k=1, fold_names=folded)
        [tools] = found.tool_correctness_scores
        assert tools is not None
        assert tools.is_correct is folded
    with pytest.raises(InputError, match="fold_names='yes'"):
        Agentic.run(data, model=judge_by(knows), k=1, fold_names="yes")  # type: ignore[arg-type]
