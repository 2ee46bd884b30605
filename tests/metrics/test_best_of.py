from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.metrics.scripted import judge_by, source

from proctor.errors import InputError, UsageError
from proctor.metrics import best_of
from proctor.metrics.best_of import (
    AssistantStanding,
    Batch,
    BestOf,
    BestOfContest,
    BestOfMetric,
    BestOfOptions,
    BestOfSummary,
    Dataset,
)
from proctor.workflows import patient_model

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "best-of.md").read_text()


def answers(assistant: str, marks: str, *, session: str = "s", **others: Any) -> Dataset:
    """A digit for each answer: the higher, the better."""
    batches = [
        Batch(qa_id=f"q{place}", query=f"What about {place}?", assistant=f"quality {mark}")
        for place, mark in enumerate(marks)
    ]
    return Dataset(session_id=session, assistant_id=assistant, conversation=batches, **others)


def quality(text: str) -> str:
    return text.rpartition(" ")[2]


def by_quality(shown: dict[str, str], prompt: str) -> Any:
    first, second = quality(shown["first reply"]), quality(shown["second reply"])
    if "?" in (first, second):
        return "I cannot say"
    better = "neither" if first == second else "first" if first > second else "second"
    return {"reasoning": f"{better} it is", "better": better, "confidence": 0.8}


def says_first(shown: dict[str, str], prompt: str) -> Any:
    return {"reasoning": "the first", "better": "first", "confidence": 1}


def test_the_better_answer_wins_in_both_orders() -> None:
    judge = judge_by(by_quality)
    metrics = BestOf.run(source(answers("a", "15"), answers("b", "33"), answers("c", "31")), model=judge)
    assert [(metric.session_id, metric.qa_id, metric.bestof_winner_id) for metric in metrics] == [
        ("s", "q0", "tie"),
        ("s", "q1", "a"),
    ]
    assert metrics[1].assistant_id == "a"
    contest = metrics[1].bestof_contests[0]
    assert (contest.round, contest.left_id, contest.right_id, contest.winner_id) == (1, "a", "b", "a")
    assert (contest.confidence, contest.verdict) == (0.8, "left")
    assert contest.reasoning == {"left_first": "first it is", "right_first": "second it is"}
    assert metrics.summary.contests == 6
    assert len(judge.prompts) == 10, "equal answers are a tie without a call"


def test_the_judge_is_told_no_names() -> None:
    judge = judge_by(by_quality)
    BestOf.run(source(answers("secret-model", "1"), answers("other-model", "2")), model=judge)
    assert not any("model" in prompt for prompt in judge.prompts)


def test_a_judge_that_prefers_a_place_gives_ties_that_are_counted_as_flips() -> None:
    metrics = BestOf.run(source(answers("a", "12"), answers("b", "21")), model=judge_by(says_first))
    for metric in metrics:
        assert metric.bestof_winner_id == "tie"
        assert metric.bestof_contests[0].verdict == "position flip"
        assert metric.bestof_contests[0].confidence is None
    assert metrics.summary.position_flips.value == metrics.summary.flips_toward_first.value == 1
    assert "In 100.0% of those it favoured the answer that was shown first" in str(metrics.summary)


def test_whoever_comes_last_has_no_advantage_among_equals() -> None:
    names = ["a", "b", "c", "d"]
    equal = source(*(answers(name, f"{place}" * 5) for place, name in enumerate(names)))
    metrics = BestOf.run(equal, model=judge_by(says_first))
    assert {metric.bestof_winner_id for metric in metrics} == {"tie"}


def test_many_questions_rank_the_agents_with_intervals() -> None:
    metrics = BestOf.run(source(answers("a", "1" * 40), answers("b", "3" * 40)), model=judge_by(by_quality))
    a, b = metrics.summary.assistants
    assert (a.rank_best, a.rank_worst, b.rank_best, b.rank_worst) == (2, 2, 1, 1)
    assert (b.won, b.tied, b.lost, a.lost) == (40, 0, 0, 40)
    assert "b: rank 1" in str(metrics.summary)


def test_few_questions_are_not_ranked() -> None:
    metrics = BestOf.run(source(answers("a", "11"), answers("b", "33")), model=judge_by(by_quality))
    assert [(one.rank_best, one.rank_worst) for one in metrics.summary.assistants] == [(1, 2), (1, 2)]
    assert "too few" in str(metrics.summary)


def test_what_the_judge_does_not_say_is_no_verdict_and_decides_nothing() -> None:
    metrics = BestOf.run(source(answers("a", "?"), answers("b", "3"), answers("c", "1")), model=judge_by(by_quality))
    (metric,) = metrics
    unsaid = [contest for contest in metric.bestof_contests if contest.winner_id is None]
    assert len(unsaid) == 2
    assert all("cannot be used" in contest.unscored for contest in unsaid)
    assert metric.bestof_winner_id is None
    assert metrics.summary.unscored == 2


def test_sessions_are_not_merged() -> None:
    data = [answers(name, mark, session=s) for s in ("s1", "s2") for name, mark in (("a", "1"), ("b", "2"))]
    metrics = BestOf.run(source(*data), model=judge_by(by_quality))
    assert [metric.session_id for metric in metrics] == ["s1", "s2"]


def test_agents_with_sessions_of_their_own_meet_by_qa_id() -> None:
    data = source(answers("a", "1", session="sa"), answers("b", "2", session="sb"))
    (metric,) = BestOf.run(data, model=judge_by(by_quality))
    assert (metric.session_id, metric.bestof_winner_id) == ("bestof", "b")


def test_criteria_of_ones_own_are_told() -> None:
    judge = judge_by(by_quality)
    BestOf.run(source(answers("a", "1"), answers("b", "2")), model=judge, criteria="shorter is better")
    assert all("shorter is better" in prompt for prompt in judge.prompts)


def test_options_of_the_reference_are_taken() -> None:
    metrics = BestOf.run(
        source(answers("a", "1"), answers("b", "2")), model=judge_by(by_quality), use_structured_output=False,
        strict=True, bos_json_clause="<json>", eos_json_clause="</json>", criteria="BestOf", verbose=False,
    )  # fmt: skip
    assert metrics[0].bestof_winner_id == "b"


def test_a_judge_out_of_reach_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_model, "pause", lambda tries, fault: 0.0)
    away = judge_by(lambda *_: ConnectionError("away"))
    (metric,) = BestOf.run(source(answers("a", "1"), answers("b", "2")), model=away)
    assert metric.bestof_winner_id is None
    assert "away" in metric.bestof_contests[0].unscored


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([answers("a", "1")], "no question was answered by two agents"),
        ([answers("a", "1"), answers("a", "2")], "answered it before"),
        ([answers("a", "1"), answers("a", "2"), answers("b", "2")], "answered it before"),
    ],
)
def test_data_that_cannot_be_compared_is_refused(data: list[Dataset], said: str) -> None:
    with pytest.raises(InputError, match=said):
        BestOf.run(source(*data), model=judge_by(by_quality))


def test_another_question_under_the_same_id_is_refused() -> None:
    other = Dataset(
        session_id="s", assistant_id="b", conversation=[Batch(qa_id="q0", query="Why?", assistant="quality 2")]
    )
    with pytest.raises(InputError, match="expected the same question"):
        BestOf.run(source(answers("a", "1"), other), model=judge_by(by_quality))


def test_a_misspelt_option_is_refused() -> None:
    options: Any = {"criterion": "x"}
    with pytest.raises(UsageError, match=r"BestOf.run\(\) has no keyword argument 'criterion'"):
        BestOf.run(source(answers("a", "1")), model=judge_by(by_quality), **options)


def test_the_example_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]


@pytest.mark.parametrize("kind", [BestOfMetric, BestOfContest, BestOfSummary, AssistantStanding, BestOfOptions])
def test_every_field_and_option_is_on_the_page(kind: Any) -> None:
    names = getattr(kind, "model_fields", None) or kind.__annotations__
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_all_names_can_be_had_from_one_line() -> None:
    assert all(hasattr(best_of, name) for name in best_of.__all__)
