"""Render what is special to the demo: a case in full, two battles, recovery, and next commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.benchmark import Exam
from proctor.findings.battle.findings import BattleFindings
from proctor.findings.run import Findings
from proctor.reports import numbers
from proctor.reports.battle.dialogue import dialogue
from proctor.reports.terminal import INDENT, Page, draw_estimate, page_table
from proctor.reports.words import clean, one_line
from proctor.run import Attempt
from proctor.statistics.estimate import Estimate
from proctor.transcript import Transcript

_VALUE = 6
"""Width of a percentage in columns."""
_SHORTEST = 8
"""Minimum width in columns for drawing an interval."""
_MEANING = (
    "Held rate: conversations without a failed reply. Cave rate: right answers given up under pressure. Consistency: "
    "replies that contradict no earlier one."
)

_RECOVERED = "Recovered: the failed work was done after all. To go on without it is a re-plan, but no recovery."


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoScene:
    """The beginning of a conversation to show."""

    exam: Exam
    attempt: Attempt
    turns: int
    """Number of turns shown."""


def contest(battles: Sequence[Findings], scenes: Sequence[DemoScene]) -> RenderableType:
    """Render two battles over the same questions: a conversation of each, then the numbers of both."""
    return Page(lambda width: _contest(battles, scenes, width))


def _contest(battles: Sequence[Findings], scenes: Sequence[DemoScene], width: int) -> Iterator[RenderableType]:
    for findings, scene in zip(battles, scenes, strict=False):  # without scenes, only the numbers are shown
        yield from _scene(findings.run.agent, scene, width)
    yield _heading("Both", width)
    yield Padding(_side_by_side(battles, width), INDENT)
    yield Padding(Text(_basis(battles[0]), style="dim"), INDENT)


def _heading(name: str, width: int) -> Text:
    title = one_line(name, width - 4)
    return Text(f"{title} {'─' * (width - len(title) - 1)}", style="bold", no_wrap=True, overflow="crop")


def read_out(title: str, scene: DemoScene) -> RenderableType:
    """Render an attempt turn by turn, under a heading."""
    return Page(lambda width: _scene(title, scene, width))


def _scene(title: str, scene: DemoScene, width: int) -> Iterator[RenderableType]:
    attempt, turns = scene.attempt, scene.attempt.transcript.turns
    yield _heading(title, width)
    yield dialogue(scene.exam, replace(attempt, transcript=Transcript(turns=turns[: scene.turns])))
    left = len(turns) - scene.turns
    if left > 0:
        note = Text(f"{numbers.plural(left, 'more turn')}: ", style="dim")
        yield note.append(f"proctor show {attempt.key.run} --case {attempt.key.exam}", style="not dim")
        yield Text()


def _side_by_side(battles: Sequence[Findings], width: int) -> Table:
    axis = min(20, (width - 62) // 2)
    table = Table.grid(padding=(0, 2))
    for _ in ("label", *battles):
        table.add_column(no_wrap=True, overflow="ellipsis")
    names = (one_line(findings.run.agent.rpartition(":")[2], 20) for findings in battles)
    table.add_row("", *(f"{'':{_VALUE}}  {name}" for name in names), style="dim")
    for label, measure in _MEASURES.items():
        table.add_row(label, *(_estimate_cell(measure(findings), axis) for findings in battles))
    table.add_row("Contradictions", *(_contradiction_cell(findings) for findings in battles))
    return table


def _battle(findings: Findings) -> BattleFindings:
    assert findings.battle is not None, "only battles are set side by side here"
    return findings.battle


_MEASURES: dict[str, Callable[[Findings], Estimate]] = {
    "Pass rate": lambda findings: findings.pass_rate,
    "Held rate": lambda findings: _battle(findings).held_rate,
    "Cave rate": lambda findings: _battle(findings).pressure.cave_rate,
    "Consistency": lambda findings: _battle(findings).consistency,
}


def _estimate_cell(estimate: Estimate, axis: int) -> Text:
    """Render the value, its interval as a drawing if there is room, and as text."""
    rate_text = numbers.say(estimate)
    line = Text.assemble("  ", draw_estimate(estimate, axis)) if axis >= _SHORTEST else ""
    return Text.assemble((f"{rate_text.value:>{_VALUE}}", "bold"), line, f"  {rate_text.interval}")


def _contradiction_cell(findings: Findings) -> str:
    battle = _battle(findings)
    return f"{numbers.whole(battle.contradictions):>{_VALUE}}  of {numbers.whole(battle.opportunities)}"


def _basis(findings: Findings) -> str:
    rate = findings.pass_rate
    return f"{numbers.basis(rate, noun='conversation')} each, {numbers.percent(rate.level)} intervals. {_MEANING}"


def recovery(findings: Findings) -> RenderableType:
    """Render how errors were handled under each condition that caused some."""
    return Page(lambda width: _recovery(findings, width))


def _recovery(findings: Findings, width: int) -> Iterator[RenderableType]:
    table = page_table(width)
    table.add_column("Recovery", ratio=1, no_wrap=True, overflow="ellipsis", min_width=14)
    for header in ("errors", "re-plans"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("recovered", no_wrap=True)
    for condition in findings.conditions:
        found = condition.orchestration.recovery if condition.orchestration is not None else None
        if found is not None and found.errors:
            counts = (numbers.whole(found.errors), numbers.whole(found.re_plans))
            table.add_row(Text(one_line(condition.name)), *counts, _estimate_cell(found.recovered, min(24, width - 60)))
    if table.row_count:
        yield table
        yield Padding(Text(_RECOVERED, style="dim"), INDENT)


def ends(reports: Sequence[Path], commands: Sequence[tuple[str, str]], *, label: str = "Next") -> RenderableType:
    """Render the paths of the HTML reports, and suggested commands with their purpose."""
    return Page(lambda _: [_ends(reports, commands, label)])


def _ends(reports: Sequence[Path], commands: Sequence[tuple[str, str]], label: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for place, report in enumerate(reports):
        table.add_row("" if place else "Reports", Text(clean(str(report)), style="bold"))
    for place, (command, why) in enumerate(commands):
        table.add_row("" if place else label, Text(command, style="bold").append(f"  {why}", style="dim not bold"))
    return table
