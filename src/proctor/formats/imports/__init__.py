"""Import cases and results from other tools: one module per tool, all implementing `contract.py`."""
