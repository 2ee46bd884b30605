from __future__ import annotations

import io

import pytest
from tests.metrics.scripted import conversation, judge_by, source, unsure

from proctor.metrics.agentic import Agentic, line, progress
from proctor.metrics.conversations import CheckedConversation, Interaction
from proctor.metrics.judge import JudgeVerdict
from proctor.transcript import Reply

SAID = Interaction(qa_id="q1", question="?", expected="8", reply=Reply(text="8"), expectations=())
TALK = CheckedConversation(session_id="s1", assistant_id="", trial=2, interactions=(SAID,))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_silent_unless_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    Agentic.run(source(conversation("a", "rr")), model=judge_by(unsure), k=1)
    assert capsys.readouterr() == ("", "")


def test_verbose_shows_every_verdict_with_the_judge_s_words_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Agentic.run(source(conversation("a", "ru")), model=judge_by(unsure), k=1, verbose=True, concurrency=1)
    shown = capsys.readouterr()
    assert shown.out == ""
    first, second = shown.err.splitlines()
    assert first == "[agentic 1/2] a q0 1.00: worth 1.0"
    assert second.startswith("[agentic 2/2] a q1 unscored: the model's answer cannot be used")


def test_a_terminal_gets_a_bar_that_goes_away_and_the_same_lines() -> None:
    stream = Terminal()
    with progress(1, verbose=True, stream=stream) as told:
        told(TALK, SAID, JudgeVerdict(score=0.5, explanation="[bold]half[/bold]"))
    shown = stream.getvalue()
    assert "s1 trial 2 q1 0.50: [bold]half[/bold]" in shown
    assert "judging" in shown


def test_words_of_the_judge_cannot_move_the_cursor() -> None:
    said = line(TALK, SAID, JudgeVerdict(score=1.0, explanation="\x1b[2Jgone\r\nnew line"))
    assert said.isprintable()
