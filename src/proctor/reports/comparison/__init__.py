"""Renderings of a comparison: terminal, JSON, Markdown, in the same words."""
