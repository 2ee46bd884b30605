"""Prepare a run: resolve, build and check everything in a request."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.benchmark import Benchmark, Case, Exam
from proctor.config import Config
from proctor.doctor.judges import (
    cases_of,
    is_by_rules,
    model_cases_warning,
    unexpecting_cases,
    unexpecting_warning,
    unjudged_cases,
    unjudged_warning,
)
from proctor.errors import UsageError
from proctor.fault_injection import parse
from proctor.findings.run.deciders import judge_decides
from proctor.formats.compatibility import MAXIMUM, RECOMMENDED
from proctor.formats.suites.suite import is_suite
from proctor.redaction import remember_secrets, without_secrets
from proctor.run import ExamType, Run, Settings
from proctor.running.plan import exams_of, own_trials
from proctor.settings import NOBODY, check_labels, check_name, given, nearest
from proctor.workflows.canaries import canary_warning, check_canaries
from proctor.workflows.checks import describe_checks, unmet_checks, with_checks
from proctor.workflows.labels import found_labels
from proctor.workflows.load import load_benchmark
from proctor.workflows.parts import (
    Cast,
    ChosenPart,
    build_agent,
    build_examiner,
    build_reviewers,
    choose,
    choose_examiner,
    choose_reviewer,
    criteria_in,
    kind_of,
    marks_by_criteria,
    refuse_itself,
    specs_of,
)
from proctor.workflows.request import RunRequest
from proctor.workflows.run_limits import budget_warnings, check_prices
from proctor.workflows.settings import make_settings, may_have_own_parts, type_of, usual_reviewer
from proctor.workflows.stop_early import check_looks

PLAIN = "none"
"""Name of the run without a condition."""
ALL = "all"


def with_conditions(benchmark: Benchmark, config: Config) -> Benchmark:
    """Add the conditions of `proctor.toml` to those of the benchmark, so that a stored run has all of them."""
    declared = {**config.conditions, **benchmark.conditions}
    for name, fault in declared.items():
        parse(name, fault)
    return replace(benchmark, conditions=declared) if config.conditions else benchmark


def choose_conditions(asked: str | Sequence[str] | None, benchmark: Benchmark) -> tuple[str, ...]:
    """Return the conditions to play, the plain run as an empty name: as requested, or all declared plus the plain run
    for `all`."""
    names = (asked,) if isinstance(asked, str) else tuple(asked or (PLAIN,))
    declared = tuple(benchmark.conditions)
    if ALL in names:
        if not declared:
            raise UsageError(f"there are no conditions to run; {_where()}")
        return ("", *declared)
    for name in names:
        if name not in (PLAIN, *declared):
            if not declared:
                raise UsageError(f"there is no condition {name!r}: no condition is declared here; {_where()}")
            near = nearest(name, [PLAIN, ALL, *declared])
            known = f"did you mean {near!r}? " if near else ""
            raise UsageError(
                f"there is no condition {name!r}: {known}expected one of {', '.join([PLAIN, ALL, *declared])}"
            )
    return tuple(dict.fromkeys("" if name == PLAIN else name for name in names))


def _where() -> str:
    return "declare them as [conditions.NAME] in proctor.toml, or under `conditions:` in a suite"


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRun:
    """A run that is ready to start: everything was resolved, built and checked, and nothing was called yet."""

    run: Run
    benchmark: Benchmark
    cast: Cast
    warnings: tuple[str, ...] = ()
    """Warnings to show before it starts."""
    live: Mapping[str, Any] = field(default_factory=dict)
    """Role → the Python object passed in, which workers need too, or its name."""

    @property
    def exams(self) -> tuple[Exam, ...]:
        """Exams of the run."""
        return exams_of(self.benchmark, self.run.settings)


def prepare(request: RunRequest, config: Config) -> PreparedRun:
    """Resolve, build and check everything before the first call; missing options have their defaults.

    The defaults of `[run]` are in the request already: see `RunRequest.with_defaults`.
    """
    remember_secrets()
    if request.name is not None:
        check_name("the run's name", request.name)
    check_labels(request.labels)
    suite = isinstance(request.benchmark, (str, Path)) and is_suite(request.benchmark)
    asked = load_benchmark(request.benchmark)
    loaded = with_conditions(with_checks(asked, request.checks), config)
    unmet = unmet_checks(asked, request.checks)
    exam_type = type_of(request.settings)
    if request.reviewer is None:
        score = request.settings.get("passing_score")
        usual = config.run.reviewer or usual_reviewer(loaded, exam_type, suite=suite, passing_score=score)
        request = replace(request, reviewer=usual)
    chosen = _choose(request, config, exam_type=exam_type)
    expected = describe_checks(loaded, suite=suite, added=request.checks)
    cast = _cast(chosen, loaded, config, exam_type=exam_type, checks=expected)
    others = _warnings_about(cast, chosen, exam_type) | {"checks": expected}
    by_checks = suite and exam_type == "standard" and not marks_by_criteria(others["rubric"])
    own_score = loaded.passing_score is not None or by_checks
    if own_score and request.settings.get("passing_score") is None:
        others["passing_score"] = loaded.passing_score
    others["own_scores"] = any(case.passing_score is not None for case in loaded.cases)
    others["conditions"] = choose_conditions(request.conditions, loaded)
    made = make_settings(request.settings, config.run, parts=criteria_in(loaded), **others)
    run = _new_run(loaded, chosen["agent"], made, request)
    check_prices(run.settings, config)
    check_canaries(run)
    check_looks(run)
    return PreparedRun(
        run=run,
        benchmark=loaded,
        cast=cast,
        warnings=(*([unmet] if unmet else ()), *_warnings(loaded, run)),
        live=request.live_parts,
    )


def _choose(request: RunRequest, config: Config, *, exam_type: ExamType) -> dict[str, ChosenPart]:
    """Map each role to the chosen part, without unused roles."""
    chosen = {"agent": choose(request.agent, config.agents, default="standard")}
    if request.reviewer != NOBODY:
        chosen["reviewer"] = choose_reviewer(request.reviewer, config)
    elif exam_type != "standard":
        raise UsageError(
            given("reviewer", NOBODY), " cannot judge a battle; leave it out for the embedded one, or name a model"
        )
    asking = _examiner(request.examiner, config, exam_type)
    if asking is not None:
        refuse_itself(chosen["agent"], asking)
        chosen["examiner"] = asking
    return chosen


def _examiner(named: object, config: Config, exam_type: ExamType) -> ChosenPart | None:
    """Return the examiner of a dynamic battle, by default the prober; None for other types."""
    if exam_type == "abm-dynamic":
        chosen = choose_examiner(named or config.run.examiner or "prober", config)
        if chosen.name == "script":
            raise UsageError(
                given("examiner", "script"), " asks the rows of a file: use ", given("type", "abm-static"), " for that"
            )
        return chosen
    if named is not None and not (exam_type == "abm-static" and named == "script"):
        wrong = "asks the rows word for word" if exam_type == "abm-static" else "has no examiner"
        raise UsageError(
            given("examiner", named), " would ask nothing: ", given("type", exam_type), f" {wrong}; use abm-dynamic"
        )
    return None


def _cast(
    chosen: Mapping[str, ChosenPart], benchmark: Benchmark, config: Config, *, exam_type: ExamType, checks: str | None
) -> Cast:
    judge = chosen.get("reviewer")
    return Cast(
        agent=build_agent(chosen["agent"], config),
        reviewers=build_reviewers(judge, benchmark, config, exam_type=exam_type, checks=checks),
        examiner=build_examiner(chosen["examiner"], config) if "examiner" in chosen else None,
        faults=benchmark.conditions,
    )


def _warnings_about(cast: Cast, chosen: Mapping[str, ChosenPart], exam_type: ExamType) -> dict[str, Any]:
    """Return the settings that describe the participants, so that they can be rebuilt."""
    scripted = "script" if exam_type == "abm-static" else None
    return {
        "reviewer": chosen["reviewer"].name if "reviewer" in chosen else None,
        "panel": tuple(judge.name for judge in chosen["reviewer"].panel) if "reviewer" in chosen else (),
        "rubric": cast.rubric,
        "examiner": chosen["examiner"].name if "examiner" in chosen else scripted,
        "context_given": cast.agent.takes_request,
        "built": {name: spec for role, part in chosen.items() for name, spec in specs_of(role, part).items()},
    }


def _warnings(benchmark: Benchmark, run: Run) -> Iterator[str]:
    settings, rows = run.settings, len(benchmark.cases)
    yield from _case_warnings(cases_of(benchmark), settings)
    if warning := canary_warning(settings):
        yield warning
    if settings.type == "abm-static" and rows < RECOMMENDED:
        yield f"a static battle of {rows} question{'s' if rows != 1 else ''} is not recommended; 10 or more say more"
    if settings.type != "standard" and (own := sum(case.trials is not None for case in benchmark.cases)):
        yield (
            f"trials: of {own} case{'s' if own != 1 else ''} is ignored: in a battle --trials says how often each "
            "conversation is held"
        )
    if settings.type != "standard" and not settings.context_given:
        yield (
            f"{run.agent} receives each question alone: it must keep its own memory of a conversation "
            "(take a proctor.Request to receive the history)"
        )
    yield from budget_warnings(run)


def _case_warnings(cases: Sequence[Case], settings: Settings) -> Iterator[str]:
    """Yield warnings about cases that nothing judges; a custom reviewer may judge any."""
    reviewed, needed = settings.reviewer is not None, settings.passing_score
    one_by_one = settings.type == "standard" and not (reviewed and may_have_own_parts({"built": settings.built}))
    if one_by_one and (lost := unjudged_cases(cases, reviewed=reviewed, passing_score=needed)):
        yield unjudged_warning(lost)
    if _judges_by_rules(settings):
        yield from model_cases_warning(cases)
    if one_by_one and (unexpecting := unexpecting_cases(cases, passing_score=needed)):
        yield unexpecting_warning(unexpecting)


def _judges_by_rules(settings: Settings) -> bool:
    """Whether no judge can call a model; False for live objects, which may."""
    named = [name for judge in settings.panel or (settings.reviewer,) if judge for name in judge.split(",")]
    specs = [spec.spec for judge in settings.judges for spec in judge]
    return len(specs) == len(named) and all(map(is_by_rules, specs))


def _new_run(benchmark: Benchmark, agent: ChosenPart, settings: Settings, request: RunRequest) -> Run:
    if settings.type == "abm-static" and len(benchmark.cases) > MAXIMUM:
        raise UsageError(
            f"{len(benchmark.cases):,} questions exceed the maximum of {MAXIMUM:,} for a static battle; split the file",
            terminal=", or use --type abm-dynamic --seeds N",
            page=", or choose a dynamic battle with fewer seed questions",
        )
    exams = exams_of(benchmark, settings)
    settings = replace(settings, case_trials=own_trials(exams, settings))
    return Run(
        id=new_id(),
        name=without_secrets(request.name or f"{_short(agent.name)} on {benchmark.name}"),
        benchmark=benchmark.name,
        digest=benchmark.digest,
        agent=agent.name,
        kind=kind_of(agent, request.kind),
        settings=settings,
        labels=found_labels(Path()) | {str(key): without_secrets(str(value)) for key, value in request.labels.items()},
        planned=settings.planned_trials(len(exams)) * len(settings.conditions),
        judge_decides=judge_decides(exams, settings),
        created=time.time(),
    )


def _short(agent: str) -> str:
    """Return an agent's short name for a run: a model's name, a URL as it is, else the last part of the spec."""
    if agent.startswith("openai-compatible:"):
        return agent.removeprefix("openai-compatible:").partition("@")[0]
    return agent.partition("://")[2] or agent.rpartition(":")[2]


def new_id() -> str:
    """Return an id that sorts by time and whose prefix is easy to type."""
    return f"{datetime.now(UTC):%y%m%d-%H%M%S}-{secrets.token_hex(2)}"
