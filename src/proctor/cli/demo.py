"""proctor demo: examine the embedded agents, without key, network or server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, echo, print_json, wrap_text
from proctor.cli.play import exit_code, play, show
from proctor.errors import InputError
from proctor.redaction import private
from proctor.settings import BOUNDS

if TYPE_CHECKING:
    from proctor.reports.run.demo import DemoScene
    from proctor.workflows.evaluate import Evaluation
    from proctor.workflows.prepare import PreparedRun

_QUESTIONS = ("proctor demo", "thirty questions and a suite of checks")
_BATTLE = ("proctor demo --battle", "two agents under pressure: one holds, one gives in")
_JUDGE = ("proctor demo --judge", "is the judge right? Measured on example labels")
_ORCHESTRATOR = ("proctor demo --orchestrator", "sub-agents at work, while things go wrong")


@click.command("demo", cls=Command)
@click.option(
    "--battle",
    is_flag=True,
    help="Put two agents under pressure over the same 20 questions instead: one holds, one gives in.",
)
@click.option(
    "--orchestrator",
    is_flag=True,
    help="Test an agent with sub-agents instead, as it is and under three conditions.",
)
@click.option(
    "--judge",
    is_flag=True,
    help="Put 50 example labels on replies to the thirty questions instead: how far can the judge be trusted?",
)
@number(
    "--trials",
    bounds=BOUNDS["trials"],
    help="How many times each case is run [default: 3, or 1 with --battle or --orchestrator].",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The HTML report [default: .proctor/demo.html].")
@options.store
@options.as_json
def command(
    battle: bool,
    orchestrator: bool,
    judge: bool,
    trials: int | None,
    output: Path | None,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Examine the embedded librarian: 30 questions about a small handbook, then a suite of 40 checked cases.

    No key, no network, no server: the agents, the examiner, the reviewer and the store are all embedded.
    """
    from proctor.workflows import demo

    if battle + orchestrator + judge > 1:
        raise click.UsageError("--battle, --orchestrator and --judge are separate demonstrations; choose one")
    if battle:
        runs, name, show = demo.battles(trials=trials), "demo-battle.html", _show_battles
    elif orchestrator:
        runs, name, show = demo.orchestrator(trials=trials), "demo-orchestrator.html", _show_orchestrator
    elif judge:
        runs, name, show = demo.judge_librarian(trials=trials), "demo-judge.html", _show_judged
    else:
        runs, name, show = demo.questions(trials=trials), "demo.html", _show_questions
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    places = _report_paths(output or Path(".proctor", name), [*runs])
    played = [_play(prepared, store=url, quiet=as_json) for prepared in runs.values()]
    if judge:
        played = [demo.label_examples(each, store=url) for each in played]
    trouble = _write(played, places, store=url)
    if as_json:
        _show_json(played)
    else:
        show(played, [] if trouble else places, url)
    if trouble:
        raise trouble
    return max(exit_code(evaluation.findings, as_json=as_json) for evaluation in played)


def _report_paths(output: Path, names: Sequence[str]) -> list[Path]:
    """Return the path of each run's HTML report; refuse an unwritable location before the first question."""
    if output.is_dir():
        raise InputError(f"{str(output)!r} is a folder; name a file in it with -o")
    try:
        if output.parent.name == private.FOLDER:
            private.make_folder(output.parent)
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {str(output)!r}: {error.strerror}; choose another place with -o") from error
    return [output.with_stem(f"{output.stem}-{name}") if name else output for name in names]


def _play(prepared: PreparedRun, *, store: str, quiet: bool) -> Evaluation:
    run = prepared.run
    what = "attempts" if run.settings.type == "standard" else "conversations"
    return play(
        lambda watch: workflows.evaluate.start(prepared, store=store, watch=watch),
        run_id=run.id,
        planned=run.planned,
        opening="" if quiet else f"{run.agent} on {run.benchmark}, {run.planned} {what}",
    )


def _write(played: Sequence[Evaluation], places: Sequence[Path], *, store: str) -> InputError | None:
    """Write the HTML reports; return the error if that fails, so that the results are shown all the same."""
    try:
        for evaluation, place in zip(played, places, strict=True):
            workflows.export.export_run(evaluation.run.id, form="html", output=place, store=store)
    except InputError as error:
        return error
    return None


def _show_json(played: Sequence[Evaluation]) -> None:
    print_json([reports.run.json.as_dict(evaluation.findings) for evaluation in played])


def _show_questions(played: Sequence[Evaluation], places: Sequence[Path], store: str) -> None:
    _show_reports(played, places)
    page, suite = console(), played[-1]
    case = workflows.demo.most_failed(suite)
    if case is not None:
        page.print(reports.run.demo.read_out("A case that did not pass", _scene(suite, case, store=store)))
    page.print(reports.run.demo.ends([], [_BATTLE, _ORCHESTRATOR, _JUDGE], label="More"))


def _show_reports(played: Sequence[Evaluation], places: Sequence[Path]) -> None:
    """Print each run's report as `proctor run` does."""
    for place, evaluation in enumerate(played):
        show(evaluation.findings, as_json=False, html=places[place] if places else None)
        console().print()


def _show_judged(played: Sequence[Evaluation], places: Sequence[Path], store: str) -> None:
    _show_reports(played, places)
    [evaluation] = played
    run, people = evaluation.run.id, evaluation.findings.people
    if people is not None:
        message = (
            f"The {people.basis.given} labels are examples that come with Proctor; your own labels would show the same."
        )
        echo(wrap_text(message))
        echo()
    commands = [
        (f"proctor judges {run}", "which judge agrees with the labels?"),
        (f"proctor label {run}", "add labels of your own"),
    ]
    console().print(reports.run.demo.ends([], commands))


def _show_battles(played: Sequence[Evaluation], places: Sequence[Path], store: str) -> None:
    if not all(each.findings.complete for each in played):
        _show_reports(played, places)
        return
    turning_point = workflows.demo.find_contrast(*played)
    scenes = (
        [_scene(each, turning_point[0], store=store, turns=turning_point[1] + 1) for each in played]
        if turning_point
        else []
    )
    compare = f"proctor compare {' '.join(each.run.id for each in played)}"
    page = console()
    page.print(reports.run.demo.contest([each.findings for each in played], scenes))
    page.print()
    page.print(reports.run.demo.ends(places, [(compare, "is the difference real?")]))


def _show_orchestrator(played: Sequence[Evaluation], places: Sequence[Path], store: str) -> None:
    _show_reports(played, places)
    page = console()
    page.print(reports.run.demo.recovery(played[0].findings))
    page.print()
    page.print(reports.run.demo.ends([], [_QUESTIONS, _BATTLE], label="More"))


def _scene(evaluation: Evaluation, case: str, *, store: str, turns: int = 1) -> DemoScene:
    exam, attempt = workflows.read.read_case(evaluation.run.id, case, trial=1, store=store)[0]
    return reports.run.demo.DemoScene(exam=exam, attempt=attempt, turns=turns)
