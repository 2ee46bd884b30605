"""proctor import: import benchmarks and results of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import echo, print_json
from proctor.formats.imports.contract import ImportOptions
from proctor.settings import BOUNDS

if TYPE_CHECKING:
    from proctor.workflows.import_run import FileImport, ImportPlan, ImportReport

_TOOLS = ["inspect", "promptfoo", "langsmith", "langfuse", "openai"]


@click.command("import", cls=Command)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "target",
    metavar="SUITE",
    type=click.Path(path_type=Path),
    help="Write the cases as a suite file: .yaml, .yml or .jsonl; beyond 8 MiB further files SUITE-2, "
    "SUITE-3 … follow.",
)
@click.option("--from", "tool", type=click.Choice(_TOOLS), help="The tool the files come from [default: detected].")
@click.option(
    "--scorer",
    metavar="NAME",
    help="The scorer whose score decides, in a log with several; the others are kept for information "
    "[default: the log's headline, or its only scorer].",
)
@number(
    "--passing-score",
    bounds=BOUNDS["passing_score"],
    help="The score from which a reply passes, where a tool gives scores and no verdicts [default: 0.7].",
)
@click.option(
    "--question",
    metavar="KEY",
    help="The key that holds the question, in items whose input is an object [default: found by its name].",
)
@click.option("--answer", metavar="KEY", help="The key that holds the expected answer [default: found by its name].")
@click.option("--name", help="A name for the benchmark [default: its name in the file].")
@click.option("--label", "labels", multiple=True, metavar="KEY=VALUE", help="A label for the runs; repeatable.")
@click.option("--no-runs", is_flag=True, help="Import the cases only, without results.")
@click.option("--again", is_flag=True, help="Import a run again that was imported from the same file before.")
@options.store
@options.as_json
def command(
    files: tuple[Path, ...],
    labels: tuple[str, ...],
    no_runs: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Import cases and results of other tools; results become stored runs.

    FILE is a log of Inspect AI (.eval, .json) or a folder of them, a config or results of promptfoo, a dataset exported
    from LangSmith or Langfuse, or data, graders or results of OpenAI Evals. The tool's verdicts are kept. What has no
    counterpart is listed. Exit 1: some records could not be imported.
    """
    if no_runs and given["target"] is None:
        raise click.UsageError("--no-runs without -o would keep nothing; give -o SUITE")
    where = None if no_runs else workflows.store_url.store_url(store, options.load_config(config_path))
    report = workflows.import_run.import_files(files, _plan(where, labels, **given))
    if as_json:
        print_json(_as_dict(report))
    else:
        _print_report(report)
    return 0 if report.is_whole else 1


def _plan(store: str | None, labels: tuple[str, ...], **given: Any) -> ImportPlan:
    chosen = ImportOptions(**{name: given.pop(name) for name in ("question", "answer", "scorer")})
    return workflows.import_run.ImportPlan(store=store, labels=options.label_pairs(labels), options=chosen, **given)


def _print_report(report: ImportReport) -> None:
    for file in report.files:
        echo(f"{file.path}: {_tool(file)}, {reports.numbers.plural(file.cases, 'case')}")
        for each in file.runs:
            echo(f"  {reports.imports.run_line(each.run, each.outcomes, known=each.known)}")
        for line in reports.imports.log_lines(file.log):
            echo(f"  {line}")
    if report.suites:
        echo(reports.imports.suite_line(report.suites, report.written))


def _tool(file: FileImport) -> str:
    return f"{file.tool} {file.version}".strip()


def _as_dict(report: ImportReport) -> dict[str, Any]:
    return {
        "files": [
            {
                "file": str(file.path),
                "tool": file.tool,
                "version": file.version or None,
                "cases": file.cases,
                "runs": [
                    {"id": each.run.id, "name": each.run.name, "status": each.run.status, "outcomes": each.outcomes,
                     "imported_before": each.known}
                    for each in file.runs
                ],
                **reports.imports.log_dict(file.log),
            }
            for file in report.files
        ],
        "suites": [str(path) for path in report.suites],
        "cases_written": report.written,
        "complete": report.is_whole,
    }  # fmt: skip
