"""Convert promptfoo's assertions into expectations of a case where there is an equivalent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.benchmark import OWN_PART, Expectation
from proctor.formats.imports.contract import ImportLog
from proctor.formats.imports.promptfoo_templates import is_open, render_data
from proctor.settings import LONGEST_CRITERION, why_no_pattern

_SAME = ("equals", "factuality", "model-graded-factuality", "similar", "answer-relevance")
"""Assertions that compare with a text, which becomes the reference answer."""
_RUBRICS = ("llm-rubric", "model-graded-closedqa", "g-eval")
_WORDS = {"contains": "-i", "icontains": "i"}
_SEVERAL = {
    "contains-all": "-i", "icontains-all": "i", "contains-any": "-i", "icontains-any": "i",
}  # fmt: skip
_MOST = ("latency", "cost")
_READ = frozenset({"type", "value"})
_SHORT = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript"}
"""Short names of assertions in table cells."""
_CELL = re.compile(r"^((?:not-)?[a-z][a-z-]+)(?:\(([\d.]+)\))?:\s*(.*)$", re.DOTALL)


@dataclass(slots=True)
class ExpectedThere:
    """Expectations converted from assertions."""

    answer: str | None = None
    keywords: list[str] = field(default_factory=list)
    exclusions: list[str] = field(default_factory=list)
    limits: dict[str, float] = field(default_factory=dict)
    criteria: list[str] = field(default_factory=list)
    lost: tuple[str, ...] = ()
    """Assertions without a counterpart."""

    def as_case(self) -> dict[str, Any]:
        """Return the expectations as fields of a case."""
        expect = Expectation(
            keywords=tuple(dict.fromkeys(self.keywords)),
            exclusions=tuple(dict.fromkeys(self.exclusions)),
            limits=dict(self.limits),
        )
        asked = "\n".join(self.criteria)[:LONGEST_CRITERION]
        return {"answer": self.answer, "expect": expect, "criteria": {OWN_PART: asked} if asked else {}}


def expected_there(test: Mapping[str, Any], variables: Mapping[str, Any], log: ImportLog) -> ExpectedThere:
    """Convert a test's assertions; if only a share of them must hold, they cannot be required individually."""
    before = dict(log.left_out)
    found = _expectation(test, variables, log)
    found.lost = tuple(what for what, times in log.left_out.items() if times != before.get(what))
    return found


def _expectation(test: Mapping[str, Any], variables: Mapping[str, Any], log: ImportLog) -> ExpectedThere:
    found = ExpectedThere()
    given = [{**each, "value": render_data(each.get("value"), variables)} for each in flat(test.get("assert"), log)]
    if test.get("threshold") is not None and len(given) > 1:
        log.leave_out("tests with a threshold over several assertions, of which here each would have to hold")
        _take(found, [each for each in given if each.get("type") in _SAME], log)
        return found
    if test.get("threshold") is not None:
        log.leave_out("thresholds of tests")
    _take(found, given, log)
    return found


def flat(assertions: Any, log: ImportLog) -> Iterator[Mapping[str, Any]]:
    """Flatten the assertions, including those in sets; sets with a threshold are left out."""
    for each in assertions if isinstance(assertions, list) else ():
        if not isinstance(each, Mapping):
            log.leave_out("assertions that are not objects")
        elif each.get("type") != "assert-set":
            yield each
        elif each.get("threshold") is None:
            yield from flat(each.get("assert"), log)
        else:
            log.leave_out("assertions: assert-set with a threshold")


def _take(found: ExpectedThere, assertions: Sequence[Mapping[str, Any]], log: ImportLog) -> None:
    for each in assertions:
        kind = str(each.get("type"))
        for name in each.keys() - _READ - ({"threshold"} if kind in _MOST else set()):
            log.leave_out(f"settings of assertions: {name}")
        if each.get("weight") == 0:
            log.leave_out(f"assertions of weight 0: {kind}")
        elif not _is_taken(found, kind, each.get("value"), each):
            why = ", whose template cannot be filled in" if is_open(str(each.get("value"))) else ""
            log.leave_out(f"assertions: {kind}{why}")


def _is_taken(found: ExpectedThere, kind: str, value: Any, given: Mapping[str, Any]) -> bool:
    if is_open(str(value)) or (isinstance(value, str) and value.startswith(("file://", "package:"))):
        return False
    if kind in _SAME and found.answer is None and value is not None:
        found.answer = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return True
    if kind in _RUBRICS and isinstance(value, (str, list)):
        found.criteria += [value] if isinstance(value, str) else [str(each) for each in value]
        return True
    if kind in _MOST and isinstance(given.get("threshold"), (int, float)) and given["threshold"] > 0:
        name, most = ("seconds", given["threshold"] / 1000) if kind == "latency" else ("cost", given["threshold"])
        found.limits[name] = min(most, found.limits.get(name, most))
        return True
    return _words_are_taken(found, kind, value)


def _words_are_taken(found: ExpectedThere, kind: str, value: Any) -> bool:
    plain, into = (kind.removeprefix("not-"), found.exclusions) if kind.startswith("not-") else (kind, found.keywords)
    patterns = [*_patterns(plain, value)]
    if not patterns or any(why_no_pattern(pattern) for pattern in patterns):
        return False
    if kind.startswith("not-") and plain.endswith("-all"):  # not containing all of several words excludes none of them
        return False
    into += [f"re:{pattern}" for pattern in patterns]
    return True


def _patterns(kind: str, value: Any) -> Iterator[str]:
    """Yield the patterns that must all match."""
    if kind in _WORDS and isinstance(value, (str, int, float)):
        yield f"(?{_WORDS[kind]}:{re.escape(str(value))})"
    elif kind in _SEVERAL and isinstance(value, (list, str)):
        listed = value if isinstance(value, list) else value.split(",")
        words = [re.escape(str(each).strip()) for each in listed if str(each).strip()]
        joined = ["|".join(words)] if kind.endswith("-any") else words
        yield from (f"(?{_SEVERAL[kind]}:{each})" for each in joined if each)
    elif kind == "starts-with" and isinstance(value, str):
        yield rf"\A(?-i:{re.escape(value)})"
    elif kind == "regex" and isinstance(value, str) and value:
        yield f"(?-i:{value})"


def assertion_in(cell: str) -> dict[str, Any]:
    """Parse an assertion from a table cell: `contains: word`, `latency(200):`, or the answer itself."""
    met = _CELL.match(cell.strip())
    if met is None:
        return {"type": "equals", "value": cell}
    threshold = {"threshold": float(met[2])} if met[2] and met[2].replace(".", "", 1).isdigit() else {}
    return {"type": _SHORT.get(met[1], met[1]), "value": met[3], **threshold}
