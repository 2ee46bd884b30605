"""Runs of one benchmark in time order: how good it is now, and which changes are real."""

from proctor.history.course import Change, Course, Entry, History, Segment
from proctor.history.looking import Counts, Order
from proctor.history.telling import tell

__all__ = ["Change", "Counts", "Course", "Entry", "History", "Order", "Segment", "tell"]
