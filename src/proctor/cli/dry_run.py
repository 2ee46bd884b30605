"""`--dry-run`: what a run would take, before anybody is called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from proctor.config import Config
from proctor.findings.gates.look_plan import LookPlan
from proctor.reports.numbers import cost, duration, plural
from proctor.run import Run
from proctor.spending.estimate import CostEstimate, Range
from proctor.workflows.prepare import PreparedRun
from proctor.workflows.run_limits import called_gently, estimate_cost, unreported_spenders
from proctor.workflows.speed import PastSpeed, past_speed
from proctor.workflows.stop_early import planned_looks


def show_estimate(prepared: Sequence[PreparedRun], config: Config, *, store: str, as_json: bool) -> int:
    """Print the estimate of each run; as JSON, of several a list."""
    from proctor.cli.output import print_json

    told = [_estimate(each, config, store=store, quiet=as_json) for each in prepared]
    if as_json:
        print_json(told[0] if len(told) == 1 else told)
    return 0


def _estimate(prepared: PreparedRun, config: Config, *, store: str, quiet: bool) -> dict[str, Any]:
    """Say the estimate, unless it is to be quiet; the time by the last run of this agent here, where there is one."""
    from proctor.cli.output import echo, wrap_text

    run = prepared.run
    found = estimate_cost(run, prepared.exams, config)
    others, gently, last = unreported_spenders(run), called_gently(run, config), past_speed(run, store=store)
    if quiet:
        told = {"untold": others, "called_gently": gently, "by_last_run": _by_last_run(run, last)}
        early = {"stop_early": [_looks(each) for each in planned_looks(run)]} if run.settings.stop_early else {}
        return {"attempts": run.planned, **asdict(found), **told, **early}
    most = "at most " if run.settings.stop_early else ""
    echo(wrap_text(f"{run.agent} on {run.benchmark}: {most}{plural(run.planned, _noun(run))}. Nobody was called."))
    for looks in planned_looks(run):
        echo(wrap_text(f"  {looks.describe()}", under=2))
    for label, said in (*_rows(found), *_time(found, run, last)):
        echo(wrap_text(f"  {label:<11}  {said}", under=15))
    for sentence in _sentences(found, others, gently):
        echo(wrap_text(f"  {sentence}", under=2))
    return {}


def _looks(planned: LookPlan) -> dict[str, Any]:
    """The bounds of each look, and the calls that runs make on average."""
    from proctor.reports.plan import early_dict

    return early_dict(planned)


def _rows(found: CostEstimate) -> Iterator[tuple[str, str]]:
    if found.calls.high:
        yield "model calls", _range(found.calls, _whole)
        yield "tokens in", _range(found.input_tokens, _whole)
        yield "tokens out", _range(found.output_tokens, _whole)
        yield "cost", _cost(found, cost)


def _time(found: CostEstimate, run: Run, last: PastSpeed | None) -> Iterator[tuple[str, str]]:
    """How long it takes: as the last run did, else as long as the calls of models usually take."""
    if last is not None:
        seconds = duration(last.seconds_for(run.planned, concurrency=run.settings.concurrency))
        took = f"run {last.run} took {duration(last.seconds)} for {plural(last.attempts, _noun(run))}"
        yield "time", f"about {seconds}: {took}, {last.at_once} at once"
    elif found.calls.high:
        yield "time", _range(found.seconds, duration)


def _noun(run: Run) -> str:
    return "attempt" if run.settings.type == "standard" else "conversation"


def _by_last_run(run: Run, last: PastSpeed | None) -> dict[str, object] | None:
    if last is None:
        return None
    seconds = last.seconds_for(run.planned, concurrency=run.settings.concurrency)
    return {"run": last.run, "attempts": last.attempts, "took": last.seconds, "seconds": seconds}


def _sentences(found: CostEstimate, others: Sequence[str], gently: Mapping[str, int]) -> Iterator[str]:
    if found.calls.high:
        yield "The likely value first, then from little to much; retries are not in it."
    else:
        yield "No model is called from here."
    if others:
        yield f"What {' and '.join(others)} may take is not known and not in it."
    for host, calls in gently.items():
        yield (
            f"{host} is on this machine and gets {calls} calls at once, whatever --concurrency says; "
            f'[limits."{host}"] concurrency = N in proctor.toml sets another number.'
        )


def _cost(found: CostEstimate, say: Callable[[float], str]) -> str:
    """The cost; where a price is unknown, what is known of it, and what to do."""
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


def _whole(number: float) -> str:
    return f"{number:,.0f}"


def _range(of: Range, say: Callable[[float], str]) -> str:
    return f"{say(of.likely)} ({say(of.low)} to {say(of.high)})"
