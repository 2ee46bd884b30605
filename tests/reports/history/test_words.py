"""The sentences that stand above and beside the runs."""

from __future__ import annotations

from typing import Any

from tests.made_histories import Known, a_run, counts, story, told

from proctor.findings.history import History
from proctor.reports.history import words


def sentences(history: History) -> list[str]:
    calendar = words.calendar_of(history)
    return [words.sentence(history, series, calendar) for series in history.series]


def sentence(*fails: Any, **options: Any) -> str:
    known: list[Known] = [(a_run(number), counts(each)) for number, each in enumerate(fails, 1)]
    (said,) = sentences(told(known, **options))
    return said


def test_a_real_change_is_said_with_its_size_its_interval_and_the_looks() -> None:
    assert sentence(range(20), range(20), range(4)) == (
        "handbook: 93.3 % now (84 – 97), up 26.7 points since 1 Nov (14 to 38), real after 2 comparisons."
    )
    assert sentence(range(4), range(20)) == (
        "handbook: 66.7 % now (54 – 77), down 26.7 points since 1 Nov (14 to 38), real after 1 comparison."
    )


def test_no_real_change_is_said_with_what_there_is_and_how_often_one_looked() -> None:
    assert sentence(range(6), range(5), range(4)) == (
        "handbook: 93.3 % now (84 – 97), no real change since 1 Nov (+3.3 points, −3 to +10) in 2 comparisons."
    )


def test_what_held_since_a_real_change_tells_of_that_change() -> None:
    assert sentence(range(20), range(4), range(4)) == (
        "handbook: 93.3 % now (84 – 97), no real change since 2 Nov (0 points, −5 to +5), "
        "when it went up 26.7 points (14 to 38)."
    )


def test_a_first_run_says_that_there_is_nothing_to_compare_it_with() -> None:
    assert sentence(range(4)) == (
        "handbook: 93.3 % now (84 – 97), the first run of its kind: nothing to compare it with yet."
    )


def test_runs_that_do_not_count_say_so() -> None:
    assert sentences(told([(a_run(1, status="paused"), {})])) == ["handbook: no run counts yet."]


def test_battles_speak_of_conversations() -> None:
    (said,) = sentences(told([(a_run(1, type="abm-static", cases=1), {"exam-1": (3, 3)})]))
    assert said.startswith("handbook: 100 % of conversations held now (44 – 100), ")


def test_courses_are_named() -> None:
    known = [*story(), (a_run(13), counts())]
    starts = [said.partition(":")[0] for said in sentences(told(known, by="prompt"))]
    assert starts == [
        "handbook, prompt v1",
        "handbook, prompt v2",
        "handbook, prompt v3",
        "handbook, without prompt",
    ]


def test_a_change_that_one_look_would_have_called_real_is_told_and_not_marked() -> None:
    history = told([(a_run(1), counts(range(7))), (a_run(2), counts())])
    entry = history.entries[1]
    assert not entry.marked
    assert entry.change is not None
    assert words.change_of(entry.change, words.calendar_of(history)) == (
        "+11.7 points (+2 to +21) since 1 Nov, p = 0.016: not enough after so many comparisons"
    )


def test_a_change_like_any_other_is_not_told() -> None:
    history = told([(a_run(1), counts(range(3))), (a_run(2), counts())])
    change = history.entries[1].change
    assert change is not None
    assert words.change_of(change, words.calendar_of(history)) == ""


def test_notes_tell_labels_reasons_and_what_is_missing() -> None:
    lacking = {**counts(), "case-1": (2, 2)}
    known = [
        (a_run(1, labels={"prompt": "v1"}), counts()),
        (a_run(2, status="paused", reason="its process ended"), counts()),
        (a_run(3), lacking),
    ]
    assert [[*words.notes(entry)] for entry in told(known).entries] == [
        ["prompt v1"],
        ["no prompt", "not compared; paused: its process ended"],
        ["1 attempt without a verdict: 99.4 % at worst, 100 % at best"],
    ]


def test_the_setting_tells_what_is_not_shown() -> None:
    known = [(a_run(number, agent=f"agent-{number % 2}"), counts()) for number in range(1, 6)]
    assert [*words.setting(told(known, last=3, others=("times", "maps")))] == [
        "3 runs of 2 agents",
        "2 earlier runs looked at and not shown: --last 5 shows them",
        "--by agent separates the agents",
        "--benchmark for times, maps",
    ]


def test_the_rule_is_the_one_in_force() -> None:
    assert "at p ≤ 0.005: one false alarm in 200 comparisons" in words.rule(told())
    assert "by LOND: on average at most 5 % of all marks are false" in words.rule(told(strict=True))


def test_a_segment_says_which_version_it_is_of() -> None:
    segment = told().series[0].segments[1]
    assert words.apart(segment) == "another version of the benchmark (41d0c2b8e7a9 → 9f2c1a77b0e4)"
