"""Convert between spans and transcripts: export to observability backends, import from them, and live capture."""
