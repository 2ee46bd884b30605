"""Small print: how a run was played, and what a case's checks hold the reply to, as labels with values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proctor.benchmark import Case
from proctor.reports.headline import noun_of
from proctor.reports.numbers import NOTHING, duration
from proctor.run import Run

Labelled = tuple[str, str]


def settings_of(run: Run) -> list[Labelled]:
    """How a run was played."""
    settings, noun = run.settings, noun_of(run)
    not_that = "not the attempt" if noun == "case" else "not the reply"
    said = [
        ("benchmark", f"{run.benchmark}, digest {run.digest}"),
        ("agent", f"{run.agent} ({run.kind})"),
        ("reviewer", f"{settings.reviewer}, rubric {settings.rubric}" if settings.reviewer else "checks alone"),
        ("examiner", settings.examiner or ""),
        ("type", settings.type),
        ("turns", "" if settings.type == "standard" else f"up to {settings.max_turns} a conversation"),
        ("passing score", NOTHING if settings.passing_score is None else str(settings.passing_score)),
        ("weights", _pairs(settings.weights.items())),
        ("trials", str(settings.trials)),
        ("conditions", ", ".join(condition or "none" for condition in settings.conditions)),
        ("concurrency", str(settings.concurrency)),
        ("timeout", f"{duration(settings.timeout)} a call"),
        ("retries", f"{settings.retries} after a failure of the environment"),
        ("labels", _pairs(run.labels.items())),
        ("intervals", f"95 %, Wilson on the effective number of {noun}s: the unit is the {noun}, {not_that}"),
    ]
    if settings.retry_agent_failures:
        said.append(("retries of the agent", f"up to {settings.retry_agent_failures} after its own failure"))
    return [(label, value) for label, value in said if value]


def expectations_of(case: Case) -> Iterator[Labelled]:
    """What the checks hold the reply to."""
    expect = case.expect
    lists = {
        "Tools to use": expect.tools_used,
        "Tools not to use": expect.tools_not_used,
        "Keywords": expect.keywords,
        "Not to be said": expect.exclusions,
        "Sources": expect.sources,
        "Sub-agents": expect.sub_agents,
        "Own checks": expect.checks,
    }
    yield from ((label, ", ".join(values)) for label, values in lists.items() if values)
    if expect.tool_calls is not None:
        yield "Tool calls", ", ".join(call.name for call in expect.tool_calls) or "none"
    if expect.citations is not None:
        yield "Citations", f"at least {expect.citations}"
    if expect.limits:
        yield "Limits", _pairs(expect.limits.items())
    if case.passing_score is not None:
        yield "Passes at", str(case.passing_score)


def _pairs(items: Iterable[tuple[str, object]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in items)
