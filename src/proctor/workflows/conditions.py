"""`--condition` → the conditions of a run, and the faults they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.errors import UsageError
from proctor.fault_injection import parse
from proctor.settings import nearest

PLAIN = "none"
"""What the run without a condition is called."""
ALL = "all"


def with_conditions(benchmark: Benchmark, config: Config) -> Benchmark:
    """The benchmark with every condition that it or `proctor.toml` declares, so that a stored run has them all."""
    declared = {**config.conditions, **benchmark.conditions}
    for name, fault in declared.items():
        parse(name, fault)
    return replace(benchmark, conditions=declared) if config.conditions else benchmark


def choose_conditions(asked: str | Sequence[str] | None, benchmark: Benchmark) -> tuple[str, ...]:
    """The names to play, the plain run as an empty one: as asked, every declared one and none for `all`."""
    names = (asked,) if isinstance(asked, str) else tuple(asked or (PLAIN,))
    declared = tuple(benchmark.conditions)
    if ALL in names:
        if not declared:
            raise UsageError(f"there are no conditions to play; {_where()}")
        return ("", *declared)
    for name in names:
        if name not in (PLAIN, *declared):
            if not declared:
                raise UsageError(f"there is no condition {name!r}: no condition is declared here; {_where()}")
            near = nearest(name, [PLAIN, ALL, *declared])
            known = f"did you mean {near!r}? " if near else ""
            raise UsageError(f"there is no condition {name!r}: {known}known are {', '.join([PLAIN, ALL, *declared])}")
    return tuple(dict.fromkeys("" if name == PLAIN else name for name in names))


def _where() -> str:
    return "declare them as [conditions.NAME] in proctor.toml, or under `conditions:` in a suite"
