"""proctor plan: sample size planning, for cases, trials and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, print_json
from proctor.errors import UsageError
from proctor.findings.gates.sample_size import MOST_FAILURES
from proctor.settings import Bounds


class Wholes(click.ParamType[tuple[int, ...]]):
    """`1,2,4` as integers of at least 1."""

    name = "N,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Parse the numbers."""
        if isinstance(value, tuple):
            return value
        try:
            return workflows.plan.read_trials(str(value))
        except UsageError as error:
            self.fail(error.in_terminal, param, ctx)


@click.command("plan", cls=Command)
@number(
    "--difference",
    metavar="D",
    help="The difference in pass rate to detect, between 0 and 1, such as 0.05; give this, --gate or --labels.",
)
@number("--flips", metavar="SHARE", help="Share of cases that flip between two runs, such as 0.10.")
@number("--noise", default=0.0, metavar="SHARE", help="Share of cases that flip by chance alone.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    shell_complete=completion.runs,
    help="A stored run to plan from; repeatable: one run shows how much results vary by chance (--noise), two of them "
    "also how many cases flip (--flips).",
)
@number("--power", default=0.8, show_default=True, help="The probability of detecting it, between 0 and 1.")
@click.option(
    "--trials",
    type=Wholes(),
    default="1,2,4",
    show_default=True,
    help="Numbers of trials of each case to plan for, side by side; with --stop-early only one number, 1 unless given.",
)
@click.option(
    "--gate",
    metavar="TEXT",
    help='Instead of a difference: a gate on a rate, such as "pass_rate>=0.9", or "not worse than", which '
    "needs --flips.",
)
@number(
    "--failures",
    bounds=Bounds(least=0, most=MOST_FAILURES, whole=True),
    metavar="N",
    help="The number of failures with which the gate must still be met [default: 0, 1, 2 and 5].",
)
@click.option(
    "--stop-early",
    is_flag=True,
    help="Show when a run that stops early for the gate would stop, and how many calls it would make.",
)
@number(
    "--cases",
    bounds=Bounds(least=2, most=100_000, whole=True),
    default=500,
    show_default=True,
    metavar="N",
    help="With --stop-early: the number of cases, 2 to 100,000.",
)
@number(
    "--labels",
    metavar="H",
    help="Instead of a difference: how many labels make the pass rate as people judge as sure as ± H, such "
    "as 0.03 (.001 to .5); with --run, from the labels of that run.",
)
@number("--rate", default=0.9, show_default=True, help="With --labels: the pass rate expected, between 0 and 1.")
@options.store
@options.as_json
def command(
    difference: float | None,
    flips: float | None,
    noise: float,
    runs: tuple[str, ...],
    power: float,
    trials: tuple[int, ...],
    gate: str | None,
    failures: int | None,
    stop_early: bool,
    cases: int,
    labels: float | None,
    rate: float,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """How many cases and trials are needed to detect a difference between two runs, or to meet a gate; how many labels.

    \b
    Examples:
    proctor plan --difference 0.05 --flips 0.10
    proctor plan --difference 0.05 --run before --run after
    proctor plan --gate "pass_rate>=0.9" --failures 2
    proctor plan --gate "pass_rate>=0.9" --stop-early --cases 500
    proctor plan --labels 0.03 --rate 0.9
    """
    if [difference, gate, labels].count(None) != 2:
        raise click.UsageError("give one of --difference, such as 0.05, --gate and --labels")
    if stop_early and gate is None and labels is None:
        raise click.UsageError('--stop-early needs a --gate, such as --gate "pass_rate>=0.9"')
    wanted = workflows.plan.PlanRequest(
        difference=difference,
        gate=gate,
        labels=labels,
        flips=flips,
        noise=noise,
        runs=runs,
        power=power,
        trials=(_one_of(trials),) if stop_early and gate is not None else trials,
        failures=failures,
        stop_early=stop_early,
        cases=cases,
        rate=rate,
    )
    planned = workflows.plan.plan_for(
        wanted, store=workflows.store_url.store_url(store, options.load_config(config_path)) if runs else ""
    )
    print_json(reports.plan.dict_of(planned)) if as_json else console().print(reports.plan.render_plan(planned))
    return 0


def _one_of(trials: tuple[int, ...]) -> int:
    """Return the number of trials for a plan that takes only one; 1 by default."""
    source = click.get_current_context().get_parameter_source("trials")
    if source == click.core.ParameterSource.DEFAULT:
        return 1
    if len(trials) > 1:
        raise click.UsageError(f"--stop-early plans one run; expected one number of --trials, not {len(trials)}")
    return trials[0]
