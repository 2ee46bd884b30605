"""Chat models behind a common interface: load a model by name, ask it, and get a validated answer with its cost."""
