"""`--gate`: a condition on a run, decided on the interval's bound: met, not met, or inconclusive."""

from proctor.gates.gate import Gate, parse
from proctor.gates.judging import GateVerdict, exit_code, judge
from proctor.gates.reach import check

__all__ = ["Gate", "GateVerdict", "check", "exit_code", "judge", "parse"]
