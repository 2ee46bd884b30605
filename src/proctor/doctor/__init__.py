"""What is wrong with a benchmark itself, before any agent is asked."""

from proctor.doctor.complaint import Complaint, Severity
from proctor.doctor.examination import examine

__all__ = ["Complaint", "Severity", "examine"]
