"""proctor resume: continue a run where it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options
from proctor.cli.options import number
from proctor.cli.output import tell
from proctor.cli.play import conclude, play
from proctor.cli.run import check_k
from proctor.plugins import exits
from proctor.settings import AMOUNT, BOUNDS
from proctor.threads import run_anywhere

if TYPE_CHECKING:
    from proctor.run import Run
    from proctor.workflows.gates import RunGates


@click.command("resume", cls=Command)
@options.run_argument
@number(
    "--trials",
    bounds=BOUNDS["trials"],
    help="Extend the run to this number of trials, even if it is completed; later gate checks are "
    "stricter (see --look).",
)
@number(
    "--budget",
    bounds=AMOUNT,
    metavar="AMOUNT",
    help="Maximum cost, including what was spent before [default: as before].",
)
@number(
    "--max-tokens",
    bounds=BOUNDS["max_tokens"],
    help="Maximum tokens, including those used before [default: as before].",
)
@options.pace
@options.settings("workers", "ray")
@click.option(
    "--retry-timeouts",
    is_flag=True,
    help="Repeat attempts that timed out, completed or not; the run is then not comparable with others.",
)
@click.option(
    "--to-the-end",
    is_flag=True,
    help="Run the remaining cases of a run that stopped early; the verdict of its gates stays.",
)
@click.option(
    "--cache/--no-cache",
    default=None,
    help="Store model replies in .proctor/cache and reuse them [default: cache under [run] in proctor.toml, else not].",
)
@number("--k", bounds=BOUNDS["k"], help="The k shown for pass@k and pass^k [default: the number of trials].")
@gate_options
@options.store
@options.as_json
def command(
    run: str,
    k: int | None,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **changes: Any,
) -> int:
    """Continue RUN (an id, a unique prefix, a unique name, or `last`) where it stopped."""
    gating = replace(
        workflows.gates.read_gates(gates, k=k, force=force), look=look
    )  # the run's own gates, unless some are given
    config = options.load_config(config_path)
    url = workflows.store_url.store_url(store, config)
    changes["cache"] = config.run.cache if changes["cache"] is None else changes["cache"]
    extends = {name: changes[name] for name in ("trials", "retry_timeouts", "to_the_end")}
    found, gating = _find_run(run, gating, store=url, **extends)
    exits.install()
    evaluation = play(
        lambda watch: workflows.resume.aresume(found.id, store=url, config=config, watch=watch, **changes),
        run_id=found.id,
        planned=found.planned,
        new=False,
    )
    code = conclude(evaluation.findings, gating, k=k, as_json=as_json)
    if config.run.sync and found.status != "completed":
        run_anywhere(lambda: workflows.destination.sync_configured(found.id, config.run.sync, store=url, tell=tell))
    return code


def _find_run(name: str, gating: RunGates, *, store: str, retry_timeouts: bool, **extends: Any) -> tuple[Run, RunGates]:
    """Return the run and the gates to judge, given or stored; refuse unsuitable gates before the run continues."""
    found = workflows.resume.run_to_resume(name, store=store, retry_timeouts=retry_timeouts, **extends)
    check_k(gating.k, found.settings.trials)
    gating = workflows.gates.or_those_of(gating, found, store=store)
    if found.status == "completed":
        why = ", and no attempt timed out" if retry_timeouts else ""
        rest = "; --to-the-end runs what was left when it stopped early" if found.cut else ""
        tell(f"run {found.id} is already completed{why}; nothing was run{rest}")
    else:
        workflows.gates.check_stored(gating, found, store=store)
    return found, gating
