"""proctor rescore --repeats: the same replies judged again, beside the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.workflows.noise import RepeatedRun


def refuse_others(repeats: int | None, alone: dict[str, Any], others: dict[str, Any]) -> None:
    """Options that only go with --repeats are refused without it, and those of a new run are refused with it."""
    if repeats is None:
        for option, given in alone.items():
            if given is not None:
                raise click.UsageError(f"{option} goes with --repeats: it is about judging the same replies again")
        return
    for option, given in others.items():
        if given:
            raise click.UsageError(
                f"{option} is for a new run, and --repeats makes none: it judges the same replies again beside RUN; "
                "give one of them"
            )


def judge_again(run: str, *, store: str, config: Config, as_json: bool, **options: Any) -> int:
    """Judge with progress shown, then say what of the doubt is the judge's own noise."""
    from proctor.cli.output import print_json, tell
    from proctor.cli.play import drive
    from proctor.reports.numbers import plural
    from proctor.reports.run.json import as_dict
    from proctor.workflows.noise import arepeat_judging

    said = drive(
        lambda watch: arepeat_judging(run, store=store, config=config, watch=watch, **options),
        go_on="Go on with the same command: what was judged is not asked again.",
    )
    if as_json:
        print_json(as_dict(said.findings))
    else:
        _say(said)
    if not said.open:
        return 0
    tell(
        f"{plural(said.open, 'judgement')} by {said.judge} still to be given{f': {said.reason}' if said.reason else ''}"
        ". Go on with the same command."
    )
    return 4


def _say(said: RepeatedRun) -> None:
    from proctor.cli.output import echo, wrap_text
    from proctor.reports.noise import noise_sentences

    findings = said.findings
    for noise in findings.noise:
        if noise.judge == said.judge:
            for sentence in noise_sentences(noise):
                echo(wrap_text(sentence))
