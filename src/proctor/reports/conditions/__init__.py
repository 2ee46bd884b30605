"""Renderings of a run under several conditions, side by side."""
