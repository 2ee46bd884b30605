"""From a benchmark and an agent to a verdict: what `proctor run` and `proctor.evaluate` do."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from proctor.benchmark import Benchmark, Case
from proctor.config import Config, load_config
from proctor.doctor.judges import (
    NOBODY,
    cases_of,
    said_of_criteria,
    said_of_unjudged,
    unjudged_cases,
    unmarked_criteria,
    usual_reviewer,
)
from proctor.errors import UsageError
from proctor.findings.run import Accumulator, Findings
from proctor.formats.compatibility import MAXIMUM, RECOMMENDED
from proctor.formats.suites.suite import is_suite
from proctor.redaction import remember_secrets, without_secrets
from proctor.run import Attempt, ExamType, Run, Settings
from proctor.running.plan import exams_of, own_trials, pending_attempts
from proctor.settings import check_labels, check_name
from proctor.storage import open_store
from proctor.workflows.canaries import canary_warning, check_canaries
from proctor.workflows.checks import describe_checks, with_checks
from proctor.workflows.conditions import choose_conditions, with_conditions
from proctor.workflows.conduct import conduct
from proctor.workflows.labels import found_labels
from proctor.workflows.ledger import Listener, Watch
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
    is_live,
    kind_of,
    marks_by_criteria,
    refuse_itself,
    specs_of,
)
from proctor.workflows.run_limits import allowing, budget_warnings, check_prices
from proctor.workflows.settings import make_settings, may_have_own_parts, type_of, with_run_defaults
from proctor.workflows.stop_early import begin_looks, check_looks
from proctor.workflows.store_url import store_url
from proctor.workflows.tally import RunTally
from proctor.workflows.workers import WorkerPlan, WorkersWanted, plan_workers, rebuild_run


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Evaluation:
    """A run with its findings, and the way back to its attempts."""

    run: Run
    findings: Findings
    store: str

    def __repr__(self) -> str:
        """One line; without the store, whose URL may hold a password."""
        from proctor.reports.numbers import say

        rate, run = say(self.findings.pass_rate), self.run
        said = f"pass rate {rate.value} ({rate.interval})" if self.findings.pass_rate.n else "nothing counted"
        return f"<Evaluation {run.id}: {run.agent} on {run.benchmark}, {run.status}, {said}>"

    def _repr_html_(self) -> str:
        """The report of the terminal, for a notebook."""
        from proctor.reports.run.notebook import as_html

        return as_html(self.findings)

    def attempts(self) -> Iterator[Attempt]:
        """Every attempt with its transcript, streamed from the store."""
        with open_store(self.store, create=False) as store:
            yield from store.archive.full_attempts(self.run.id)

    def to_dataframe(self, rows: Literal["attempts", "cases"] = "attempts", *, library: str | None = None) -> Any:
        """A data frame with a row for each attempt, or for each case: of `pandas` if it is installed, else `polars`."""
        from proctor.workflows.export import data_frame

        return data_frame(self.run.id, rows=rows, library=library, store=self.store)


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRun:
    """A run that is ready to start: everything was found, built and checked, nothing was called yet."""

    run: Run
    benchmark: Benchmark
    cast: Cast
    warnings: tuple[str, ...] = ()
    """What a person should know before it starts."""
    live: Mapping[str, Any] = field(default_factory=dict)
    """Role → what was handed in for it: a Python object, which workers need too, or its name."""


async def aevaluate(
    benchmark: object,
    *,
    agent: object,
    reviewer: object = None,
    examiner: object = None,
    conditions: str | Sequence[str] | None = None,
    checks: str | Path | None = None,
    cache: bool | str | Path = False,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    store: str | Path | None = None,
    config: Config | None = None,
    watch: Watch | None = None,
    workers: int | None = None,
    ray: str | None = None,
    **settings: Any,
) -> Evaluation:
    """Examine an agent and return the run with its findings. What `proctor run` does.

    `benchmark` is a path, a Benchmark or a list of cases; `agent`, `reviewer` and `examiner` are names from
    `proctor.toml`, spec strings or live objects; a list of reviewers is a panel, whose majority decides; `conditions`
    are names, or `all`; `checks` is a suite whose expectations hold for the cases too; `cache` keeps models' replies on
    disk; `workers` processes play it instead of this one, with `ray` on that cluster; `settings` are those of
    `proctor run`.
    """
    config = config or load_config()
    prepared, crew = get_ready(
        benchmark, agent=agent, reviewer=reviewer, examiner=examiner, conditions=conditions, checks=checks, cache=cache,
        name=name, labels=labels, kind=kind, config=config, workers=workers, ray=ray, **settings,
    )  # fmt: skip
    url = store_url(store, config)
    with allowing(prepared.run.settings, config, cache=cache or config.run.cache):
        return await start_and_sync(prepared, config, store=url, watch=watch, workers=crew)


async def start_and_sync(
    prepared: PreparedRun, config: Config, *, store: str, watch: Watch | None, workers: WorkerPlan | None
) -> Evaluation:
    """Store the run, play it, and send it to where `[run] sync` says."""
    evaluation = await start(prepared, store=store, watch=watch, workers=workers)
    if config.run.sync:
        from proctor.workflows.destination import sync_configured

        await sync_configured(evaluation.run.id, config.run.sync, store=store)
    return evaluation


def get_ready(
    benchmark: object,
    *,
    config: Config,
    conditions: str | Sequence[str] | None = None,
    checks: str | Path | None = None,
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    cache: bool | str | Path = False,
    workers: int | None = None,
    ray: str | None = None,
    agent: object,
    reviewer: object = None,
    examiner: object = None,
    name: str | None = None,
    **settings: Any,
) -> tuple[PreparedRun, WorkerPlan | None]:
    """A run that is ready to start, with the defaults of `[run]`, and who plays it."""
    given = with_run_defaults(
        config.run, conditions=conditions, checks=checks, labels=labels, kind=kind, settings=settings
    )
    prepared = prepare(benchmark, agent=agent, reviewer=reviewer, examiner=examiner, name=name, config=config, **given)
    wanted = WorkersWanted(workers, ray)
    return prepared, plan_run_workers(prepared, config, wanted, cache=cache or config.run.cache)


def plan_run_workers(
    prepared: PreparedRun, config: Config, workers: WorkersWanted, *, cache: bool | str | Path = False
) -> WorkerPlan | None:
    """Who plays a run that is ready to start: so many workers, those of `[run]`, or (None) this process."""
    return plan_workers(
        workers, prepared.run, prepared.benchmark, config, build=rebuild_run, live=prepared.live, cache=cache
    )


def prepare(
    benchmark: object,
    *,
    agent: object,
    reviewer: object = None,
    examiner: object = None,
    conditions: str | Sequence[str] | None = None,
    checks: str | Path | None = None,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    kind: str | None = None,
    config: Config,
    settings: Mapping[str, Any],
) -> PreparedRun:
    """Find, build and check everything before the first call."""
    remember_secrets()
    if name is not None:
        check_name("the run's name", name)
    check_labels(labels or {})
    suite = isinstance(benchmark, (str, Path)) and is_suite(benchmark)
    loaded = with_conditions(with_checks(load_benchmark(benchmark), checks), config)
    exam_type = type_of(settings)
    if reviewer is None:
        reviewer = config.run.reviewer or _usual_reviewer(loaded, settings, exam_type, suite=suite)
    chosen = _choose(agent, reviewer, examiner, config, exam_type=exam_type)
    expected = describe_checks(loaded, suite=suite, added=checks)
    cast = _cast(chosen, loaded, config, exam_type=exam_type, checks=expected)
    others = _said_of(cast, chosen, exam_type) | {"checks": expected}
    by_checks = suite and exam_type == "standard" and not marks_by_criteria(others["rubric"])
    own_score = loaded.passing_score is not None or by_checks
    if own_score and settings.get("passing_score") is None:
        others["passing_score"] = loaded.passing_score
    others["own_scores"] = any(case.passing_score is not None for case in loaded.cases)
    others["conditions"] = choose_conditions(conditions, loaded)
    made = make_settings(settings, config.run, parts=criteria_in(loaded), **others)
    run = _new_run(loaded, chosen["agent"], made, name=name, labels=labels, kind=kind)
    check_prices(run.settings, config)
    check_canaries(run)
    check_looks(run)
    live = {"agent": agent, "reviewer": reviewer if is_live(reviewer) else None, "examiner": examiner}
    return PreparedRun(run=run, benchmark=loaded, cast=cast, warnings=tuple(_warnings(loaded, run)), live=live)


def _usual_reviewer(benchmark: Benchmark, settings: Mapping[str, Any], exam_type: ExamType, *, suite: bool) -> str:
    """Who judges unless somebody is named: the embedded reviewer; nobody where a suite has nothing but checks."""
    if not suite or exam_type != "standard":
        return "embedded"
    return usual_reviewer(benchmark, settings.get("passing_score"))


def _choose(
    agent: object, reviewer: object, examiner: object, config: Config, *, exam_type: ExamType
) -> dict[str, ChosenPart]:
    """Role → who plays it; a role that nobody plays is left out."""
    chosen = {"agent": choose(agent, config.agents, default="standard")}
    if reviewer != NOBODY:
        chosen["reviewer"] = choose_reviewer(reviewer, config)
    elif exam_type != "standard":
        raise UsageError("reviewer='none' cannot judge a battle; leave it out for the embedded one, or name a model")
    asking = _examiner(examiner, config, exam_type)
    if asking is not None:
        refuse_itself(chosen["agent"], asking)
        chosen["examiner"] = asking
    return chosen


def _examiner(given: object, config: Config, exam_type: ExamType) -> ChosenPart | None:
    """Who asks: the named one, else the prober, in a dynamic battle; elsewhere nobody."""
    if exam_type == "abm-dynamic":
        chosen = choose_examiner(given or config.run.examiner or "prober", config)
        if chosen.name == "script":
            raise UsageError("examiner='script' asks the rows of a file: use type='abm-static' for that")
        return chosen
    if given is not None and not (exam_type == "abm-static" and given == "script"):
        wrong = "asks the rows word for word" if exam_type == "abm-static" else "has no examiner"
        raise UsageError(f"examiner={given!r} would ask nothing: type={exam_type!r} {wrong}; use abm-dynamic")
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


def _said_of(cast: Cast, chosen: Mapping[str, ChosenPart], exam_type: ExamType) -> dict[str, Any]:
    """What the settings must say of the players so that they can be built again."""
    scripted = "script" if exam_type == "abm-static" else None
    return {
        "reviewer": chosen["reviewer"].name if "reviewer" in chosen else None,
        "panel": tuple(judge.name for judge in chosen["reviewer"].panel) if "reviewer" in chosen else (),
        "rubric": "+".join(reviewer.rubric for reviewer in cast.reviewers),
        "examiner": chosen["examiner"].name if "examiner" in chosen else scripted,
        "context_given": cast.agent.takes_request,
        "built": {name: spec for role, part in chosen.items() for name, spec in specs_of(role, part).items()},
    }


def _warnings(benchmark: Benchmark, run: Run) -> Iterator[str]:
    settings, rows = run.settings, len(benchmark.cases)
    if unjudged := _find_unjudged(benchmark, settings):
        yield said_of_unjudged(unjudged)
    judges = [judge[0].spec for judge in settings.judges] or [NOBODY]
    if unmarked := min((unmarked_criteria(cases_of(benchmark), judge) for judge in judges), key=len):
        yield said_of_criteria(unmarked)
    if said := canary_warning(settings):
        yield said
    if settings.type == "abm-static" and rows < RECOMMENDED:
        yield f"a static battle of {rows} question{'s' if rows != 1 else ''} is not recommended; 10 or more say more"
    if settings.type != "standard" and (own := sum(case.trials is not None for case in benchmark.cases)):
        yield (
            f"trials: of {own} case{'s' if own != 1 else ''} is left aside: in a battle --trials says how often each "
            "conversation is held"
        )
    if settings.type != "standard" and not settings.context_given:
        yield (
            f"{run.agent} is handed each question alone: it must keep its own memory of a conversation "
            "(take a proctor.Request to be handed the history)"
        )
    yield from budget_warnings(run)


def _find_unjudged(benchmark: Benchmark, settings: Settings) -> list[Case]:
    """The cases that no one will judge; a reviewer of somebody's own may judge any."""
    own = settings.reviewer is not None and may_have_own_parts({"built": settings.built})
    if settings.type != "standard" or own:
        return []
    reviewed = settings.reviewer is not None
    return unjudged_cases(cases_of(benchmark), reviewed=reviewed, passing_score=settings.passing_score)


def _new_run(
    benchmark: Benchmark,
    agent: ChosenPart,
    settings: Settings,
    *,
    name: str | None,
    labels: Mapping[str, str] | None,
    kind: str | None,
) -> Run:
    if settings.type == "abm-static" and len(benchmark.cases) > MAXIMUM:
        raise UsageError(
            f"{len(benchmark.cases)} questions exceed the maximum of {MAXIMUM} for a static battle; "
            "split the file, or use --type abm-dynamic --seeds"
        )
    exams = exams_of(benchmark, settings)
    settings = replace(settings, case_trials=own_trials(exams, settings))
    return Run(
        id=new_id(),
        name=without_secrets(name or f"{_short(agent.name)} on {benchmark.name}"),
        benchmark=benchmark.name,
        digest=benchmark.digest,
        agent=agent.name,
        kind=kind_of(agent, kind),
        settings=settings,
        labels=found_labels(Path()) | {str(key): without_secrets(str(value)) for key, value in (labels or {}).items()},
        planned=settings.planned_trials(len(exams)) * len(settings.conditions),
        created=time.time(),
    )


def _short(agent: str) -> str:
    """What a run is called after: a server's model by its name, an address as it is, else the spec's last part."""
    if agent.startswith("openai-compatible:"):
        return agent.removeprefix("openai-compatible:").partition("@")[0]
    return agent.partition("://")[2] or agent.rpartition(":")[2]


def new_id() -> str:
    """An id that sorts by time and that a person can type the beginning of."""
    return f"{datetime.now(UTC):%y%m%d-%H%M%S}-{secrets.token_hex(2)}"


async def start(
    prepared: PreparedRun,
    *,
    store: str,
    watch: Watch | None = None,
    heard: Listener | None = None,
    workers: WorkerPlan | None = None,
) -> Evaluation:
    """Store the run and play it from the beginning."""
    run = prepared.run
    exams = exams_of(prepared.benchmark, run.settings)
    with open_store(store) as opened:
        opened.journal.create(run, prepared.benchmark)
        with opened.journal.writing(run.id):
            findings = await conduct(
                opened,
                run,
                exams,
                cast=prepared.cast,
                pending_attempts=pending_attempts(run, exams),
                tally=RunTally.of(run, exams),
                watch=watch,
                heard=heard,
                gathering=Accumulator(run, exams),
                workers=workers,
                looks=begin_looks(opened, run, exams),
            )
    return Evaluation(run=findings.run, findings=findings, store=store)
