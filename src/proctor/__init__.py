"""Evaluate AI agents: correctness, consistency, statistical confidence and regressions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor.benchmark import Benchmark, Case, Exam, Expectation, ExpectedCall
    from proctor.errors import AgentFault, EnvironmentFault, ProctorError
    from proctor.findings.comparison import Compared
    from proctor.findings.run import Findings
    from proctor.run import Attempt, Failure, Run, Settings
    from proctor.score import CheckResult, Part, Review, Score, Unscored
    from proctor.statistics.estimate import Estimate
    from proctor.transcript import Citation, Reply, Request, Step, ToolCall, Transcript, Turn
    from proctor.usage import Usage
    from proctor.workflows.compare import compare
    from proctor.workflows.evaluate import Evaluation, aevaluate
    from proctor.workflows.rescore import arescore
    from proctor.workflows.resume import aresume
    from proctor.workflows.sync import evaluate, load_run, rescore, resume

_HOMES = {
    "AgentFault": "errors",
    "Attempt": "run",
    "Benchmark": "benchmark",
    "Case": "benchmark",
    "CheckResult": "score",
    "Citation": "transcript",
    "Compared": "findings.comparison",
    "EnvironmentFault": "errors",
    "Estimate": "statistics.estimate",
    "Evaluation": "workflows.evaluate",
    "Exam": "benchmark",
    "Expectation": "benchmark",
    "ExpectedCall": "benchmark",
    "Failure": "run",
    "Findings": "findings.run",
    "Part": "score",
    "ProctorError": "errors",
    "Reply": "transcript",
    "Request": "transcript",
    "Review": "score",
    "Run": "run",
    "Score": "score",
    "Settings": "run",
    "Step": "transcript",
    "ToolCall": "transcript",
    "Transcript": "transcript",
    "Turn": "transcript",
    "Unscored": "score",
    "Usage": "usage",
    "aevaluate": "workflows.evaluate",
    "arescore": "workflows.rescore",
    "aresume": "workflows.resume",
    "compare": "workflows.compare",
    "evaluate": "workflows.sync",
    "load_run": "workflows.sync",
    "rescore": "workflows.sync",
    "resume": "workflows.sync",
}

__all__ = [
    "AgentFault",
    "Attempt",
    "Benchmark",
    "Case",
    "CheckResult",
    "Citation",
    "Compared",
    "EnvironmentFault",
    "Estimate",
    "Evaluation",
    "Exam",
    "Expectation",
    "ExpectedCall",
    "Failure",
    "Findings",
    "Part",
    "ProctorError",
    "Reply",
    "Request",
    "Review",
    "Run",
    "Score",
    "Settings",
    "Step",
    "ToolCall",
    "Transcript",
    "Turn",
    "Unscored",
    "Usage",
    "aevaluate",
    "arescore",
    "aresume",
    "compare",
    "evaluate",
    "load_run",
    "rescore",
    "resume",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import proctor` stays fast."""
    if name == "conditions":  # the decorators with which agent code wraps its tools
        return import_module("proctor.fault_injection")
    if name not in _HOMES:
        raise AttributeError(f"module 'proctor' has no attribute {name!r}")
    value = getattr(import_module(f"proctor.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
