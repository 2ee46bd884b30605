"""What `verbose` shows: every verdict with the judge's words, and on a terminal a bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from proctor.metrics.conversations import Conversation, Interaction
from proctor.metrics.judge import Told, Verdict


def _silent(conversation: Conversation, interaction: Interaction, verdict: Verdict) -> None:
    """Nothing is shown."""


@contextmanager
def progress(total: int, *, verbose: bool, stream: TextIO | None = None) -> Iterator[Told]:
    """What is told of each verdict while the judge is at work; silent unless `verbose`."""
    stream = stream or sys.stderr
    if not verbose:
        yield _silent
    elif stream.isatty():
        with _bar(total, stream) as told:
            yield told
    else:
        yield _lines(total, stream)


def _lines(total: int, stream: TextIO) -> Told:
    done = 0

    def told(conversation: Conversation, interaction: Interaction, verdict: Verdict) -> None:
        nonlocal done
        done += 1
        with suppress(OSError):  # a reader that has gone away is no reason to lose what was judged
            print(f"[agentic {done}/{total}] {line(conversation, interaction, verdict)}", file=stream, flush=True)

    return told


@contextmanager
def _bar(total: int, stream: TextIO) -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=stream), transient=True) as bar:
        task = bar.add_task("judging", total=total)

        def told(conversation: Conversation, interaction: Interaction, verdict: Verdict) -> None:
            said = line(conversation, interaction, verdict)
            bar.console.print(said, markup=False, highlight=False, soft_wrap=True)
            bar.advance(task)

        yield told


def line(conversation: Conversation, interaction: Interaction, verdict: Verdict) -> str:
    """One verdict in one line; whatever could move the cursor is left out."""
    trial = f" trial {conversation.trial}" if conversation.trial > 1 else ""
    said = f"{verdict.score:.2f}: {verdict.explanation}" if verdict.score is not None else f"unscored: {verdict.reason}"
    text = f"{conversation.session_id}{trial} {interaction.qa_id} {said}"
    return "".join(letter if letter.isprintable() else " " for letter in text)
