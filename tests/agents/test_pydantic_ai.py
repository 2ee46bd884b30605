"""Pydantic AI, as it really is, with models that play a mind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
from tests.agents.minded.door import loaded
from tests.contracts.agents import AgentContract
from tests.contracts.minds import Mind

from proctor.agents.pydantic_ai import load
from proctor.roles import Agent

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

from tests.agents.minded.pydantic_ai import agent_with


class TestContract(AgentContract):
    cannot: ClassVar = {"silence": "Pydantic AI itself takes an empty answer for none, and asks the model again"}

    @asynccontextmanager
    async def connected(self, mind: Mind) -> AsyncIterator[Agent]:
        yield loaded(load, agent_with(mind))
