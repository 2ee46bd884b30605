"""CrewAI: a crew as an agent."""

from proctor.agents.crewai.agent import adapt, load

__all__ = ["adapt", "load"]
