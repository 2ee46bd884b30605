"""Nouns as the text that a row holds: JSON in which one sign stands for what nearly every row says.

JSON writes control characters as escapes, so that one of them in a row can only be a sign. Stores out there hold these
signs: what one stands for never changes, and a new one needs a new revision, so that older code stays away.
"""

from __future__ import annotations

from collections.abc import Iterable, Reversible
from typing import Any

from proctor.codec import encode
from proctor.transcript import Turn

Phrase = tuple[str, str]
"""A sign and what it stands for. Of the phrases in a list each may hold the signs of those before it."""

OUTCOME: tuple[Phrase, ...] = (
    ("\x01", '{"turn_passed":[true],'),
    ("\x02", '{"turn_passed":[false],'),
    ("\x03", '"scores":[{"turn":1,"of":"agent","parts":[{"name":"'),
    ("\x04", '"checks":[{"turn":1,"name":"'),
    ("\x05", '","value":null},{"turn":1,"name":"'),
    ("\x06", '","passed":true,"evidence":"'),
    ("\x07", '","passed":false,"evidence":"'),
    ("\x08", "no error\x06the agent replied"),
    ("\x0b", '","value":null}'),
    ("\x0c", ',"explanation":""}],"value":'),
    ("\x0e", ',"by":"'),
    ("\x0f", '","explanation":"'),
    ("\x10", ',"explanation":""},{"name":"'),
    ("\x11", '","value":'),
    ("\x12", '"failure":{"stage":"'),
    ("\x13", '","owner":"'),
    ("\x14", '","reason":"'),
    ("\x15", '","kind":"'),
)
"""Of `attempts.body`."""

TURN: tuple[Phrase, ...] = (
    ("\x02", '{"number":1,"question":"'),
    ("\x03", '","reply":{"text":"'),
    ("\x04", ',"citations":[],"steps":[],"usage":'),
    ("\x05", ',"seconds":null,"first_token":null,"stderr":"","tools_known":'),
    ("\x06", '","tool_calls":[]\x04null\x05'),
    ("\x07", ',"cut_off":false},"case":"'),
    ("\x08", '","strategy":null,"refers_to":null,"fault":null,"started":'),
    ("\x0b", ',"ended":'),
    ("\x0c", ',"examiner_usage":null}'),
    ("\x0e", '{"input_tokens":'),
    ("\x0f", ',"output_tokens":'),
    ("\x10", ',"known_cost":0.0,"cached":0}'),
    ("\x11", '","tool_calls":[{"name":"'),
    ("\x12", ',"result_known":true,"error":null,"id":"'),
)
"""Of `turns.body`."""

_USUAL = (',"unsure":false', ',"passed_on":null')
"""Fields of marks that came later than the phrases; what they say when they are left out is what nearly all say."""

_UNKNOWN_STEPS, _END_OF_REPLY = ',"steps_known":false', ',"cut_off":'
"""A field of replies that came later, and what follows it; it stands last in the text, whatever tools were given."""

_BEFORE_CASE, _AFTER_CASE, _CASE = "\x07", "\x08", "\x01"
"""There too: the case between the two, where it is the exam's."""


def abbreviate(text: str, phrases: Iterable[Phrase]) -> str:
    """JSON with signs for these phrases."""
    for sign, phrase in phrases:
        text = text.replace(phrase, sign)
    return text


def expand(text: str, phrases: Reversible[Phrase]) -> str:
    """The JSON again; text without signs is left as it is."""
    for sign, phrase in reversed(phrases):
        text = text.replace(sign, phrase)
    return text


def turn_body(turn: Turn, exam: str) -> str:
    """A turn of an attempt at this exam."""
    text = encode(turn)
    if turn.reply is not None and not turn.reply.steps_known:
        text = _END_OF_REPLY.join(text.rsplit(_UNKNOWN_STEPS + _END_OF_REPLY, 1))
    return abbreviate(text, TURN).replace(_case(exam), _CASE)


def turn_text(body: str, exam: str) -> str:
    """The JSON of a turn."""
    return expand(body.replace(_CASE, _case(exam)) if _CASE in body else body, TURN)


def outcome_body(outcome: dict[str, Any]) -> str:
    """The fields of an outcome."""
    text = encode(outcome)
    for usual in _USUAL:
        text = text.replace(usual, "")
    return abbreviate(text, OUTCOME)


def outcome_text(body: str) -> str:
    """The JSON of an outcome."""
    return expand(body, OUTCOME)


def _case(exam: str) -> str:
    return f"{_BEFORE_CASE}{encode(exam)[1:-1]}{_AFTER_CASE}"
