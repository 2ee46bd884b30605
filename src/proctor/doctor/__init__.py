"""Find problems in a benchmark itself, before any agent is called."""

from proctor.doctor.examination import examine
from proctor.doctor.problem import BenchmarkProblem, Severity

__all__ = ["BenchmarkProblem", "Severity", "examine"]
