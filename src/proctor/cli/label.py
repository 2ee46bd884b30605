"""proctor label: collect human labels, against which the judge is measured."""

from __future__ import annotations

import getpass
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor import reports, workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.cli.output import console, echo
from proctor.settings import Bounds

if TYPE_CHECKING:
    from proctor.run import HumanLabel
    from proctor.workflows.human_labels import Drawn, LabelSample

_KEYS = "p pass, f fail, s skip, u undo, n note, q quit"


@click.command("label", cls=Command)
@options.run_argument
@number(
    "-n",
    "--count",
    "count",
    bounds=Bounds(least=1, most=10**9, whole=True),
    default=50,
    show_default=True,
    help="How many attempts to label, drawn at random, at most one per case.",
)
@number("--seed", whole=True, default=0, show_default=True, help="The random seed of the sample.")
@click.option("--who", help="Who labels [default: your user name].")
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    help="Write the attempts to this CSV file instead of asking, for people elsewhere.",
)
@click.option("--from", "source", type=click.Path(path_type=Path), help="Store the labels of such a file, filled in.")
@options.store
def command(
    run: str,
    count: int,
    seed: int,
    who: str | None,
    to: Path | None,
    source: Path | None,
    store: str | None,
    config_path: Path | None,
) -> int:
    """Label attempts of RUN, one at a time: does the reply pass? The judge's verdict is shown after yours.

    `proctor show RUN` then shows the pass rate as people judge, with its interval.
    """
    if to is not None and source is not None:
        raise click.UsageError("--to writes a file and --from reads one; give one of them")
    url = workflows.store_url.store_url(store, options.load_config(config_path))
    name = who or _user()
    if source is not None:
        stored = workflows.human_labels.read_sheet(run, source, store=url, who=name)
        echo(f"stored {stored} label{'' if stored == 1 else 's'}; proctor show {run} shows the rate as people judge")
        return 0
    sample = workflows.human_labels.draw_sample(run, store=url, count=count, seed=seed, who=name)
    if not sample.left:
        echo(_nothing_left(sample, run, name, count))
        return 0
    if to is not None:
        workflows.human_labels.write_sheet(sample.left, to)
        wrote = f"wrote {len(sample.left)} attempts to {to}"
        echo(f"{wrote}: fill in verdict (pass or fail), then proctor label {run} --from {to}")
        return 0
    if not sys.stdin.isatty():
        raise click.UsageError("label asks for single keys at a terminal; without one, use --to FILE and --from FILE")
    with _terminal(single_keys=True):
        return _ask(sample, run, name, url)


def _nothing_left(sample: LabelSample, run: str, who: str, count: int) -> str:
    if len(sample.drawn) == sample.cases:
        return f"{who} has labelled every case of {run} that has a reply and a verdict: nothing is left to label"
    more = f"-n {2 * count} draws more of its {sample.cases} cases"
    return f"{who} has labelled all {count} attempts that are drawn of {run}; {more}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # no user name, as in some containers
        raise click.UsageError("it is not known who you are; give --who NAME") from None


def _ask(sample: LabelSample, run: str, who: str, store: str) -> int:
    """Label one attempt after the other with single key presses."""
    made: list[HumanLabel | None] = []
    drawn, all_drawn = sample.left, len(sample.drawn)
    while len(made) < len(drawn):
        shown = drawn[len(made)]
        _show(shown, sample.place_of(shown), all_drawn)
        answer = _key(shown, who, store, made)
        if answer == "q":
            break
    given = all_drawn - len(drawn) + sum(label is not None for label in made)
    echo(f"\n{given} of {all_drawn} labelled as {who}; proctor show {run} shows the rate as people judge")
    return 0


def _show(shown: Drawn, number: int, total: int) -> None:
    page = console()
    page.rule(f"{number} of {total}", align="left")
    asked = "Does the agent hold its answer to the end?" if shown.is_conversation else "Does the reply pass?"
    pieces = [("question", shown.question()), ("expected", shown.reference()), ("reply", shown.reply())]
    for title, text in pieces:
        if text:
            page.print(f"[dim]{title}[/dim]", highlight=False)
            page.print(reports.words.clean(text), markup=False, highlight=False)
    page.print(f"[bold]{asked}[/bold]  [dim]{_KEYS}[/dim]", highlight=False)


def _key(shown: Drawn, who: str, store: str, made: list[HumanLabel | None]) -> str:
    """Read and handle one key; return it."""
    started, note = time.monotonic(), ""
    while True:
        pressed = _read_key()
        if pressed in ("p", "f"):
            took = time.monotonic() - started
            label = workflows.human_labels.put_label(
                shown.attempt.key, passed=pressed == "p", who=who, store=store, note=note, seconds=took
            )
            made.append(label)
            judged = "passed" if shown.attempt.passed else "failed"
            echo(f"you: {'pass' if label.passed else 'fail'}; the judge {judged} it")
        elif pressed == "s":
            made.append(None)
        elif pressed == "n":
            with _terminal(single_keys=False):
                note = click.prompt("note", default="", show_default=False)
            continue
        elif pressed == "u" and made:
            last = made.pop()
            if last is not None:
                workflows.human_labels.take_back(last, store=store)
        elif pressed != "q":
            continue
        return pressed


@contextmanager
def _terminal(*, single_keys: bool) -> Iterator[None]:
    """Switch the terminal between single-key input without echo and line input; pending keys are not lost."""
    try:
        import termios
        import tty
    except ImportError:  # Windows: click.getchar is used
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    changed = termios.tcgetattr(sys.stdin)
    changed[tty.LFLAG] |= termios.ECHO | termios.ICANON
    if single_keys:
        changed[tty.LFLAG] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, changed)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _read_key() -> str:
    """Return the next key; end of input, Ctrl-C and Ctrl-D count as q."""
    try:
        pressed = os.read(sys.stdin.fileno(), 1).decode(errors="replace") if os.name == "posix" else click.getchar()
    except (EOFError, KeyboardInterrupt):
        return "q"
    return "q" if pressed in ("", "\x03", "\x04") else pressed.lower()
