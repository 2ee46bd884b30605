"""proctor compare: compare run B with run A, or several runs with each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, print_json
from proctor.settings import BOUNDS, known_are

if TYPE_CHECKING:
    from proctor.findings.comparison import Compared
    from proctor.findings.comparison.many import ManyCompared
    from proctor.findings.run import Findings


@click.command("compare", cls=Command)
@click.argument("runs", nargs=-1, metavar="A B [C …]", shell_complete=completion.runs)
@number(
    "--k", bounds=BOUNDS["k"], help="The k of pass@k and pass^k [default: the number of trials that both runs have]."
)
@click.option("--category", metavar="NAME", help="Of three runs or more: show only the cases of this category.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Of three runs or more: show every case, not only the first on which they disagree.",
)
@click.option("--force", is_flag=True, help="Compare runs that are not comparable, and say how they differ.")
@options.form
@options.store
@options.as_json
def command(
    runs: tuple[str, ...],
    k: int | None,
    category: str | None,
    every: bool,
    force: bool,
    form: str,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Is run B better than run A, or which of several is best? Each is an id, a prefix or name, or `last`.

    Each case is compared with itself. Runs with other cases, another reviewer, rubric, passing score or weights are
    refused with exit 2. Three runs or more are compared in all pairs, and ranked only as far as the cases show.
    """
    if len(runs) < 2:
        raise click.UsageError(f"{len(runs)} run was named; expected two or more: `proctor list` shows those stored")
    config = options.load_config(config_path)
    _refuse_one_run(runs, store=workflows.store_url.store_url(store, config))
    if len(runs) == 2:
        if category or every:
            raise click.UsageError("--category and --all are for three runs or more; two show every case that changed")
        show_compared(
            workflows.compare.compare(*runs, k=k, force=force, store=store, config=config), form=form, as_json=as_json
        )
        return 0
    if k is not None:
        raise click.UsageError("--k is for two runs; several are compared by their pass rates")
    many = _of_category(workflows.compare.compare_several(runs, force=force, store=store, config=config), category)
    show_compared(many, form=form, as_json=as_json, every=every)
    return 0


def side_by_side(found: Sequence[Findings], *, force: bool) -> Compared | ManyCompared:
    """Compare two runs, or several."""
    from proctor.findings.comparison import compare_findings
    from proctor.findings.comparison.many import compare_many

    return compare_findings(*found, force=force) if len(found) == 2 else compare_many(found, force=force)


def as_dict(compared: Compared | ManyCompared) -> dict[str, Any]:
    """What `--json` prints."""
    from proctor.findings.comparison import Compared

    return (
        reports.comparison.json.as_dict(compared)
        if isinstance(compared, Compared)
        else reports.comparison.many.as_dict(compared)
    )


def show_compared(
    compared: Compared | ManyCompared, *, form: str = "text", as_json: bool = False, every: bool = False
) -> None:
    """Print the comparison to standard output."""
    from proctor.findings.comparison import Compared

    if as_json:
        print_json(as_dict(compared))
    elif isinstance(compared, Compared):
        sys.stdout.write(reports.comparison.markdown.render(compared)) if form == "markdown" else console().print(
            reports.comparison.text.render(compared)
        )
    else:
        if form == "markdown":
            sys.stdout.write(reports.comparison.many.markdown(compared))
        else:
            console().print(reports.comparison.many.render(compared, every=every))


def _of_category(many: ManyCompared, category: str | None) -> ManyCompared:
    if category is None:
        return many
    rows = tuple(row for row in many.rows if category in row.categories)
    if not rows:
        known = sorted({name for row in many.rows for name in row.categories})
        raise click.UsageError(f"no case has the category {category!r}; {known_are(known)}")
    return replace(many, rows=rows)


def _refuse_one_run(names: Sequence[str], *, store: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        run = workflows.read.find_run(name, store=store).id
        if run in seen:
            a, b = ("A=", "B=") if len(names) == 2 else ("", "")
            raise click.UsageError(
                f"{a}{seen[run]!r} and {b}{name!r} are the same run {run}; "
                f"expected {'two' if len(names) == 2 else 'different ones'}: `proctor list` shows those that are stored"
            )
        seen[run] = name
