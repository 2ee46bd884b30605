"""Pages of attempts, the same on each database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.storage.records import attempt, failed, key, played, records, stored_run, turn

from proctor.run import Attempt, Record
from proctor.score import CheckResult, Part, Score
from proctor.storage import Store, open_store
from proctor.storage.pages import SortOrder, chosen
from proctor.storage.search import TimeUp, _next_size
from proctor.transcript import Reply, Transcript


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        stored_run(opened)
        stored_run(opened, "other")
        opened.journal.write(played(key("a", run="other"), place=3))
        yield opened


def marked(exam: str, value: float | None, *, place: int, seconds: float | None = 1.0, **others: Any) -> Attempt:
    scores = (
        () if value is None else (Score(turn=1, of="agent", parts=(Part(name="c", value=value),), value=value, by="x"),)
    )
    others.setdefault("passed", None if value is None else value >= 0.7)
    return attempt(key(exam), place=place, scores=scores, seconds=seconds, **others)


def write(store: Store, *attempts: Attempt) -> None:
    batch: list[Record] = [record for one in attempts for record in records(one)]
    store.journal.write(batch)


def exams(found: list[Attempt]) -> list[str]:
    return [one.key.exam for one in found]


def test_pages_follow_the_plan_and_lose_nothing(store: Store) -> None:
    write(store, *(marked(f"e{place}", 1.0, place=place) for place in reversed(range(25))))
    pages = [store.archive.page("run-1", offset=start, limit=10) for start in (0, 10, 20)]
    assert [len(page) for page in pages] == [10, 10, 5]
    assert exams([one for page in pages for one in page]) == [f"e{place}" for place in range(25)]
    assert exams(store.archive.page("run-1", descending=True, limit=2)) == ["e24", "e23"]
    assert store.archive.page("run-1", offset=100) == []
    assert store.archive.count("run-1") == 25


def test_a_page_has_outcomes_without_what_was_said(store: Store) -> None:
    whole = marked("a", 0.5, place=1)
    write(store, whole)
    [read] = store.archive.page("run-1")
    assert read == replace(whole, transcript=Transcript(ended=whole.transcript.ended))


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (("pass",), ["good"]),
        (("fail",), ["bad"]),
        (("agent", "fail"), ["bad", "crash"]),
        (("unscored",), ["none"]),
        (("environment",), ["lost"]),
        (("nonsense",), []),
    ],
)
def test_attempts_are_chosen_by_verdict(store: Store, verdicts: tuple[str, ...], expected: list[str]) -> None:
    write(
        store,
        marked("good", 1.0, place=1),
        marked("bad", 0.0, place=2),
        failed(key("crash"), place=3, owner="agent"),
        marked("none", None, place=4),
        failed(key("lost"), place=5),
    )
    assert exams(store.archive.page("run-1", verdicts=verdicts)) == expected
    assert store.archive.count("run-1", verdicts=verdicts) == len(expected)


def test_attempts_are_chosen_by_stage_of_failure(store: Store) -> None:
    write(store, failed(key("a"), place=1, stage="reviewer"), failed(key("b"), place=2), marked("c", 1.0, place=3))
    assert exams(store.archive.page("run-1", stage="reviewer")) == ["a"]


def check(name: str, passed: bool | None) -> CheckResult:
    return CheckResult(turn=1, name=name, passed=passed, evidence="")


def test_attempts_are_chosen_by_a_check_that_failed(store: Store) -> None:
    write(
        store,
        marked("a", 1.0, place=1, checks=(check("keywords", False), check("tools used", True))),
        marked("b", 1.0, place=2, checks=(check("keywords", True), check("my\ncheck 100%", False))),
        marked("c", 1.0, place=3, checks=(check("keywords", None), check("tools used", False))),
        marked("d", 1.0, place=4),
    )
    assert exams(store.archive.page("run-1", check="keywords")) == ["a"]
    assert exams(store.archive.page("run-1", check="tools used")) == ["c"]
    assert exams(store.archive.page("run-1", check="my\ncheck 100%")) == ["b"]
    assert exams(store.archive.page("run-1", check="word")) == []
    assert exams(store.archive.page("run-1", check="my check 1000")) == []


def test_an_attempt_that_is_played_again_is_chosen_by_what_it_came_to_last(store: Store) -> None:
    write(store, marked("a", 1.0, place=1, checks=(check("keywords", False),)))
    write(store, marked("a", 1.0, place=1, checks=(check("keywords", True),)))
    assert store.archive.page("run-1", check="keywords") == []


def test_attempts_are_chosen_by_spans_of_places(store: Store) -> None:
    write(store, *(marked(f"e{row}", 1.0, place=row * 100 + 1) for row in range(200)))
    few = [(100, 199), (300, 399), (200, 299)]
    assert exams(store.archive.page("run-1", places=few)) == ["e1", "e2", "e3"]
    many = [(row * 100, row * 100 + 99) for row in range(1, 200, 2)]
    assert exams(store.archive.page("run-1", places=many, limit=500)) == [f"e{row}" for row in range(1, 200, 2)]
    assert store.archive.count("run-1", places=many) == 100
    assert store.archive.page("run-1", places=[]) == []


@pytest.mark.parametrize("order", ["score", "seconds"])
def test_those_without_a_number_come_last_whichever_way_the_others_are_sorted(store: Store, order: Any) -> None:
    values = {"low": 0.1, "none": None, "high": 0.9, "nothing": None, "middle": 0.5}
    write(
        store,
        *(
            marked(exam, value if order == "score" else 1.0, place=place, seconds=value if order == "seconds" else 1.0)
            for place, (exam, value) in enumerate(values.items())
        ),
    )
    assert exams(store.archive.page("run-1", order=order)) == ["low", "middle", "high", "none", "nothing"]
    assert exams(store.archive.page("run-1", order=order, descending=True)) == [
        "high",
        "middle",
        "low",
        "none",
        "nothing",
    ]
    paged = [one for start in range(5) for one in store.archive.page("run-1", order=order, offset=start, limit=1)]
    assert exams(paged) == ["low", "middle", "high", "none", "nothing"]
    assert exams(store.archive.page("run-1", order=order, offset=2, limit=2)) == ["high", "none"]


def test_choices_and_sorting_go_together(store: Store) -> None:
    write(store, *(marked(f"e{place}", place / 10, place=place) for place in range(10)))
    found = store.archive.page("run-1", verdicts=("fail",), order="score", descending=True, places=[(2, 9)])
    assert exams(found) == ["e6", "e5", "e4", "e3", "e2"]


@pytest.mark.parametrize("order", ["place", "score", "seconds"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("which", [{}, {"verdicts": ("fail",)}, {"places": [(5, 30)]}])
def test_marks_of_a_run_that_is_over_change_no_page(
    store: Store, order: Any, descending: bool, which: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [None if place % 7 == 0 else (place * 3 % 10) / 10 for place in range(40)]  # with many that are equal
    write(store, *(marked(f"e{place}", value, place=place, seconds=value) for place, value in enumerate(values)))
    store.journal.mark("run-1", "completed")

    def pages(*offsets: int) -> list[list[str]]:
        asked = {"order": order, "descending": descending, **which}
        return [exams(store.archive.page("run-1", offset=offset, limit=4, **asked)) for offset in offsets]

    plain = pages(*range(45))
    for module in ("pages", "archive"):
        monkeypatch.setattr(f"proctor.storage.{module}.EVERY", 5)
    assert pages(*reversed(range(45))) == plain[::-1]
    assert pages(*range(45)) == plain


def test_what_is_played_later_is_on_deep_pages_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pages", "archive"):
        monkeypatch.setattr(f"proctor.storage.{module}.EVERY", 2)
    write(store, *(marked(f"e{place}", 1.0, place=place) for place in (1, 3, 5, 7)))
    store.journal.mark("run-1", "paused")
    assert exams(store.archive.page("run-1", offset=2)) == ["e5", "e7"]
    store.journal.mark("run-1", "running")
    write(store, marked("e2", 1.0, place=2))
    assert exams(store.archive.page("run-1", offset=2)) == ["e3", "e5", "e7"]
    write(store, marked("e4", 1.0, place=4))
    assert exams(store.archive.page("run-1", offset=2)) == ["e3", "e4", "e5", "e7"]
    store.journal.mark("run-1", "completed")
    assert exams(store.archive.page("run-1", offset=4)) == ["e5", "e7"]


# searching -------------------------------------------------------------------------------------------


def saying(exam: str, question: str, reply: str | None, *, place: int = 0, **others: Any) -> Attempt:
    said = replace(turn(1), question=question, reply=None if reply is None else Reply(text=reply))
    return marked(exam, 1.0, place=place, transcript=Transcript(turns=(said,)), **others)


def test_words_are_found_in_questions_and_replies(store: Store) -> None:
    write(
        store,
        saying("a", "Which Policy covers it?", "the first"),
        saying("b", "Why?", 'he said "no policy"\nat all'),
        saying("c", "Why?", "nothing"),
    )
    found = store.archive.search("run-1", "POLICY")
    assert (exams([*found.attempts]), found.reached) == (["a", "b"], None)
    assert exams([*store.archive.search("run-1", 'said "no').attempts]) == ["b"]
    assert exams([*store.archive.search("run-1", 'policy"\nat').attempts]) == ["b"]


@pytest.mark.parametrize("word", ["question", "number", "reply", "%", "_", "\\"])
def test_names_of_fields_and_signs_of_patterns_are_no_words(store: Store, word: str) -> None:
    write(store, saying("a", "Why?", "because"))
    assert store.archive.search("run-1", word).attempts == ()


def test_a_search_goes_on_where_it_stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.storage.search._FIRST", 3)
    write(store, *(saying(f"e{place}", "Why?", "tide" if place % 2 else "ebb", place=place) for place in range(10)))
    found, after = [], None
    for _ in range(20):
        part = store.archive.search("run-1", "tide", after=after, limit=2, seconds=0.0)
        found += exams([*part.attempts])
        after = part.reached
        if after is None:
            break
    assert found == ["e1", "e3", "e5", "e7", "e9"]


def test_a_conversation_is_found_once_however_often_it_says_the_word(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.storage.search._FIRST", 3)
    store.journal.write([*played(key("a"), turns=5), *played(key("b"), turns=5)])
    assert exams([*store.archive.search("run-1", "because").attempts]) == ["a", "b"]


def test_a_search_goes_on_however_slow_the_database_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def impatient(connection: object, until: float | None) -> Iterator[None]:
        if until is not None:
            raise TimeUp
        yield

    monkeypatch.setattr("proctor.storage.search.deadline", impatient)
    write(store, *(saying(f"e{place}", "Why?", "tide", place=place) for place in range(3)))
    part, found = store.archive.search("run-1", "tide", seconds=0.0), list[str]()
    while part.reached is not None:
        found += exams([*part.attempts])
        part = store.archive.search("run-1", "tide", seconds=0.0, after=part.reached)
    assert found == ["e0", "e1", "e2"]


def test_a_search_for_what_every_turn_is_written_with_ends_in_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.storage.search._KEYS", 5)
    looked_at = list[str]()
    monkeypatch.setattr("proctor.storage.search._mentions", lambda said, words: looked_at.append(said.question))
    write(store, *(saying(f"e{place}", f"{place}?", "ebb", place=place) for place in range(50)))
    part = store.archive.search("run-1", "ebb", seconds=0.0)
    assert part.reached is not None
    assert len(looked_at) < 50


def test_batches_grow_while_they_are_quick_and_shrink_where_they_are_not() -> None:
    assert _next_size(200, 0.001) == 1600
    assert _next_size(200, 0.2) == 100
    assert _next_size(40_000, 0.001) == 50_000
    assert _next_size(1, 5.0) == 1


def test_a_search_chooses_too(store: Store) -> None:
    write(store, saying("a", "tide", "x", place=1), saying("b", "tide", "x", place=2, passed=False))
    assert exams([*store.archive.search("run-1", "tide", verdicts=("fail",)).attempts]) == ["b"]
    assert exams([*store.archive.search("run-1", "tide", places=[(5, 9), (2, 3)]).attempts]) == ["b"]
    assert exams([*store.archive.search("run-1", "tide", places=[(0, 1)]).attempts]) == ["a"]
    assert store.archive.search("run-1", "tide", places=[]).attempts == ()


# how a run stands ------------------------------------------------------------------------------------


def test_a_standing_and_what_came_since_are_all_of_a_run(store: Store) -> None:
    write(store, marked("a", 1.0, place=1), marked("b", 0.0, place=2))
    stands = store.archive.standing("run-1")
    assert stands.verdicts == {"pass": 1, "fail": 1}
    assert stands.exams == {"a": (1, 1), "b": (1, 0)}
    assert store.archive.since("run-1", stands.last)[2] == []
    store.journal.write(played(key("z", run="other"), place=9))
    write(store, marked("c", None, place=3))
    run, last, new = store.archive.since("run-1", stands.last)
    assert (run.id, exams(new)) == ("run-1", ["c"])
    assert store.archive.since("run-1", last)[1:] == (last, [])


def test_a_run_without_attempts_stands_at_nothing(store: Store) -> None:
    stored_run(store, "new")
    assert store.archive.standing("new").verdicts == {}
    assert store.archive.since("new", 0)[1:] == (0, [])


# how it is done --------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["place", "score", "seconds"])
@pytest.mark.parametrize("verdicts", [(), ("fail", "agent")])
@pytest.mark.parametrize("whence", [None, "a mark"])
def test_what_a_deep_page_skips_is_not_looked_up(
    tmp_path: Any, order: Any, verdicts: tuple[str, ...], whence: str | None
) -> None:
    with open_store(tmp_path / "store.db") as store:
        columns = ("place", "no") if order == "place" else (order, "place", "no")
        these = SortOrder(chosen(1, verdicts=verdicts), columns, False)
        after = None if whence is None else (0.5, 10, 1)[-len(columns) :]
        statement = these.after(after).limit(50).offset(10**6)
        database = store.archive._database
        sql = str(statement.compile(dialect=database.dialect, compile_kwargs={"literal_binds": True}))
        with database.reading() as connection:
            plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(plan) == 1, plan
    assert "COVERING INDEX" in plan[0]
