"""Checks in every rendering: how often each was passed, and which a case failed."""
