"""Recovery: the table worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.findings.orchestration.made import step, turns

from proctor.findings.orchestration.outline import recovery
from proctor.transcript import Step


def find(id: str, status: str = "ok", **others: Any) -> Step:  # noqa: A002
    return step(id, "delegate", "find sources", agent="researcher", status=status, **others)


WRITE = step("w", "delegate", "write", agent="writer")
SEARCH_FAILED = step("s", "tool", "search", status="error")
SEARCHED = step("s2", "tool", "search")
RE_PLAN = step("r", "re-plan")

#  what                                   steps                                                    errors  recovered
TABLE: list[tuple[str, list[Step], int, float | None]] = [
    ("nothing went wrong", [find("a"), WRITE], 0, None),
    ("tried again", [find("a", "error"), find("b")], 1, 1),
    ("tried again in vain, then not", [find("a", "error"), find("b", "error"), find("c")], 2, 1),
    ("success came before", [find("a"), find("b", "error")], 1, 0),
    ("another's success is none", [find("a", "error"), WRITE], 1, 0),
    ("planned round", [find("a", "error"), RE_PLAN, WRITE], 1, 1),
    ("planned round in vain", [find("a", "error"), RE_PLAN], 1, 0),
    ("planned before it happened", [RE_PLAN, find("a", "error"), WRITE], 1, 0),
    ("an orchestrator's own tool", [SEARCH_FAILED, SEARCHED], 1, 1),
    ("a tool of the same name by a sub-agent", [SEARCH_FAILED, step("x", "tool", "search", agent="writer")], 1, 0),
    ("an error step by its sub-agent", [step("e", "error", "timeout", agent="researcher"), find("b")], 1, 1),
    ("an error step of nobody", [step("e", "error", "timeout"), find("b")], 1, 0),
    (
        "an error inside what failed is the same error",
        [find("a", "error"), step("e", "error", "timeout", parent="a"), WRITE],
        1,
        0,
    ),
    ("a success inside what failed all the same", [find("a", "error"), find("b", parent="a")], 1, 0),
    (
        "coped with inside",
        [find("a"), step("t", "tool", "search", status="error", parent="a")],
        1,
        1,
    ),
    (
        "a failure that spread, and was tried again",
        [
            find("a", "error"),
            step("t", "tool", "search", status="error", parent="a"),
            find("b"),
            step("u", "tool", "search", parent="b"),
        ],
        2,
        1,
    ),
    (
        "planned round, and all of it succeeded",
        [step("all", "tool", "report"), step("t", "tool", "search", status="error", parent="all"), RE_PLAN],
        1,
        1,
    ),
]


@pytest.mark.parametrize(("what", "steps", "errors", "recovered"), TABLE)
def test_the_table_worked_out_by_hand(what: str, steps: list[Step], errors: int, recovered: float | None) -> None:
    found = recovery(turns(steps))
    assert found.errors == errors, what
    assert found.recovered.value == recovered, what
    assert found.re_plans == sum(each.kind == "re-plan" for each in steps)


def test_by_the_clock_a_success_at_the_same_time_is_no_second_try() -> None:
    failed = find("a", "error", start=0.0, end=4.0)
    assert recovery(turns([failed, find("b", start=2.0, end=6.0)])).recovered.value == 0
    assert recovery(turns([failed, find("b", start=4.0, end=6.0)])).recovered.value == 1


def test_a_later_reply_does_not_mend_an_earlier_one() -> None:
    found = recovery([*turns([find("a", "error")]), *turns([find("a")])])
    assert (found.errors, found.recovered.value) == (1, 0)
