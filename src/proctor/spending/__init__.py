"""What a run may cost and has cost: prices, estimate, budget, limits, cache."""
