"""The OpenAI Agents SDK, as it really is, with models that play a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.agents.minded.door import loaded
from tests.contracts.agents import AgentContract
from tests.contracts.minds import Mind

from proctor.agents.openai_agents import load
from proctor.roles import Agent

pytest.importorskip("agents", reason="openai-agents is not installed")

from tests.agents.minded.openai_agents import agent_with


class TestContract(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))
