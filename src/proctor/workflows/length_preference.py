"""Whether the judge of a labelled run prefers longer replies beyond what people's labels account for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from proctor.findings.run import Findings
from proctor.findings.run.people import majority
from proctor.run import Attempt, HumanLabel
from proctor.statistics.estimate import Estimate
from proctor.statistics.length_preference import LabelledMark, length_preference
from proctor.storage import Store


def with_length_preference(opened: Store, findings: Findings, labels: Sequence[HumanLabel]) -> Findings:
    """The findings with the correlation of mark and length given people's label, and a note where it is clear."""
    found = length_preference(list(_marks(opened, labels)))
    notes = (*findings.notes, *_sentences(found))
    return replace(findings, length_preference=found, notes=notes)


def _marks(opened: Store, labels: Sequence[HumanLabel]) -> Iterator[LabelledMark]:
    for key, people in majority(labels).items():
        attempt = opened.archive.attempt(key)
        if attempt is not None and attempt.value is not None:
            yield LabelledMark(mark=attempt.value, words=_words(attempt), people=people)


def _words(attempt: Attempt) -> int:
    return sum(len(turn.reply.text.split()) for turn in attempt.transcript.turns if turn.reply is not None)


def _sentences(found: Estimate) -> Iterator[str]:
    if found.value is None or found.low is None or found.high is None or not found.side:
        return
    which = "Longer" if found.side > 0 else "Shorter"
    yield (
        f"{which} replies get higher scores than people's labels account for: the correlation of score and length "
        f"given the label is {_with_sign(found.value)} ({_with_sign(found.low)} – {_with_sign(found.high)}, {found.n} "
        "labelled replies)."
    )


def _with_sign(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
