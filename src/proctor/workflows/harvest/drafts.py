"""Convert candidates to draft cases, masked, with provenance and the expectations that the replies suggest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.benchmark import Case
from proctor.codec import case_id
from proctor.formats.rules import LONGEST
from proctor.formats.suites.write import values_of
from proctor.redaction.personal import PersonalData
from proctor.workflows.harvest.agreement import draft_expectation
from proctor.workflows.harvest.candidate import Candidate, shorten_reply

_HALF = dict.fromkeys([0, *range(0xD800, 0xE000)], "\ufffd")


def draft_cases(candidates: Iterable[Candidate], masking: PersonalData) -> Iterator[dict[str, Any]]:
    """Yield each draft in the suite format, with a unique id."""
    taken: set[str] = set()
    for candidate in candidates:
        values = _draft(candidate, masking)
        _fit(values)
        plain, number = values["id"], 1
        while values["id"] in taken:
            number += 1
            values["id"] = f"{plain}-{number}"
        taken.add(values["id"])
        yield values


def _draft(candidate: Candidate, masking: PersonalData) -> dict[str, Any]:
    own = candidate.case or Case(id="", question=candidate.question)
    agreement = candidate.agreement
    suggested = agreement.text if candidate.case is None and len(agreement.text or "") <= LONGEST else None
    case = replace(
        own,
        question=candidate.question,
        context=candidate.context,
        answer=own.answer or suggested or None,
        expect=draft_expectation(own.expect, agreement, candidate.question),
        metadata={},
        review="needed",
    )
    values: dict[str, Any] = mask_values(values_of(case), masking)
    provenance = mask_values(_merge_provenance(own.metadata, _provenance(candidate)), masking)
    values["metadata"] = {name: shorten_reply(text) if name == "reply" else text for name, text in provenance.items()}
    if not own.id or values["id"] != own.id:  # replace an id that contains personal data
        values["id"] = case_id(values["question"], values.get("context"))
    return {name: values[name] for name in ("id", *(each for each in values if each != "id"))}


def _provenance(candidate: Candidate) -> dict[str, Any]:
    fields = {
        **candidate.origin,
        "verdict": None if candidate.verdict == "unjudged" else candidate.verdict,
        "asked": candidate.met if candidate.met > 1 else None,
        "failure": candidate.failure,
        "reply": candidate.reply,
        "drafted_from": candidate.agreement.reply_kinds,
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _merge_provenance(known: Mapping[str, Any], provenance: dict[str, Any]) -> dict[str, Any]:
    """Merge both; existing values under the same names, as in a harvested case, move to `earlier`."""
    earlier = {name: value for name, value in known.items() if provenance.get(name, value) != value}
    return {**known, **provenance, **({"earlier": earlier} if earlier else {})}


def _fit(values: dict[str, Any]) -> None:
    """Truncate texts that masking made too long: contexts at their start, others at their end."""
    for name in ("question", "reference", "reasoning"):
        if len(values.get(name, "")) > LONGEST:
            values[name] = f"{values[name][: LONGEST - 1]}…"
    if len(values.get("context", "")) > LONGEST:
        values["context"] = f"…{values['context'][1 - LONGEST :]}"


def mask_values(value: Any, masking: PersonalData) -> Any:
    """Mask all strings and numbers inside a value; keys are kept, since they are names."""
    if isinstance(value, str):
        return masking.mask(value.translate(_HALF))
    if isinstance(value, Mapping):
        return {str(name): mask_values(inner, masking) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [mask_values(inner, masking) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        masked = masking.mask(str(value))
        return value if masked == str(value) else masked
    return value
