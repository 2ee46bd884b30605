"""What became of the gates that a run was started with, for its page and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.errors import ProctorError
from proctor.findings.gates import GateVerdict
from proctor.findings.run import Findings
from proctor.reports import gates as words
from proctor.reports.outcomes import OutcomeLabel
from proctor.run import Run
from proctor.storage import Store
from proctor.workflows.gates import judge_stored


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownGate:
    """One gate on a page."""

    text: str
    outcome: OutcomeLabel | None
    """None: there is no verdict."""
    sentence: str
    """Why, or why there is none."""


def gates_of(store: Store, run: Run, findings: Findings) -> list[ShownGate]:
    """Every gate, with its verdict once the run is completed."""
    verdicts, trouble = _judge(store, findings)
    if verdicts:
        return [_shown(verdict) for verdict in verdicts]
    moving = run.status in ("queued", "running")
    why = trouble or ("judged when the run is over" if moving else "not judged: the run is not complete")
    return [ShownGate(text=text, outcome=None, sentence=why) for text in run.gates or run.settings.stop_early]


def gates_for_programs(store: Store, findings: Findings) -> dict[str, Any]:
    """The same as `--json` prints them; `gates_trouble` says why they cannot be judged."""
    verdicts, trouble = _judge(store, findings)
    return {"gates": words.as_dicts(verdicts), **({"gates_trouble": trouble} if trouble else {})}


def _judge(store: Store, findings: Findings) -> tuple[list[GateVerdict], str]:
    try:
        return judge_stored(store, findings), ""
    except ProctorError as error:  # the run that it names was deleted, or is not comparable
        return [], error.on_page


def _shown(verdict: GateVerdict) -> ShownGate:
    return ShownGate(text=verdict.gate.text, outcome=words.OUTCOMES[verdict.verdict], sentence=words.sentence(verdict))
