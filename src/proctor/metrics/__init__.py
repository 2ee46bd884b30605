"""Metrics over recorded conversations, as Python classes: `Agentic`, `BestOf`, `Context`."""
