"""What the reading pages are made of: a run, an attempt, a comparison, a history, made ready to be set as a page."""
