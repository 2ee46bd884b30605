"""Stored runs, recordings and traces → draft cases that a person reviews."""
