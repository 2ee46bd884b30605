"""Who asks in a battle: the prober, chat models, agents; the guard finds their faults."""
