"""Renderings of what an orchestrator's steps show."""
