"""Chat models behind our own contract: a name becomes a model, a question becomes a checked answer with its cost."""
