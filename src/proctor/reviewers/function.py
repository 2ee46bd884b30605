"""User-defined Python functions and objects as reviewers."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from proctor import threads
from proctor.benchmark import Case, Exam
from proctor.codec import to_number
from proctor.codec.invalid import format_value
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
    """Return the offered names that a function takes as parameters; raises InputError if it requires others or takes
    none.

    `who` names the function in errors, such as `the check 'short'`.
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
    """Wrap a function to be awaited: a coroutine function is called directly, any other function in a thread."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(vars(type(function)).get("__call__")):
        return lambda given: function(**given)

    async def call_in_thread(given: dict[str, Any]) -> Any:
        returned = await threads.call(lambda: function(**given))
        return await returned if inspect.isawaitable(returned) else returned

    return call_in_thread


PARAMETERS = ("case", "turns", "question", "answer", "reply", "context")
"""Parameter names that a function may use; `reply` is the text of the last reply."""
_EXPECTED = "expected a number from 0 to 1, True or False, a dict of part to number, or a Review"
_NOTHING = Review()


def load(spec: str, options: Mapping[str, Any]) -> Reviewer:
    """Load the reviewer `package.module:attribute`: a function, or an object with `review` and `conclude`."""
    if options:
        raise InputError(f"a python: reviewer takes no options, got {sorted(options)!r}; configure it in its own code")
    return adapt(import_attribute(spec, what="reviewer"), name=f"python:{spec}")


def adapt(target: Any, *, name: str) -> Reviewer:
    """Adapt a reviewer object or a function to the Reviewer protocol."""
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
    """Wraps a user-defined reviewer and charges the usage it reports to the run's budget."""

    def __init__(self, reviewer: Reviewer) -> None:
        self._reviewer = reviewer
        self._spending = SelfReportedSpending("the reviewer", settles=False)
        if hasattr(reviewer, "find_contradictions"):  # defined only if the wrapped reviewer has it: callers check
            self.find_contradictions = self._find_contradictions

    @property
    def name(self) -> str:
        """Name of the wrapped reviewer."""
        return self._reviewer.name

    @property
    def rubric(self) -> str:
        """Rubric of the wrapped reviewer."""
        return self._reviewer.rubric

    @property
    def judges_improvised(self) -> bool:
        """Whether the wrapped reviewer judges replies to improvised questions."""
        return bool(getattr(self._reviewer, "judges_improvised", False))

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Return the wrapped reviewer's review of the last turn."""
        return to_review(await self._spending.paid(lambda: self._reviewer.review(case, turns), told=usage_of))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Return the wrapped reviewer's review of the conversation."""
        concluded = await self._spending.paid(lambda: self._reviewer.conclude(exam, turns), told=usage_of)
        return None if concluded is None else to_review(concluded)

    async def _find_contradictions(self, exam: Exam, turns: Sequence[Turn], **pairs: Any) -> Review | None:
        find: Callable[..., Awaitable[Review | None]] = self._reviewer.find_contradictions  # type: ignore[attr-defined]
        found = await self._spending.paid(lambda: find(exam, turns, **pairs), told=usage_of)
        return None if found is None else to_review(found)


def usage_of(review: object) -> Usage | None:
    """Return the usage that a review reports, if valid; an invalid one is rejected later, when the review is read."""
    used = review.usage if isinstance(review, Review) else None
    return used if isinstance(used, Usage) and is_plain_usage(used) else None


class FunctionReviewer:
    """Reviewer that calls a function with the parameters it names, and converts its return value to scores.

    A function may set `rubric` as an attribute to distinguish its versions; by default its name is the rubric. Without
    a case (an improvised question), a function that takes a case or its answer is called only if it also takes `turns`.
    """

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        self.name = name
        self.rubric = str(getattr(function, "rubric", name))
        self._wanted = asked_for(function, PARAMETERS, who=f"the reviewer {name!r}")
        self._needs_case = "turns" not in self._wanted and not {"case", "answer"}.isdisjoint(self._wanted)
        self._call = caller(function)
        self._spending = SelfReportedSpending("the reviewer", settles=False)

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Call the function for the last turn; exceptions it raises propagate."""
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
        """Return None: it judges each reply separately."""
        return None


def read_mark(value: object) -> Review:
    """Convert a return value to a Review; an invalid value is unscored with the reason, and never coerced."""
    if isinstance(value, Review):
        return to_review(value)
    if not isinstance(value, Mapping):
        return _review_of_marks({"correctness": to_number(value)})
    if not value or not all(isinstance(name, str) and name for name in value):
        return Review(unscored=f"the reviewer returned {format_value(value)}; {_EXPECTED}")
    return _review_of_marks({str(name): to_number(mark) for name, mark in value.items()})


def _review_of_marks(marks: Mapping[str, Any]) -> Review:
    wrong = next(filter(None, (_wrong(mark, name) for name, mark in marks.items())), None)
    parts = () if wrong else tuple(Part(name=name, value=float(mark)) for name, mark in marks.items())
    return Review(parts=parts, unscored=wrong)


def _wrong(value: object, name: str) -> str | None:
    """Return why a value is not a valid score, or None if it is."""
    if not isinstance(value, (bool, int, float)):
        return f"the reviewer returned {format_value(value)} for {name}; {_EXPECTED}"
    if not 0.0 <= value <= 1.0:  # also true for NaN
        return f"the reviewer returned {name}={format_value(value)}, which is not between 0 and 1"
    return None
