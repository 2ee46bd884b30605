"""What the checks cost: 10,000 replies held to 5 expectations each, beside a floor of bare `in`.

    python bench/checks.py
    python bench/checks.py --profile     # where the time goes

Both say of every expectation whether it holds, in one process and one run. The floor lower-cases the reply and asks
`word in reply`, `tool in names` and `source in sources`: no whole words, no folding, no evidence.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import random
import time
from collections.abc import Callable, Iterator

from proctor.benchmark import Case, Expectation
from proctor.reviewers.checks import CheckReviewer
from proctor.transcript import Citation, Reply, ToolCall, Turn

CASES = 10_000
EXPECTATIONS = 5
TARGET = 30.0
"""Microseconds of processor time that an expectation may take."""
REPEATS = 5
SEED = 7
TOOLS = ("search_knowledge", "search_keyword", "list_contents", "find", "read", "read_around", "get_info")
PROSE = (
    "the policy covers remote work from home up to three days a week and staff ask their manager who answers within "
    "five working days unless the contract says otherwise expenses are paid back with the salary of the next month "
    "travel is booked through the portal devices belong to the company and return on the last day of employment"
)
WORDS = PROSE.split()

Pair = tuple[Case, list[Turn]]


def text(rng: random.Random) -> str:
    """A reply of 40 to 160 words, one in four with signs beyond ASCII."""
    words = rng.choices(WORDS, k=rng.randint(40, 160))
    if rng.random() < 0.25:
        words[rng.randrange(len(words))] = "it’s – “quoted”"
    return " ".join(words).capitalize() + ". [1]"


def expectation(rng: random.Random) -> Expectation:
    """Five things to hold a reply to, about a quarter of which do not hold."""
    return Expectation(
        tools_used=(rng.choice(TOOLS[:3]),),
        keywords=(" ".join(rng.sample(WORDS, 1)), "remote work" if rng.random() < 0.3 else rng.choice(WORDS)),
        exclusions=("as an AI" if rng.random() < 0.9 else "policy",),
        citations=1,
    )


def pairs() -> Iterator[Pair]:
    """Cases with the replies that are held to them."""
    rng = random.Random(SEED)
    for number in range(CASES):
        calls = tuple(ToolCall(name=name) for name in rng.choices(TOOLS, k=rng.randint(1, 6)))
        cited = (Citation(source="hr/remote.md"),) if rng.random() < 0.5 else ()
        reply = Reply(text=text(rng), tool_calls=calls, citations=cited)
        case = Case(id=str(number), question="Which policy?", expect=expectation(rng))
        yield case, [Turn(number=1, question="Which policy?", reply=reply)]


def floor(made: list[Pair]) -> int:
    """How many expectations hold, by the plainest of means."""
    held = 0
    for case, turns in made:
        reply, expect = turns[-1].reply, case.expect
        assert reply is not None
        lowered, names = reply.text.lower(), {call.name for call in reply.tool_calls}
        held += sum(name in names for name in expect.tools_used)
        held += sum(word.lower() in lowered for word in expect.keywords)
        held += sum(word.lower() not in lowered for word in expect.exclusions)
        held += len(reply.citations) >= (expect.citations or 0) or "[1]" in reply.text
    return held


def checked(made: list[Pair]) -> int:
    """How many checks pass, by the reviewer that a run uses."""

    async def review() -> int:
        reviewer = CheckReviewer()
        passed = 0
        for case, turns in made:
            passed += sum(check.passed is True for check in (await reviewer.review(case, turns)).checks)
        return passed

    return asyncio.run(review())


def microseconds(measured: Callable[[list[Pair]], int], made: list[Pair]) -> tuple[float, int]:
    """Processor time of one expectation, the best of several passes, and what they came to."""
    best, held = float("inf"), 0
    for _ in range(REPEATS):
        started = time.process_time()
        held = measured(made)
        best = min(best, time.process_time() - started)
    return best / (len(made) * EXPECTATIONS) * 1e6, held


def profile(made: list[Pair]) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(checked, made)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(20)


def main() -> None:
    options = argparse.ArgumentParser(description="What the checks cost.")
    options.add_argument("--profile", action="store_true")
    made = list(pairs())
    if options.parse_args().profile:
        profile(made)
        return
    plain, held = microseconds(floor, made)
    ours, passed = microseconds(checked, made)
    print(f"{CASES:,} replies × {EXPECTATIONS} expectations, processor time, best of {REPEATS} passes\n")
    print(f"{'':<32}{'µs an expectation':>18}   hold")
    print(f"{'floor: bare `in`, no evidence':<32}{plain:>18.2f}   {held:,} expectations")
    print(f"{'checks, with evidence':<32}{ours:>18.2f}   {passed:,} checks, “no error” among them")
    print(f"\ntarget {TARGET:g} µs: {'met' if ours <= TARGET else 'missed'}, {ours / plain:.1f} times the floor")


if __name__ == "__main__":
    main()
