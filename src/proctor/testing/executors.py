"""Contract tests that every executor must pass, wherever it plays attempts."""
# ruff: noqa: D102  a test's name is its sentence

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from proctor.roles import Executor
from proctor.run import Attempt, Finished, Key, PendingAttempt, Record, Settings, Turned
from proctor.testing.scenes import TOKENS, Scene

_A_WHILE = 0.3
"""Seconds to watch for something that must not happen."""
_PLACES = 4
_SOON = 1.0
"""Seconds after which something counts as late, even on a busy machine; 50 ms are usual."""
_AT_LEAST = 0.5
"""Minimum seconds that 25 calls at 10 a second take: one second's worth may come in a burst, and half as much again as
long as workers do not know how many they are."""


class ExecutorContract:
    """Contract tests for one executor."""

    storm = 20
    """Consecutive environment failures after which it aborts."""

    def playing(self, scene: Scene) -> AbstractContextManager[Executor]:
        """Return a context manager for the executor that plays this scene."""
        raise NotImplementedError

    def test_every_attempt_is_finished_exactly_once(self) -> None:
        with _scene(cases=15, settings=_settings(trials=3)) as scene:
            records, executor = self._play(scene)
            keys = Counter(attempt.key for attempt in _finished_attempts(records))
            assert keys == Counter(pending.attempt.key for pending in scene.pending())
            assert all(attempt.passed for attempt in _finished_attempts(records))
            assert set(scene.calls().values()) == {1}
            assert len(scene.calls()) == 45
            assert executor.halt is None

    def test_no_more_attempts_than_the_concurrency_are_under_way(self) -> None:
        with _scene(cases=40) as scene:
            self._play(scene)
            assert scene.most_at_once() <= _PLACES

    def test_what_happened_comes_in_the_order_in_which_it_happened(self) -> None:
        with _scene(cases=6, turns=3) as scene:
            records, _ = self._play(scene)
            for pending in scene.pending():
                events = [_event_label(record) for record in records if _key(record) == pending.attempt.key]
                assert events == ["turn 1", "review 1", "turn 2", "review 2", "turn 3", "review 3", "finished"]

    def test_a_turn_is_stored_before_the_next_is_asked(self) -> None:
        with _scene(cases=6, turns=3) as scene:

            def check(batch: Sequence[Record]) -> None:
                asked = scene.calls()
                for record in batch:
                    if isinstance(record, Turned):
                        assert (record.key.exam, "", 1, record.turn.number + 1) not in asked

            self._play(scene, heard=check)
            assert len(scene.calls()) == 18

    def test_players_wait_for_a_store_that_takes_its_time(self) -> None:
        with _scene(cases=60) as scene, self._begun(scene, scene.pending()) as (_, batches):
            next(batch for batch in batches if batch)
            _look_for(_A_WHILE, lambda: sum(scene.calls().values()) <= 2 * _PLACES)

    def test_stopping_drops_calls_in_flight_and_keeps_what_was_answered(self) -> None:
        with _scene(behaviour="hangs") as scene:
            seen: list[Record] = []
            with self._begun(scene, scene.pending()) as (executor, batches):
                for batch in batches:
                    seen += batch
                    if _finished_attempts(seen) and len(scene.calls()) >= _PLACES:
                        executor.stop()
            assert [attempt.key.exam for attempt in _finished_attempts(seen)] == ["c1"]
            assert executor.halt == "stopped"
            assert len(scene.calls()) <= _PLACES + 1

    def test_ending_for_another_reason_says_which(self) -> None:
        with _scene(behaviour="hangs") as scene, self._begun(scene, scene.pending()) as (executor, batches):
            for _ in batches:
                if len(scene.calls()) >= _PLACES:
                    executor.end("exited", "the agent wanted to leave")
            assert (executor.halt, executor.reason) == ("exited", "the agent wanted to leave")

    def test_once_it_is_decided_calls_in_flight_are_kept_and_nothing_is_begun(self) -> None:
        with _scene(cases=200) as scene:
            seen: list[Record] = []
            with self._begun(scene, scene.pending()) as (executor, batches):
                for batch in batches:
                    seen += batch
                    if _finished_attempts(seen):
                        executor.end("decided")
            assert executor.halt == "decided"
            assert sum(scene.calls().values()) == len(_finished_attempts(seen)) < 200

    def test_the_caller_has_its_turn_although_nothing_happens(self) -> None:
        with _scene(behaviour="hangs") as scene, self._begun(scene, scene.pending()) as (executor, batches):
            last = time.monotonic()
            for batch in batches:
                if len(scene.calls()) < _PLACES + 1:  # the first attempt is over, and the agent of the next one hangs
                    last = time.monotonic()
                    continue
                pause, last = time.monotonic() - last, time.monotonic()
                assert pause < _SOON
                if not batch:
                    executor.stop()
            assert executor.halt == "stopped"

    def test_what_was_answered_is_told_at_once(self) -> None:
        ages: list[float] = []

        def note(batch: Sequence[Record]) -> None:
            ages.extend(time.time() - record.turn.ended for record in batch if isinstance(record, Turned))

        with _scene(cases=20) as scene:
            self._play(scene, heard=note)
            assert len(ages) == 20
            assert sorted(ages)[10] < _SOON

    def test_a_rate_limit_holds_for_all_who_play(self) -> None:
        begun: list[float] = []

        def note(batch: Sequence[Record]) -> None:
            begun.extend(time.monotonic() for record in batch if isinstance(record, Turned))

        with _scene(behaviour="calls a model", cases=25, per_minute=600) as scene:
            records, _ = self._play(scene, heard=note)
            assert len(_finished_attempts(records)) == 25
            assert begun[-1] - begun[0] > _AT_LEAST

    def test_what_an_interrupted_caller_has_not_stored_is_left_over(self) -> None:
        with _scene(cases=30) as scene, self._begun(scene, scene.pending()) as (executor, batches):
            batch = next(batch for batch in batches if batch)
            batches.close()
            left = executor.leftover()
            assert set(map(_told_of, batch)) <= set(map(_told_of, left))

    def test_twenty_environment_failures_in_a_row_end_it(self) -> None:
        with _scene(behaviour="is unreachable", cases=200, settings=_settings(concurrency=1)) as scene:
            records, executor = self._play(scene)
            assert executor.halt == "storm"
            assert "nobody is home" in executor.reason
            assert self.storm <= len(_finished_attempts(records)) <= self.storm + 2 * _PLACES

    def test_a_wrong_key_ends_it_and_blames_nobody(self) -> None:
        with _scene(behaviour="has no key", cases=40) as scene:
            records, executor = self._play(scene)
            assert (executor.halt, executor.reason) == ("misconfigured", "HTTP 401: bad key")
            assert _finished_attempts(records) == []

    def test_a_budget_is_kept_to_the_token(self) -> None:
        with _scene(behaviour="spends", cases=60, settings=_settings(max_tokens=20 * TOKENS)) as scene:
            records, executor = self._play(scene)
            assert executor.halt == "spent"
            assert sum(scene.calls().values()) == 20
            assert len(_finished_attempts(records)) == 20

    def test_the_fault_of_a_condition_happens_under_it_alone(self) -> None:
        faults = {"broken": {"tool": "lookup", "fails": 1}}
        settings = _settings(conditions=("", "broken"))
        with _scene(behaviour="uses a tool", settings=settings, faults=faults) as scene:
            records, _ = self._play(scene)
            outcomes = Counter((attempt.key.condition, attempt.passed) for attempt in _finished_attempts(records))
            assert outcomes == {("", True): 10, ("broken", False): 10}
            assert {attempt.struck for attempt in _finished_attempts(records) if attempt.key.condition} == {1}

    def test_in_a_battle_the_examiner_asks_on(self) -> None:
        with _scene(cases=4, open=True, settings=_settings(type="abm-dynamic", max_turns=3)) as scene:
            records, _ = self._play(scene)
            turns = [[turn.question for turn in attempt.transcript.turns] for attempt in _finished_attempts(records)]
            assert sorted(turns) == [[f"{number}.1?", "and 1?", "and 2?"] for number in range(1, 5)]

    def test_a_conversation_goes_on_where_it_was_cut_off(self) -> None:
        with _scene(cases=4, turns=3) as scene:
            records, _ = self._play(scene, scene.answered(1))
            assert {turn for *_, turn in scene.calls()} == {2, 3}
            assert {attempt.resumed for attempt in _finished_attempts(records)} == {"continued"}

    def test_stored_replies_are_judged_without_asking_the_agent(self) -> None:
        with _scene() as scene:
            records, _ = self._play(scene, scene.answered(1))
            assert [attempt.passed for attempt in _finished_attempts(records)] == [True] * 10
            assert scene.notes() == []

    def test_nothing_to_play_is_soon_over(self) -> None:
        with _scene() as scene:
            records, executor = self._play(scene, [])
            assert (records, executor.halt) == ([], None)

    def test_what_the_plan_raises_reaches_the_caller(self) -> None:
        def plan() -> Iterator[PendingAttempt]:
            yield scene.pending()[0]
            raise LookupError("the store is gone")

        with _scene() as scene, self._begun(scene, plan()) as (_, batches):
            try:
                for _ in batches:
                    pass
            except LookupError:
                return
            raise AssertionError("it ended as if nothing had happened")

    @contextmanager
    def _begun(self, scene: Scene, pending: Any) -> Iterator[tuple[Executor, Any]]:
        with scene.limits(), self.playing(scene) as executor:
            batches = executor.execute(pending)
            try:
                yield executor, batches
            finally:
                batches.close()

    def _play(
        self,
        scene: Scene,
        pending: Sequence[PendingAttempt] | None = None,
        *,
        heard: Callable[[Sequence[Record]], None] = lambda batch: None,
    ) -> tuple[list[Record], Executor]:
        """Play all attempts and return every record along with the executor."""
        records: list[Record] = []
        with self._begun(scene, scene.pending() if pending is None else pending) as (executor, batches):
            for batch in batches:
                heard(batch)
                records += batch
        return records, executor


@contextmanager
def _scene(**details: Any) -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="proctor-scene-", ignore_cleanup_errors=True) as folder:
        yield Scene(folder=Path(folder), **{"settings": _settings(), **details})


def _settings(**details: Any) -> Settings:
    return Settings(**{"concurrency": _PLACES, "retries": 0, **details})


def _finished_attempts(records: Sequence[Record]) -> list[Attempt]:
    return [record.attempt for record in records if isinstance(record, Finished) and record.attempt.finished]


def _key(record: Record) -> Key:
    return record.attempt.key if isinstance(record, Finished) else record.key


def _event_label(record: Record) -> str:
    if isinstance(record, Finished):
        return "finished"
    return f"turn {record.turn.number}" if isinstance(record, Turned) else f"review {record.turn}"


def _told_of(record: Record) -> tuple[Key, str]:
    return _key(record), _event_label(record)


def _look_for(seconds: float, holds: Callable[[], bool]) -> None:
    """Assert repeatedly for some seconds that a condition holds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert holds()
        time.sleep(0.02)
