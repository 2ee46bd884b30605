"""Runs of one benchmark in time order: how good it is now, and which changes are real."""

from proctor.findings.history.changes import Counts, Order
from proctor.findings.history.course import Change, Course, Entry, History, Segment
from proctor.findings.history.history import tell

__all__ = ["Change", "Counts", "Course", "Entry", "History", "Order", "Segment", "tell"]
