"""Resolve names, specs or live objects to the parts of a run, and to specs from which another process can
rebuild them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proctor import plugins
from proctor.agents.function import adapt
from proctor.benchmark import Benchmark
from proctor.config import AgentConfig, Config, PartConfig
from proctor.doctor.judges import cases_of
from proctor.errors import InputError, UsageError
from proctor.plugins import module_of
from proctor.redaction import literals, remember_secrets
from proctor.reviewers.criteria import is_of_criteria
from proctor.roles import Agent, Examiner, Reviewer
from proctor.run import AgentKind, ExamType, Run, Spec, judge_roles
from proctor.settings import BY_RULES, NOBODY, given
from proctor.spending.providers import PROVIDERS
from proctor.workflows.checks import OWN, check_reviewer

JUDGE_RUBRIC = "judge-1"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenPart:
    """A part as chosen: by name, or as a live object."""

    name: str
    """Name in the run."""
    spec: Spec | None
    """How to build it, or None for a live object, which must be passed in again to resume."""
    live: Any = None
    """The live object, if one was passed in."""
    kind: str = "standard"
    """Kind as declared in `proctor.toml`."""
    judges: tuple[ChosenPart, ...] = ()
    """The two judges of a cascade, in order; empty for a single judge."""
    panel: tuple[ChosenPart, ...] = ()
    """The members of a panel, whose majority decides; empty for a single judge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """All participants of a run: agent, judges, examiner."""

    agent: Agent
    reviewers: tuple[Reviewer, ...]
    examiner: Examiner | None = None
    """Examiner of a dynamic battle, or None otherwise."""
    faults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Condition → fault."""

    @property
    def rubric(self) -> str:
        """Versioned name of the reviewers' rubric."""
        return "+".join(reviewer.rubric for reviewer in self.reviewers)


def choose(what: str | object, declared: Mapping[str, PartConfig], *, default: str) -> ChosenPart:
    """Resolve a name in `proctor.toml`, a spec string, or a live object."""
    if not isinstance(what, str):
        name = getattr(what, "__name__", None) or getattr(what, "name", None) or type(what).__name__
        return ChosenPart(name=f"object:{name}", spec=None, live=what)
    if what in declared:
        part = declared[what]
        literals.refuse(part.spec, part.options, whose=f"{what}.")
        kind = part.kind if isinstance(part, AgentConfig) else default
        return ChosenPart(name=what, spec=Spec(spec=part.spec, options=part.options), kind=kind)
    literals.refuse(what, {}, whose="the ")
    return ChosenPart(name=what, spec=Spec(spec=what), kind=default)


def choose_reviewer(what: str | object, config: Config) -> ChosenPart:
    """Resolve a reviewer; `embedded,openai:MODEL`, or a tuple of two, is a cascade: the second judges what is unsure.

    A list is a panel: each of its members judges every reply, and the majority decides.
    """
    if isinstance(what, list):
        return choose_reviewer(what[0], config) if len(what) == 1 else _choose_panel(what, config)
    names = _judges_in(what, config)
    if len(names) == 1:
        return choose(names[0], config.reviewers, default="standard")
    if len(names) != 2:
        raise UsageError(
            given("reviewer", what),
            f" names {len(names)} judges; expected one, or two of which the second gets what the first leaves unsure, "
            "such as embedded,openai:MODEL",
        )
    first, second = (choose(name, config.reviewers, default="standard") for name in names)
    if not _may_be_unsure(first):
        raise UsageError(
            f"the first judge {first.name!r} is never unsure, so {second.name!r} would never be asked; name the "
            f"embedded reviewer first (embedded,{second.name}), or one judge alone"
        )
    return ChosenPart(name=f"{first.name},{second.name}", spec=None, judges=(first, second))


def _choose_panel(members: list[Any], config: Config) -> ChosenPart:
    judges = tuple(choose_reviewer(member, config) for member in members if member != NOBODY)
    names = [judge.name for judge in judges]
    if not names or len(names) < len(members) or any(judge.panel for judge in judges):
        raise UsageError(
            given("reviewer", members),
            f" is not a panel: expected two or more judges, none of them {NOBODY!r} or a list",
        )
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(
            f"the panel names {twice[0]!r} twice, and one judge has one vote: name it once; to see how often it "
            "contradicts itself, try proctor rescore --repeats"
        )
    return ChosenPart(name=" + ".join(names), spec=None, panel=judges)


def _judges_in(what: str | object, config: Config) -> list[Any]:
    """Split a reviewer at its comma, but not at a comma in a model's URL."""
    if isinstance(what, tuple):
        return list(what)
    if not isinstance(what, str) or what in config.reviewers or "," not in what:
        return [what]
    names = [name.strip() for name in what.split(",")]
    known = {*config.reviewers, *plugins.known("reviewers"), *PROVIDERS}
    is_named = all(name in known or name.partition(":")[0] in known for name in names)
    return names if is_named or names[0].partition(":")[0] in plugins.known("reviewers") else [what]


def _may_be_unsure(judge: ChosenPart) -> bool:
    """Whether a judge can mark a score as unsure: the embedded one and custom code can."""
    if judge.spec is None:
        return not hasattr(judge.live, "ainvoke")
    scheme = judge.spec.spec.partition(":")[0]
    return scheme in plugins.known("reviewers") and scheme not in ("exact", "model")


def specs_of(role: str, chosen: ChosenPart) -> dict[str, Spec]:
    """Map each role to its spec; empty if any part is a live object."""
    if role != "reviewer":
        return {} if chosen.spec is None else {role: chosen.spec}
    found: dict[str, Spec] = {}
    for roles, judge in zip(judge_roles(len(chosen.panel)), chosen.panel or (chosen,), strict=True):
        for name, part in zip(roles, judge.judges or (judge,), strict=False):
            if part.spec is None:
                return {}
            found[name] = part.spec
    return found


def is_live(reviewer: object) -> bool:
    """Whether a judge is a Python object, which can only be passed to another process."""
    if isinstance(reviewer, (list, tuple)):
        return any(map(is_live, reviewer))
    return not isinstance(reviewer, str)


def kind_of(agent: ChosenPart, asked: str | None) -> AgentKind:
    """Return the agent's kind; raise an error for desktop agents."""
    kind = asked or agent.kind
    if kind == "desktop":
        raise UsageError("desktop agents are not supported; the supported kinds are standard and orchestrator")
    if kind not in ("standard", "orchestrator"):
        raise UsageError(given("kind", kind), " is not known; expected standard or orchestrator")
    return "orchestrator" if kind == "orchestrator" else "standard"


def build_agent(chosen: ChosenPart, config: Config) -> Agent:
    """Build the agent."""
    if chosen.live is not None:
        return adapt(chosen.live, name=chosen.name)
    if chosen.spec is None:
        raise UsageError(
            "agent=None cannot be tested; expected an object that answers, or a spec such as demo:librarian"
        )
    _must_be_known("agents", chosen.spec.spec, list(config.agents))
    options: Mapping[str, Any] = chosen.spec.options
    if chosen.spec.spec.partition(":")[0] in PROVIDERS:
        options = _with_prices(options, config)
    agent: Agent = plugins.build("agents", chosen.spec.spec, options)
    return agent


def _with_prices(options: Mapping[str, Any], config: Config) -> Mapping[str, Any]:
    """Add the prices of `[prices]` to a model's options, unless it has its own."""
    return {"prices": config.prices, **options} if config.prices else options


def build_reviewers(
    chosen: ChosenPart | None, benchmark: Benchmark, config: Config, *, exam_type: ExamType, checks: str | None
) -> tuple[Reviewer, ...]:
    """Build the judges: checks if there are expectations, plus the chosen reviewer or panel; None means checks
    alone."""
    first: tuple[Reviewer, ...] = (check_reviewer(benchmark),) if checks is not None else ()
    if chosen is None:
        return first
    judging = checks == OWN and exam_type == "standard"
    judges = chosen.panel or (chosen,)
    return (*first, *(build_reviewer(judge, config, exam_type, judging=judging) for judge in judges))


def build_reviewer(chosen: ChosenPart, config: Config, exam_type: ExamType, *, judging: bool = False) -> Reviewer:
    """Build the reviewer; in a battle, one that also looks for contradictions.

    A model with `judging` (of a suite) scores correctness and completeness, unless its options have another rubric or
    criteria.
    """
    reviewer = _reviewer(chosen, config, {"rubric": JUDGE_RUBRIC} if judging else {})
    if exam_type == "standard":
        return reviewer
    from proctor.reviewers.battle import BattleReviewer

    return BattleReviewer(reviewer)


def _reviewer(chosen: ChosenPart, config: Config, usual: Mapping[str, Any]) -> Reviewer:
    """Build a live, built-in, chat-model or cascade reviewer; `usual` are default options of models."""
    if chosen.judges:
        from proctor.reviewers.second_judge import SecondJudge

        return SecondJudge(*(_reviewer(judge, config, usual) for judge in chosen.judges))
    if chosen.live is not None:
        return _live_reviewer(chosen, usual)
    assert chosen.spec is not None
    spec = chosen.spec.spec
    scheme, colon, _ = spec.partition(":")
    if colon and scheme not in plugins.known("reviewers"):
        spec = f"model:{spec}"
    else:
        _must_be_known("reviewers", spec, list(config.reviewers))
    options: Mapping[str, Any] = chosen.spec.options
    if spec.startswith("model:"):
        options = _with_prices(options if "criteria" in options else {**usual, **options}, config)
    reviewer: Reviewer = plugins.build("reviewers", spec, options)
    return reviewer


def criteria_in(benchmark: Benchmark) -> list[str]:
    """Return the parts that the cases' own criteria score."""
    return list(dict.fromkeys(name for case in cases_of(benchmark) for name in case.criteria))


def marks_by_criteria(rubric: str) -> bool:
    """Whether a judge has custom criteria: scores then decide, even in a suite without a passing score."""
    return any(is_of_criteria(name) for name in rubric.replace(",", "+").split("+"))


def _must_be_known(family: plugins.Family, spec: str, declared: list[str]) -> None:
    scheme, colon, _ = spec.partition(":")
    known = plugins.known(family)
    if scheme not in known or (family == "agents" and not colon):
        if family == "agents" and spec.endswith(".py"):
            message = f"the agent {spec!r} is a file: name what answers in it"
            raise InputError(f"{message}, as in python:{module_of(spec)}:FUNCTION")
        names = [*sorted(declared), *sorted(_written(family, name) for name in known)]
        names += ["openai:MODEL and other models", "none"] if family == "reviewers" else []
        raise InputError(plugins.unknown_name_message(family, spec, names))


_ALONE = {"reviewers": (*BY_RULES,), "examiners": ("prober", "script"), "agents": (), "checks": ()}
"""Members of a family whose names take no argument after a colon."""


def _written(family: plugins.Family, name: str) -> str:
    """Format the name of a family's member."""
    if name in _ALONE[family] or (family == "reviewers" and name not in ("model", "python")):
        return name
    return f"{name}:…"


def _live_reviewer(chosen: ChosenPart, usual: Mapping[str, Any]) -> Reviewer:
    live = chosen.live
    if hasattr(live, "ainvoke") and not hasattr(live, "review") and not inspect.isclass(live):
        from proctor.reviewers.model import ModelReviewer

        return ModelReviewer(live, name=chosen.name, **usual)
    from proctor.reviewers.function import adapt

    return adapt(live, name=chosen.name)


def choose_examiner(what: str | object, config: Config) -> ChosenPart:
    """Resolve an examiner; an agent's name is distinguished from a model's, and its options are included."""
    chosen = choose(what, config.examiners, default="standard")
    if chosen.spec is None:
        return chosen
    if what in config.examiners:
        named = chosen.spec
        is_model = named.spec.partition(":")[0] in PROVIDERS
        return replace(chosen, spec=replace(named, spec=f"model:{named.spec}")) if is_model else chosen
    name = chosen.name.removeprefix("agent:")
    if name in config.agents:
        declared = config.agents[name]
        return ChosenPart(name=chosen.name, spec=Spec(spec=f"agent:{declared.spec}", options=declared.options))
    scheme, colon, _ = chosen.name.partition(":")
    if colon and scheme not in plugins.known("examiners"):
        family = "agent" if scheme in plugins.known("agents") and scheme not in PROVIDERS else "model"
        return ChosenPart(name=chosen.name, spec=Spec(spec=f"{family}:{chosen.name}"))
    return chosen


def refuse_itself(agent: ChosenPart, examiner: ChosenPart) -> None:
    """Raise an error if agent and examiner are the same: the findings would be the examiner's own doing."""
    same = agent.live is not None and agent.live is examiner.live
    if agent.spec is not None and examiner.spec is not None:
        same = examiner.spec.spec.removeprefix("agent:") == agent.spec.spec
    if same or agent.name == examiner.name:
        raise UsageError(
            f"the agent {agent.name!r} cannot be its own examiner; name another one, such as --examiner prober"
        )


def build_examiner(chosen: ChosenPart, config: Config) -> Examiner:
    """Build the examiner. All but the rule-based prober are checked for faults."""
    if chosen.live is not None:
        return _guard_examiner(_live_examiner(chosen))
    assert chosen.spec is not None
    _must_be_known("examiners", chosen.spec.spec, list(config.examiners))
    options: Mapping[str, Any] = chosen.spec.options
    scheme, _, rest = chosen.spec.spec.partition(":")
    if scheme == "model" or (scheme == "agent" and rest.partition(":")[0] in PROVIDERS):
        options = _with_prices(options, config)
    examiner: Examiner = plugins.build("examiners", chosen.spec.spec, options)
    return examiner if chosen.spec.spec.partition(":")[0] == "prober" else _guard_examiner(examiner)


def _guard_examiner(examiner: Examiner) -> Examiner:
    from proctor.examiners.guard import Guarded

    return Guarded(examiner)


def _live_examiner(chosen: ChosenPart) -> Examiner:
    live = chosen.live
    if hasattr(live, "ask") and not inspect.isclass(live):
        examiner: Examiner = live
        return examiner
    if hasattr(live, "ainvoke") and not inspect.isclass(live):
        from proctor.examiners.model import ModelExaminer

        return ModelExaminer(live, name=chosen.name)
    from proctor.examiners.agent import AgentExaminer

    return AgentExaminer(adapt(live, name=chosen.name))


def recast(run: Run, benchmark: Benchmark, config: Config, live: Mapping[str, Any]) -> Cast:
    """Rebuild the parts of a stored run."""
    remember_secrets()
    settings = run.settings
    agent = build_agent(_rebuild_part(run, "agent", run.agent, live), config)
    judge = None if settings.reviewer is None else reviewer_again(run, config, live.get("reviewer"))
    reviewers = build_reviewers(judge, benchmark, config, exam_type=settings.type, checks=settings.checks)
    examiner = None
    if settings.type == "abm-dynamic" and settings.examiner is not None:
        examiner = build_examiner(_rebuild_part(run, "examiner", settings.examiner, live), config)
    return Cast(agent=agent, reviewers=reviewers, examiner=examiner, faults=benchmark.conditions)


def reviewer_again(run: Run, config: Config, live: object) -> ChosenPart:
    """Return the reviewer of a stored run, with all of its judges."""
    settings = run.settings
    assert settings.reviewer is not None
    if run.imported is not None and live is None:
        raise UsageError(
            f"the verdicts of run {run.id} are those of {run.imported.judge} in {run.imported.tool}, which cannot be "
            "asked again here; name another reviewer"
        )
    if isinstance(live, (list, tuple)):
        return replace(choose_reviewer(live, config), name=settings.reviewer)
    if not settings.panel:
        return _judge_again(run, settings.reviewer, judge_roles(0)[0], live)
    if live is not None:
        raise UsageError(
            f"run {run.id} has a panel of judges: hand them in as a list, in the order {settings.reviewer}"
        )
    judges = zip(settings.panel, judge_roles(len(settings.panel)), strict=True)
    panel = tuple(_judge_again(run, name, roles, None) for name, roles in judges)
    return ChosenPart(name=settings.reviewer, spec=None, panel=panel)


def _judge_again(run: Run, name: str, roles: tuple[str, str], live: object) -> ChosenPart:
    """Return one judge of a stored run, or both of a cascade."""
    chosen, second = _rebuild_part(run, roles[0], name, {roles[0]: live}), run.settings.built.get(roles[1])
    if second is None or live is not None:
        return chosen
    names = name.partition(",")
    judges = replace(chosen, name=names[0]), ChosenPart(name=names[2], spec=second)
    return ChosenPart(name=name, spec=None, judges=judges)


def _rebuild_part(run: Run, role: str, name: str, live: Mapping[str, Any]) -> ChosenPart:
    if live.get(role) is not None:
        return ChosenPart(name=name, spec=None, live=live[role])
    if role not in run.settings.built:
        who, what = ("reviewer", "=[…]") if role.startswith("judge_") else (role, "=…")
        raise UsageError(
            f"the {who} of run {run.id} was the Python object {name!r}, which only your program has: "
            f"resume it there with proctor.resume({run.id!r}, {who}{what})"
        )
    return ChosenPart(name=name, spec=run.settings.built[role])
