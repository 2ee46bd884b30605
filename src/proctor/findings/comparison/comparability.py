"""Whether the marks of two runs mean the same: what was examined differently, and how to mend it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.codec import encode
from proctor.findings.run.deciders import may_decide
from proctor.run import Run, Settings
from proctor.score import weights_for
from proctor.settings import RUN_SETTINGS


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingDifference:
    """One thing in which two runs were examined differently."""

    what: str
    """Such as passing score."""
    a: str
    b: str
    option: str = ""
    """What makes A like B, as an option of `proctor rescore`; empty: no rescoring does."""

    words: str = ""
    """What differs in words, where the name of it and both values say little."""

    def __str__(self) -> str:
        return (
            self.words
            or f"{self.what} {'differ' if self.what.endswith('s') else 'differs'} ({self.a} against {self.b})"
        )


BENCHMARK = "benchmark content"
"""What differs where other cases were run."""
_OF_MARKS = ("reviewer", "rubric", "weights")
"""What matters only where a judge decides, or marks are compared."""
_CHECKS = "checks-"
"""What the name of the rules begins with by which checks are made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Term:
    """One thing that must be the same in both runs for their marks to mean the same."""

    value: object
    """What is compared."""
    said: str
    """The same for people."""
    option: str = ""
    """What gives another run the same, as an option of `proctor rescore`."""


def unlike(a: Run, b: Run, *, marks: bool = False) -> list[SettingDifference]:
    """In what these two runs were examined differently, so that their verdicts do not mean the same.

    Who judged matters where a judge decides, and always for `marks`.
    """
    judged = marks or _judges_decide(a) or _judges_decide(b)
    terms = _terms(b)
    return [
        SettingDifference(
            what=what, a=one.said, b=terms[what].said, option=terms[what].option, words=_words(what, a, b)
        )
        for what, one in _terms(a).items()
        if one.value != terms[what].value and (judged or _matters_to_checks(what, a, b))
    ]


def _matters_to_checks(what: str, a: Run, b: Run) -> bool:
    """Whether verdicts that checks alone give hang on it: of what was judged, on the rules of the checks."""
    if what == "rubric":
        if a.earlier_rubrics or b.earlier_rubrics:
            return True
        rules = [{each for each in run.settings.rubric.split("+") if each.startswith(_CHECKS)} for run in (a, b)]
        return rules[0] != rules[1]
    return what not in _OF_MARKS


def _words(what: str, a: Run, b: Run) -> str:
    """What differs, where that is not plain from its name."""
    if what == BENCHMARK:
        versions = f"version {a.digest[:8]} against {b.digest[:8]}"
        if a.benchmark == b.benchmark:
            return f"the cases of the benchmark {a.benchmark} were changed between them ({versions})"
        return f"they ran different benchmarks ({a.benchmark} against {b.benchmark}, {versions})"
    if what == "rubric":
        return _rubric_words(_rubric(a).said, _rubric(b).said)
    return ""


def _rubric_words(a: str, b: str) -> str:
    names_a, names_b = (
        {each.rpartition("-")[0] or each for each in re.split(r"\+| and ", rubric)} for rubric in (a, b)
    )
    said = f"(rubric {a} against {b})"
    if names_a == names_b:
        return f"they were judged by different versions of the same rules {said}"
    if names_a ^ names_b == {"checks"}:
        return f"the checks of a suite were applied to one of them alone {said}"
    return f"they were judged by different rules {said}"


def unlike_marks(a: Run, b: Run) -> list[SettingDifference]:
    """In what the marks of two runs differ that nevertheless can be compared by their verdicts; empty: nothing."""
    if a.settings.reviewer is None or b.settings.reviewer is None:
        return []  # one has no marks
    return [one for one in unlike(a, b, marks=True) if one.what in _OF_MARKS]


def _judges_decide(run: Run) -> bool:
    """Whether a verdict hangs on a mark, or may hang on what else a custom judge says."""
    return may_decide(run.settings) if run.judge_decides is None else run.judge_decides


def _terms(run: Run) -> dict[str, _Term]:
    settings = run.settings
    conditions, weights = sorted(settings.conditions), _weights(run)
    return {
        BENCHMARK: _Term(value=run.digest, said=f"{run.benchmark} {run.digest}"),
        **dict(_declared_terms(settings)),
        "reviewer": _reviewer(run),
        "rubric": _rubric(run),
        "weights": _Term(
            value=weights, said=_format_weights(weights, ", "), option=f"--weights {_format_weights(weights)}"
        ),
        "checks": _plain(settings.checks),
        "conditions": _Term(value=conditions, said=", ".join(name or "none" for name in conditions)),
        "time-outs run again": _plain(settings.retried_timeouts),
        "examiner": _plain(settings.examiner),
    }


def _declared_terms(settings: Settings) -> Iterator[tuple[str, _Term]]:
    """The settings that the one table says are not comparable, as far as the run's type has them."""
    for name, each in RUN_SETTINGS.items():
        if not each.comparable:
            value = getattr(settings, name) if settings.type in each.types else None
            yield name.replace("_", " "), _passing_score(value) if name == "passing_score" else _plain(value)


def _plain(value: object) -> _Term:
    return _Term(
        value=value, said="none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    )


def _passing_score(value: float | None) -> _Term:
    """A run can be scored again with another passing score, not with none."""
    if value is None:
        return _plain(value)
    return _Term(value=value, said=f"{value:g}", option=f"--passing-score {value:g}")


def _reviewer(run: Run) -> _Term:
    """Who judged: how it was built where that is known, since a name in a file may come to mean another."""
    settings = run.settings
    name, judges = settings.reviewer, settings.judges
    if name is None:
        return _Term(value=None, said="none", option="--reviewer none")
    if not judges:
        return _Term(value=sorted(settings.panel) or name, said=name)
    specs = " + ".join(",".join(spec.spec for spec in judge) for judge in judges)
    options = [encode(spec.options) for judge in judges for spec in judge if spec.options]
    said = " ".join([name if specs == name else f"{name} = {specs}", *options])
    value = sorted([(spec.spec, encode(spec.options)) for spec in judge] for judge in judges)
    option = " ".join(f"--reviewer {each}" for each in settings.panel or (name,))
    return _Term(value=value, said=said, option=option)


def _rubric(run: Run) -> _Term:
    """What was judged; the order in which the judges of a panel are named changes nothing."""
    said = run.settings.rubric
    if run.earlier_rubrics:
        return _Term(value=run.id, said=" and ".join([*run.earlier_rubrics, said]), option=_reviewer(run).option)
    value = sorted(said.split("+")) if run.settings.panel else said
    return _Term(value=value, said=said or "none", option=_reviewer(run).option)


def _weights(run: Run) -> dict[str, float]:
    """As shares of their sum, in which the run's own order and scale do not matter."""
    given = run.settings.weights or weights_for(run.settings.type)
    total = sum(given.values())
    return {name: round(weight / total, 9) for name, weight in sorted(given.items()) if weight}


def _format_weights(weights: dict[str, float], between: str = ",") -> str:
    return between.join(f"{name}={weight:.4g}" for name, weight in weights.items())


def refusal(a: Run, b: Run, apart: Sequence[SettingDifference]) -> str:
    """Why these runs are not compared."""
    return f"runs {a.id} and {b.id} cannot be compared: {'; '.join(map(str, apart))}"


def remedy(a: Run, b: Run, apart: Sequence[SettingDifference]) -> str:
    """The commands that help, for a terminal: one is judged like the other, never like one that nobody judged."""
    run, sides = a, "A like B"
    if b.settings.reviewer is None:
        run, sides, apart = b, "B like A", unlike(b, a)
    if not all(one.option for one in apart):
        return ". Compare the cases they share anyway with --force"
    options = " ".join(dict.fromkeys(one.option for one in apart))
    return f". Score {sides} with `proctor rescore {run.id} {options}`, or compare anyway with --force"
