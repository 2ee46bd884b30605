"""A run played by many workers: a crew deals attempts out, each worker plays some, and only the crew's side writes."""
