"""Request to examine an agent, common to all interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import Any

from proctor.config import RunConfig
from proctor.errors import UsageError
from proctor.settings import check_labels, given
from proctor.workflows.parts import is_live


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """Benchmark, agent, judges and options of a run; None means the default."""

    benchmark: object
    """A path, a Benchmark or a list of cases."""
    agent: object
    """A name from `proctor.toml`, a spec string or a live object; likewise for reviewer and examiner."""
    reviewer: object = None
    """A list is a panel, whose majority decides."""
    examiner: object = None
    conditions: str | Sequence[str] | None = None
    """Names, or `all`."""
    checks: str | Path | None = None
    """A suite whose expectations apply to the cases too."""
    name: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    kind: str | None = None
    """Kind of agent: standard or orchestrator."""
    cache: bool | str | Path | None = None
    """Whether, or where, to cache the replies of models on disk."""
    workers: int | None = None
    """Number of processes that play the run."""
    ray: str | None = None
    """Ray cluster that plays the run: `local`, `auto` or an address."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of `proctor run`: type, trials, concurrency, timeout …"""

    @property
    def live_parts(self) -> dict[str, Any]:
        """Role → part as passed in, which workers need too."""
        reviewer = self.reviewer if is_live(self.reviewer) else None
        return {"agent": self.agent, "reviewer": reviewer, "examiner": self.examiner}

    def with_defaults(self, defaults: RunConfig) -> RunRequest:
        """Fill in missing options from `[run]`; `make_settings` fills in the numbers."""
        self._refuse_other_kinds()
        conditions = _names(self.conditions)
        stops = self.settings.get("stop_early")
        return replace(
            self,
            conditions=(defaults.condition or None) if conditions in (None, ()) else conditions,
            checks=defaults.checks if self.checks is None else self.checks,
            labels={**defaults.label, **self.labels},
            kind=self.kind or defaults.agent_kind,
            cache=defaults.cache if self.cache is None else self.cache,
            settings={
                **self.settings,
                "type": self.settings.get("type") or defaults.type,
                "stop_early": _gates_to_stop_at(defaults.stop_early if stops is None else stops, defaults.gate),
            },
        )

    def _refuse_other_kinds(self) -> None:
        """Validate the types of values from Python; the other interfaces validate their own."""
        check_labels(self.labels)
        if not isinstance(self.checks, (str, Path, NoneType)):
            raise UsageError(given("checks", self.checks), " is not usable; expected the path of a suite")


def _names(conditions: Any) -> str | Sequence[str] | None:
    """Return the names of conditions as a list, sorted if they come in a set."""
    if conditions is None or isinstance(conditions, str):
        return conditions
    names: list[str] = list(conditions) if isinstance(conditions, Iterable) else [conditions]
    if not all(isinstance(name, (str, NoneType)) for name in names):
        raise UsageError(given("conditions", conditions), " are not usable; expected a name, or a list of names")
    if isinstance(conditions, (set, frozenset)):
        return sorted(names, key=str)
    return tuple(names) if isinstance(conditions, tuple) else names


KEYWORDS = tuple(each.name for each in fields(RunRequest) if each.name not in ("benchmark", "settings"))
"""What `evaluate` takes besides settings."""


def request_of(benchmark: object, **options: Any) -> RunRequest:
    """Build a request from the keyword arguments of `evaluate`; unknown ones become settings."""
    own = {name: options.pop(name, None) for name in KEYWORDS}
    asked = {name: value for name, value in own.items() if value is not None and value is not False}
    return RunRequest(benchmark=benchmark, **{"agent": None, **asked}, settings=options)


def _gates_to_stop_at(stops: object, gates: Sequence[str]) -> object:
    """Return the named gates, or those of `[run]` for True."""
    if not isinstance(stops, bool):
        return stops
    if stops and not gates:
        raise UsageError(
            'stop_early=True names no gate, and [run] has none; expected one, such as stop_early="pass_rate>=0.9"'
        )
    return tuple(gates) if stops else ()
