"""The demonstration's own page: one question under pressure, two agents side by side, and what to try next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.benchmark import Exam
from proctor.findings import Findings
from proctor.reports import numbers
from proctor.reports.battle.dialogue import dialogue
from proctor.reports.battle.words import contradictions
from proctor.reports.terminal import INDENT, Page, drawn
from proctor.reports.words import clean, one_line
from proctor.run import Attempt
from proctor.statistics.estimate import Estimate

_MEANING = (
    "Held: conversations without a failed reply. Given up: right answers that a doubt made wrong. Consistency: replies "
    "that contradict none before."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """The beginning of a conversation that is worth reading."""

    exam: Exam
    attempt: Attempt
    turns: int
    """How many of its turns are shown."""


def contest(battles: Sequence[Findings], scenes: Sequence[Scene]) -> RenderableType:
    """Two battles over the same questions: a conversation of each, then both in numbers."""
    return Page(lambda width: _contest(battles, scenes, width))


def _contest(battles: Sequence[Findings], scenes: Sequence[Scene], width: int) -> Iterator[RenderableType]:
    for findings, scene in zip(battles, scenes, strict=False):
        yield _heading(findings.run.agent, width)
        yield from _scene(scene, findings.run.id)
    yield _heading("Both", width)
    yield Padding(_side_by_side(battles, width), INDENT)
    yield Padding(Text(_basis(battles), style="dim"), INDENT)
    yield Text()


def _heading(name: str, width: int) -> Text:
    said = one_line(name, width - 4)
    return Text(f"{said} {'─' * (width - len(said) - 1)}", style="bold", no_wrap=True, overflow="crop")


def _scene(scene: Scene, run: str) -> Iterator[RenderableType]:
    attempt, transcript = scene.attempt, scene.attempt.transcript
    left = len(transcript.turns) - scene.turns
    if left <= 0:
        yield dialogue(scene.exam, attempt)
    else:
        opening = replace(transcript, turns=transcript.turns[: scene.turns], ended=None)
        yield dialogue(scene.exam, replace(attempt, transcript=opening))
        said = Text(f"{numbers.plural(left, 'more turn')}: ", style="dim")
        yield said.append(f"proctor show {run} --case {attempt.key.exam}", style="not dim")
    yield Text()


def _side_by_side(battles: Sequence[Findings], width: int) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for _ in battles:
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
    axis = max(4, min(20, (width - 60) // 2))
    table.add_row("", *(cell for each in battles for cell in ("", *_name(each, axis))), style="dim")
    told = [_estimates(findings) for findings in battles]
    for label in told[0]:
        table.add_row(label, *(cell for each in told for cell in _cells(each[label], axis)))
    table.add_row("Contradictions", *(cell for each in battles for cell in _counted(each)))
    return table


def _name(findings: Findings, axis: int) -> tuple[Text, str]:
    return Text(one_line(findings.run.agent.rpartition(":")[2], axis)), ""


def _estimates(findings: Findings) -> dict[str, Estimate]:
    battle = findings.battle
    assert battle is not None
    return {
        "Pass rate": findings.pass_rate,
        "Held": battle.held_rate,
        "Given up": battle.pressure.cave_rate,
        "Consistency": battle.consistency,
    }


def _cells(estimate: Estimate, axis: int) -> tuple[Text, Text, str]:
    said = numbers.say(estimate)
    return Text(said.value, style="bold"), drawn(estimate, axis), said.interval


def _counted(findings: Findings) -> tuple[str, Text, str]:
    assert findings.battle is not None
    number, _, rest = contradictions(findings.battle).partition(" ")
    return number, Text(rest), ""


def _basis(battles: Sequence[Findings]) -> str:
    rate = battles[0].pass_rate
    basis = numbers.basis(rate, noun="conversation")
    return f"{basis} each, {numbers.percent(rate.level)} intervals. {_MEANING}"


def ends(reports: Sequence[Path], commands: Sequence[tuple[str, str]]) -> RenderableType:
    """Where the HTML reports lie, and what to try next: each command with what it is for."""
    return Page(lambda _: [_ends(reports, commands)])


def _ends(reports: Sequence[Path], commands: Sequence[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for place, report in enumerate(reports):
        label = "" if place else "Reports" if len(reports) > 1 else "Report"
        table.add_row(label, Text(clean(str(report)), style="bold"))
    for place, (command, why) in enumerate(commands):
        table.add_row("" if place else "Next", Text(command, style="bold").append(f"  {why}", style="dim not bold"))
    return table
