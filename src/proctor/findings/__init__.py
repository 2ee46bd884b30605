"""Attempts → results as data: of a run, a battle, an orchestrator, or comparisons. All computation is done here."""
