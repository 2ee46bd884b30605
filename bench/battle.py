"""What a battle costs: CPU per turn, whether it stays flat, and memory, beside Inspect AI's conversation.

    python bench/battle.py [--runs 3] [--skip-peers]
    python bench/battle.py --profile     # where the time goes

The agent answers at once and is always right, in the same words or in other words each turn. With Proctor the
embedded prober asks, the embedded reviewer judges every reply and every question and looks for contradictions, every
turn is stored durably, and the findings are gathered. With Inspect AI the questions are fixed, the replies come from
its mock model or from nobody but the solver, a scorer looks for the answer in every reply, and a log file is written.
Every figure comes from a new process.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import pstats
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.peers import table
from bench.peers.contestants import OURS, PEERS, Contestant, Unavailable, play
from bench.peers.table import Figure, Group

CONVERSATIONS, MANY = 200, 800
LENGTHS = (10, 25, 50)
SHORT = 8
CPU_TARGET = 0.3
"""Milliseconds a turn."""
FLAT, FLAT_MEMORY = 1.2, 1.15
"""How much more a long conversation may cost per turn than a short one, and four times as many may take in memory."""

FLOOR = Contestant(name="bare loop", script="talk_bare")
PROCTOR = Contestant(name=OURS.name, script="talk_with_proctor")
_INSPECT = next(peer for peer in PEERS if peer.name == "Inspect AI")
INSPECT, ALONE = (
    Contestant(name=name, script=script, requirement=_INSPECT.requirement)
    for name, script in (
        (f"{_INSPECT.name}, its mock model", "talk_with_inspect"),
        (f"{_INSPECT.name}, no model", "talk_with_inspect_alone"),
    )
)


def main() -> int:
    parser = argparse.ArgumentParser(description="What a battle costs.")
    parser.add_argument("--runs", type=int, default=3, help="how often each figure is taken (default: 3)")
    parser.add_argument("--skip-peers", action="store_true", help="Proctor alone")
    parser.add_argument("--profile", action="store_true", help="where the time of Proctor's battle goes")
    options = parser.parse_args()
    if options.profile:
        profile()
        return 0
    load = os.getloadavg()[0]
    lengths, memory = by_length(options.runs)
    groups = [lengths, memory]
    if not options.skip_peers:
        groups.append(beside_peers(options.runs))
    notes = [
        f"Median and best of {options.runs}, each in a new process after a small warm-up. Loop: CPU ms of a fixed "
        "pure-Python loop just before and after, in the same process.",
        f"Flat: the best at {LENGTHS[-1]} turns is {_ratio(lengths, 2, 0):.2f} times that at {LENGTHS[0]} (at most "
        f"{FLAT}), and memory at {MANY} conversations {_ratio(memory, 1, 0):.2f} times that at {CONVERSATIONS} (at "
        f"most {FLAT_MEMORY}).",
        f"Load of the machine: {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.",
    ]
    print(table.as_text(groups, notes))
    return 0


def by_length(runs: int) -> tuple[Group, Group]:
    """CPU per turn by the length of the conversation, and memory by the number of them."""
    cpu = [Figure(who=f"{PROCTOR.name}, up to {turns} turns") for turns in LENGTHS]
    cpu[-1].target = CPU_TARGET
    other = Figure(who=f"{PROCTOR.name}, up to {LENGTHS[-1]}, in other words")
    peaks = [Figure(who=f"{PROCTOR.name}, {count} conversations") for count in (CONVERSATIONS, MANY)]
    for _ in range(runs):
        for figure, turns in zip(cpu, LENGTHS, strict=True):
            result = _take(figure, PROCTOR, CONVERSATIONS, turns)
        if "peak_mb" in result:
            peaks[0].take(result["peak_mb"])
        _take(other, PROCTOR, CONVERSATIONS, LENGTHS[-1], "other")
    many = _result(peaks[1], PROCTOR, MANY, LENGTHS[-1])
    if "peak_mb" in many:
        peaks[1].take(many["peak_mb"])
    title = f"CPU, ms per turn: {CONVERSATIONS} conversations, instant agent, prober, embedded review"
    return (
        Group(title=title, form=".3f", figures=[*cpu, other]),
        Group(title=f"Peak memory, MB: conversations of {LENGTHS[-1]} turns", form=".0f", figures=peaks),
    )


def beside_peers(runs: int) -> Group:
    """CPU of one whole conversation."""
    contestants = (FLOOR, PROCTOR, ALONE, INSPECT)
    figures = [Figure(who=each.title) for each in contestants]
    for _ in range(runs):
        for figure, each in zip(figures, contestants, strict=True):
            if not figure.trouble:
                _take(figure, each, CONVERSATIONS, SHORT, per=CONVERSATIONS)
    title = f"CPU, ms per conversation: {CONVERSATIONS} conversations of {SHORT} turns"
    return Group(title=title, form=".2f", figures=figures)


def _take(
    figure: Figure, who: Contestant, conversations: int, turns: int, words: str = "same", *, per: int | None = None
) -> dict[str, Any]:
    """Measure once: CPU per turn, or per so many of something else."""
    result = _result(figure, who, conversations, turns, words)
    if result:
        figure.take(result["cpu"] / (per or result["turns"]) * 1000, result["loops"])
    return result


def _result(figure: Figure, who: Contestant, conversations: int, turns: int, words: str = "same") -> dict[str, Any]:
    """What was measured; nothing where it could not be, and the figure says why."""
    print(f"{who.title}, {conversations} conversations of {turns} turns, {words} words", file=sys.stderr, flush=True)
    try:
        return play(who, "--conversations", str(conversations), "--turns", str(turns), "--words", words)
    except Unavailable as error:
        figure.trouble = str(error)
        return {}


def _ratio(group: Group, one: int, other: int) -> float:
    figures = group.figures
    return figures[one].best / figures[other].best if figures[one].values and figures[other].values else float("nan")


def profile() -> None:
    """The functions with most own time, and those under which most of it is spent."""
    from bench.peers.talk import Topic
    from bench.peers.talk_with_proctor import battle

    topics = [Topic(number=number) for number in range(CONVERSATIONS)]
    for words in ("same", "other"):
        profiler = cProfile.Profile(time.thread_time)
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(battle(topics[:5], 5, words, f"{folder}/warm.db"))
            profiler.runcall(asyncio.run, battle(topics, LENGTHS[-1], words, f"{folder}/store.db"))
        print(f"{words} words")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(20).sort_stats("cumtime").print_stats(40)


if __name__ == "__main__":
    sys.exit(main())
