"""View models of the reading pages: a run, an attempt, a comparison, a history, prepared for their templates."""
