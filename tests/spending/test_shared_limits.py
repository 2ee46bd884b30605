"""Runs that go on at the same time divide the limits of a host among them."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.spending import shared_limits as sharing
from proctor.spending.limits import Limits
from proctor.spending.providers import Source
from proctor.spending.shared_limits import SharedThrottle, Sharers

HOST = Source(provider="openai", host="api.example")
_JOINING = """
import sys
from pathlib import Path
from proctor.spending.shared_limits import Sharers
joined = Sharers(Path(sys.argv[1]), "host")
print(joined.count(), flush=True)
sys.stdin.read()
"""

_CALLING = _JOINING.replace("print(joined.count()", "places = joined.places(1); print(places.take()")


@pytest.fixture(autouse=True)
def always_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "_LOOK_EVERY", -1.0)


def waits(throttle: SharedThrottle, calls: int, *, now: float) -> float:
    """Seconds until the last of so many calls, which all come now, is let in."""
    assert throttle._requests is not None
    return [throttle._requests.take(1, now=now) for _ in range(calls)][-1]


def test_a_run_alone_has_all_of_it(tmp_path: Path) -> None:
    throttle = SharedThrottle(Sharers(tmp_path, "host"), requests_per_minute=600, concurrency=9)
    assert throttle.concurrency == 9
    assert waits(throttle, 20, now=1e9) == pytest.approx(1.0)


def test_two_runs_have_half_each_and_the_one_that_is_left_has_all_again(tmp_path: Path) -> None:
    first = SharedThrottle(Sharers(tmp_path, "host"), requests_per_minute=600, concurrency=9)
    second = SharedThrottle(Sharers(tmp_path, "host"), requests_per_minute=600, concurrency=9)
    assert (first.concurrency, second.concurrency) == (4, 4)
    assert waits(first, 15, now=1e9) == waits(second, 15, now=1e9) == pytest.approx(2.0)
    del second
    gc.collect()
    assert first.concurrency == 9
    assert waits(first, 20, now=2e9) == pytest.approx(1.0)


def test_however_many_share_each_may_make_a_call(tmp_path: Path) -> None:
    throttles = [SharedThrottle(Sharers(tmp_path, "host"), concurrency=2) for _ in range(5)]
    assert [throttle.concurrency for throttle in throttles] == [1] * 5


async def test_all_together_make_no_more_calls_at_once_than_there_may_be_however_many_they_are(tmp_path: Path) -> None:
    throttles = [SharedThrottle(Sharers(tmp_path, "host"), concurrency=2) for _ in range(5)]
    under_way, most = 0, 0

    async def call(throttle: SharedThrottle) -> None:
        nonlocal under_way, most
        async with throttle.slot():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1

    await asyncio.gather(*(call(throttle) for throttle in throttles for _ in range(4)))
    assert (under_way, most) == (0, 2)


async def test_those_who_have_not_seen_each_other_yet_share_the_places_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "_LOOK_EVERY", 60.0)
    first, second = (SharedThrottle(Sharers(tmp_path, "host"), concurrency=1) for _ in range(2))
    await first.enter(0)
    waiting = asyncio.ensure_future(second.enter(0))
    assert not (await asyncio.wait({waiting}, timeout=0.1))[0]
    first.leave()
    await asyncio.wait_for(waiting, 20)
    second.leave()


async def test_whoever_gives_up_waiting_for_others_takes_no_place(tmp_path: Path) -> None:
    first, second = (SharedThrottle(Sharers(tmp_path, "host"), concurrency=1) for _ in range(2))
    await first.enter(0)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(second.enter(0), 0.05)
    first.leave()
    for throttle in (second, first):
        async with asyncio.timeout(20), throttle.slot():
            pass


@pytest.mark.parametrize("rate", ["requests_per_minute", "tokens_per_minute"])
async def test_whoever_gives_up_waiting_for_others_uses_up_no_rate(tmp_path: Path, rate: str) -> None:
    first = SharedThrottle(Sharers(tmp_path, "host"), concurrency=1)
    second = SharedThrottle(Sharers(tmp_path, "host"), concurrency=1, requests_per_minute=0.01, tokens_per_minute=0.01)
    await first.enter(0)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(second.enter(1), 0.05)
    bucket = {"requests_per_minute": second._requests, "tokens_per_minute": second._tokens}[rate]
    assert bucket is not None
    assert bucket.take(1, now=0) == 0


async def test_a_call_that_could_lock_no_file_takes_none_from_another_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, others = (Sharers(tmp_path, "host").places(1) for _ in range(2))
    assert ours is not None
    assert others is not None
    assert ours.take()
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", _no_descriptor_is_left)
        assert ours.take()
    ours.give_back()
    assert not others.take(), "one call is still under way"
    ours.give_back()
    assert others.take()
    others.give_back()


def _no_descriptor_is_left(*_: object) -> int:
    raise OSError(errno.EMFILE, "Too many open files")


async def test_a_run_that_is_over_holds_no_place_for_calls_that_hang(tmp_path: Path) -> None:
    over, next_one = (SharedThrottle(Sharers(tmp_path, "host"), concurrency=1) for _ in range(2))
    await over.enter(0)
    over.close()
    await asyncio.wait_for(next_one.enter(0), 20)
    over.leave()
    assert next_one._places is not None
    assert over._places is not None
    assert not over._places.take(), "the late end of a call frees nobody else's place"
    next_one.leave()


async def test_a_call_that_begins_after_the_end_of_its_run_holds_no_place(tmp_path: Path) -> None:
    over, next_one = (SharedThrottle(Sharers(tmp_path, "host"), concurrency=1) for _ in range(2))
    over.close()
    await over.enter(0)
    await asyncio.wait_for(next_one.enter(0), 20)
    next_one.leave()


def test_a_process_that_is_killed_gives_its_place_back(tmp_path: Path) -> None:
    ours = Sharers(tmp_path, "host").places(1)
    assert ours is not None
    with subprocess.Popen(
        [sys.executable, "-c", _CALLING, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"True\n"
        assert not ours.take()
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert ours.take()
    ours.give_back()


def test_a_process_that_is_killed_shares_no_longer(tmp_path: Path) -> None:
    ours = Sharers(tmp_path, "host")
    with subprocess.Popen(
        [sys.executable, "-c", _JOINING, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"2\n"
        assert ours.count() == 2
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert ours.count() == 1
    assert len(list(tmp_path.iterdir())) == 1, "what it held is gone"


_FORKING = """
import os, sys
from pathlib import Path
from proctor.spending.shared_limits import Sharers
joined = Sharers(Path(sys.argv[1]), "host")
child, ends = os.fork(), sys.argv[2] == "ends"
if child == 0 and ends:
    sys.exit()
if ends:
    os.waitpid(child, 0)
if ends or child == 0:
    print(joined.count(), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("child", ["ends", "stays"])
def test_a_forked_child_neither_takes_its_parents_part_nor_keeps_it(child: str, tmp_path: Path) -> None:
    ours = Sharers(tmp_path, "host")
    with subprocess.Popen(
        [sys.executable, "-c", _FORKING, str(tmp_path), child], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"2\n"
        assert ours.count() == 2
        parent.kill()
        parent.wait()
        assert ours.count() == 1


def test_a_folder_in_which_nothing_can_be_locked_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    free = os.dup(0)
    os.close(free)
    assert Sharers(tmp_path, "host").count() == 1
    assert list(tmp_path.iterdir()) == []
    again = os.dup(0)
    os.close(again)
    assert again == free, "a descriptor was left open"


def test_a_file_that_cannot_be_looked_at_does_not_hide_the_others(tmp_path: Path) -> None:
    one, other = Sharers(tmp_path, "host"), Sharers(tmp_path, "host")
    (tmp_path / "host~0-unreadable").mkdir()
    (tmp_path / "host~0-nowhere").symlink_to(tmp_path / "host~0-nowhere")
    assert (one.count(), other.count()) == (2, 2)


def test_a_run_that_changes_its_folder_still_knows_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = Sharers(Path("limits"), "host")
    monkeypatch.chdir("/")
    other = Sharers(tmp_path / "limits", "host")
    assert one.count() == other.count() == 2
    del one
    gc.collect()
    assert len(list((tmp_path / "limits").iterdir())) == 1


def test_where_nothing_can_be_written_a_run_keeps_to_the_limits_by_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    throttle = SharedThrottle(Sharers(tmp_path / "file", "host"), requests_per_minute=600)
    assert waits(throttle, 20, now=1e9) == pytest.approx(1.0)


def test_limits_of_one_host_are_shared_and_those_of_others_are_not(tmp_path: Path) -> None:
    given = {"openai": {"concurrency": 8}}
    one, other = (Limits(given, shared=tmp_path) for _ in range(2))
    assert other.of(HOST).concurrency == 8
    assert one.of(HOST).concurrency == other.of(HOST).concurrency == 4
    assert one.of(Source(provider="openai", host="elsewhere")).concurrency == 8
    assert Limits(given).of(HOST).concurrency == 8
    assert {path.name.partition("~")[0] for path in tmp_path.iterdir()} == {"openai@api.example", "openai@elsewhere"}
    del one, other
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_host_without_a_limit_has_nothing_to_share(tmp_path: Path) -> None:
    Limits({"openai": {"concurrency": 8}}, shared=tmp_path).of(Source(provider="", host="free"))
    assert list(tmp_path.iterdir()) == []
