"""Problems of a benchmark itself: `proctor doctor`, also given the agent's tools."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator

from proctor.benchmark import Benchmark
from proctor.config import Config
from proctor.doctor import BenchmarkProblem, examine
from proctor.doctor.judges import cases_of
from proctor.doctor.problem import problem
from proctor.errors import Misconfigured, UsageError
from proctor.running.garbage import seldom_collected
from proctor.workflows.checks import unknown_checks
from proctor.workflows.parts import build_agent, choose

__all__ = ["BenchmarkProblem", "atools_of", "find_problems"]
_PATIENCE = 60.0


def find_problems(
    benchmark: Benchmark, *, tools: Collection[str] | None = None, reviewer: str | None = None
) -> tuple[BenchmarkProblem, ...]:
    """Return the problems, the worst first; `tools` are the agent's, or None if unknown."""
    with seldom_collected():
        found = examine(benchmark, tools=tools, reviewer=reviewer)
    return (*_unknown_checks(benchmark), *found)


def _unknown_checks(benchmark: Benchmark) -> Iterator[BenchmarkProblem]:
    advice = "correct the name, or install the package that offers it; until then no run can begin"
    for message, cases in unknown_checks(cases_of(benchmark)).items():
        yield problem("unknown-check", "error", cases, message, advice)


async def atools_of(agent: str, *, config: Config) -> frozenset[str]:
    """Return the names of the agent's tools; raise UsageError if it cannot report them."""
    built = build_agent(choose(agent, config.agents, default="standard"), config)
    listing = getattr(built, "list_tools", None)
    try:
        if listing is None:
            raise UsageError(
                f"the agent {agent!r} cannot list its tools; expected one such as mcp:URL, "
                "or name its tools with --tool"
            )
        async with asyncio.timeout(_PATIENCE):
            return frozenset(tool.name for tool in await listing())
    except TimeoutError as error:
        raise Misconfigured(f"the agent {agent!r} did not list its tools within {_PATIENCE:g} s") from error
    finally:
        await built.close()
