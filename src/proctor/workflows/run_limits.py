"""Limits of a run's calls (rate limits, cache, budget), and estimates of its cost."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.benchmark import Exam
from proctor.config import Config
from proctor.run import Run, Settings, Spec
from proctor.settings import BY_RULES
from proctor.spending.budget import Budget, must_have_prices
from proctor.spending.cache import Cache
from proctor.spending.limits import Limits
from proctor.spending.prices import price_of, tokens_in
from proctor.spending.providers import PROVIDERS, Source, is_loopback, names_of, source_in
from proctor.spending.run_limits import RunLimits, current, enforce_limits
from proctor.usage import Usage
from proctor.workflows.canaries import canary_exams

if TYPE_CHECKING:
    from proctor.spending.estimate import Caller, CostEstimate, Role

_log = logging.getLogger("proctor")
_CACHE = ".proctor/cache"
_SHARED = Path(".proctor/limits")
"""Folder through which concurrent runs share the limits."""
_TOOL_ROUNDS = 10
_ENVELOPE = 20
"""Tokens around the messages of a call."""
_DECLARATION = 100
"""Estimated tokens of a tool's declaration, without reading it."""
_NO_MODELS = (*BY_RULES, "prober", "python")
"""Prefixes of reviewer and examiner specs that do not name a chat model."""
_FREE = (*BY_RULES, "prober", "demo", "recorded")
"""Prefixes of specs that cause no cost."""


@contextmanager
def allowing(
    settings: Settings,
    config: Config,
    *,
    cache: bool | str | Path = False,
    spent: Usage | None = None,
    budget: Budget | None = None,
) -> Iterator[None]:
    """Apply the run's limits to all calls in this context.

    Even without any limits, calls to one host back off together when it answers "too many". Limits already in force
    stay, unless the run has its own. A given `budget` is managed by the caller.
    """
    if current() is not None and not (config.limits or cache or is_limited(settings)):
        yield
        return
    limits = Limits(config.limits, shared=_SHARED)
    if budget is None and is_limited(settings):
        budget = Budget(cost=settings.budget, tokens=settings.max_tokens, spent=spent or Usage())
    kept = Cache(_CACHE if cache is True else Path(cache)) if cache else None
    try:
        with enforce_limits(RunLimits(limits=limits, cache=kept, budget=budget)):
            yield
    finally:
        limits.close()
        if kept is not None:
            kept.close()
            if kept.trouble:
                _log.warning(
                    "the cache failed %d times, and models were asked instead: %s", kept.troubles, kept.trouble
                )


def is_limited(settings: Settings) -> bool:
    """Whether there is a budget of money or tokens."""
    return settings.budget is not None or settings.max_tokens is not None


def check_prices(settings: Settings, config: Config) -> None:
    """Raise an error for a budget of money with models of unknown price."""
    if settings.budget is None:
        return
    for _, model, spec in _models(settings):
        must_have_prices([model], _prices(spec, config), budget=settings.budget)


def unreported_spenders(run: Run) -> tuple[str, ...]:
    """Return the parts that may spend money that only they can report: neither models called from here nor free."""
    settings = run.settings
    names: dict[Role, str | None] = {
        "agent": run.agent,
        "reviewer": settings.reviewer,
        "examiner": settings.examiner,
    }
    return tuple(
        name
        for role, name in names.items()
        if name is not None and any(_may_spend(role, spec) for spec in (_specs(settings, role) or (None,)))
    )


def budget_warnings(run: Run) -> Iterator[str]:
    """Yield a warning if spending counts against the budget only as far as parts report it."""
    if is_limited(run.settings) and (names := unreported_spenders(run)):
        limits = {"the budget": run.settings.budget, "the maximum tokens": run.settings.max_tokens}
        limit = " and ".join(name for name, value in limits.items() if value is not None)
        yield (
            f"what {' and '.join(names)} spend{'s' if len(names) == 1 else ''} counts against {limit} only as far "
            "as it is reported with each reply, as usage; the rest is neither known nor limited"
        )


def estimate_cost(run: Run, exams: tuple[Exam, ...], config: Config) -> CostEstimate:
    """Estimate the cost of a run before its first call, including its judge's canaries."""
    from proctor.spending.estimate import estimate, together

    callers = [*_callers(run.settings, config)]
    found = estimate(exams, run.settings, callers)
    canaries = canary_exams(run.settings)
    judges = [caller for caller in callers if caller.role == "reviewer"]
    once = replace(run.settings, trials=1, conditions=("",))
    return together(found, estimate(canaries, once, judges)) if canaries else found


def called_gently(run: Run, config: Config) -> dict[str, int]:
    """Return the default concurrency of local models without a configured one, by name in `[limits]`."""
    limits, found = Limits(config.limits), {}
    for _, model, spec in _models(run.settings):
        source = source_in(model, spec.options)
        if source is None or not is_loopback(source):
            continue
        is_configured = any(config.limits.get(name, {}).get("concurrency") for name in names_of(source))
        if not is_configured:
            found[names_of(source)[0]] = limits.limit(source).concurrency or 0
    return found


def _callers(settings: Settings, config: Config) -> Iterator[Caller]:
    from proctor.spending.estimate import Caller

    limits = Limits(config.limits)
    for role, model, spec in _models(settings):
        tools = spec.options.get("max_tool_rounds", _TOOL_ROUNDS) if spec.options.get("tools") else 0
        source = source_in(model, spec.options) or Source(provider=model.partition(":")[0])
        yield Caller(
            role=role,
            name=model,
            price=price_of(model, _prices(spec, config)),
            prompt=_prompt(spec) if role == "agent" else None,
            max_output_tokens=spec.options.get("max_output_tokens"),
            tool_rounds=tools,
            is_second=role == "reviewer" and any(len(judge) > 1 and judge[-1] is spec for judge in settings.judges),
            source=source,
            limit=limits.limit(source),
        )


def _models(settings: Settings) -> Iterator[tuple[Role, str, Spec]]:
    """Yield role, name and spec of every chat model."""
    roles: tuple[Role, ...] = ("agent", "reviewer", "examiner")
    for role in roles:
        for spec in _specs(settings, role):
            if (model := _model(role, spec)) is not None:
                yield role, model, spec


def _model(role: Role, spec: Spec) -> str | None:
    """Return the chat model's name, or None if it is not a chat model."""
    model = spec.spec.removeprefix("model:" if role != "agent" else "").removeprefix("agent:")
    scheme, colon, _ = model.partition(":")
    judges = role != "agent" and colon and scheme not in _NO_MODELS and not spec.spec.startswith("agent:")
    return model if judges or spec.spec.startswith("model:") or scheme in PROVIDERS else None


def _specs(settings: Settings, role: Role) -> list[Spec]:
    """Return the specs of a role; of a cascade of judges, only the second, which may call a model."""
    if role == "reviewer":
        return [judge[-1] for judge in settings.judges]
    return [settings.built[role]] if role in settings.built else []


def _prompt(spec: Spec) -> int:
    """Return the tokens of every call of an agent: its instructions and tool declarations."""
    return tokens_in(spec.options.get("system") or "") + _ENVELOPE + _DECLARATION * len(spec.options.get("tools", ()))


def _may_spend(role: Role, spec: Spec | None) -> bool:
    """Whether a part that is not a model may cause cost; of live objects, only the agent."""
    if spec is None:
        return role == "agent"
    return _model(role, spec) is None and spec.spec.partition(":")[0] not in _FREE


def _prices(spec: Spec, config: Config) -> Mapping[str, Any]:
    given: Mapping[str, Any] = spec.options.get("prices", {})
    return {**config.prices, **given}
