"""What a list says that a run used: the same as its findings, without reading its attempts."""

from __future__ import annotations

from pathlib import Path

from proctor import evaluate
from proctor.benchmark import Case
from proctor.storage import open_store
from proctor.transcript import Reply
from proctor.usage import Usage
from proctor.workflows.read import summarise

CASES = [Case(id=str(place), question=f"{place}?", answer="yes") for place in range(3)]


def used(tmp_path: Path, *usages: Usage) -> tuple[Usage, Usage]:
    """As the list says it, and as the findings do."""
    left = iter(usages)
    agent = lambda question: Reply(text="yes", usage=next(left))  # noqa: E731
    played = evaluate(CASES, agent=agent, store=tmp_path / "s.db", reviewer="exact", concurrency=1)
    with open_store(str(tmp_path / "s.db")) as opened:
        found = summarise(opened, played.run)
    assert found is not None
    return found.usage, played.findings.usage


def test_tokens_calls_and_cost_are_those_of_the_findings(tmp_path: Path) -> None:
    each = Usage(input_tokens=10, output_tokens=2, calls=1, cost=0.5)
    listed, found = used(tmp_path, each, each, each)
    assert listed == found == Usage(input_tokens=30, output_tokens=6, calls=3, cost=1.5)


def test_one_unknown_cost_makes_the_sum_unknown_and_keeps_what_is_known(tmp_path: Path) -> None:
    priced = Usage(input_tokens=10, output_tokens=2, calls=1, cost=0.5)
    listed, found = used(tmp_path, priced, Usage(input_tokens=1, calls=1), priced)
    assert listed == found
    assert (listed.cost, listed.known_cost) == (None, 1.0)


def test_where_nothing_was_used_nothing_is_said_of_it(tmp_path: Path) -> None:
    listed, _ = used(tmp_path, Usage(), Usage(), Usage())
    assert not listed
