"""proctor tournament: rank several runs by pairwise contests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, echo, print_json, stdout_to_stderr, tell, tell_error, wrap_text
from proctor.cli.play import signals_as_ctrl_c
from proctor.redaction import without_secrets
from proctor.settings import AMOUNT
from proctor.threads import run_anywhere
from proctor.usage import Usage

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.findings.tournament import Tournament
    from proctor.workflows.tournament import PlannedTournament

_GO_ON = "Continue with the same command: what was judged is stored, and not asked for again."


@click.command("tournament", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN RUN [RUN …]", shell_complete=completion.runs)
@click.option(
    "--reviewer",
    metavar="NAME|MODEL",
    shell_complete=completion.declared_reviewers,
    help="A chat model that compares the replies, in both orders, names hidden [default: the stored scores decide].",
)
@click.option("--dry-run", is_flag=True, help="With --reviewer: show what judging would take, without a call.")
@number("--budget", bounds=AMOUNT, metavar="AMOUNT", help="With --reviewer: the most that judging may cost.")
@click.option("--force", is_flag=True, help="Compare runs that are not comparable, and say how they differ.")
@options.judging_pace(of="", units="contests")
@options.form
@options.store
@options.as_json
def command(
    runs: tuple[str, ...],
    reviewer: str | None,
    dry_run: bool,
    force: bool,
    form: str,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **limits: Any,
) -> int:
    """Which of these runs is strongest? Every case is a contest of every pair; each RUN is an id, a name, or `last`.

    Runs are ranked only as far as the cases show. With --reviewer, the number of calls and their cost are shown first.
    """
    config = options.load_config(config_path)
    url = workflows.store_url.store_url(store, config)
    if reviewer is None:
        _refuse_without_reviewer({"--dry-run": dry_run, **{f"--{name}": value for name, value in limits.items()}})
        found = workflows.tournament.tournament(runs, store=url, force=force)
    else:
        planned = workflows.tournament.plan_tournament(runs, reviewer=reviewer, store=url, config=config, force=force)
        if dry_run:
            _show_plan(planned, as_json=as_json)
            return 0
        found = _judge(planned, url, config, limits)
    _show(found, form=form, as_json=as_json)
    if not found.open:
        return 0
    _tell_open(found)
    return 4


def _refuse_without_reviewer(given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value not in (None, False):
            raise click.UsageError(f"{option} goes with --reviewer: the stored scores decide without, and cost nothing")


def _cost_words(planned: PlannedTournament) -> str:
    numbers = reports.numbers
    sent, received = map(numbers.whole, planned.tokens)
    known = f", {numbers.whole(len(planned.known))} of them judged before" if planned.known else ""
    return (
        f"{numbers.plural(len(planned.contests), 'contest')} of {len(planned.runs)} runs{known}: "
        f"{numbers.plural(planned.calls, 'call')} to {planned.judge.name}, "
        f"about {sent} tokens in, {received} out, cost {numbers.cost(planned.cost)}"
    )


def _show_plan(planned: PlannedTournament, *, as_json: bool) -> None:
    if not as_json:
        echo(wrap_text(f"{_cost_words(planned)}. Nothing was asked."))
        return
    sent, received = planned.tokens
    print_json(
        {
            "contests": len(planned.contests),
            "known": len(planned.known),
            "calls": planned.calls,
            "input_tokens": sent,
            "output_tokens": received,
            "cost": planned.cost,
        }
    )


def _judge(planned: PlannedTournament, store: str, config: Config, limits: dict[str, Any]) -> Tournament:
    """Judge the contests with a progress bar, after printing the estimated cost."""
    shown, used, done, failed = reports.progress.Progress(), Usage(), 0, 0

    def note_verdict(place: int, verdict: workflows.contests.ContestVerdict) -> None:
        nonlocal used, done, failed
        used, done, failed = used + verdict.usage, done + 1, failed + (verdict.score is None)
        shown.update(done=done, failed=failed, tokens=used.input_tokens + used.output_tokens, cost=used.cost)

    tell(_cost_words(planned))
    shown.start(len(planned.due))
    try:
        with stdout_to_stderr(), signals_as_ctrl_c():
            found = run_anywhere(
                lambda: workflows.tournament.play_tournament(
                    planned, store=store, config=config, on_verdict=note_verdict, **limits
                )
            )
    except KeyboardInterrupt:
        tell(f"Interrupted. {_GO_ON}")
        raise click.exceptions.Exit(4) from None
    finally:
        shown.stop()
    if found.open:
        tell(_GO_ON)
    return found


def _tell_open(found: Tournament) -> None:
    """Print why the tournament is incomplete, as the last line."""
    reasons = dict.fromkeys(each.reason for each in found.outcomes if each.is_open and each.reason)
    why = f": {'; '.join(reasons)}" if reasons else ""
    tell_error(without_secrets(f"{reports.numbers.plural(found.open, 'contest')} still to be judged{why}"))


def _show(found: Tournament, *, form: str, as_json: bool) -> None:
    if as_json:
        print_json(reports.comparison.tournament.as_dict(found))
    elif form == "markdown":
        sys.stdout.write(reports.comparison.tournament.markdown(found))
    else:
        console().print(reports.comparison.tournament.render(found))
