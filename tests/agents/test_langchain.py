"""LangChain and LangGraph, as they really are, with models that play a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.agents.minded.door import loaded
from tests.contracts.agents import AgentContract
from tests.contracts.minds import Mind

from proctor.agents.langchain import load
from proctor.roles import Agent

pytest.importorskip("langchain", reason="langchain is not installed")

from tests.agents.minded.langchain import agent_with


class TestContract(AgentContract):
    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))
