"""Attempts → what is known, as data: of a run, a battle, an orchestrator, two runs, many. All is computed here."""
