"""Encode objects as row text: JSON in which single characters abbreviate frequent phrases.

JSON escapes control characters, so one in a row can only be an abbreviation. Existing stores contain them: the meaning
of one never changes, and a new one requires a new schema revision, so that older code does not open the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Reversible
from typing import Any

from proctor.codec import encode
from proctor.transcript import Turn

Phrase = tuple[str, str]
"""A character and the phrase it abbreviates; a phrase may contain the characters of earlier phrases in the list."""

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
"""Abbreviations of `attempts.body`."""

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
"""Abbreviations of `turns.body`."""

_USUAL = (',"unsure":false', ',"passed_on":null')
"""Fields added to scores after the phrases were fixed; omitted when they have these defaults, as they nearly always do.
"""

_UNKNOWN_STEPS, _END_OF_REPLY = ',"steps_known":false', ',"cut_off":'
"""A field added to replies later, omitted when false, and the field after it; searched from the end, so that text of
tool calls cannot match."""

_BEFORE_CASE, _AFTER_CASE, _CASE = "\x07", "\x08", "\x01"
"""Also in turns: stands for the case between the other two characters, if it is the exam's."""


def abbreviate(text: str, phrases: Iterable[Phrase]) -> str:
    """Replace phrases in JSON by their abbreviations."""
    for sign, phrase in phrases:
        text = text.replace(phrase, sign)
    return text


def expand(text: str, phrases: Reversible[Phrase]) -> str:
    """Restore JSON from abbreviated text; text without abbreviations is returned unchanged."""
    for sign, phrase in reversed(phrases):
        text = text.replace(sign, phrase)
    return text


def turn_body(turn: Turn, exam: str) -> str:
    """Encode a turn of an attempt at this exam."""
    text = encode(turn)
    if turn.reply is not None and not turn.reply.steps_known:
        text = _END_OF_REPLY.join(text.rsplit(_UNKNOWN_STEPS + _END_OF_REPLY, 1))
    return abbreviate(text, TURN).replace(_case(exam), _CASE)


def turn_text(body: str, exam: str) -> str:
    """Decode the body of a turn to JSON."""
    return expand(body.replace(_CASE, _case(exam)) if _CASE in body else body, TURN)


def outcome_body(outcome: dict[str, Any]) -> str:
    """Encode the fields of an outcome."""
    text = encode(outcome)
    for usual in _USUAL:
        text = text.replace(usual, "")
    return abbreviate(text, OUTCOME)


def outcome_text(body: str) -> str:
    """Decode the body of an outcome to JSON."""
    return expand(body, OUTCOME)


def _case(exam: str) -> str:
    return f"{_BEFORE_CASE}{encode(exam)[1:-1]}{_AFTER_CASE}"
