"""From runs to a history: order, segments, what is left out, labels, groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.made_histories import Known, a_run, counts, day, story, told

from proctor.errors import UsageError
from proctor.findings.history import History
from proctor.run import Run, Spec
from proctor.statistics.pass_at_k import over_cases, pass_at_k


def days(history: History) -> list[list[int]]:
    """The days of each segment's runs."""
    (series,) = history.series
    return [[int(entry.run.id[4:6]) for entry in segment.entries] for segment in series.segments]


def reasons(history: History) -> dict[int, str]:
    return {int(entry.run.id[4:6]): entry.left_out for entry in history.entries if entry.left_out}


def test_runs_stand_in_time_order_whatever_the_order_they_come_in() -> None:
    known = [(a_run(number), counts()) for number in (3, 1, 2)]
    assert days(told(known)) == [[1, 2, 3]]


def test_the_rate_is_that_of_the_run() -> None:
    entry = told([(a_run(1), counts({1, 2}, {3}))]).entries[0]
    assert entry.rate == over_cases(pass_at_k, [(3, 3)] * 57 + [(3, 0)] * 2 + [(3, 2)], 1, planned=3)


def test_battles_have_the_held_rate_of_their_conversations() -> None:
    held = {"exam-1": (3, 2), "exam-2": (3, 3)}
    static, dynamic = (
        told([(a_run(1, cases=3, type=kind), held)]).entries[0].rate for kind in ("abm-static", "abm-dynamic")
    )
    assert static is not None
    assert dynamic is not None
    assert [static.value, dynamic.value] == pytest.approx([5 / 6, 5 / 6])
    assert (static.n, static.missing, dynamic.n) == (6, 3, 6)
    assert dynamic.note == "the interval rests on 2 seed questions"


def test_exams_that_were_never_played_are_missing_from_the_rate() -> None:
    rate = told([(a_run(1, status="paused"), counts(cases=50))]).entries[0].rate
    assert rate is not None
    assert (rate.n, rate.missing) == (50, 30)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"digest": "41d0"}, "benchmark content"),
        ({"passing_score": 0.9}, "passing score"),
        ({"reviewer": "exact"}, "reviewer"),
        ({"rubric": "standard-2"}, "rubric"),
        ({"weights": {"correctness": 1.0}}, "weights"),
    ],
)
def test_what_was_examined_differently_begins_a_new_segment(other: dict[str, Any], what: str) -> None:
    history = told([(a_run(1), counts(range(30))), (a_run(2, **other), counts())])
    assert days(history) == [[1], [2]]
    assert [one.what for one in history.series[0].segments[1].apart] == [what]
    assert all(entry.change is None for entry in history.entries)


def test_runs_of_two_kinds_in_turns_are_compared_with_their_own_kind() -> None:
    known: list[Known] = []
    for number in range(1, 7):
        digest = "9f2c" if number % 2 else "41d0"
        known.append((a_run(number, digest=digest), counts(range(30) if number < 5 else ())))
    history = told(known)
    assert days(history) == [[1, 3, 5], [2, 4, 6]]
    assert [segment.latest.marked for segment in history.series[0].segments if segment.latest] == [True, True]


def test_a_segment_says_in_what_it_differs_from_the_earlier_one_most_like_it() -> None:
    known = [(a_run(1), counts()), (a_run(2, passing_score=0.9), counts()), (a_run(3, digest="41d0"), counts())]
    last = told(known).series[0].segments[-1]
    assert [one.what for one in last.apart] == ["benchmark content"]


@pytest.mark.parametrize("status", ["paused", "failed", "cancelled", "running", "queued"])
def test_a_run_that_did_not_complete_is_shown_with_the_reason_and_not_compared(status: str) -> None:
    cut_off = a_run(2, status=status, reason="on request")
    history = told([(a_run(1), counts(range(30))), (cut_off, counts()), (a_run(3), counts(range(30)))])
    assert reasons(history) == {2: f"{status}: on request"}
    assert [entry.change is None for entry in history.entries] == [True, True, False]
    last = history.entries[2].change
    assert last is not None
    assert (last.baseline.run.id, last.look) == (history.entries[0].run.id, 1)


def test_a_run_without_any_verdict_is_left_out() -> None:
    history = told([(a_run(1), {}), (a_run(2), counts())])
    assert reasons(history) == {1: "no attempt has a verdict"}


def test_a_run_that_cannot_be_read_stays_where_it_came() -> None:
    damaged = Run(
        id="261102-000000-0bad", name="x", benchmark="handbook", digest="", agent="a", status="failed",
        reason="damaged", created=day(2),
    )  # fmt: skip
    history = told([(a_run(1, passing_score=0.9), counts()), (damaged, {}), (a_run(3, passing_score=0.9), counts())])
    assert days(history) == [[1, 2, 3]]
    assert history.entries[1].rate is None
    assert reasons(history) == {2: "failed: damaged"}


def rescored(source: Run, number: int, **others: Any) -> Run:
    made = a_run(number, **others)
    return replace(made, rescored_from=source.id)


def test_replies_judged_anew_in_the_same_way_do_not_count_twice() -> None:
    first = a_run(1)
    history = told([(first, counts(range(30))), (rescored(first, 5), counts())])
    assert reasons(history) == {5: f"the same replies as {first.id}, judged again"}


def test_replies_judged_otherwise_stand_at_the_time_they_were_given() -> None:
    runs = [a_run(number) for number in (1, 2)]
    anew = [rescored(run, 8 + place, passing_score=0.9) for place, run in enumerate(reversed(runs))]
    known = [*((run, counts()) for run in runs), (anew[0], counts()), (anew[1], counts(range(30)))]
    history = told(known)
    assert days(history) == [[1, 2], [9, 8]]
    assert [entry.when for entry in history.entries] == [day(1), day(2), day(1), day(2)]
    assert history.series[0].latest == history.entries[-1]
    assert history.entries[-1].marked


def test_an_old_run_judged_otherwise_is_not_what_stands_now() -> None:
    runs = [a_run(number) for number in (1, 2, 3)]
    history = told([*((run, counts()) for run in runs), (rescored(runs[0], 9, passing_score=0.9), counts())])
    latest = history.series[0].latest
    assert latest is not None
    assert latest.run == runs[2]


def test_replies_that_were_judged_anew_are_not_where_the_agent_stands_now() -> None:
    runs = [a_run(1), a_run(2)]
    anew = rescored(runs[1], 9, passing_score=0.9)
    history = told([*((run, counts()) for run in runs), (anew, counts(range(60)))])
    [series] = history.series
    assert anew.id in [entry.run.id for entry in series.entries]
    assert series.latest is not None
    assert series.latest.run.id == runs[1].id


def test_a_rescored_run_whose_source_is_gone_has_its_own_time() -> None:
    orphan = rescored(a_run(1), 7)
    assert told([(orphan, counts())]).entries[0].when == day(7)


def test_labels_that_changed_are_told_and_the_first_run_tells_all() -> None:
    labels = [{"prompt": "v1", "commit": "a"}, {"prompt": "v1", "commit": "b"}, {"prompt": "v2"}]
    known = [(a_run(number, labels=each), counts()) for number, each in enumerate(labels, 1)]
    known.append((a_run(4, labels=labels[2], agent="python:agent:other"), counts()))
    assert [entry.relabelled for entry in told(known).entries] == [
        {"prompt": "v1", "commit": "a"},
        {"commit": "b"},
        {"prompt": "v2", "commit": ""},
        {"agent": "python:agent:other"},
    ]


def test_only_the_newest_of_each_series_are_shown() -> None:
    history = told(by="model", last=2)
    assert [[int(entry.run.id[4:6]) for entry in series.entries] for series in history.series] == [[10, 12], [11]]
    assert [series.earlier for series in history.series] == [6, 0]


def test_courses_have_baselines_of_their_own() -> None:
    large, small = told(by="model").series
    assert (large.value, small.value) == ("large", "small")
    assert small.entries[0].change is None
    assert [int(entry.run.id[4:6]) for entry in large.entries if entry.marked] == [9]
    assert [int(entry.run.id[4:6]) for entry in told().entries if entry.marked] == [9, 11, 12]


def test_the_model_is_the_label_or_what_the_agent_was_configured_with() -> None:
    built = [
        {"agent": Spec(spec="python:a:b", options={"model": "configured"})},
        {"agent": Spec(spec="openai:named")},
        {"agent": Spec(spec="python:a:b")},
    ]
    known = [(a_run(number, built=each), counts()) for number, each in enumerate(built, 1)]
    known.append((a_run(4, labels={"model": "labelled"}, built=built[0]), counts()))
    assert [series.value for series in told(known, by="model").series] == ["configured", "named", "", "labelled"]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "ollama"])
def test_the_model_of_any_provider_is_known_by_its_spec(provider: str) -> None:
    known = [(a_run(1, built={"agent": Spec(spec=f"{provider}:large")}), counts())]
    assert [series.value for series in told(known, by="model").series] == ["large"]


def test_grouping_by_agent_sets_agents_apart() -> None:
    known = [(a_run(number, agent=f"agent-{number % 2}"), counts()) for number in (1, 2, 3)]
    assert [(series.value, len(series.entries)) for series in told(known, by="agent").series] == [
        ("agent-1", 2),
        ("agent-0", 1),
    ]


def test_a_label_that_no_run_has_is_refused_with_those_they_have() -> None:
    with pytest.raises(UsageError, match="no run has a label 'promt'; labels here: commit, model, prompt"):
        told(story(), by="promt")
