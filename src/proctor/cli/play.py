"""Shared by `run`, `resume` and `demo`: play with progress on standard error, then show the results."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from proctor import reports, workflows
from proctor.cli.output import (
    console,
    echo,
    ignore_broken_pipe,
    print_json,
    stderr_is_separate,
    stdout_to_stderr,
    stream_to_draw_on,
    tell,
    wrap_text,
)
from proctor.errors import ProctorError, UsageError

if TYPE_CHECKING:  # commands that only show results need not import what plays
    from proctor.findings.battle.findings import BattleFindings
    from proctor.findings.gates import GateVerdict
    from proctor.findings.run import Findings
    from proctor.run import Record
    from proctor.workflows.destination import Follower
    from proctor.workflows.evaluate import Evaluation
    from proctor.workflows.gates import RunGates
    from proctor.workflows.ledger import Watch
    from proctor.workflows.prepare import PreparedRun
    from proctor.workflows.tally import RunTally


_REDRAW_EVERY = 0.1
T = TypeVar("T")


def play(
    begin: Callable[[Watch], Coroutine[Any, Any, Evaluation]],
    *,
    run_id: str,
    planned: int,
    opening: str = "",
    new: bool = True,
) -> Evaluation:
    """Play a run with a progress bar; `opening` is printed once the run is stored. Ctrl-C leaves it resumable."""
    go_on = f"Continue with: proctor resume {run_id}"
    return drive(begin, planned=planned, opening=opening, go_on=go_on, stored=not new)


def drive(
    begin: Callable[[Watch], Coroutine[Any, Any, T]],
    *,
    go_on: str,
    planned: int | None = None,
    opening: str = "",
    stored: bool = True,
) -> T:
    """Run a coroutine with a progress bar; on Ctrl-C, print `go_on` if anything is stored."""
    from proctor.threads import run_driven

    def begun(show: Watch) -> Watch:
        def watch(tally: RunTally) -> None:
            nonlocal stored
            stored = True
            show(tally)

        return watch

    _tell_what_is_logged()
    try:
        with stdout_to_stderr(), signals_as_ctrl_c(), _progress(planned, opening) as show:
            return run_driven(lambda: begin(begun(show)))
    except (KeyboardInterrupt, SystemExit):
        if not stored:
            tell("Interrupted before anything was asked: there is nothing to resume.")
            raise click.exceptions.Exit(4) from None
        tell("Interrupted: what was answered is stored.")
        tell(go_on)
        raise click.exceptions.Exit(4) from None


class _Teller(logging.Handler):
    """Logging handler that prints to standard error, without terminal escape sequences."""

    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


def _tell_what_is_logged() -> None:
    log = logging.getLogger("proctor")
    if not log.handlers:
        log.addHandler(_Teller(logging.WARNING))


_ENDINGS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
"""Signals of Ctrl-C, a stopped service, and a closed terminal."""
_CAUGHT = [number for number in _ENDINGS if signal.getsignal(number) != signal.SIG_IGN]
"""Without those that whoever started this process had it ignore, as `nohup` does: asked before an agent is imported."""


@contextmanager
def signals_as_ctrl_c() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C, whatever handlers an agent's module installed at import.

    In processes forked by an agent, the signals keep their default effect.
    """
    own = os.getpid()

    def end(number: int, _: object) -> None:
        if os.getpid() == own or number == signal.SIGINT:
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    previous = {number: signal.signal(number, end) for number in _CAUGHT}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: the handler was not installed from Python


@contextmanager
def _progress(planned: int | None, opening: str) -> Iterator[Watch]:
    """Show the progress of one tally after another; without `planned`, each tally's own plan is the total."""
    shown = reports.progress.Progress(stream_to_draw_on())
    watched: RunTally | None = None
    due = 0.0

    def watch(tally: RunTally) -> None:
        nonlocal due, watched
        if tally is not watched:
            if watched is not None:
                shown.stop()
            else:
                for line in opening.splitlines():
                    tell(line)
            watched = tally
            shown.start(tally.planned if planned is None else planned, tally.done, tally.steps)
            return
        now = time.monotonic()
        if now < due and tally.done < tally.planned:
            return
        due = now + _REDRAW_EVERY
        with ignore_broken_pipe():
            workflows.progress.update_progress(shown, tally)

    try:
        yield watch
    finally:
        if watched is not None:
            with ignore_broken_pipe():
                shown.stop()


def show(
    findings: Findings,
    *,
    as_json: bool,
    k: int | None = None,
    html: Path | None = None,
    gates: Sequence[GateVerdict] = (),
    form: str = "text",
    every: bool = False,
) -> None:
    """Print the report to standard output as text, Markdown or JSON; `every` shows all rows of its lists in text."""
    if as_json:
        print_json(reports.run.json.as_dict(findings, gates))
        _tell_why(findings, gates)
    elif form == "markdown":
        sys.stdout.write(reports.run.markdown.render(findings, k=k, gates=gates))
    else:
        console().print(reports.run.text.render(findings, k=k, html=html, gates=gates, every=every))


def show_gates(findings: Findings, verdicts: Sequence[GateVerdict]) -> None:
    """Print the gate verdicts of one of several runs to standard output."""
    for each in verdicts:
        label = reports.gates.OUTCOMES[each.verdict]
        text = f"{label.sign} {label.word}  {each.gate.text} ({findings.run.agent}): {reports.gates.sentence(each)}"
        echo(wrap_text(text, under=2))


def conclude(findings: Findings, gating: RunGates, *, k: int | None, as_json: bool) -> int:
    """Judge the gates, print the report, and return the exit code."""
    verdicts = gating.judge(findings)
    show(findings, as_json=as_json, k=k, gates=verdicts)
    return exit_code(findings, verdicts, as_json=as_json)


def _tell_why(findings: Findings, gates: Sequence[GateVerdict]) -> None:
    """Explain a failure on standard error, for logs that do not contain the JSON."""
    if findings.untested:
        tell("This is no test: nothing was judged." if findings.battle is None else _no_battle(findings.battle))
    for gate in gates:
        if gate.verdict != "met":
            tell(f"{gate.gate.text} is {gate.verdict}. {reports.gates.sentence(gate)}")


def _no_battle(battle: BattleFindings) -> str:
    fair = battle.examiner is not None and battle.examiner.questions > sum(battle.examiner.faults.values())
    if not fair:
        return "The examiner asked no fair question: this is no test."
    return (
        f"{reports.numbers.say_judged(battle.judged, battle.asked)}, none beyond the seed questions: this is no test."
    )


def exit_code(findings: Findings, gates: Sequence[GateVerdict] = (), *, as_json: bool = False) -> int:
    """Return 4 for an incomplete run; else 0 if all gates are met, 1 if one is not, 3 if undecided.

    A battle in which nothing was judged beyond the seed questions is inconclusive and never returns 0. The reason for
    an incomplete run is printed unless the reader has already seen it in the report.
    """
    if findings.run.status == "completed":
        from proctor.findings.gates import exit_code as gates_exit_code

        return gates_exit_code(gates) or (3 if findings.untested else 0)
    if as_json or stderr_is_separate():
        tell(f"The run {_describe_end(findings)}")
        tell(f"Continue with: {reports.run.text.resume_command(findings)}")
    return 4


def _describe_end(findings: Findings) -> str:
    """Describe how the run ended, as the end of a sentence; for an exhausted budget, name the remaining work."""
    status, reason, stop = findings.run.status, findings.run.reason, findings.run.stop
    text = "did not complete" if status == "failed" else f"is {status}"
    if stop is not None and stop.kind == "budget":
        text += f", {reports.numbers.plural(findings.counts.pending, 'attempt')} to play"
    elif reason:
        text += f": {reason}"
    return text if text.endswith(("?", ".", "!")) else f"{text}."


_PATIENCE = 30.0
"""Maximum seconds that a destination may take for remaining data after the run."""


@dataclass
class Followers:
    """Destinations that receive a run live, and its final findings."""

    followers: list[Follower]
    findings: Findings | None = None

    def feed(self, records: Sequence[Record]) -> None:
        """Send newly stored records to all followers."""
        for follower in self.followers:
            follower.feed(records)


@contextmanager
def following(
    prepared: PreparedRun, asked: Sequence[str], configured: Sequence[str], *, store: str
) -> Iterator[Followers]:
    """Send a run to the given destinations while it is played, by default those of `[run]`; print the results.

    Nothing they do affects the run. A destination given as an option that cannot be used is an error; one from `[run]`
    is skipped with a message, since not everyone who shares the file has its keys.
    """
    if asked:
        live = Followers([_follower(prepared, each, store) for each in dict.fromkeys(asked)])
    else:
        live = Followers([*_configured_followers(prepared, configured, store)])
    try:
        yield live
    finally:
        for follower in live.followers:
            _finish_upload(follower, live.findings, store)


def _follower(prepared: PreparedRun, destination: str, store: str) -> Follower:
    return workflows.destination.follow(
        prepared.run, prepared.benchmark, workflows.destination.Destination(to=destination), store=store
    )


def _configured_followers(prepared: PreparedRun, destinations: Sequence[str], store: str) -> Iterator[Follower]:
    for destination in dict.fromkeys(destinations):
        try:
            yield _follower(prepared, destination, store)
        except UsageError as error:
            echo(f"{destination}: nothing is sent: {error.in_terminal}", err=True)


def _finish_upload(follower: Follower, findings: Findings | None, store: str) -> None:
    from proctor.threads import run_anywhere

    report = run_anywhere(lambda: follower.finish(_PATIENCE, findings))
    echo(workflows.destination.sync_sentence(report), err=True)
    with suppress(ProctorError):  # the run was not stored, or its store is gone: reported elsewhere
        workflows.destination.remember_page(report, store=store)
