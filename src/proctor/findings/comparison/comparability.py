"""Comparability of two runs: which settings differ, and how to fix that."""

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
    """A setting in which two runs differ."""

    what: str
    """Name of the setting, such as passing score."""
    a: str
    b: str
    option: str = ""
    """Option of `proctor rescore` that makes A like B; empty if there is none."""

    words: str = ""
    """Description of the difference, if name and values say too little."""

    def __str__(self) -> str:
        return (
            self.words
            or f"{self.what} {'differ' if self.what.endswith('s') else 'differs'} ({self.a} against {self.b})"
        )


BENCHMARK = "benchmark content"
"""What differs where other cases were run."""
_OF_MARKS = ("reviewer", "rubric", "weights")
"""Settings that matter only if a judge decides, or scores are compared."""
_CHECKS = "checks-"
"""Prefix of the rules version for checks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Term:
    """A property that must be equal in both runs for their scores to be comparable."""

    value: object
    """Value to compare."""
    said: str
    """Value for display."""
    option: str = ""
    """Option of `proctor rescore` that gives another run the same value."""


def unlike(a: Run, b: Run, *, marks: bool = False) -> list[SettingDifference]:
    """Return the settings that make the verdicts of two runs incomparable.

    The judge matters only if a judge decides, and always for `marks`.
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
    """Whether a setting affects verdicts given by checks alone; of the rubric, only the rules for checks do."""
    if what == "rubric":
        if a.earlier_rubrics or b.earlier_rubrics:
            return True
        rules = [{each for each in run.settings.rubric.split("+") if each.startswith(_CHECKS)} for run in (a, b)]
        return rules[0] != rules[1]
    return what not in _OF_MARKS


def _words(what: str, a: Run, b: Run) -> str:
    """Describe a difference that its name alone does not explain."""
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
    suffix = f"(rubric {a} against {b})"
    if names_a == names_b:
        return f"they were judged by different versions of the same rules {suffix}"
    if names_a ^ names_b == {"checks"}:
        return f"the checks of a suite were applied to one of them alone {suffix}"
    return f"they were judged by different rules {suffix}"


def unlike_marks(a: Run, b: Run) -> list[SettingDifference]:
    """Return the settings that make only the scores, not the verdicts, of two runs incomparable."""
    if a.settings.reviewer is None or b.settings.reviewer is None:
        return []  # without scores there is nothing to compare
    return [one for one in unlike(a, b, marks=True) if one.what in _OF_MARKS]


def _judges_decide(run: Run) -> bool:
    """Whether verdicts depend on a score, or may depend on a custom judge."""
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
    """Yield the settings declared as not comparable, as far as they apply to the run's type."""
    for name, each in RUN_SETTINGS.items():
        if not each.comparable:
            value = getattr(settings, name) if settings.type in each.types else None
            yield name.replace("_", " "), _passing_score(value) if name == "passing_score" else _plain(value)


def _plain(value: object) -> _Term:
    return _Term(
        value=value, said="none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    )


def _passing_score(value: float | None) -> _Term:
    """Return the term for the passing score; rescoring can change but not remove it."""
    if value is None:
        return _plain(value)
    return _Term(value=value, said=f"{value:g}", option=f"--passing-score {value:g}")


def _reviewer(run: Run) -> _Term:
    """Return the term for the reviewer, by its definition if known, since a configured name may be redefined."""
    settings = run.settings
    name, judges = settings.reviewer, settings.judges
    if name is None:
        return _Term(value=None, said="none", option="--reviewer none")
    if not judges:
        return _Term(value=sorted(settings.panel) or name, said=name)
    specs = " + ".join(",".join(spec.spec for spec in judge) for judge in judges)
    options = [encode(spec.options) for judge in judges for spec in judge if spec.options]
    label = " ".join([name if specs == name else f"{name} = {specs}", *options])
    value = sorted([(spec.spec, encode(spec.options)) for spec in judge] for judge in judges)
    option = " ".join(f"--reviewer {each}" for each in settings.panel or (name,))
    return _Term(value=value, said=label, option=option)


def _rubric(run: Run) -> _Term:
    """Return the term for the rubric; the order of the judges in a panel is irrelevant."""
    rubric = run.settings.rubric
    if run.earlier_rubrics:
        return _Term(value=run.id, said=" and ".join([*run.earlier_rubrics, rubric]), option=_reviewer(run).option)
    value = sorted(rubric.split("+")) if run.settings.panel else rubric
    return _Term(value=value, said=rubric or "none", option=_reviewer(run).option)


def _weights(run: Run) -> dict[str, float]:
    """Return the weights as shares of their sum, independent of order and scale."""
    given = run.settings.weights or weights_for(run.settings.type)
    total = sum(given.values())
    return {name: round(weight / total, 9) for name, weight in sorted(given.items()) if weight}


def _format_weights(weights: dict[str, float], between: str = ",") -> str:
    return between.join(f"{name}={weight:.4g}" for name, weight in weights.items())


def refusal(a: Run, b: Run, apart: Sequence[SettingDifference]) -> str:
    """Return why these runs are not compared."""
    return f"runs {a.id} and {b.id} cannot be compared: {'; '.join(map(str, apart))}"


def remedy(a: Run, b: Run, apart: Sequence[SettingDifference]) -> str:
    """Return advice with the commands to fix it; a run is never made like one without a reviewer."""
    run, sides = a, "A like B"
    if b.settings.reviewer is None:
        run, sides, apart = b, "B like A", unlike(b, a)
    if not all(one.option for one in apart):
        return ". Compare the cases they share anyway with --force"
    options = " ".join(dict.fromkeys(one.option for one in apart))
    return f". Score {sides} with `proctor rescore {run.id} {options}`, or compare anyway with --force"
