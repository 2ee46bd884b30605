from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proctor.benchmark import Case, Expectation
from proctor.errors import InputError
from proctor.reviewers.checks import CheckReviewer, Outcome, OwnCheck, Sources, check, load_own
from proctor.score import CheckResult
from proctor.transcript import Reply, Turn

CASE = Case(
    id="c",
    question="Which city?",
    answer="Paris",
    context="France",
    expect=Expectation(checks=("mine",), keywords=("it",)),
)
TURNS = [Turn(number=1, question="Which city?", reply=Reply(text="It is Paris"))]


async def said(function: Callable[..., Any], *, seconds: float = 30.0) -> CheckResult:
    reviewer = CheckReviewer(own={"mine": OwnCheck(function, spec="mine", seconds=seconds)})
    return (await reviewer.review(CASE, TURNS)).checks[-1]


async def test_a_function_gets_what_its_parameters_name() -> None:
    seen: dict[str, Any] = {}

    def mine(
        case: Case, expect: Expectation, turn: Turn, turns: Sequence[Turn], question: str, answer: str, reply: str,
        context: str, sources: Sources, unused: int = 3,
    ) -> bool:  # fmt: skip
        seen.update(locals())
        return True

    await said(mine)
    assert isinstance(seen.pop("sources"), Sources)
    del seen["seen"]
    assert seen == {
        "case": CASE,
        "expect": CASE.expect,
        "turn": TURNS[0],
        "turns": TURNS,
        "question": "Which city?",
        "answer": "Paris",
        "reply": "It is Paris",
        "context": "France",
        "unused": 3,
    }


@pytest.mark.parametrize(
    ("returned", "passed", "evidence", "value"),
    [
        (True, True, "the check returned True", None),
        (False, False, "the check returned False", None),
        (np.bool_(False), False, "the check returned False", None),
        ((True, "polite"), True, "polite", None),
        ((np.bool_(True), "polite"), True, "polite", None),
        ((None, "no greeting to judge"), None, "no greeting to judge", None),
        (Outcome(False, "curt", 0.25), False, "curt", 0.25),
        (Outcome(None, "cannot tell"), None, "cannot tell", None),
    ],
)
async def test_truth_evidence_and_outcomes_are_taken(
    returned: object, passed: bool | None, evidence: str, value: float | None
) -> None:
    assert await said(lambda reply: returned) == CheckResult(
        turn=1, name="mine", passed=passed, evidence=evidence, value=value
    )


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "the check returned None; expected True, False"),
        (1, "the check returned 1;"),
        (0.7, "the check returned 0.7;"),
        ("yes", "the check returned 'yes'"),
        (("yes", "x"), "the check returned 'yes' for passed"),
        ((True, 3), "the check returned 3 for evidence"),
        ((True, "x", 1), "the check returned (True, 'x', 1)"),
        (Outcome(True, "x", 7.0), "value=7.0; expected a number from 0 to 1"),
        (Outcome(True, "x", float("nan")), "value=nan"),
        (["x" * 100], "the check returned a list"),
    ],
)
async def test_anything_else_is_not_checkable(returned: object, reason: str) -> None:
    found = await said(lambda reply: returned)
    assert found.passed is None
    assert reason in found.evidence


@pytest.mark.parametrize("error", [ValueError("no\nluck"), SystemExit(3), TimeoutError("slow"), KeyboardInterrupt()])
async def test_a_check_that_raises_is_not_checkable(error: BaseException) -> None:
    def mine(reply: str) -> bool:
        raise error

    found = await said(mine)
    assert found.passed is None
    assert "the check raised " in found.evidence
    assert "\n" not in found.evidence


async def test_a_secret_in_an_exception_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "sk-very-secret-indeed")

    def mine(reply: str) -> bool:
        raise ValueError("401 for sk-very-secret-indeed")

    assert (await said(mine)).evidence == "the check raised ValueError: 401 for $JUDGE_API_KEY"


async def test_async_checks_are_awaited_and_their_exceptions_shown() -> None:
    async def mine(reply: str) -> tuple[bool, str]:
        await asyncio.sleep(0)
        return "Paris" in reply, "looked"

    async def broken(reply: str) -> bool:
        raise KeyError("x")

    assert (await said(mine)).passed is True
    assert (await said(broken)).evidence == "the check raised KeyError: 'x'"


async def test_a_blocking_check_runs_beside_the_event_loop() -> None:
    threads: list[int] = []

    def mine(reply: str) -> bool:
        threads.append(threading.get_ident())
        return True

    await said(mine)
    assert threads != [threading.get_ident()]


async def test_a_check_that_hangs_is_not_checkable() -> None:
    release = threading.Event()

    def mine(reply: str) -> bool:
        return release.wait(60)

    found = await said(mine, seconds=0.05)
    release.set()
    assert (found.passed, found.evidence) == (None, "the check took longer than 0.05 s")


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), SystemExit(0), TimeoutError("slow")])
async def test_an_async_check_that_raises_what_is_no_exception_is_not_checkable(error: BaseException) -> None:
    async def mine(reply: str) -> bool:
        raise error

    found = await said(mine)
    assert found.passed is None
    assert found.evidence.startswith(f"the check raised {type(error).__name__}")


def test_a_ctrl_c_that_an_async_check_invents_is_not_checkable() -> None:
    async def mine(reply: str) -> bool:
        raise KeyboardInterrupt

    found: list[CheckResult] = []
    asked = threading.Thread(target=lambda: found.append(asyncio.run(said(mine))))
    asked.start()
    asked.join(30)
    assert [each.passed for each in found] == [None]


async def test_a_check_that_cancels_itself_is_not_checkable() -> None:
    async def waits(reply: str) -> bool:
        asyncio.current_task().cancel()  # type: ignore[union-attr]
        await asyncio.sleep(60)
        return True

    async def answers(reply: str) -> bool:
        asyncio.current_task().cancel()  # type: ignore[union-attr]
        return True

    assert (await said(waits)).passed is None
    assert (await said(answers)).evidence == "the check cancelled itself"


async def test_an_async_check_that_swallows_its_cancellation_is_left_behind() -> None:
    over = False

    async def mine(reply: str) -> bool:
        while not over:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.2)
        return True

    found = await said(mine, seconds=0.05)
    over = True
    assert (found.passed, found.evidence) == (None, "the check took longer than 0.05 s")
    await asyncio.sleep(0.3)


async def test_cancelling_a_review_is_not_swallowed() -> None:
    started = asyncio.Event()

    async def mine(reply: str) -> bool:
        started.set()
        await asyncio.Event().wait()
        return True

    task = asyncio.create_task(said(mine))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def polite(reply: str) -> bool:
    return "please" in reply


@check("good manners")
def mannered(reply: str) -> bool:
    return "please" in reply


class Manners:
    async def __call__(self, reply: str) -> bool:
        return True


async def test_the_decorator_names_the_results_and_the_check_can_still_be_called() -> None:
    assert mannered("please") is True
    assert mannered(reply="no") is False
    assert OwnCheck(mannered, spec="mine").name == "good manners"
    assert OwnCheck(polite, spec="mine").name == "mine"
    assert OwnCheck(polite, spec="python:pkg.mod:polite").name == "polite"
    assert (await said(Manners())).passed is True


def test_checks_are_found_by_import_or_by_the_resolver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manners_for_test.py").write_text("def polite(reply):\n    return True\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = load_own(["python:manners_for_test:polite", "installed", "installed"], {"installed": polite}.__getitem__)
    assert {name: own.name for name, own in found.items()} == {
        "python:manners_for_test:polite": "polite",
        "installed": "installed",
    }


def refuse(name: str) -> Any:
    raise InputError(f"there is no check {name!r}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nobody", "there is no check 'nobody'"),
        ("python:nothing_of_the_kind:x", "cannot find the check: there is no module 'nothing_of_the_kind'"),
        ("python:math:pine", "there is no 'pine' in math; did you mean 'pi'"),
        ("python:math:pi", "the check 'python:math:pi' is a float; expected a function"),
        ("python:fractions:Fraction", "is a class; expected a function"),
        ("python:os.path:join", "asks for a; its parameters have to be named among case, expect"),
    ],
)
def test_what_is_no_check_is_refused_before_the_run(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        load_own([name], refuse)
    assert reason in str(caught.value)
