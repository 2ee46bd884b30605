"""Quality gates (`--gate`): conditions on a run, decided on confidence bounds as met, not met or inconclusive."""

from proctor.findings.gates.gate import Gate, parse
from proctor.findings.gates.reachability import check
from proctor.findings.gates.verdict import GateVerdict, exit_code, judge

__all__ = ["Gate", "GateVerdict", "check", "exit_code", "judge", "parse"]
