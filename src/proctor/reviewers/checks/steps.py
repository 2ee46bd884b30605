"""Checks of an orchestrator's steps: which sub-agents it delegated to, and what it did in which order."""

from __future__ import annotations

from proctor.benchmark import Expectation
from proctor.findings.orchestration.expected import judge_steps, missing_sub_agents
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources
from proctor.transcript import Reply, Turn

_NO_STEPS = "the reply reports no steps"
_UNTOLD = f"{_NO_STEPS}, nor of anything else that was done: return a dict with 'steps', or a proctor.Reply"


@check("sub-agents")
def sub_agents(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that every listed sub-agent was delegated to."""
    if not expect.sub_agents:
        return None
    if not _tells_steps(reply):
        return Outcome(None, _UNTOLD)
    missing = missing_sub_agents(expect, reply.steps)
    share = 1 - len(missing) / len(expect.sub_agents)
    if not missing:
        return Outcome(True, f"delegated to {', '.join(expect.sub_agents)}", share)
    active = ", ".join(dict.fromkeys(step.agent for step in reply.steps if step.agent))
    seen = f"the sub-agents were {active}" if active else "no sub-agent was at work" if reply.steps else _NO_STEPS
    return Outcome(False, f"not delegated to {', '.join(missing)}; {seen}", share)


@check("steps")
def steps(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that every listed step was taken, as often and in the order required."""
    if not expect.steps:
        return None
    if not _tells_steps(reply):
        return Outcome(None, _UNTOLD)
    verdicts = judge_steps(expect.steps, reply.steps)
    judged = [verdict.passed for verdict in verdicts]
    passed = False if False in judged else None if None in judged else True
    first = sorted(verdicts, key=lambda verdict: (verdict.passed is not False, verdict.passed is not None))
    evidence = "; ".join(f"{verdict.wanted}: {verdict.evidence}" for verdict in first)
    return Outcome(passed, evidence if reply.steps else f"{_NO_STEPS}; {evidence}", judged.count(True) / len(judged))


def _tells_steps(reply: Reply) -> bool:
    """Whether the steps are known: some were reported, or the reply reports tool calls or steps and has none."""
    return bool(reply.steps) or reply.tools_known or reply.steps_known
