"""Renderings of findings: terminal, HTML, JSON, CSV, JUnit, Markdown. All show the same numbers and compute none."""
