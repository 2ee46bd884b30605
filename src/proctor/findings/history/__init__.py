"""Runs of one benchmark in time order: current quality, and which changes are statistically significant."""

from proctor.findings.history.changes import Counts, Order
from proctor.findings.history.history import build_history, rate_of
from proctor.findings.history.series import Change, Entry, History, Segment, Series

__all__ = ["Change", "Counts", "Entry", "History", "Order", "Segment", "Series", "build_history", "rate_of"]
