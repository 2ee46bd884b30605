"""Costs of a run: prices, cost estimate, budget, rate limits and cache."""
