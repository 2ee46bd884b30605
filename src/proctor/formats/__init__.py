"""Parsers for user-supplied files: turn bytes into benchmarks and report every error."""
