"""A user's own Python function as reviewer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from proctor import threads
from proctor.benchmark import Case, Exam
from proctor.codec import to_number
from proctor.codec.invalid import shown
from proctor.codec.replies import is_plain_usage
from proctor.codec.reviews import to_review
from proctor.errors import InputError
from proctor.plugins import import_attribute
from proctor.roles import Reviewer
from proctor.score import Part, Review
from proctor.spending.self_reported import SelfReportedSpending
from proctor.transcript import Turn
from proctor.usage import Usage

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def asked_for(function: Callable[..., Any], offered: Sequence[str], *, who: str) -> tuple[str, ...]:
    """The names among those offered that the function asks for; raises InputError where it asks for others, or none.

    `who` is what an error calls it, such as `the check 'short'`.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(f"{who} has no signature to read; wrap it in a plain function") from error
    named = [parameter for parameter in parameters if parameter.kind not in _VARIADIC]
    wanted = tuple(p.name for p in named if p.name in offered and p.kind is not inspect.Parameter.POSITIONAL_ONLY)
    unknown = [p.name for p in named if p.name not in wanted and p.default is inspect.Parameter.empty]
    if unknown or not wanted:
        asked = f"asks for {', '.join(unknown)}" if unknown else "asks for nothing"
        raise InputError(f"{who} {asked}; its parameters have to be named among {', '.join(offered)}")
    return wanted


def caller(function: Callable[..., Any]) -> Callable[[dict[str, Any]], Awaitable[Any]]:
    """An async function that calls this one the way it wants to be called: one that blocks, in a thread."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(vars(type(function)).get("__call__")):
        return lambda given: function(**given)

    async def call_in_thread(given: dict[str, Any]) -> Any:
        returned = await threads.call(lambda: function(**given))
        return await returned if inspect.isawaitable(returned) else returned

    return call_in_thread


PARAMETERS = ("case", "turns", "question", "answer", "reply", "context")
"""What a function may ask for, by the names of its parameters; `reply` is the text of the last reply."""
_EXPECTED = "expected a number from 0 to 1, True or False, a dict of part to number, or a Review"
_NOTHING = Review()


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """The reviewer that `package.module:attribute` names: a function, or an object with `review` and `conclude`."""
    if options:
        raise InputError(f"a python: reviewer takes no options, got {sorted(options)!r}; configure it in its own code")
    return adapt(import_attribute(spec, what="reviewer"), name=f"python:{spec}")


def adapt(target: Any, *, name: str) -> Reviewer:
    """Anything that can judge, as a Reviewer."""
    if inspect.isclass(target):
        raise InputError(f"the reviewer {name!r} is a class; expected an instance of it, or a function")
    if all(hasattr(target, member) for member in ("review", "conclude", "rubric", "name")):
        complete: Reviewer = target
        return complete if getattr(target, "settles", False) else PaidReviewer(complete)
    if not callable(target):
        kind = type(target).__name__
        raise InputError(
            f"the reviewer {name!r} is of type {kind}; expected a function with parameters among "
            f"{', '.join(PARAMETERS)}"
        )
    return FunctionReviewer(target, name=name)


class PaidReviewer:
    """A reviewer of somebody's own, which tells what it used: that is charged to the budget of the run."""

    def __init__(self, reviewer: Reviewer) -> None:
        self._reviewer = reviewer
        self._spending = SelfReportedSpending("the reviewer", settles=False)
        if hasattr(reviewer, "find_contradictions"):  # only who can look for them is asked to
            self.find_contradictions = self._find_contradictions

    @property
    def name(self) -> str:
        """The reviewer's own."""
        return self._reviewer.name

    @property
    def rubric(self) -> str:
        """The reviewer's own."""
        return self._reviewer.rubric

    @property
    def judges_improvised(self) -> bool:
        """The reviewer's own."""
        return bool(getattr(self._reviewer, "judges_improvised", False))

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """The reviewer's word on the last turn."""
        return to_review(await self._spending.paid(lambda: self._reviewer.review(case, turns), told=usage_of))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """The reviewer's word on the conversation."""
        concluded = await self._spending.paid(lambda: self._reviewer.conclude(exam, turns), told=usage_of)
        return None if concluded is None else to_review(concluded)

    async def _find_contradictions(self, exam: Exam, turns: Sequence[Turn], **pairs: Any) -> Review | None:
        find: Callable[..., Awaitable[Review | None]] = self._reviewer.find_contradictions  # type: ignore[attr-defined]
        found = await self._spending.paid(lambda: find(exam, turns, **pairs), told=usage_of)
        return None if found is None else to_review(found)


def usage_of(review: object) -> Usage | None:
    """What a reviewer tells that it used; what is no usage is refused when the review is read."""
    used = review.usage if isinstance(review, Review) else None
    return used if isinstance(used, Usage) and is_plain_usage(used) else None


class FunctionReviewer:
    """Calls a function with what its parameters name, and reads what it returns as marks.

    A function may set `rubric` as an attribute, to tell its versions apart; else its name is the rubric.
    Without a case (an improvised question) a function that takes a case or its answer is called only if it takes
    `turns` too.
    """

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        self.name = name
        self.rubric = str(getattr(function, "rubric", name))
        self._wanted = asked_for(function, PARAMETERS, who=f"the reviewer {name!r}")
        self._needs_case = "turns" not in self._wanted and not {"case", "answer"}.isdisjoint(self._wanted)
        self._call = caller(function)
        self._spending = SelfReportedSpending("the reviewer", settles=False)

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """What the function says of the last turn; an exception it raises goes on to the caller."""
        reply = turns[-1].reply if turns else None
        if reply is None or (case is None and self._needs_case):
            return _NOTHING
        given = {
            "case": case,
            "turns": turns,
            "question": turns[-1].question,
            "answer": case.answer if case else None,
            "reply": reply.text,
            "context": case.context if case else None,
        }
        asked = {name: given[name] for name in self._wanted}
        return read_mark(await self._spending.paid(lambda: self._call(asked), told=usage_of))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Nothing: it judges reply by reply."""
        return None


def read_mark(value: object) -> Review:
    """What a function returned, as a Review; what is no mark is unscored with the reason, and never bent into one."""
    if isinstance(value, Review):
        return to_review(value)
    if not isinstance(value, Mapping):
        return _review_of_marks({"correctness": to_number(value)})
    if not value or not all(isinstance(name, str) and name for name in value):
        return Review(unscored=f"the reviewer returned {shown(value)}; {_EXPECTED}")
    return _review_of_marks({str(name): to_number(mark) for name, mark in value.items()})


def _review_of_marks(marks: Mapping[str, Any]) -> Review:
    wrong = next(filter(None, (_wrong(mark, name) for name, mark in marks.items())), None)
    parts = () if wrong else tuple(Part(name=name, value=float(mark)) for name, mark in marks.items())
    return Review(parts=parts, unscored=wrong)


def _wrong(value: object, name: str) -> str | None:
    """Why a value is no mark; None: it is one."""
    if not isinstance(value, (bool, int, float)):
        return f"the reviewer returned {shown(value)} for {name}; {_EXPECTED}"
    if not 0.0 <= value <= 1.0:  # NaN is not
        return f"the reviewer returned {name}={shown(value)}, which is not between 0 and 1"
    return None
