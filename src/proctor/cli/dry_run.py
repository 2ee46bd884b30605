"""`--dry-run`: estimate the cost of a run without calling anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from proctor import reports
from proctor.cli.output import echo, print_json, wrap_text
from proctor.config import Config
from proctor.findings.gates.look_plan import LookPlan
from proctor.reports.numbers import cost, duration, plural
from proctor.run import Run
from proctor.spending.estimate import CostEstimate, Range
from proctor.workflows.dry_run import RunEstimate, estimate_runs, stored_runs
from proctor.workflows.prepare import PreparedRun
from proctor.workflows.stop_early import planned_looks


def show_estimate(prepared: Sequence[PreparedRun], config: Config, *, store: str, as_json: bool) -> int:
    """Print the estimate of each run; as JSON, a single object or a list."""
    stored = stored_runs(store)
    estimates = [_estimate(each, config, stored, quiet=as_json) for each in prepared]
    if as_json:
        print_json(estimates[0] if len(estimates) == 1 else estimates)
    return 0


def _estimate(prepared: PreparedRun, config: Config, stored: Sequence[Run], *, quiet: bool) -> dict[str, Any]:
    """Print the estimate, or return it if quiet; the duration is based on the agent's last stored run, if any."""
    found = estimate_runs([prepared], config, stored)
    run = found.run
    if quiet:
        details = {"untold": found.unreported, "called_gently": found.called_gently, "by_last_run": _by_last_run(found)}
        early = {"stop_early": [_looks(each) for each in planned_looks(run)]} if run.settings.stop_early else {}
        return {"attempts": run.planned, **asdict(found.models), **details, **early}
    most = "at most " if run.settings.stop_early else ""
    echo(wrap_text(f"{run.agent} on {run.benchmark}: {most}{plural(run.planned, _noun(run))}. Nothing was called."))
    for looks in planned_looks(run):
        echo(wrap_text(f"  {looks.describe()}", under=2))
    for label, text in (*_rows(found.models), *_time(found)):
        echo(wrap_text(f"  {label:<11}  {text}", under=15))
    for sentence in _sentences(found):
        echo(wrap_text(f"  {sentence}", under=2))
    return {}


def _looks(planned: LookPlan) -> dict[str, Any]:
    """Return the decision bounds of each interim look and the expected course, as JSON."""
    return reports.plan.early_dict(planned)


def _rows(found: CostEstimate) -> Iterator[tuple[str, str]]:
    if found.calls.high:
        yield "model calls", _range(found.calls, _format_count)
        yield "tokens in", _range(found.input_tokens, _format_count)
        yield "tokens out", _range(found.output_tokens, _format_count)
        yield "cost", _cost(found, cost)


def _time(found: RunEstimate) -> Iterator[tuple[str, str]]:
    """Yield the expected duration: from the last run, else from typical durations of model calls."""
    past = found.past
    if past is not None and found.seconds is not None:
        took = f"run {past.run} took {duration(past.seconds)} for {plural(past.attempts, _noun(found.run))}"
        yield "time", f"about {duration(found.seconds)}: {took}, {past.at_once} at once"
    elif found.models.calls.high:
        yield "time", _range(found.models.seconds, duration)


def _noun(run: Run) -> str:
    return "attempt" if run.settings.type == "standard" else "conversation"


def _by_last_run(found: RunEstimate) -> dict[str, object] | None:
    past = found.past
    if past is None:
        return None
    return {"run": past.run, "attempts": past.attempts, "took": past.seconds, "seconds": found.seconds}


def _sentences(found: RunEstimate) -> Iterator[str]:
    if found.models.calls.high:
        yield "The likely value first, then from little to much; retries are not in it."
    else:
        yield "No model is called from here."
    if found.unreported:
        spent = "tokens and money" if found.past is not None else "time, tokens and money"
        yield f"What {' and '.join(found.unreported)} may take of {spent} is not known and not in it."
    for host, calls in found.called_gently.items():
        yield (
            f"{host} is on this machine and gets {calls} calls at once, whatever --concurrency says; "
            f'[limits."{host}"] concurrency = N in proctor.toml sets another number.'
        )


def _cost(found: CostEstimate, say: Callable[[float], str]) -> str:
    """Format the cost; if prices are missing, format a lower bound and ask for them."""
    if found.cost is not None:
        return _range(found.cost, say)
    known = [load.cost for load in found.callers.values() if load.cost is not None]
    names = ", ".join(dict.fromkeys(found.unpriced))
    least = f"at least {_range(_together(known), say)}; " if known else "unknown; "
    return f"{least}give [prices] for {names}"


def _together(ranges: Sequence[Range]) -> Range:
    return Range(
        low=sum(each.low for each in ranges),
        likely=sum(each.likely for each in ranges),
        high=sum(each.high for each in ranges),
    )


def _format_count(number: float) -> str:
    return f"{number:,.0f}"


def _range(of: Range, say: Callable[[float], str]) -> str:
    return f"{say(of.likely)} ({say(of.low)} to {say(of.high)})"
