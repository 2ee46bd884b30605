"""proctor harvest: turn runs, recordings and traces into draft cases for human review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import echo, print_json
from proctor.settings import Bounds

if TYPE_CHECKING:
    from proctor.workflows.harvest.candidate import Only
    from proctor.workflows.harvest.harvest import HarvestReport

_KINDS = {
    "email": ("e-mail address", "e-mail addresses"),
    "phone": ("phone number", "phone numbers"),
    "card": ("card", "cards"),
    "iban": ("IBAN", "IBANs"),
    "key": ("key", "keys"),
    "masked": ("of your list", "of your list"),
}
_INCOMPLETE = 4


@click.command("harvest", cls=Command)
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True, shell_complete=completion.runs_or_files)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="SUITE",
    required=True,
    help="The suite to write, .yaml or .yml.",
)
@click.option(
    "--only",
    type=click.Choice(["failed", "flaky", "all"]),
    help="Which cases of a run; of a file, failed takes the failed conversations [default: failed and "
    "flaky; of a file all].",
)
@number(
    "--limit",
    bounds=Bounds(least=1, most=10_000, whole=True),
    default=200,
    show_default=True,
    help="Maximum drafts, up to 10,000; beyond it a fixed random sample is kept.",
)
@click.option("--since", metavar="DATE|AGE", help="For langfuse: only traces since then [default: 7d].")
@click.option("--mask", type=click.Path(path_type=Path), help="A file of words or re:PATTERN lines to mask as well.")
@click.option(
    "--from-replies",
    is_flag=True,
    help="Also draft answers and expectations from recorded replies that nobody has judged.",
)
@click.option("--force", is_flag=True, help="Replace the suite if it exists.")
@options.as_json
@options.store
def command(
    sources: tuple[str, ...],
    output: Path,
    only: Only | None,
    limit: int,
    since: str | None,
    mask: Path | None,
    from_replies: bool,
    force: bool,
    as_json: bool,
    store: str | None,
    config_path: Path | None,
) -> int:
    """Make draft cases from what really happened, each marked `review: needed`.

    SOURCE is a stored run, a file of recordings or traces (JSON or JSONL: transcripts, message lists, OpenTelemetry,
    OpenInference, OpenLLMetry, Vercel AI SDK, MLflow, Langfuse), or `langfuse`, the server that the environment names.
    Questions that ask the same are merged, personal data is masked. Exit 4: a source could not be read to its end; what
    was read is written.
    """
    wanted = workflows.harvest.harvest.HarvestOptions(
        only=only,
        limit=limit,
        since=None if since is None else workflows.run_filter.moment(since),
        mask=mask,
        from_replies=from_replies,
    )
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    report = workflows.harvest.harvest.harvest(sources, output, store=url, wanted=wanted, force=force)
    for problem in (*report.problems, *report.incomplete):
        echo(f"warning: {problem}", err=True)
    if as_json:
        print_json(_as_json(report, output))
    else:
        _show(report, output, only)
    return _INCOMPLETE if report.unread else 0


def _as_json(report: HarvestReport, output: Path) -> dict[str, Any]:
    return {
        "suite": str(output) if report.cases else None,
        "drafts": report.cases,
        "read": report.read,
        "merged": report.merged,
        "beyond_limit": report.beyond,
        "left_out": report.left_out,
        "masked": report.masked,
        "unreadable": report.unread,
    }


def _show(report: HarvestReport, output: Path, only: Only | None) -> None:
    if report.cases:
        echo(f"wrote {output}: {report.cases:,} {'draft' if report.cases == 1 else 'drafts'}, review: needed")
    else:
        every = "; --only all takes all" if only != "all" and report.not_chosen else ""
        echo(f"nothing was written: there is nothing to draft a case from{every}")
    for source, count in report.read.items():
        noun = "question" if source in report.runs else "conversation"
        echo(f"  read       {source}: {count:,} {noun}{'' if count == 1 else 's'}")
    if report.merged:
        echo(f"  merged     {report.merged:,} that {'asks' if report.merged == 1 else 'ask'} the same as another")
    if report.beyond:
        echo(f"  not kept   {report.beyond:,} beyond --limit: the drafts are a sample, always the same")
    for why, count in report.left_out.items():
        echo(f"  left out   {count:,}: {why}")
    if report.unread:
        echo(f"  unreadable {report.unread:,}")
    if report.cases:
        masked = ", ".join(f"{count:,} {_KINDS[kind][count != 1]}" for kind, count in report.masked.items())
        echo(f"  masked     {masked or 'nothing'}")
        echo(f"Names of people are not recognised: list them for --mask. Next: proctor check {output}")
