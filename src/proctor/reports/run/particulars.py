"""Describe how a run was played, and what a case's checks expect, as labels with values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from proctor.benchmark import Case, Expectation, ExpectedCall
from proctor.reports.headline import noun_of
from proctor.reports.imports import origin
from proctor.reports.numbers import NOTHING, duration, plural, score, whole
from proctor.reports.prose import as_json
from proctor.run import Run, Settings

Labelled = tuple[str, str]


def settings_of(run: Run) -> list[Labelled]:
    """Return how a run was played as (label, value)."""
    settings, noun = run.settings, noun_of(run)
    not_that = "not the attempt" if noun == "case" else "not the reply"
    rows = [
        ("benchmark", f"{run.benchmark}, digest {run.digest}"),
        ("agent", f"{run.agent} ({run.kind})"),
        ("reviewer", f"{settings.reviewer}, rubric {settings.rubric}" if settings.reviewer else "checks alone"),
        ("examiner", settings.examiner or ""),
        ("type", settings.type),
        ("turns", "" if settings.type == "standard" else f"up to {settings.max_turns} a conversation"),
        ("passing score", NOTHING if settings.passing_score is None else str(settings.passing_score)),
        ("weights", _pairs(settings.weights.items())),
        ("trials", _trials(settings)),
        ("conditions", ", ".join(condition or "none" for condition in settings.conditions)),
        ("imported from", origin(run.imported)),
        *([] if run.imported is not None else _pace(settings)),
        ("labels", _pairs(run.labels.items())),
        ("intervals", f"95 %, Wilson on the effective number of {noun}s: the unit is the {noun}, {not_that}"),
    ]
    if settings.retry_agent_failures:
        rows.append(("retries of the agent", f"up to {settings.retry_agent_failures} after its own failure"))
    return [(label, value) for label, value in rows if value]


def _pace(settings: Settings) -> list[Labelled]:
    return [
        ("concurrency", str(settings.concurrency)),
        ("timeout", f"{duration(settings.timeout)} a call"),
        ("retries", f"{settings.retries} after a failure of the environment"),
    ]


def expectations_of(case: Case) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what the checks of a case expect, as labels with one or more values."""
    expect = case.expect
    rows: dict[str, Sequence[str]] = {
        "tools used": expect.tools_used,
        "tools not used": expect.tools_not_used,
        "tool calls": [*_calls(expect)],
        "keywords": expect.keywords,
        "exclusions": expect.exclusions,
        "citations": [*_citations(expect)],
        "sources": expect.sources,
        "sub-agents": expect.sub_agents,
        "steps": [*map(_step, expect.steps)],
        "limits": [f"{name} {_number(most)}" for name, most in expect.limits.items()],
        "role": [] if expect.role is None else [expect.role],
        "own checks": [name.rpartition(":")[2] for name in expect.checks],
        "passes at": [] if case.passing_score is None else [score(case.passing_score)],
    }
    yield from ((label, values) for label, values in rows.items() if values)


def _step(step: Mapping[str, Any]) -> str:
    """Format an expected step: `name plan, after search and read`."""
    pairs = ((key, value if isinstance(value, (list, tuple)) else [value]) for key, value in step.items())
    return ", ".join(f"{key} {' and '.join(map(str, values))}" for key, values in pairs)


def _calls(expect: Expectation) -> Iterator[str]:
    if expect.tool_calls is None:
        return
    yield from map(_call, expect.tool_calls)
    if not expect.tool_calls:
        yield "none"
    if expect.ordered:
        yield "in this order"
    if expect.tool_calls and expect.tool_threshold < 1:
        yield f"correct from {score(expect.tool_threshold)}"


def _call(call: ExpectedCall) -> str:
    """Format an expected call: `search_knowledge(query="remote work", limit=…)`; a matcher replaces the value."""
    given = {name: as_json(value) for name, value in call.arguments.items()}
    given |= {name: as_json(how) for name, how in call.match.items()}
    given |= {name: "…" for name in call.ignore if name not in given}
    return f"{call.name}({', '.join(f'{name}={value}' for name, value in given.items())})"


def _citations(expect: Expectation) -> Iterator[str]:
    if expect.citations is not None:
        yield f"at least {expect.citations}"
    if expect.quotes:
        yield "quotes word for word"


def _number(value: float) -> str:
    return whole(int(value)) if float(value).is_integer() else f"{value:g}"


def _pairs(items: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in items)


def _trials(settings: Settings) -> str:
    own = settings.case_trials
    note = f"; {plural(len(own), 'case')} with trials of its own, up to {max(own.values())}" if own else ""
    return f"{settings.trials}{note}"
