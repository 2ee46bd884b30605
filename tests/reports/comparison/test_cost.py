"""Wherever runs stand side by side: what a passed case costs, and the time to the first token where it was measured."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

import proctor
from proctor.findings.comparison import compare_findings
from proctor.findings.comparison.many import compare_many
from proctor.findings.run import Findings
from proctor.reports import numbers
from proctor.reports.comparison import json, many, markdown, text, tournament
from proctor.workflows.tournament import by_stored_scores

CASES = [(f"What is {number}?", str(number)) for number in range(40)]
SPENT = 0.01


def _reply(question: str) -> proctor.Reply:
    number = int(question.removeprefix("What is ").removesuffix("?"))
    return proctor.Reply(text=str(number) if number % 2 else "no idea", usage=proctor.Usage(calls=1, cost=SPENT))


async def _streaming(question: str) -> AsyncIterator[proctor.Reply]:
    yield _reply(question)


def _silent(question: str) -> str:
    return _reply(question).text


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Any], Findings]:
    def played(agent: Any) -> Findings:
        return proctor.evaluate(CASES, agent=agent, reviewer="exact", store=tmp_path / "s.db").findings

    return played


def _printed(page: RenderableType) -> str:
    shown = StringIO()
    Console(file=shown, width=80).print(page)
    assert max(map(len, shown.getvalue().splitlines())) <= 80
    return " ".join(shown.getvalue().split())


def _median(findings: Findings) -> str:
    assert findings.first_token is not None
    return numbers.duration(findings.first_token.median)


def test_two_runs_tell_both_and_say_where_nothing_was_measured(run: Callable[[Any], Findings]) -> None:
    a, b = run(_reply), run(_streaming)
    compared = compare_findings(a, b)
    told = f"A not measured; B median {_median(b)}"
    assert f"First token {told}" in _printed(text.render(compared))
    assert f"- First token: {told}" in markdown.render(compared)
    assert "per passed case A 0.02" in _printed(text.render(compared))
    found = json.as_dict(compared)
    assert found["a"]["first_token"] is None
    assert b.first_token is not None
    assert found["b"]["first_token"]["median"] == b.first_token.median
    assert found["b"]["cost_per_pass"]["value"] == pytest.approx(2 * SPENT)


def test_several_runs_have_a_column_for_each(run: Callable[[Any], Findings]) -> None:
    found = [run(_reply), run(_streaming), run(_streaming)]
    compared = compare_many(found)
    page = _printed(many.render(compared))
    assert "cost each per passed case first token" in page
    assert "per passed case: the mean cost of an attempt ÷ the pass rate; first token: the median over attempts" in page
    assert "| median time | cost each | per passed case | first token |" in many.markdown(compared)
    times = [each["first_token"] for each in many.as_dict(compared)["runs"]]
    assert [each and each["n"] for each in times] == [None, 40, 40]


def test_a_tournament_tells_the_same_numbers(run: Callable[[Any], Findings]) -> None:
    found = [run(_reply), run(_streaming)]
    met, compared = by_stored_scores(found), json.as_dict(compare_findings(*found))
    assert "per passed case first token" in _printed(tournament.render(met))
    row = next(line for line in tournament.markdown(met).splitlines() if line.startswith("| B | "))
    assert row.endswith(f"| {_median(found[1])} |")
    for told, side in zip(tournament.as_dict(met)["runs"], (compared["a"], compared["b"]), strict=True):
        assert (told["cost_per_pass"], told["first_token"]) == (side["cost_per_pass"], side["first_token"])


def test_what_no_run_knows_takes_no_place(run: Callable[[Any], Findings]) -> None:
    found = [run(_silent), run(_silent), run(_silent)]
    for page in (text.render(compare_findings(*found[:2])), many.render(compare_many(found))):
        assert "irst token" not in _printed(page)
        assert "passed case" not in _printed(page)
    met = by_stored_scores(found)
    assert "passed case" not in _printed(tournament.render(met))
    assert "passed case" not in tournament.markdown(met)
    assert tournament.as_dict(met)["runs"][0]["first_token"] is None
