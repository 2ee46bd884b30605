from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.benchmark import Case, Exam
from proctor.findings.run.accumulator import language_sentences
from proctor.run import Run, Settings, Spec

RUN = Run(id="r", name="r", benchmark="b", digest="d", agent="a")
POLISH = "Jaka jest stolica Francji?"


def exams(*questions: str) -> list[Exam]:
    return [Exam(id=str(n), cases=(Case(id=str(n), question=asked),)) for n, asked in enumerate(questions)]


def test_questions_in_a_language_that_is_not_known_are_counted_and_told() -> None:
    [said] = language_sentences(RUN, exams(POLISH, "Wer ist das?", "Who is it?"))
    assert said.startswith("1 of 3 questions is in a language that the embedded reviewer does not know")


@pytest.mark.parametrize("settings", [Settings(reviewer=None), Settings(reviewer="openai:m", built={})])
def test_nothing_is_said_where_another_judged(settings: Settings) -> None:
    assert list(language_sentences(replace(RUN, settings=settings), exams(POLISH))) == []


def test_it_is_said_of_the_embedded_reviewer_under_any_name() -> None:
    named = Settings(reviewer="mine", built={"reviewer": Spec(spec="embedded")})
    assert len(list(language_sentences(replace(RUN, settings=named), exams(POLISH)))) == 1
