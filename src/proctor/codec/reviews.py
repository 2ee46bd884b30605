"""Return values of reviewers and examiners → objects that can be stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from proctor.codec import decode, encode, to_plain
from proctor.codec.invalid import describe_invalid, format_value
from proctor.codec.replies import MOST, is_plain_usage, numbers_of
from proctor.errors import EnvironmentFault
from proctor.score import CheckResult, Part, Review
from proctor.transcript import Turn
from proctor.usage import Usage

T = TypeVar("T", bound=Review | Turn | Usage)
_NOT_VALID = "that is not valid"


class _Unfit(Exception):
    """A value that cannot be stored or counted; the message says why."""


def to_review(value: object) -> Review:
    """Convert a reviewer's return value to a Review; raise TypeError if it is none.

    An invalid Review becomes unscored, with the reason; values are never coerced into a mark.
    """
    if not isinstance(value, Review):
        raise TypeError(f"the reviewer returned {format_value(value)}; expected a proctor.Review")
    if _is_plain(value):
        return value
    try:
        return _converted(value, Review)
    except _Unfit as unfit:
        paid = value.usage if type(value.usage) is Usage and is_plain_usage(value.usage) else None
        return Review(unscored=f"the reviewer returned a Review {_NOT_VALID}: {unfit}", usage=paid)


def to_question(value: object) -> Turn | Usage | None:
    """Convert an examiner's return value: the next question, or the cost of ending; else raise EnvironmentFault."""
    if value is None:
        return None
    if not isinstance(value, (Turn, Usage)):
        message = (
            f"the examiner returned {format_value(value)}; expected a proctor.Turn, or None to end the conversation"
        )
        raise EnvironmentFault(message, kind="wrong_type")
    try:
        asked = _converted(value, type(value))
    except _Unfit as unfit:
        message = f"the examiner returned a {type(value).__name__} {_NOT_VALID}: {unfit}"
        raise EnvironmentFault(message, kind="wrong_type") from None
    if isinstance(asked, Turn) and asked.reply is not None:
        raise EnvironmentFault("the examiner returned a Turn with a reply; only the agent replies", kind="wrong_type")
    return asked


def _converted(noun: T, kind: type[T]) -> T:
    """Round-trip an object through JSON; raise _Unfit."""
    plain: object = None
    try:
        plain = msgspec.to_builtins(noun, enc_hook=to_plain, str_keys=True)
        if kind is Review:
            _write_as_json_would(plain)
        typed = msgspec.convert(plain, kind)
        _must_be_sound(typed)
        return decode(encode(typed), kind)
    except _Unfit:
        raise
    except msgspec.ValidationError as error:
        raise _Unfit(describe_invalid(error, plain)) from error
    except Exception as error:  # user objects may raise anything in __str__
        raise _Unfit(f"it cannot be written as JSON ({type(error).__name__})") from error


def _must_be_sound(noun: Review | Turn | Usage) -> None:
    for name, number, most in _numbers(noun):
        if number is not None and not 0 <= number <= most:  # also false for NaN
            raise _Unfit(f"{name} is {number!r}; expected a number from 0 to {'1' if most == 1 else '10^12'}")


def _write_as_json_would(plain: Any) -> None:
    """Replace boolean marks by 1 and 0, and missing explanations by an empty text."""
    for name, text in (("parts", "explanation"), ("question_parts", "explanation"), ("checks", "evidence")):
        for inner in plain[name] if isinstance(plain[name], (list, tuple)) else ():
            if isinstance(inner, dict) and isinstance(inner.get("value"), bool):
                inner["value"] = float(inner["value"])
            if isinstance(inner, dict) and inner.get(text) is None:
                inner[text] = ""
    if plain["explanation"] is None:
        plain["explanation"] = ""


def _numbers(noun: Review | Turn | Usage) -> Iterator[tuple[str, float | None, float]]:
    """Yield name, value and maximum of each number that is weighted or summed up."""
    if isinstance(noun, Review):
        yield from ((part.name or "a part", part.value, 1) for part in (*noun.parts, *noun.question_parts))
        yield from ((f"checks[{place}].value", check.value, 1) for place, check in enumerate(noun.checks))
        yield from ((f"weights.{name}", weight, MOST) for name, weight in noun.weights.items())
        yield "weighed", noun.weighed, 1
        yield "dropped", noun.dropped, MOST
        usages = {"usage": noun.usage, "passed_on": noun.passed_on}
    elif isinstance(noun, Turn):
        yield from (("started", noun.started, MOST), ("ended", noun.ended, MOST))
        usages = {"examiner_usage": noun.examiner_usage}
    else:
        usages = {"usage": noun}
    for name, usage in usages.items():
        yield from ((place, number, MOST) for place, number in numbers_of(usage, name))


def _is_plain(review: Review) -> bool:
    """Whether all values are already valid, as in the built-in reviewers' reviews, and need no conversion."""
    return (
        type(review) is Review
        and isinstance(review.parts, tuple)
        and isinstance(review.checks, tuple)
        and all(map(_is_plain_part, review.parts))
        and all(map(_is_plain_check, review.checks))
        and type(review.explanation) is str
        and (review.unscored is None or type(review.unscored) is str)
        and type(review.weights) is dict
        and isinstance(review.question_parts, tuple)
        and isinstance(review.contradictions, tuple)
        and type(review.dropped) is int
        and not (review.weights or review.question_parts or review.contradictions or review.dropped)
        and review.weighed is None
        and review.passed_on is None
        and (review.usage is None or is_plain_usage(review.usage))
    )


def _is_plain_part(part: Part) -> bool:
    return (
        type(part) is Part
        and _is_mark(part.value)
        and type(part.name) is type(part.explanation) is str
        and type(part.unsure) is bool
    )


def _is_plain_check(check: CheckResult) -> bool:
    return (
        type(check) is CheckResult
        and (check.value is None or _is_mark(check.value))
        and type(check.name) is type(check.evidence) is str
        and type(check.turn) is int
        and (check.passed is None or type(check.passed) is bool)
    )


def _is_mark(value: object) -> bool:
    return type(value) is float and 0.0 <= value <= 1.0
