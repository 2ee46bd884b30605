"""Exporters for results: one module per destination, a shared sender, and a verdict on every item."""
