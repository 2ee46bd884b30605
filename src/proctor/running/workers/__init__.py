"""Distribute a run over many workers: a crew deals out attempts, workers play them, and only the crew's side writes."""
