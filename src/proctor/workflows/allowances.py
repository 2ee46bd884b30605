"""What the calls of a run may use together: rate limits, a cache, a budget; and what a run will take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proctor.benchmark import Exam
from proctor.config import Config
from proctor.models.naming import PROVIDERS
from proctor.run import Run, Settings, Spec
from proctor.usage import Usage

if TYPE_CHECKING:
    from proctor.models.estimate import Caller, Estimate

_CACHE = ".proctor/cache"
_TOOL_ROUNDS = 10
_NO_MODELS = ("embedded", "exact", "prober", "python", "agent")
"""What a reviewer's or examiner's spec begins with that names no chat model."""


@contextmanager
def allowing(
    settings: Settings, config: Config, *, cache: bool | str | Path = False, spent: Usage | None = None
) -> Iterator[None]:
    """Hold every call that is made from here to the run's limits; without any, nothing is loaded."""
    if not (config.limits or cache or settings.budget is not None or settings.max_tokens is not None):
        yield
        return
    from proctor.models.allowance import Allowance, granted
    from proctor.models.budget import Budget
    from proctor.models.cache import Cache
    from proctor.models.limits import Limits

    budget = None
    if settings.budget is not None or settings.max_tokens is not None:
        budget = Budget(cost=settings.budget, tokens=settings.max_tokens, spent=spent or Usage())
    kept = Cache(_CACHE if cache is True else Path(cache)) if cache else None
    try:
        with granted(Allowance(limits=Limits(config.limits), cache=kept, budget=budget)):
            yield
    finally:
        if kept is not None:
            kept.close()


def check_prices(settings: Settings, config: Config) -> None:
    """Refuse a budget of money for models whose price nobody has given."""
    if settings.budget is None:
        return
    from proctor.models.budget import must_have_prices

    for _, spec in _models(settings):
        must_have_prices([spec.spec.removeprefix("model:")], _prices(spec, config), budget=settings.budget)


def foresee(run: Run, exams: tuple[Exam, ...], config: Config) -> Estimate:
    """What a run will take, before its first call."""
    from proctor.models.estimate import estimate

    return estimate(exams, run.settings, [*_callers(run.settings, config)])


def _callers(settings: Settings, config: Config) -> Iterator[Caller]:
    from proctor.models.estimate import Caller
    from proctor.models.prices import price_of

    for role, spec in _models(settings):
        model = spec.spec.removeprefix("model:")
        tools = spec.options.get("max_tool_rounds", _TOOL_ROUNDS) if spec.options.get("tools") else 0
        yield Caller(
            role=role,  # type: ignore[arg-type]
            name=model,
            price=price_of(model, _prices(spec, config)),
            max_output_tokens=spec.options.get("max_output_tokens"),
            tool_rounds=tools,
        )


def _models(settings: Settings) -> Iterator[tuple[str, Spec]]:
    """Role → the spec of whoever is a chat model."""
    for role, spec in settings.built.items():
        scheme = spec.spec.partition(":")[0]
        judges = role in ("reviewer", "examiner") and ":" in spec.spec and scheme not in _NO_MODELS
        if judges or (role == "agent" and scheme in PROVIDERS):
            yield role, spec


def _prices(spec: Spec, config: Config) -> Mapping[str, Any]:
    given: Mapping[str, Any] = spec.options.get("prices", {})
    return {**config.prices, **given}
