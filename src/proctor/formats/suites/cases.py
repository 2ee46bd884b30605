"""Build cases and expectations from validated values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from proctor.benchmark import OWN_PART, AskedPart, Case, Expectation, ExpectedCall
from proctor.codec import case_id

_NO_CITATIONS: dict[str, Any] = {"citations": None, "sources": [], "quotes": False}


class CaseMaker:
    """Builds the cases of one suite with unique ids."""

    def __init__(self, given: Mapping[str, Any], taken: set[str]) -> None:
        """`given` is the suite's own `expect`; `taken` holds the ids given explicitly to cases."""
        self._common = _flat(given)
        self._taken = taken
        self._seen: Counter[str] = Counter()

    @property
    def common(self) -> Expectation:
        """Expectation that applies to every reply."""
        return _expectation(dict(self._common))

    def case(self, values: Mapping[str, Any], line: int) -> Case:
        """Build a case, merging the suite's expectations with its own."""
        question, context = values["question"], values.get("context")
        return Case(
            id=values.get("id") or self._made_id(question, context),
            question=question,
            context=context,
            answer=values.get("reference"),
            reasoning=values.get("reasoning"),
            categories=_once(_as_list(values.get("category", []))),
            expect=_expectation(_merge_expectations(self._common, _flat(values.get("expect", {})))),
            passing_score=values.get("passing_score"),
            trials=values.get("trials"),
            criteria=_criteria(values.get("criteria", {})),
            metadata=values.get("metadata", {}),
            review=values.get("review"),
            line=line,
        )

    def _made_id(self, question: str, context: str | None) -> str:
        plain = case_id(question, context)
        while True:
            self._seen[plain] += 1
            made = plain if self._seen[plain] == 1 else f"{plain}-{self._seen[plain]}"
            if made not in self._taken:
                return made


def _criteria(given: str | dict[str, AskedPart]) -> dict[str, AskedPart]:
    return {OWN_PART: given} if isinstance(given, str) else given


def _flat(expect: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten the expectations, lifting the three keys inside `citations` to the top level."""
    found = {name: value for name, value in expect.items() if name != "citations"}
    citations = expect.get("citations")
    if citations is False:
        return {**found, **_NO_CITATIONS}
    if isinstance(citations, dict):
        least = {"citations": citations["min"]} if "min" in citations else {"cites": True}
        return {**found, **least, **{name: value for name, value in citations.items() if name != "min"}}
    return found if citations is None else {**found, "citations": int(citations)}


def _merge_expectations(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge expectations: concatenate lists, combine limits, and let the case override anything else."""
    found = dict(common)
    for name, value in own.items():
        if isinstance(value, list) and name in common:
            found[name] = [*common[name], *value]
        elif isinstance(value, dict) and name in common:
            found[name] = {**common[name], **value}
        else:
            found[name] = value
    if "citations" in own and own["citations"] is None:
        found.update(_NO_CITATIONS, cites=False)
    return found


def _expectation(given: dict[str, Any]) -> Expectation:
    cites = given.pop("cites", False)
    if cites and given.get("citations") is None:
        given["citations"] = 1
    calls, steps = given.pop("tool_calls", None), given.pop("steps", [])
    given["limits"] = {name: float(most) for name, most in given.get("limits", {}).items()}
    values: dict[str, Any] = {name: _once(value) if isinstance(value, list) else value for name, value in given.items()}
    return Expectation(
        **values,
        tool_calls=None if calls is None else tuple(map(_call, calls)),
        steps=tuple(map(_step, steps)),
    )


def _call(values: Mapping[str, Any]) -> ExpectedCall:
    names = {name: _once(values[name]) for name in ("ignore", "optional") if name in values}
    return ExpectedCall(**{**values, **names})


def _step(value: str | dict[str, Any]) -> dict[str, Any]:
    """Expand a plain string into a step of that kind."""
    if isinstance(value, str):
        return {"kind": value}
    return {**value, **{name: _as_list(value[name]) for name in ("after", "parallel_with") if name in value}}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _once(texts: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
