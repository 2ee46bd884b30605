"""The verbs: the only place where parts meet."""
