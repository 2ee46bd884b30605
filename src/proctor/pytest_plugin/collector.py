"""pytest collector for suite files, with one test per case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.benchmark import Case
from proctor.codec import case_id
from proctor.errors import ProctorError
from proctor.pytest_plugin import words as wording
from proctor.pytest_plugin.examination import Examination
from proctor.pytest_plugin.failure import NotPassed, NoVerdict, PlainMessageError
from proctor.reports.words import harmless
from proctor.run import Attempt
from proctor.workflows.load import load_benchmark

_READABLE = 48
_NO_WORD = re.compile(r"[\W_]+")
_MAY_NOT_RUN = ("skip", "skipif")


class SuiteFile(pytest.File):
    """Collector for a suite file."""

    def __init__(self, *, examination: Examination, **others: Any) -> None:
        super().__init__(**others)
        self.examination = examination

    def collect(self) -> Iterator[CaseTest]:
        """Yield one test per case."""
        try:
            benchmark = load_benchmark(self.path)
        except ProctorError as error:
            raise self.CollectError(harmless(str(error))) from error
        for case in benchmark.cases:
            yield CaseTest.from_parent(self, name=name_of(case), case=case)


class CaseTest(pytest.Function):
    """Test of one case; a pytest Function, so that it can use fixtures like any other test."""

    def __init__(self, *, case: Case, **others: Any) -> None:
        super().__init__(callobj=_wants_the_agent, **others)
        self.case = case
        self._attempts: tuple[Attempt, ...] = ()
        self._counts: dict[str, int] = {}
        self.add_marker(pytest.mark.proctor)
        for category in case.categories:
            self.extra_keyword_matches.update((category, slug(category, "_")))
            if (mark := _mark(self.config, slug(category, "_"))) is not None:
                self.add_marker(mark)

    @property
    def examination(self) -> Examination:
        """The session's Examination."""
        suite = self.parent
        assert isinstance(suite, SuiteFile)
        return suite.examination

    def setup(self) -> None:
        """Ask the case, along with all others that are certain to run; a missing verdict is an error here."""
        super().setup()
        try:
            play = self.examination.play(self.path, self.funcargs["proctor_agent"])
        except ProctorError as error:
            raise NoVerdict(str(error)) from error
        play.begin(test.case.id for test in self._asked_together())
        self._attempts = play.wait(self.case.id)
        trials = play.trials_of(self.case.id)
        self._counts = {"trials": trials, "needed": self.examination.passes_needed(play, self.case.id)}
        self._note_properties()
        if wording.verdict(self._attempts, **self._counts) is None:
            raise NoVerdict(wording.no_verdict(self.case, self._attempts, trials=trials, stopped=play.reason))

    def runtest(self) -> None:
        """Pass, or raise NotPassed with the reasons."""
        if not wording.verdict(self._attempts, **self._counts):
            raise NotPassed(wording.not_passed(self.case, self._attempts, **self._counts))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the case's position in its file."""
        return self.path, self.case.line - 1 if self.case.line else None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """Return the message only, since a traceback through Proctor would not help."""
        if not isinstance(excinfo.value, PlainMessageError):
            return super().repr_failure(excinfo)
        representation = excinfo.getrepr(style="value", chain=False)
        if representation.reprcrash is not None:  # shown by summaries, JUnit and editors on one line
            representation.reprcrash.message = str(excinfo.value).partition("\n")[0]
            representation.reprcrash.path, representation.reprcrash.lineno = str(self.path), self.case.line or 1
        return representation

    def _asked_together(self) -> Iterator[CaseTest]:
        """Yield this case and all others of its file that this process is certain to run."""
        yield self
        if self.examination.sees_all_it_runs:
            for test in self.session.items:
                if isinstance(test, CaseTest) and test.path == self.path and not _may_be_skipped(test):
                    yield test

    def _note_properties(self) -> None:
        """Record properties for JUnit files."""
        marks = [attempt.value for attempt in self._attempts if attempt.value is not None]
        times = [attempt.seconds for attempt in self._attempts if attempt.seconds is not None]
        for name, values in (("score", marks), ("agent_seconds", times)):
            if values:
                self.user_properties.append((name, round(sum(values) / len(values), 3)))


def _wants_the_agent(proctor_agent: object) -> None:
    """Declare the fixtures a case needs; pytest reads them from this signature."""


def _may_be_skipped(test: pytest.Item) -> bool:
    """Whether a marker may skip the test in its setup, so that asking it in advance could be wasted."""
    return any(mark.name in _MAY_NOT_RUN for mark in test.iter_markers())


def _mark(config: pytest.Config, name: str) -> pytest.MarkDecorator | None:
    """Return the marker of a category, or None if pytest, a plugin or the project already uses the name."""
    if not name.isidentifier() or name.startswith("_"):
        return None
    ours = f"{name}: a category of cases in a suite of Proctor's."
    known = [line for line in config.getini("markers") if re.split(r"[:(]", line)[0].strip() == name]
    if not known:
        config.addinivalue_line("markers", ours)
    mark: pytest.MarkDecorator = getattr(pytest.mark, name)
    return mark if known in ([], [ours]) else None


def name_of(case: Case) -> str:
    """Return the case's id, prefixed with words of the question if the id was derived from it."""
    name = harmless(" ".join(case.id.replace("::", ":").split()))
    made = case.id.startswith(case_id(case.question, case.context))
    return f"{slug(case.question)}-{name}" if made else name


def slug(text: str, between: str = "-") -> str:
    """Turn a text into a slug of limited length."""
    return _NO_WORD.sub(between, text[:_READABLE].lower()).strip(between)
