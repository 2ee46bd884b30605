"""The tools that an agent has, where it can tell: what `proctor doctor --agent` looks up."""

from __future__ import annotations

import asyncio

from proctor.config import Config
from proctor.errors import Misconfigured, UsageError
from proctor.workflows.parts import build_agent, choose

_PATIENCE = 60.0


async def atools_of(agent: str, *, config: Config) -> frozenset[str]:
    """The names of the agent's tools; raises UsageError where it cannot tell."""
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
