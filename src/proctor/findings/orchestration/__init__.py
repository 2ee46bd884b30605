"""Metrics of an orchestrator's steps: planning, coordination, parallelism, recovery and resources."""
