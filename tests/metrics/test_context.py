from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.metrics.scripted import judge_by, source

import proctor
from proctor.errors import InputError, UsageError
from proctor.metrics import context
from proctor.metrics.context import (
    Batch,
    BayesianMode,
    Context,
    ContextInteraction,
    ContextMetric,
    ContextOptions,
    Dataset,
)
from proctor.reviewers.model import ModelReviewer
from proctor.statistics.intervals import wilson
from proctor.workflows import patient_model

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "context.md").read_text()


def by_number(shown: dict[str, str], prompt: str) -> Any:
    """The mark that the reply names; none for any other."""
    try:
        mark = float(shown["reply"])
    except ValueError:
        return "I cannot say"
    known = {"context_explanation": f"worth {mark}", "context": mark}
    return {"correctness_explanation": "fine", "correctness": 1.0, **known} if "expected answer" in shown else known


def dataset(*replies: str, session: str = "s", weights: tuple[float | None, ...] = (), **others: Any) -> Dataset:
    batches = [
        Batch(qa_id=f"q{at}", query="What then?", assistant=reply, weight=weights[at] if weights else None)
        for at, reply in enumerate(replies)
    ]
    return Dataset(**{"session_id": session, "context": "It rains.", "conversation": batches, **others})


def test_the_mean_of_the_marks_with_its_interval() -> None:
    (metric,) = Context.run(source(dataset("0.5", "1.0", assistant_id="a")), model=judge_by(by_number))
    assert (metric.session_id, metric.assistant_id, metric.n_interactions) == ("s", "a", 2)
    assert metric.context_awareness == pytest.approx(0.75)
    ends = (metric.context_awareness_ci_low, metric.context_awareness_ci_high)
    assert ends == pytest.approx(wilson(0.75, 2))
    assert [(one.qa_id, one.context_awareness) for one in metric.interactions] == [("q0", 0.5), ("q1", 1.0)]
    assert metric.interactions[0].explanation == "worth 0.5"


def test_weights_count_and_0_leaves_out() -> None:
    (metric,) = Context.run(source(dataset("0", "1", "0.5", weights=(1, 3, 0))), model=judge_by(by_number))
    assert metric.context_awareness == pytest.approx(0.75)
    assert metric.context_awareness_ci_low == pytest.approx(wilson(0.75, 16 / 10)[0])


def test_a_failure_is_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_model, "pause", lambda tries, fault: 0.0)
    (metric,) = Context.run(source(dataset("1", "no number")), model=judge_by(by_number))
    assert (metric.context_awareness, metric.n_interactions, metric.scored_interactions) == (1.0, 2, 1)
    assert metric.interactions[1].context_awareness is None
    assert "cannot be used" in metric.interactions[1].unscored
    (metric,) = Context.run(source(dataset("1")), model=judge_by(lambda *_: ConnectionError("away")))
    assert (metric.context_awareness, metric.context_awareness_ci_low, metric.context_awareness_ci_high) == (None,) * 3
    assert "away" in metric.interactions[0].unscored


def test_it_is_the_number_that_a_run_gives(tmp_path: Path) -> None:
    judge = judge_by(by_number)
    (metric,) = Context.run(source(dataset("0.65")), model=judge)
    case = proctor.Case(id="q0", question="What then?", context="It rains.")
    reviewer = ModelReviewer(judge, name="judge")
    found = proctor.evaluate([case], agent=lambda request: "0.65", reviewer=reviewer, store=tmp_path / "s.db")
    assert found.findings.parts["context"].value == metric.context_awareness == 0.65
    assert judge.prompts[0] == judge.prompts[1]


def test_the_agents_own_answer_is_not_taken_for_the_right_one() -> None:
    judge = judge_by(by_number)
    Context.run(source(dataset("0.5")), model=judge)
    assert "expected answer" not in re.findall(r"<<<DATA ([a-z ]+) ", judge.prompts[0])
    right = Batch(qa_id="q", query="What then?", assistant="0.5", ground_truth_assistant="Take an umbrella.")
    Context.run(source(Dataset(session_id="s", context="It rains.", conversation=[right])), model=judge)
    assert "Take an umbrella." in judge.prompts[1]


def test_an_observation_is_shown() -> None:
    judge = judge_by(by_number)
    noted = Batch(qa_id="q", query="What then?", assistant="0.5", observation="It must mention the rain.")
    Context.run(source(Dataset(session_id="s", context="It rains.", conversation=[noted])), model=judge)
    assert "It must mention the rain." in judge.prompts[0]


def test_sessions_of_two_agents_are_not_merged() -> None:
    data = source(dataset("0", assistant_id="a"), dataset("1", assistant_id="b"))
    metrics = Context.run(data, model=judge_by(by_number))
    assert [(metric.assistant_id, metric.context_awareness) for metric in metrics] == [("a", 0), ("b", 1)]


def test_the_bayesian_interval_holds_the_same_mean() -> None:
    (metric,) = Context.run(source(dataset("1")), model=judge_by(by_number), statistical_mode=BayesianMode())
    assert (metric.context_awareness, metric.context_awareness_ci_high, metric.method) == (1.0, 1.0, "posterior")
    assert metric.context_awareness_ci_low == pytest.approx(0.025**0.5)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([dataset("1", context=" ")], "expected the context"),
        ([dataset("1"), dataset("0")], "number repetitions by trial"),
        ([dataset()], "conversation is empty"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_anybody_is_asked(data: list[Dataset], said: str) -> None:
    judge = judge_by(by_number)
    with pytest.raises(InputError, match=said):
        Context.run(source(*data), model=judge)
    assert judge.prompts == []


def test_a_misspelt_option_is_refused() -> None:
    options: Any = {"modle": "x"}
    with pytest.raises(UsageError, match="did you mean 'model'"):
        Context.run(source(dataset("1")), **options)


def test_the_example_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]


@pytest.mark.parametrize("kind", [ContextMetric, ContextInteraction, ContextOptions])
def test_every_field_and_option_is_on_the_page(kind: Any) -> None:
    names = getattr(kind, "model_fields", None) or kind.__annotations__
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_all_names_can_be_had_from_one_line() -> None:
    assert all(hasattr(context, name) for name in context.__all__)
