"""proctor doctor: find problems in a benchmark before blaming an agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.output import console, echo, print_json, wrap_text
from proctor.threads import run_anywhere

if TYPE_CHECKING:
    from rich.console import RenderableType

    from proctor.workflows.doctor import BenchmarkProblem

_SIGNS = {"error": "✗", "warning": "!", "information": "·"}
_LINES_SHOWN = 5
_OF_A_KIND = 100
"""Maximum problems shown per kind; the rest are only counted."""


@click.command("doctor", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="A tool that the agent has; expecting any other is an error; repeatable [default: any tool may exist].",
)
@click.option(
    "--agent",
    metavar="NAME|SPEC",
    shell_complete=completion.agents,
    help="Take the tools from an agent that can list them, such as mcp:URL.",
)
@click.option("--all", "every", is_flag=True, help=f"Show every problem, not only the first {_OF_A_KIND} of a kind.")
@options.judge
@options.config
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    tools: tuple[str, ...],
    agent: str | None,
    every: bool,
    reviewer: str | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Examine the benchmark or suite FILE itself: duplicates, leaked answers, expectations nobody can meet.

    Exit 0: no error was found; 1: at least one; 2: the file cannot be read.
    """
    has, judge = _tools(tools, agent, config_path), options.reviewer_in_force(reviewer, config_path)
    benchmark = workflows.load.load_benchmark(file)
    complaints = workflows.doctor.find_problems(benchmark, tools=has, reviewer=judge)
    shown, more = (complaints, {}) if every else _cut(complaints)
    if as_json:
        report = {"cases": len(benchmark.cases), "complaints": [asdict(each) for each in shown]}
        print_json({**report, "more": more} if more else report)
    else:
        _show(file, len(benchmark.cases), shown, more)
    ctx.exit(1 if any(each.severity == "error" for each in complaints) else 0)


def _cut(complaints: Sequence[BenchmarkProblem]) -> tuple[list[BenchmarkProblem], dict[str, int]]:
    """Return the first problems of each kind, and the number of omitted ones by kind."""
    counts: Counter[str] = Counter()
    shown = []
    for each in complaints:
        counts[each.kind] += 1
        if counts[each.kind] <= _OF_A_KIND:
            shown.append(each)
    return shown, {kind: number - _OF_A_KIND for kind, number in counts.items() if number > _OF_A_KIND}


def _tools(named: tuple[str, ...], agent: str | None, path: Path | None) -> set[str] | None:
    """Return all tools of the agent, or None if unknown."""
    if agent is None:
        return set(named) or None
    config = options.load_config(path)
    return {*named, *run_anywhere(lambda: workflows.doctor.atools_of(agent, config=config))}


def _show(file: Path, cases: int, complaints: Sequence[BenchmarkProblem], more: Mapping[str, int]) -> None:
    found = len(complaints) + sum(more.values())
    count_text = reports.numbers.plural(found, "problem") if found else "no problems found"
    echo(f"{file}: {reports.numbers.plural(cases, 'case')}, {count_text}")
    console().print(reports.terminal.Page(lambda _: _render_problems(complaints)), end="")
    if more:
        counted = ", ".join(f"{number:,} more of {kind}" for kind, number in more.items())
        echo(f"\n{wrap_text(f'and {counted}; --all shows them all')}")


def _render_problems(complaints: Sequence[BenchmarkProblem]) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    for each in complaints:
        yield Text()
        yield Text.assemble(f"{_SIGNS[each.severity]} {each.severity}  ", (each.message, "bold"), _where(each))
        yield Padding(Text(each.advice, style="dim"), (0, 0, 0, 2))


def _where(complaint: BenchmarkProblem) -> str:
    """`  lines 3, 17 and 2 more`, or the cases where no line is known."""
    places = [str(line) for line in complaint.lines if line is not None]
    what = ("line", "lines") if places else ("case", "cases")
    places = places or list(complaint.cases)
    if not places:
        return ""
    shown, left = places[:_LINES_SHOWN], len(places[_LINES_SHOWN:])
    return f"  ({what[len(places) > 1]} {', '.join(shown)}{f' and {left} more' if left else ''})"
