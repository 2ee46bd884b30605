"""`--dry-run`: what a run would take, before anybody is called."""

from __future__ import annotations

from dataclasses import asdict

import click

from proctor.config import Config
from proctor.models.estimate import Estimate, Range
from proctor.workflows.evaluate import Prepared


def foretell(prepared: Prepared, config: Config, *, as_json: bool) -> int:
    """Print the estimate."""
    from proctor.cli.output import print_json
    from proctor.running.plan import exams_of
    from proctor.workflows.allowances import foresee

    run = prepared.run
    found = foresee(run, exams_of(prepared.benchmark, run.settings), config)
    if as_json:
        print_json({"attempts": run.planned, **asdict(found)})
        return 0
    click.echo(f"{run.agent} on {run.benchmark}: {run.planned:,} attempts. Nobody was called.")
    for line in _lines(found):
        click.echo(f"  {line}")
    return 0


def _lines(found: Estimate) -> list[str]:
    if not found.calls.high:
        return ["No model is called, as far as can be told: what the agent itself takes is its own."]
    cost = f"unknown: give [prices] for {', '.join(found.unpriced)}" if found.cost is None else _range(found.cost, 2)
    return [
        f"model calls    {_range(found.calls)}",
        f"tokens in      {_range(found.input_tokens)}",
        f"tokens out     {_range(found.output_tokens)}",
        f"cost           {cost}",
        f"seconds        {_range(found.seconds)}",
        "From little to much, the likely value first; the agent's own calls are not among them unless it is openai:.",
    ]


def _range(of: Range, decimals: int = 0) -> str:
    return f"{of.likely:,.{decimals}f} ({of.low:,.{decimals}f} to {of.high:,.{decimals}f})"
