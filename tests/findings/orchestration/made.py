"""Steps, replies and attempts in few words, and steps as odd as anything can report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from proctor.benchmark import Case, Exam, Expectation
from proctor.findings.orchestration.step_tree import TurnWithSteps, turns_with_steps
from proctor.run import Attempt, Key
from proctor.transcript import Reply, Step, ToolCall, Transcript, Turn
from proctor.usage import Usage


def step(id: str, kind: str, name: str = "", at: tuple[float, float] | None = None, **others: Any) -> Step:  # noqa: A002
    start, end = at if at is not None else (None, None)
    return Step(**{"id": id, "kind": kind, "name": name or kind, "start": start, "end": end, **others})


def tokens(amount: int, cost: float | None = None) -> Usage:
    return Usage(input_tokens=amount, calls=1, cost=cost)


def exam(id: str = "c1", **expect: Any) -> Exam:  # noqa: A002
    return Exam(id=id, cases=(Case(id=id, question="Write the report.", expect=Expectation(**expect)),))


def attempt(
    steps: Sequence[Step] = (),
    *,
    case: str = "c1",
    trial: int = 1,
    passed: bool | None = True,
    calls: tuple[ToolCall, ...] = (),
    usage: Usage | None = None,
    seconds: float | None = None,
    **others: Any,
) -> Attempt:
    reply = Reply(text="Done.", steps=tuple(steps), tool_calls=calls, usage=usage, seconds=seconds)
    turn = Turn(number=1, question="Write the report.", reply=reply, case=case)
    key = Key(run="r", exam=case, trial=trial)
    given = {"transcript": Transcript(turns=(turn,)), "finished": True, "seconds": seconds, **others}
    return Attempt(key=key, passed=passed, **given)


def turns(steps: Sequence[Step], calls: tuple[ToolCall, ...] = (), /, **expect: Any) -> tuple[TurnWithSteps, ...]:
    """One turn whose reply has these steps."""
    return turns_with_steps(exam(**expect), attempt(steps, calls=calls).transcript)


def spans(*lengths: tuple[float, float]) -> list[Step]:
    """Tool steps beside each other, by begin and end."""
    return [step(f"t{number}", "tool", at=length) for number, length in enumerate(lengths, 1)]


IDS = st.sampled_from(["a", "b", "c", "d", "e", ""])
TEXTS = st.sampled_from(["", "plan", "researcher", "find sources", "- researcher\n- writer", "[[", '["a", 1, {}]', "→"])
TIMES = st.none() | st.floats() | st.integers(0, 9).map(float)
USAGES = st.none() | st.builds(Usage, input_tokens=st.integers(0, 9), cost=st.none() | st.floats(0, 9))
ODD_STEPS = st.lists(
    st.builds(
        Step,
        id=IDS,
        kind=st.sampled_from(["plan", "Delegate", "tool", "re_plan", "error", "dance", ""]),
        name=TEXTS,
        parent=st.none() | IDS,
        agent=st.none() | TEXTS,
        call=st.none() | IDS,
        start=TIMES,
        end=TIMES,
        status=st.sampled_from(["ok", "error", "ERROR ", "", "odd"]),
        usage=USAGES,
        detail=TEXTS,
    ),
    max_size=12,
)
TIMED_STEPS = st.lists(
    st.builds(
        lambda id, parent, start, length: step(id, "tool", at=(start, start + length), parent=parent),  # noqa: A006
        IDS,
        st.none() | IDS,
        st.floats(0, 100),
        st.floats(0.001, 100),
    ),
    min_size=1,
    max_size=12,
)
