"""Replies kept on disk: by key, across processes, within a bound, and never in the way."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.errors import InputError
from proctor.spending.cache import FILE, Cache, key_of

OTHERS = """
import asyncio, sys
from proctor.spending.cache import Cache, key_of

async def main():
    cache = Cache(sys.argv[1])
    for number in range(40):
        await cache.put(key_of(number), b"%d" % number)
        assert await cache.get(key_of(number)) == b"%d" % number
    assert not cache.trouble, cache.trouble
    cache.close()

asyncio.run(main())
"""


def size(folder: Path) -> int:
    with sqlite3.connect(folder / FILE) as connection:
        total, kept = connection.execute("SELECT bytes, (SELECT sum(length(value)) FROM reply) FROM total").fetchone()
    connection.close()
    assert total == (kept or 0)
    return int(total)


async def test_a_reply_is_found_again_also_after_a_restart(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "folder")
    assert await cache.get(key_of("a")) is None
    await cache.put(key_of("a"), b"first")
    await cache.put(key_of("a"), b"second")
    assert await cache.get(key_of("a")) == b"first"
    cache.close()
    again = Cache(tmp_path / "deep" / "folder")
    assert await again.get(key_of("a")) == b"first"
    again.close()


def test_keys_tell_everything_apart_but_the_order_of_fields() -> None:
    assert key_of("m", {"a": 1, "b": 2}, 1) == key_of("m", {"b": 2, "a": 1}, 1)
    different = [("m", {}, 1), ("m", {}, 2), ("m", {}, "1"), ("m1", {}), ("m", "1", {}), ("m", {"a": None}, 1)]
    assert len({key_of(*parts) for parts in different}) == len(different)


async def test_the_oldest_leave_when_there_is_no_more_room(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=10_000)
    for number in range(300):
        await cache.put(key_of(number), b"x" * 100)
        assert size(tmp_path) <= 10_000
    assert not cache.trouble
    assert await cache.get(key_of(299)) is not None
    assert await cache.get(key_of(0)) is None
    assert size(tmp_path) > 7_000
    await cache.put(key_of("huge"), b"x" * 9_500)
    assert await cache.get(key_of("huge")) is None
    cache.close()


async def test_a_reply_in_use_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.spending.cache._STALE", -1.0)
    cache = Cache(tmp_path, max_bytes=10_000)
    await cache.put(key_of("used"), b"x" * 100)
    for number in range(300):
        await cache.put(key_of(number), b"x" * 100)
        assert await cache.get(key_of("used")) is not None
    cache.close()


def test_many_processes_use_it_at_once(tmp_path: Path) -> None:
    words = [sys.executable, "-c", OTHERS, str(tmp_path)]
    others = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for other in others:
        _, errors = other.communicate(timeout=60)
        assert other.returncode == 0, errors
    assert size(tmp_path) == sum(len(str(number)) for number in range(40))


async def test_many_tasks_use_it_at_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    await asyncio.gather(*(cache.put(key_of(number % 10), b"%d" % (number % 10)) for number in range(100)))
    found = await asyncio.gather(*(cache.get(key_of(number)) for number in range(10)))
    assert found == [b"%d" % number for number in range(10)]
    assert not cache.trouble
    cache.close()


async def test_a_cache_that_breaks_is_told_of_and_breaks_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as other:
        other.execute("DROP TABLE reply")
    other.close()
    assert await cache.get(key_of("a")) is None
    await cache.put(key_of("a"), b"x")
    assert "no such table" in cache.trouble
    cache.close()


async def test_a_file_of_another_format_is_emptied(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    await cache.put(key_of("a"), b"x")
    cache._connection.execute("PRAGMA user_version = 99")
    cache.close()
    again = Cache(tmp_path)
    assert await again.get(key_of("a")) is None
    await again.put(key_of("a"), b"y")
    assert await again.get(key_of("a")) == b"y"
    again.close()


def test_a_folder_that_cannot_be_used_is_an_error_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="no cache can be kept in"):
        Cache(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / FILE).write_text("this is no database, and long enough to be seen as none" * 100, "utf-8")
    with pytest.raises(InputError, match=r"not a database; remove '.*folder/replies.db', it is created again"):
        Cache(tmp_path / "folder")


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    Cache(tmp_path / "mine").close()
    assert (tmp_path / "mine").stat().st_mode & 0o077 == 0


async def test_a_full_disk_keeps_no_more_and_breaks_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    await cache.put(key_of("before"), b"x")
    pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
    cache._connection.execute(f"PRAGMA max_page_count = {pages}")
    await cache.put(key_of("after"), b"x" * 100_000)
    assert (cache.trouble, cache.troubles) == ("database or disk is full", 1)
    assert await cache.get(key_of("before")) == b"x"
    assert await cache.get(key_of("after")) is None
    cache.close()
