"""What `run`, `resume` and `demo` share: play with progress on standard error, then show what was found."""

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

if TYPE_CHECKING:  # commands that only show need nothing that plays
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
    """Play a run with its progress shown, after opening lines once it is stored; Ctrl-C leaves it resumable."""
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
    """Whatever plays or judges, with its progress shown; Ctrl-C tells how to go on, where something is `stored`."""
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
    """Tells what is logged as everything else is told: on standard error, without what a terminal would obey."""

    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


def _tell_what_is_logged() -> None:
    log = logging.getLogger("proctor")
    if not log.handlers:
        log.addHandler(_Teller(logging.WARNING))


_ENDINGS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
"""Of Ctrl-C, of a service that is stopped, and of a terminal that is closed."""
_CAUGHT = [number for number in _ENDINGS if signal.getsignal(number) != signal.SIG_IGN]
"""Without those that whoever started this process had it ignore, as `nohup` does: asked before an agent is imported."""


@contextmanager
def signals_as_ctrl_c() -> Iterator[None]:
    """SIGTERM and SIGHUP end a run as Ctrl-C does, whatever an agent's module had them do when it was imported.

    Processes that an agent forks keep their usual meaning.
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
            signal.signal(number, handler or signal.SIG_DFL)  # None: one that is not Python's


@contextmanager
def _progress(planned: int | None, opening: str) -> Iterator[Watch]:
    """The progress of one tally after the other; without `planned`, of as much as each plans."""
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
    """The report on standard output, as text, Markdown or JSON; as text, `every` row of its lists or the first."""
    if as_json:
        print_json(reports.run.json.as_dict(findings, gates))
        _tell_why(findings, gates)
    elif form == "markdown":
        sys.stdout.write(reports.run.markdown.render(findings, k=k, gates=gates))
    else:
        console().print(reports.run.text.render(findings, k=k, html=html, gates=gates, every=every))


def show_gates(findings: Findings, verdicts: Sequence[GateVerdict]) -> None:
    """One run among several: what became of its gates, on standard output."""
    for each in verdicts:
        label = reports.gates.OUTCOMES[each.verdict]
        said = f"{label.sign} {label.word}  {each.gate.text} ({findings.run.agent}): {reports.gates.sentence(each)}"
        echo(wrap_text(said, under=2))


def conclude(findings: Findings, gating: RunGates, *, k: int | None, as_json: bool) -> int:
    """Judge the gates, show what was found, and give the exit code."""
    verdicts = gating.judge(findings)
    show(findings, as_json=as_json, k=k, gates=verdicts)
    return exit_code(findings, verdicts, as_json=as_json)


def _tell_why(findings: Findings, gates: Sequence[GateVerdict]) -> None:
    """Why the command will fail, for a log from which the JSON was led away."""
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
    """4 for a run that did not complete, whatever its gates; else 0 where all are met, 1 where one is not, 3.

    A battle in which nothing was judged beyond the seed questions has shown nothing, so it is never 0. Why a run
    stopped is told to whoever has not just read it in the report.
    """
    if findings.run.status == "completed":
        from proctor.findings.gates import exit_code as gates_exit_code

        return gates_exit_code(gates) or (3 if findings.untested else 0)
    if as_json or stderr_is_separate():
        tell(f"The run {_describe_end(findings)}")
        tell(f"Continue with: {reports.run.text.resume_command(findings)}")
    return 4


def _describe_end(findings: Findings) -> str:
    """How it ended, to the full stop; how much of a budget was spent stands in the report: here, what is left to do."""
    status, reason, stop = findings.run.status, findings.run.reason, findings.run.stop
    said = "did not complete" if status == "failed" else f"is {status}"
    if stop is not None and stop.kind == "budget":
        said += f", {reports.numbers.plural(findings.counts.pending, 'attempt')} to play"
    elif reason:
        said += f": {reason}"
    return said if said.endswith(("?", ".", "!")) else f"{said}."


_PATIENCE = 30.0
"""Seconds that a destination may take for what is left when the run is over."""


@dataclass
class Followers:
    """Who follows a run, and what it found in the end."""

    followers: list[Follower]
    findings: Findings | None = None

    def feed(self, records: Sequence[Record]) -> None:
        """Tell everybody of what has just been stored."""
        for follower in self.followers:
            follower.feed(records)


@contextmanager
def following(
    prepared: PreparedRun, asked: Sequence[str], configured: Sequence[str], *, store: str
) -> Iterator[Followers]:
    """Let the destinations asked for follow a run, else those of `[run]`; say on standard error what they got.

    Nothing they do changes the run. One that was asked for and cannot be reached at all is refused beforehand; one that
    only stands in `[run]` is left out with a sentence, for not everybody who shares the file has its keys.
    """
    if asked:
        live = Followers([_follower(prepared, each, store) for each in dict.fromkeys(asked)])
    else:
        live = Followers([*_configured_followers(prepared, configured, store)])
    try:
        yield live
    finally:
        for follower in live.followers:
            _conclude(follower, live.findings, store)


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


def _conclude(follower: Follower, findings: Findings | None, store: str) -> None:
    from proctor.threads import run_anywhere

    report = run_anywhere(lambda: follower.finish(_PATIENCE, findings))
    echo(workflows.destination.sync_sentence(report), err=True)
    with suppress(ProctorError):  # the run was not stored, or its store is gone: that is told elsewhere
        workflows.destination.remember_page(report, store=store)
