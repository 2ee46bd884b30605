"""What every store must do, whichever database is underneath."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.storage.records import (
    BENCHMARK,
    a_run,
    attempt,
    failed,
    full_of_everything,
    key,
    played,
    records,
    reviewed,
    stored_run,
    turn,
    without_transcript,
)

from proctor.benchmark import Case
from proctor.codec import benchmark_of
from proctor.errors import NoSuchRun, RunBusy, StoreError
from proctor.roles import Archive, Journal
from proctor.run import Attempt, Finished, Settings, Status, Stop, Turned
from proctor.storage import Store, open_store
from proctor.transcript import Transcript
from proctor.usage import Usage


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with open_store(store_url) as opened:
        yield opened


def rows_in(store: Store, table: str) -> int:
    with store.archive._database.reading() as connection:
        count = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar()
    assert isinstance(count, int)
    return count


def test_a_store_plays_the_roles_of_journal_and_archive(store: Store) -> None:
    journal: Journal = store.journal
    archive: Archive = store.archive
    assert archive.runs() == []
    journal.create(a_run(), BENCHMARK)
    assert [run.id for run in archive.runs()] == ["run-1"]


# runs ------------------------------------------------------------------------------------------------


def test_a_run_reads_back_as_it_was_stored(store: Store) -> None:
    run = a_run(
        kind="orchestrator",
        settings=Settings(reviewer=None, weights={"correctness": 1.0}, trials=3, conditions=("", "slow"), budget=1.5),
        labels={"model": "größer", "commit": "abc"},
        planned=12,
        reason="said before",
        seconds=1.25,
    )
    store.journal.create(run, BENCHMARK)
    assert store.archive.find("run-1") == run


def test_a_run_id_can_be_stored_once(store: Store) -> None:
    stored_run(store)
    with pytest.raises(StoreError, match="run-1 is stored already"):
        stored_run(store, agent="another")
    assert store.archive.find("run-1").agent == "demo:librarian"


def test_runs_are_listed_newest_first(store: Store) -> None:
    for name, created in (("old", 1.0), ("new", 3.0), ("middle", 2.0)):
        stored_run(store, name, created=created)
    assert [run.id for run in store.archive.runs()] == ["new", "middle", "old"]


def test_a_run_is_found_by_last_id_name_and_prefix(store: Store) -> None:
    stored_run(store, "261115-a1", created=1.0, name="nightly")
    stored_run(store, "261116-b2", created=2.0, name="weekly")
    for wanted, found in (
        ("last", "261116-b2"),
        ("261115-a1", "261115-a1"),
        ("nightly", "261115-a1"),
        ("261116", "261116-b2"),
    ):
        assert store.archive.find(wanted).id == found


def test_a_run_that_is_not_there_says_where_to_look(store: Store) -> None:
    with pytest.raises(NoSuchRun, match="proctor run"):
        store.archive.find("last")
    stored_run(store)
    with pytest.raises(NoSuchRun, match="proctor list"):
        store.archive.find("other")


@pytest.mark.parametrize(
    "call",
    [
        "attempts",
        "full_attempts",
        "verdict_counts",
        "verdict_order",
        "pending_attempts",
        "finished",
        "alive",
        "benchmark_of",
    ],
)
def test_reading_an_unknown_run_is_an_error_at_once(store: Store, call: str) -> None:
    with pytest.raises(NoSuchRun, match="'nobody'"):
        getattr(store.archive, call)("nobody")


def test_writing_to_an_unknown_run_is_an_error(store: Store) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.journal.write(played(key(run="nobody"))),
        lambda: store.journal.mark("nobody", "running"),
        lambda: store.journal.request_stop("nobody", "cancel"),
        lambda: store.journal.delete("nobody"),
        lambda: store.journal.writing("nobody").__enter__(),
    ]
    for call in calls:
        with pytest.raises(NoSuchRun, match="'nobody'"):
            call()


def test_two_runs_share_the_same_benchmark_and_another_version_of_it_is_kept_apart(store: Store) -> None:
    stricter = replace(BENCHMARK, passing_score=0.9)
    stored_run(store, "first")
    stored_run(store, "second")
    stored_run(store, "third", benchmark=stricter)
    assert rows_in(store, "benchmarks") == 2
    assert store.archive.benchmark_of("first") == store.archive.benchmark_of("second") == BENCHMARK
    assert store.archive.benchmark_of("third") == stricter


# status and wishes -----------------------------------------------------------------------------------


def test_the_first_start_the_last_stop_and_the_time_between_are_kept(store: Store) -> None:
    stored_run(store)
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "running")
        first = store.archive.find("run-1")
        store.journal.mark("run-1", "paused", reason="no money", stop=Stop(kind="budget", cost=0.5), seconds=1.5)
        paused = store.archive.find("run-1")
        store.journal.mark("run-1", "running")
        again = store.archive.find("run-1")
        store.journal.mark("run-1", "completed", seconds=2.0)
    done = store.archive.find("run-1")
    assert first.started is not None
    assert first.ended is None
    assert (paused.status, paused.reason, paused.seconds) == ("paused", "no money", 1.5)
    assert paused.stop == Stop(kind="budget", cost=0.5)
    assert again.started == first.started
    assert (again.status, again.reason, again.stop) == ("running", "", None)
    assert (done.status, done.seconds) == ("completed", 3.5)
    assert done.ended is not None
    assert paused.ended is not None
    assert done.ended >= paused.ended >= first.started


@pytest.mark.parametrize("status", ["paused", "completed", "failed", "cancelled"])
def test_every_stop_has_a_time(store: Store, status: Status) -> None:
    stored_run(store)
    store.journal.mark("run-1", status)
    assert store.archive.find("run-1").ended is not None


def test_a_reason_that_no_database_likes_is_still_stored(store: Store) -> None:
    stored_run(store)
    store.journal.mark("run-1", "failed", reason="broke at \0 and \ud800, sorry")
    assert "sorry" in store.archive.find("run-1").reason


def test_a_wish_reaches_whoever_runs_it_and_ends_when_another_takes_the_run_up(store: Store, store_url: str) -> None:
    stored_run(store)
    assert store.archive.stop_request("run-1") is None
    with open_store(store_url) as other:
        other.journal.request_stop("run-1", "cancel")
    assert store.archive.stop_request("run-1") == "cancel"
    store.journal.request_stop("run-1", None)
    assert store.archive.stop_request("run-1") is None
    store.journal.request_stop("run-1", "pause")
    with store.journal.writing("run-1"):
        assert store.archive.stop_request("run-1") is None


def test_a_wish_of_the_time_before_a_run_is_marked_as_running_is_kept(store: Store) -> None:
    stored_run(store)
    with store.journal.writing("run-1"):
        store.journal.request_stop("run-1", "cancel")
        store.journal.mark("run-1", "running")
        assert store.archive.stop_request("run-1") == "cancel"


# one writer ------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_in_one_sentence(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other, store.journal.writing("run-1"):
        with pytest.raises(RunBusy, match=r"^run run-1 is being written by another process: .*`proctor cancel run-1`$"):
            other.journal.writing("run-1").__enter__()
        with pytest.raises(RunBusy):
            store.journal.writing("run-1").__enter__()


def test_another_run_can_be_written_at_the_same_time(store: Store) -> None:
    stored_run(store, "one")
    stored_run(store, "two")
    with store.journal.writing("one"), store.journal.writing("two"):
        assert store.archive.alive("one")
        assert store.archive.alive("two")


def test_a_run_is_free_again_after_its_writer_even_if_that_failed(store: Store) -> None:
    stored_run(store)
    with pytest.raises(ZeroDivisionError), store.journal.writing("run-1"):
        raise ZeroDivisionError
    assert not store.archive.alive("run-1")
    with store.journal.writing("run-1"):
        assert store.archive.alive("run-1")


def test_a_run_whose_process_is_gone_reads_as_paused(store: Store) -> None:
    stored_run(store)
    with store.journal.writing("run-1"):
        store.journal.mark("run-1", "running")
        assert store.archive.find("run-1").status == "running"
    gone = store.archive.find("run-1")
    assert (gone.status, gone.reason) == ("paused", "its process ended")
    assert store.archive.runs() == [gone]


# attempts --------------------------------------------------------------------------------------------


def test_an_attempt_reads_back_as_it_was_written(store: Store) -> None:
    stored_run(store)
    whole = full_of_everything(key(condition="slow tool", trial=3))
    store.journal.write(records(whole))
    assert store.archive.attempt(whole.key) == whole
    assert list(store.archive.full_attempts("run-1")) == [whole]
    assert list(store.archive.attempts("run-1")) == [without_transcript(whole)]


def test_trials_of_an_exam_are_read_together_as_each_by_itself(store: Store) -> None:
    stored_run(store)
    for trial in (1, 2, 12):
        store.journal.write(records(full_of_everything(key("a", trial=trial))))
    store.journal.write([Turned(key=key("a", trial=3), turn=turn(1))])
    store.journal.write([*played(key("b", trial=1)), *played(key("a", condition="other", trial=1))])
    wanted = [store.archive.attempt(key("a", trial=trial)) for trial in (2, 3, 12)]
    assert store.archive.trials("run-1", "a", which=(12, 4, 3, 2)) == wanted
    assert store.archive.trials("run-1", "a", which=()) == []


def test_an_attempt_that_never_began_is_none(store: Store) -> None:
    stored_run(store)
    assert store.archive.attempt(key()) is None


def test_an_attempt_under_way_is_read_as_far_as_it_got(store: Store) -> None:
    stored_run(store)
    store.journal.write([Turned(key=key(), turn=turn(1)), Turned(key=key(), turn=turn(2, text=None))])
    assert store.archive.attempt(key()) == Attempt(
        key=key(), transcript=Transcript(turns=(turn(1), turn(2, text=None)))
    )
    assert list(store.archive.attempts("run-1")) == []


def test_attempts_come_in_the_order_of_the_plan_and_none_is_lost_between_chunks(store: Store) -> None:
    stored_run(store)
    places = list(range(1203))
    random.Random(5).shuffle(places)
    store.journal.write([record for place in places for record in played(key(f"exam {place}"), place=place)])
    assert [one.place for one in store.archive.attempts("run-1")] == sorted(places)
    whole = list(store.archive.full_attempts("run-1"))
    assert [one.key.exam for one in whole] == [f"exam {place}" for place in sorted(places)]
    assert all(one.transcript.turns == (turn(1),) for one in whole)


def test_attempts_without_a_place_are_all_there_nevertheless(store: Store) -> None:
    stored_run(store)
    store.journal.write([record for number in range(1001) for record in played(key(f"exam {number}"), place=0)])
    assert len({one.key for one in store.archive.attempts("run-1")}) == 1001


def test_an_empty_batch_changes_nothing(store: Store) -> None:
    stored_run(store)
    store.journal.write([])
    assert list(store.archive.attempts("run-1")) == []


def test_writing_the_same_records_twice_changes_nothing(store: Store) -> None:
    stored_run(store)
    said = [*played(key("a"), turns=3), reviewed(key("b")), Turned(key=key("b"), turn=turn(1))]
    store.journal.write(said)
    before = [rows_in(store, table) for table in ("turns", "attempts", "drafts")]
    store.journal.write(said)
    assert [rows_in(store, table) for table in ("turns", "attempts", "drafts")] == before == [4, 1, 1]
    assert store.archive.attempt(key("a")) == attempt(key("a"), turns=3)


def test_of_two_records_of_one_turn_the_last_counts(store: Store) -> None:
    stored_run(store)
    asked, answered = Turned(key=key(), turn=turn(1, text=None)), Turned(key=key(), turn=turn(1, text="now I know"))
    store.journal.write([asked, answered])
    found = store.archive.attempt(key())
    assert found is not None
    assert found.transcript.turns == (answered.turn,)
    store.journal.write([asked])
    found = store.archive.attempt(key())
    assert found is not None
    assert found.transcript.turns == (asked.turn,)


def test_an_attempt_tried_again_replaces_the_one_that_the_environment_broke(store: Store) -> None:
    stored_run(store)
    store.journal.write(records(failed(key(), place=4)))
    store.journal.write(played(key(), place=4))
    assert list(store.archive.full_attempts("run-1")) == [attempt(key(), place=4)]


def test_a_batch_with_one_unusable_record_is_not_stored_at_all(store: Store) -> None:
    stored_run(store)
    unusable = replace(attempt(key("b")), started="yesterday \ud800")  # type: ignore[arg-type]
    with pytest.raises(StoreError):
        store.journal.write([*played(key("a")), Finished(attempt=unusable)])
    assert rows_in(store, "turns") == rows_in(store, "attempts") == 0
    store.journal.write(played(key("a")))
    assert rows_in(store, "attempts") == 1


def test_nonsense_that_an_agent_reports_of_its_usage_does_not_stop_the_run(store: Store) -> None:
    stored_run(store)
    store.journal.write(records(attempt(key(), usage=Usage(input_tokens=10**30, calls=1))))
    found = store.archive.attempt(key())
    assert found is not None
    assert found.usage.input_tokens == 2**63 - 1


def test_records_of_two_runs_in_one_batch_go_to_their_own_runs(store: Store) -> None:
    stored_run(store, "one")
    stored_run(store, "two")
    store.journal.write([*played(key(run="one")), *played(key(run="two"), turns=2)])
    assert list(store.archive.full_attempts("one")) == [attempt(key(run="one"))]
    assert list(store.archive.full_attempts("two")) == [attempt(key(run="two"), turns=2)]


def test_a_stream_may_be_left_early_and_the_store_written_meanwhile(store: Store) -> None:
    stored_run(store)
    store.journal.write([record for place in range(700) for record in played(key(f"{place}"), place=place)])
    stream = store.archive.attempts("run-1")
    assert next(stream).place == 0
    store.journal.write(played(key("late"), place=10_000))
    assert [one.place for one in stream][-1] == 10_000
    next(store.archive.full_attempts("run-1"))


def test_a_damaged_attempt_is_named(store: Store) -> None:
    stored_run(store)
    store.journal.write(played(key("a", trial=2)))
    with store.archive._database.writing() as connection:
        connection.exec_driver_sql("UPDATE turns SET body = '{\"number\":'")
    with pytest.raises(StoreError, match=r"exam='a', condition='', trial=2 of run run-1 cannot be read"):
        store.archive.attempt(key("a", trial=2))


def test_a_damaged_run_is_listed_with_the_reason_and_hides_no_other(store: Store) -> None:
    stored_run(store, "sound", created=1.0, planned=2)
    stored_run(store, "damaged", created=2.0, planned=2)
    with store.archive._database.writing() as connection:
        connection.exec_driver_sql("UPDATE runs SET settings = '{\"trials\":' WHERE id = 'damaged'")
    damaged, sound = store.archive.runs()
    assert (sound.id, sound.planned) == ("sound", 2)
    assert (damaged.id, damaged.name, damaged.status, damaged.planned) == ("damaged", "name of damaged", "failed", 0)
    assert "the stored run damaged cannot be read" in damaged.reason
    with pytest.raises(StoreError, match="cannot be read"):
        store.archive.find("damaged")


def test_verdicts_are_counted_by_exam_over_trials_and_conditions(store: Store) -> None:
    stored_run(store)
    stored_run(store, "other")
    outcomes = [
        attempt(key("a")),
        attempt(key("a", trial=2), passed=False),
        attempt(key("a", condition="slow")),
        failed(key("b"), owner="agent"),
        attempt(key("c"), passed=None),
        failed(key("c", trial=2), owner="environment"),
        attempt(key("d"), finished=False),
        attempt(key("a", run="other")),
    ]
    store.journal.write([Finished(attempt=each) for each in outcomes])
    assert store.archive.verdict_counts("run-1") == {"a": (3, 2), "b": (1, 0), "c": (0, 0)}
    assert store.archive.verdict_counts("other") == {"a": (1, 1)}


def test_verdicts_are_told_in_the_order_of_the_trials_whenever_they_were_given(store: Store) -> None:
    stored_run(store)
    stored_run(store, "other")
    outcomes = [
        attempt(key("a", trial=3)),
        attempt(key("a", trial=2), passed=False),
        attempt(key("a", condition="slow")),
        attempt(key("a")),
        failed(key("b", trial=2), owner="agent"),
        failed(key("b"), owner="environment"),
        attempt(key("c"), passed=None),
        attempt(key("d"), finished=False),
        attempt(key("a", run="other")),
    ]
    store.journal.write([Finished(attempt=each) for each in outcomes])
    assert store.archive.verdict_order("run-1") == {("a", ""): "+-+", ("a", "slow"): "+", ("b", ""): "-"}


# what is left to do ----------------------------------------------------------------------------------


def test_finished_are_those_that_need_nothing_more(store: Store) -> None:
    stored_run(store)
    store.journal.write(
        [
            *records(attempt(key("passed"))),
            *records(attempt(key("passed", trial=2))),
            *records(attempt(key("passed", condition="slow"))),
            *records(attempt(key("not passed"), passed=False)),
            *records(attempt(key("unscored"), passed=None)),
            *records(failed(key("agent's own"), owner="agent")),
            *records(failed(key("network"), owner="environment")),
            *records(failed(key("no judge"), stage="reviewer")),
            *records(attempt(key("open"), finished=False)),
            Turned(key=key("begun"), turn=turn(1)),
        ]
    )
    assert store.archive.finished("run-1") == {
        ("passed", "", 1),
        ("passed", "", 2),
        ("passed", "slow", 1),
        ("not passed", "", 1),
        ("unscored", "", 1),
        ("agent's own", "", 1),
    }
    assert {one.key.exam for one, _ in store.archive.pending_attempts("run-1")} == {
        "network",
        "no judge",
        "open",
        "begun",
    }


def test_an_attempt_that_the_environment_broke_is_taken_up_with_what_was_said(store: Store) -> None:
    stored_run(store)
    broken = failed(key(), place=3, stage="reviewer", turns=2)
    store.journal.write(records(broken))
    [(again, reviews)] = store.archive.pending_attempts("run-1")
    assert again.transcript == broken.transcript
    assert (again.place, again.started, again.usage) == (broken.place, broken.started, broken.usage)
    assert (again.failure, again.finished, again.passed, again.turn_passed) == (broken.failure, False, None, ())
    assert reviews == {}


def test_reviews_already_paid_for_are_handed_back_while_the_attempt_is_under_way(store: Store) -> None:
    stored_run(store)
    store.journal.write([Turned(key=key(), turn=turn(1)), reviewed(key(), 1, value=0.5)])
    store.journal.write([reviewed(key(), 0), Turned(key=key(), turn=turn(2, text=None))])
    [(begun, reviews)] = store.archive.pending_attempts("run-1")
    assert begun == Attempt(key=key(), transcript=Transcript(turns=(turn(1), turn(2, text=None))))
    assert reviews == {0: reviewed(key(), 0).reviews, 1: reviewed(key(), 1, value=0.5).reviews}


def test_reviews_go_when_their_attempt_is_over(store: Store) -> None:
    stored_run(store)
    store.journal.write([Turned(key=key(), turn=turn(1)), reviewed(key(), 1), reviewed(key("b"), 1)])
    assert rows_in(store, "drafts") == 2
    store.journal.write(played(key(), turns=2))
    assert rows_in(store, "drafts") == 1


def test_a_review_whose_attempt_ends_in_the_same_batch_is_never_written(store: Store) -> None:
    stored_run(store)
    store.journal.write([Turned(key=key(), turn=turn(1)), reviewed(key(), 1), *played(key())])
    assert rows_in(store, "drafts") == 0


def test_reviews_of_an_attempt_that_the_environment_broke_are_not_paid_for_twice(store: Store) -> None:
    stored_run(store)
    store.journal.write([Turned(key=key("a"), turn=turn(1)), reviewed(key("a"), 1)])
    store.journal.write(records(failed(key("a"), turns=2)))
    store.journal.write([reviewed(key("b"), 1), *records(failed(key("b"), turns=2))])
    for broken, reviews in store.archive.pending_attempts("run-1"):
        assert reviews == {1: reviewed(broken.key, 1).reviews}
    store.journal.write([*played(key("a"), turns=2), *played(key("b"), turns=2)])
    assert rows_in(store, "drafts") == 0


def test_many_attempts_under_way_are_all_handed_back_once(store: Store) -> None:
    stored_run(store)
    begun = [key(f"exam {number % 40}", trial=number // 40) for number in range(130)]
    broken = [key(f"exam {number}", condition="slow") for number in range(120)]
    store.journal.write([Turned(key=which, turn=turn(number)) for which in begun for number in (1, 2)])
    store.journal.write(
        [record for place, which in enumerate(broken) for record in records(failed(which, place=place))]
    )
    found = [one for one, _ in store.archive.pending_attempts("run-1")]
    assert len(found) == 250
    assert {one.key for one in found} == {*begun, *broken}
    assert all(len(one.transcript.turns) == (1 if one.key.condition else 2) for one in found)


# rescored runs and deletion --------------------------------------------------------------------------


def test_a_rescored_run_reads_the_transcripts_it_came_from_and_stores_none(store: Store) -> None:
    stored_run(store, "first")
    store.journal.write([*played(key("a", run="first"), turns=2), *played(key("b", run="first"))])
    stored_run(store, "second", rescored_from="first")
    stored_run(store, "third", rescored_from="second")
    waiting = {one.key.exam: len(one.transcript.turns) for one, _ in store.archive.pending_attempts("third")}
    assert waiting == {"a": 2, "b": 1}
    again = attempt(key("a", run="third"), turns=2, passed=False)
    store.journal.write(records(again))
    assert rows_in(store, "turns") == 3
    assert list(store.archive.full_attempts("third")) == [again]
    assert store.archive.attempt(key("a", run="third")) == again
    assert [one.key.exam for one, _ in store.archive.pending_attempts("third")] == ["b"]


def test_rescoring_a_run_that_is_not_there_is_an_error(store: Store) -> None:
    with pytest.raises(NoSuchRun, match="'nobody'"):
        stored_run(store, rescored_from="nobody")
    assert store.archive.runs() == []
    assert rows_in(store, "benchmarks") == 0


def test_deleting_a_run_forgets_everything_of_it_and_nothing_of_others(store: Store) -> None:
    stored_run(store, "gone", benchmark=benchmark_of([Case(id="x", question="?")], name="gone too"))
    stored_run(store, "kept")
    for run in ("gone", "kept"):
        begun = key("b", run=run)
        store.journal.write([*played(key(run=run)), Turned(key=begun, turn=turn(1)), reviewed(begun)])
    store.journal.delete("gone")
    assert [run.id for run in store.archive.runs()] == ["kept"]
    assert [rows_in(store, table) for table in ("benchmarks", "turns", "attempts", "drafts")] == [1, 2, 1, 1]
    assert store.archive.attempt(key(run="kept")) == attempt(key(run="kept"))


def test_transcripts_outlive_their_run_as_long_as_another_reads_them(store: Store) -> None:
    stored_run(store, "first")
    store.journal.write(played(key(run="first"), turns=2))
    stored_run(store, "second", rescored_from="first")
    store.journal.write([Finished(attempt=attempt(key(run="second"), turns=2))])
    store.journal.delete("first")
    stored_run(store, "unrelated")
    assert store.archive.attempt(key(run="unrelated")) is None
    assert list(store.archive.full_attempts("second")) == [attempt(key(run="second"), turns=2)]
    store.journal.delete("second")
    assert rows_in(store, "turns") == 0


def test_a_run_that_is_being_written_cannot_be_deleted(store: Store, store_url: str) -> None:
    stored_run(store)
    with open_store(store_url) as other:
        with other.journal.writing("run-1"), pytest.raises(RunBusy):
            store.journal.delete("run-1")
        assert len(store.archive.runs()) == 1
        with other.journal.writing("run-1"):
            other.journal.delete("run-1")
        assert store.archive.runs() == []


def test_a_deleted_run_can_be_stored_anew_without_the_old_attempts(store: Store) -> None:
    stored_run(store)
    store.journal.write(played(key()))
    store.journal.delete("run-1")
    stored_run(store)
    assert list(store.archive.full_attempts("run-1")) == []
    store.journal.write(played(key("b")))
    assert [one.key.exam for one in store.archive.full_attempts("run-1")] == ["b"]


# opening again, and threads --------------------------------------------------------------------------


def test_what_was_written_is_there_after_closing_and_opening(store_url: str) -> None:
    with open_store(store_url) as first:
        stored_run(first)
        first.journal.write(played(key()))
    with open_store(store_url, create=False) as second:
        assert list(second.archive.full_attempts("run-1")) == [attempt(key())]


def test_threads_may_read_while_another_writes(store: Store) -> None:
    stored_run(store)
    counts: list[int] = []
    written = threading.Event()

    def read() -> None:
        while not written.is_set():
            counts.append(sum(1 for _ in store.archive.attempts("run-1")))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for batch in range(20):
        store.journal.write([record for exam in range(5) for record in played(key(f"{batch}/{exam}"), place=batch)])
    written.set()
    for reader in readers:
        reader.join()
    assert counts
    assert all(count % 5 == 0 for count in counts)
    assert sum(1 for _ in store.archive.attempts("run-1")) == 100


def test_a_replayed_conversation_that_came_out_shorter_leaves_no_turn_of_the_first_behind(store: Store) -> None:
    stored_run(store)
    first = attempt(key(), turns=4)
    store.journal.write([record for record in records(first) if isinstance(record, Turned)])
    again = replace(attempt(key(), turns=2), resumed="replayed")
    store.journal.write(records(again))
    [read] = store.archive.full_attempts("run-1")
    assert len(read.transcript.turns) == 2
    assert read.resumed == "replayed"
