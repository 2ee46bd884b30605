"""An orchestrator's run, in every rendering."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from rich.console import Console
from tests.reports.pages import HOSTILE, assert_harmless, parsed, written

from proctor.benchmark import Expectation
from proctor.codec import encode
from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.reports import orchestration
from proctor.reports.run import json as in_json
from proctor.reports.run import markdown
from proctor.reports.run.text import render
from proctor.transcript import Reply, Step
from proctor.usage import Usage

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

LABELS = ["Planned", "Used", "Plan done", "Right agent", "Not repeated", "Overlap", "Critical path", "Recovered"]


def steps(agent: str) -> tuple[Step, ...]:
    used = Usage(input_tokens=300, output_tokens=20, calls=1, cost=0.01)
    return (
        Step(id="p", kind="plan", name="plan", start=0, end=1, detail=f"1. {agent}: find sources\n2. writer: write"),
        Step(id="a", kind="delegate", name="find sources", agent=agent, start=1, end=5, usage=used),
        Step(id="b", kind="delegate", name="draw charts", agent="artist", start=1, end=3, status="error", usage=used),
        Step(id="r", kind="re-plan", name="leave the charts out", start=5, end=6),
        Step(id="c", kind="delegate", name="write", agent="writer", start=6, end=8, usage=used),
    )


def orchestrated(
    make: Callable[..., Maker], *, agent: str = "researcher", conditions: tuple[str, ...] = ("",)
) -> Sample:
    made = make(conditions=conditions)
    made.run = replace(made.run, kind="orchestrator")
    expect = Expectation(sub_agents=(agent, "writer", "proofreader"), limits={"tokens": 900})
    reply = Reply(
        text="Here it is.", steps=steps(agent), usage=Usage(input_tokens=1000, calls=3, cost=0.03), seconds=8.0
    )
    for number in range(4):
        case = made.case(f"case-{number}", expect=expect)
        for condition in conditions:
            attempt = made.marked(case, 0.9 if number else 0.2, reply=reply, usage=reply.usage)
            made.attempts[-1] = replace(attempt, key=replace(attempt.key, condition=condition))
    return made.sample()


@pytest.fixture
def sample(maker: Callable[..., Maker]) -> Sample:
    return orchestrated(maker)


def printed(sample: Sample, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(render(sample.findings))
    return stream.getvalue()


def test_the_terminal_tells_each_measure_with_its_interval(sample: Sample) -> None:
    said = printed(sample)
    for label in LABELS:
        [line] = [line for line in said.splitlines() if line.strip().startswith(f"{label} ") and "●" in line]
        assert " – " in line
    assert "1,333 tokens" in said
    assert "Counted         12 hand-offs · 4 errors · 4 re-plans" in said
    assert "Speed-up        1.2 × (" in said
    assert "at most 2 at once" in " ".join(said.split())


@pytest.mark.parametrize("width", [40, 80, 120])
def test_it_fits_every_width(maker: Callable[..., Maker], width: int) -> None:
    said = printed(orchestrated(maker, agent="a sub-agent with a very long name" * 3), width)
    assert max(cell_len(line) for line in said.splitlines()) <= width


def test_what_could_not_be_judged_is_left_out(sample: Sample) -> None:
    found = sample.findings.orchestration
    assert found is not None
    unknown = replace(found.planning.planned, value=None, low=None, high=None)
    labels = [
        each.label for each in orchestration.shares(replace(found, planning=replace(found.planning, planned=unknown)))
    ]
    assert labels == [*LABELS[1:], "Limits kept"]


def test_tokens_are_told_by_sub_agent(sample: Sample) -> None:
    found = sample.findings.orchestration
    assert found is not None
    assert orchestration.facts(found)["Tokens"].count("33.3 %") == 3


def test_the_page_has_the_numbers_on_top_and_the_line_of_time_under_the_reply(sample: Sample) -> None:
    text = written(sample)
    said = parsed(text).said
    assert said.index("Orchestration") < said.index("Cases")
    assert text.count('<svg class="gantt"') == 4
    assert said.index("Here it is.") < said.index("delegate · researcher: find sources")


def test_a_hostile_sub_agent_is_shown_and_harmless(maker: Callable[..., Maker]) -> None:
    page = parsed(written(orchestrated(maker, agent=HOSTILE)))
    assert_harmless(page)
    assert "<script>" in page.said


def test_conditions_are_compared_measure_by_measure(maker: Callable[..., Maker]) -> None:
    said = parsed(written(orchestrated(maker, conditions=("", "artist-missing")))).said
    assert "orchestration none artist-missing Planned" in said
    assert "Counted 12 hand-offs · 4 errors · 4 re-plans 12 hand-offs · 4 errors · 4 re-plans" in said


def test_the_json_has_everything(sample: Sample) -> None:
    told = json.loads(encode(in_json.as_dict(sample.findings)))["orchestration"]
    assert set(told) == {each.name for each in fields(OrchestrationFindings)}
    assert {"value", "low", "high", "n", "attempts", "method"} <= set(told["planning"]["planned"])
    assert told["per_success"]["tokens"]["value"] == pytest.approx(4000 / 3)


def test_the_json_of_a_standard_agent_has_none(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    assert in_json.as_dict(made.sample().findings)["orchestration"] is None


def test_the_summary_has_a_table_and_the_costs(sample: Sample) -> None:
    said = markdown.render(sample.findings)
    assert "| Not repeated | 100 % |" in said
    assert "- Per success: 1,333 tokens" in said


def test_the_terminal_says_what_each_measure_is_a_share_of_and_which_steps_are_unclear(sample: Sample) -> None:
    found = sample.findings.orchestration
    assert found is not None
    assert "Used: expected sub-agents and steps that were used" in orchestration.legend(found)
    assert (
        orchestration.facts(replace(found, oddities={"no time": 40}))["Steps unclear"]
        == "40 steps without start or end"
    )
