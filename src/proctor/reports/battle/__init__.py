"""Renderings of what a battle's conversations show."""
