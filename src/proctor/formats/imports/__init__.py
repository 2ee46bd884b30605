"""What other tools leave behind → cases and results: one file per tool, one contract (`contract.py`)."""
