"""Reviewers, which judge replies; one module per kind."""
