"""Agents under test: one module per way to call an agent, all implementing `proctor.roles.Agent`."""
