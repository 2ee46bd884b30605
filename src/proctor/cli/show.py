"""proctor show: show the results of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from proctor import reports, workflows
from proctor.benchmark import Case
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.gate_options import gate_options
from proctor.cli.options import number
from proctor.cli.output import console, print_json, tell
from proctor.cli.play import exit_code, show
from proctor.cli.run import check_k
from proctor.errors import InputError
from proctor.settings import BOUNDS

_TOLD = 5
"""Maximum cases listed in an error."""
_QUESTION = 60
"""Maximum characters shown of a question."""


def chosen(run: str, text: str, *, store: str) -> str:
    """Return the text if a case id starts with it; else the id of the one case with this question or these words.

    The case chosen by its question is printed to standard error.
    """
    from proctor.running.plan import exams_of
    from proctor.storage import open_store

    with open_store(store, create=False) as opened:
        found = opened.archive.find(run)
        exams = exams_of(opened.archive.benchmark_of(found.id), found.settings)
    cases = [case for exam in exams for case in exam.cases]
    ids = {*(exam.id for exam in exams), *(case.id for case in cases)}
    meant = [] if text in ids else _with_question(text, cases)
    if not meant and any(name.startswith(text) for name in ids):
        return text
    meant = meant or _with_words(text, cases)
    if not meant:
        raise InputError(
            f"no case of run {found.id} has an id that begins with {text!r}, or a question with these words: "
            f"its cases are {_list_cases(cases)}"
        )
    if len(meant) > 1:
        raise InputError(
            f"{len(meant)} questions have the words {text!r}: {_list_cases(meant)}; give an id, or more words"
        )
    tell(f"case {_describe_case(meant[0])}")
    return meant[0].id


def _with_question(text: str, cases: Sequence[Case]) -> list[Case]:
    """Return the cases with this question, ignoring case and whitespace."""
    wanted = _plain(text)
    return [case for case in cases if wanted and _plain(case.question) == wanted]


def _with_words(text: str, cases: Sequence[Case]) -> list[Case]:
    """Return the best matches: same question without punctuation, else with the phrase, all words, or word parts."""
    wanted = _words(text)
    asked = [(case, _words(case.question)) for case in cases] if wanted else []
    phrase = f" {' '.join(wanted)} "
    ways: tuple[Callable[[list[str]], bool], ...] = (
        lambda words: words == wanted,
        lambda words: phrase in f" {' '.join(words)} ",
        lambda words: {*words}.issuperset(wanted),
        lambda words: all(word in " ".join(words) for word in wanted),
    )
    found = ([case for case, words in asked if way(words)] for way in ways)
    return next((meant for meant in found if meant), [])


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _plain(text))


def _plain(text: str) -> str:
    from proctor.reading.text.fold import fold

    return " ".join(fold(text).split())


def _list_cases(cases: Sequence[Case]) -> str:
    left = len(cases) - _TOLD
    return "; ".join(map(_describe_case, cases[:_TOLD])) + (f" and {left} more" if left > 0 else "")


def _describe_case(case: Case) -> str:
    return f"{reports.words.one_line(case.id, _QUESTION)} ({reports.words.one_line(case.question, _QUESTION)})"


@click.command("show", cls=Command)
@options.run_argument
@number("--k", bounds=BOUNDS["k"], help="The k shown for pass@k and pass^k [default: the number of trials].")
@options.form
@click.option(
    "--case",
    metavar="ID|WORDS",
    help="Show the conversations of one case instead: its id, the beginning of one, or words of its "
    "question; several that have them are listed.",
)
@number("--trial", bounds=BOUNDS["trials"], help="Only this trial of the case [default: all].")
@click.option(
    "--where",
    "wanted",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only cases whose metadata, or category, is this, as if there were no others; repeatable, and all must hold.",
)
@click.option(
    "--all", "every", is_flag=True, help="Show every case, check and reason, and all of a case, not only the beginning."
)
@gate_options
@options.store
@options.as_json
def command(
    run: str,
    k: int | None,
    form: str,
    case: str | None,
    trial: int | None,
    wanted: tuple[str, ...],
    every: bool,
    gates: tuple[str, ...],
    look: int,
    force: bool,
    store: str | None,
    config_path: Path | None,
    as_json: bool,
) -> int:
    """Show what RUN (an id, a unique prefix, a unique name, or `last`) found."""
    gating = workflows.gates.read_gates(gates, k=k, look=look, force=force)
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    if case is not None:
        return _read_out(run, case, trial, store=url, as_json=as_json, every=every)
    if trial is not None:
        raise click.UsageError("--trial picks a trial of a case; give --case too")
    if wanted:
        findings = workflows.case_slice.read_slice(run, options.label_pairs(wanted, option="--where"), store=url)
    else:
        findings = workflows.read.read_findings(run, store=url)
    check_k(k, findings.run.settings.trials)
    verdicts = workflows.gates.with_baselines(gating, findings.run, store=url).judge(findings)
    show(findings, as_json=as_json, k=k, gates=verdicts, form=form, every=every)
    return exit_code(findings, verdicts, as_json=as_json) if gates else 0


def _read_out(run: str, case: str, trial: int | None, *, store: str, as_json: bool, every: bool) -> int:
    """Print the conversations of one case."""
    import json

    from proctor.codec import encode

    found = workflows.read.read_case(run, chosen(run, case, store=store), trial=trial, store=store)
    labels_by_attempt = workflows.people.read_labels(run, store=store)
    if as_json:
        print_json(
            [
                {
                    **json.loads(encode(attempt)),
                    "labels": [reports.people.label_dict(label) for label in labels_by_attempt.get(attempt.key, ())],
                }
                for _, attempt in found
            ]
        )
        return 0
    for exam, attempt in found:
        labels = labels_by_attempt.get(attempt.key, ())
        console().print(reports.battle.dialogue.dialogue(exam, attempt, labels=labels, folded=False, whole=every))
    return 0
