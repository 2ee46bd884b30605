"""Renderings of a history: text, JSON, a chart, and a page to send."""
