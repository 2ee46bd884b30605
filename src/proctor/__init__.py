"""Examines AI agents: is it right, is it consistent, how sure is that, and what changed."""
