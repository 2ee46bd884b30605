"""smolagents: an agent of it, as an agent."""

from proctor.agents.smolagents.agent import adapt, load

__all__ = ["adapt", "load"]
