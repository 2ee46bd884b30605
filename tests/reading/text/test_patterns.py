from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from proctor.reading.text import patterns
from proctor.reading.text.patterns import Unsearchable, search

EVIL = {
    "nested": (r"(a+)+$", "a" * 20_000 + "b"),
    "behind": (r"(a+)+c", "c" + "a" * 20_000 + "b"),
    "two at once": (r"(x+x+)+y", "yx" + "x" * 20_000),
    "counted": (r"((a{1,100}){1,100}){1,100}c", "a" * 3_000),
    "many": (r"(?:.*a){12}z", "z" + "a" * 2_000),
    "verbose": (r"(?x)(a+) +$", "a" * 20_000 + "b"),
    "scoped": (r"(?x:(a+) +)$", "a" * 20_000 + "b"),
    "back-reference": (r"(.*)(.*)(.*)(.*)(.*)[^a-z]\1q", "q" + "a" * 300),
}


@pytest.mark.parametrize(("pattern", "text"), EVIL.values(), ids=EVIL)
def test_a_pattern_that_never_ends_is_given_up(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.2)
    with pytest.raises(Unsearchable, match=r"takes more than 0\.2 s on this reply; simplify it"):
        search(pattern, text)


def test_the_next_pattern_is_searched_as_if_nothing_had_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.2)
    with pytest.raises(Unsearchable):
        search(*EVIL["nested"])
    assert search(r"(b+)+$", "aabb") == (2, 4)


def test_a_hundred_slow_patterns_of_one_reply_cost_as_much_as_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.1)
    monkeypatch.setattr(patterns, "TOGETHER", 0.2)
    started = time.process_time()
    with patterns.sharing_time():
        for number in range(100):
            with pytest.raises(Unsearchable, match="simplify"):
                search(rf"(a+)+$|{number}", EVIL["nested"][1])
    assert time.process_time() - started < 5
    assert search("a", "ba") == (1, 2), "whoever searches next has time of their own"


def test_a_search_lets_other_threads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.5)
    counted: list[int] = []
    ended = threading.Event()

    def count() -> None:
        while not ended.wait(0.001):
            counted.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(Unsearchable):
        search(*EVIL["nested"])
    ended.set()
    thread.join()
    assert len(counted) > 10


@pytest.mark.parametrize(
    ("pattern", "text", "place"),
    [
        (r"\d+ days", "within 30 DAYS", (7, 14)),
        (r"(?:re)?fund", "a refund", (2, 8)),
        (r"(ab)+", "xABab", (1, 5)),
        (r"(.)\1", "hello", (2, 4)),
        (r"\(?x", "(x", (0, 2)),
        (r"ü+", "xÜü", (1, 3)),
        (r"(\ud800)+", "x\ud800", (1, 2)),
        (r"no|way", "by the way", (7, 10)),
        (r"(never)+", "ever", None),
        (r"never", "ever", None),
    ],
)
def test_easy_and_hard_patterns_give_the_same_places(pattern: str, text: str, place: tuple[int, int] | None) -> None:
    assert search(pattern, text) == place
    assert search(f"(?:){pattern}|(q{{2}})+", text) == place  # now it has a repeated group


@pytest.mark.parametrize(
    "pattern", ["(", "(x", "[", "a{99999999999}", "*", "(?P<1>x", "((((x)+)", "(" * 5_000 + ")" * 5_000]
)
def test_what_is_no_pattern_says_so(pattern: str) -> None:
    with pytest.raises(Unsearchable, match="not a regular expression"):
        search(pattern, "any")


def test_a_long_reply_is_searched_at_once() -> None:
    started = time.process_time()
    assert search(r"\w+\s\w+q", " ".join(["word"] * 10_000)) is None
    assert time.process_time() - started < 5


def test_threads_do_not_mix_their_answers() -> None:
    wrong: list[int] = []

    def ask(number: int) -> None:
        found = {search(rf"(x){{{number}}}y", "x" * number + "y") for _ in range(20)}
        if found != {(0, number + 1)}:
            wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_after_a_fork_the_child_searches_by_itself() -> None:
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("child (1, 3)\nparent (0, 3)\n", "", 0)


FORKING = """
import os, sys
from proctor.reading.text.patterns import search
search("(a)+", "aa")
child = os.fork()
if child == 0:
    print("child", search("(b)+", "abb"))
    sys.exit()
os.waitpid(child, 0)
print("parent", search("(c)+", "ccc"))
"""
