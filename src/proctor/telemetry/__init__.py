"""Spans ↔ transcripts: what is written to observability backends, what is read from them, and live capture."""
