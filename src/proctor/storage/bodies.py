"""Nouns as the text that a row holds: without fields that say nothing, and with signs for what every row says."""

from __future__ import annotations

from collections.abc import Iterable, Reversible, Sequence
from dataclasses import fields
from typing import Any

from proctor.codec import encode
from proctor.score import CheckResult, Score
from proctor.transcript import Reply, Turn

Phrase = tuple[str, str]
"""A sign and what it stands for. Of the phrases in a list each may hold the signs of those before it."""

OUTCOME: tuple[Phrase, ...] = (
    ("\x01", '{"turn_passed":[true],'),
    ("\x02", '{"turn_passed":[false],'),
    ("\x03", '"scores":[{"turn":1,"of":"agent","parts":[{"name":"'),
    ("\x04", '"checks":[{"turn":1,"name":"'),
    ("\x05", '"},{"turn":1,"name":"'),
    ("\x06", '","passed":true,"evidence":"'),
    ("\x07", '","passed":false,"evidence":"'),
    ("\x08", "no error\x06the agent replied"),
    ("\x0b", '","value":'),
    ("\x0c", '}],"value":'),
    ("\x0e", ',"by":"'),
    ("\x0f", ',"explanation":"'),
    ("\x10", '"},{"name":"'),
    ("\x11", '"failure":{"stage":"'),
    ("\x12", '","owner":"'),
    ("\x13", '","reason":"'),
    ("\x14", '","kind":"'),
)
"""Of `attempts.body`."""

TURN: tuple[Phrase, ...] = (
    ("\x02", '{"number":1,"question":"'),
    ("\x03", '","reply":{"text":"'),
    ("\x05", ',"started":'),
    ("\x06", ',"ended":'),
    ("\x07", ',"seconds":'),
    ("\x08", ',"tools_known":false'),
    ("\x0b", ',"usage":{"input_tokens":'),
    ("\x0c", ',"output_tokens":'),
    ("\x0e", ',"calls":'),
    ("\x0f", '","tool_calls":[{"name":"'),
    ("\x10", ',"result_known":true,"error":null,"id":"'),
)
"""Of `turns.body`."""

CASE = "\x01"
"""There too, before the last brace: the case, which is the exam's."""


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
    said = slim(turn)
    if turn.reply is not None:
        said["reply"] = _reply(turn.reply)
    if turn.examiner_usage is not None:
        said["examiner_usage"] = slim(turn.examiner_usage)
    if turn.case != exam:
        return abbreviate(encode(said), TURN)
    del said["case"]
    return f"{abbreviate(encode(said), TURN)[:-1]}{CASE}}}"


def turn_text(body: str, exam: str) -> str:
    """The JSON of a turn."""
    text = expand(body, TURN)
    return text.replace(CASE, f',"case":{encode(exam)}') if CASE in text else text


def outcome_body(outcome: dict[str, Any]) -> str:
    """The fields of an outcome."""
    return abbreviate(encode(outcome), OUTCOME)


def outcome_text(body: str) -> str:
    """The JSON of an outcome."""
    return expand(body, OUTCOME)


def slim_scores(scores: Sequence[Score]) -> list[dict[str, Any]]:
    """Marks without empty explanations."""
    return [{**slim(score), "parts": [slim(part) for part in score.parts]} for score in scores]


def slim_checks(checks: Sequence[CheckResult]) -> list[dict[str, Any]]:
    """Results without values that there are not."""
    return [slim(check) for check in checks]


def slim(value: Any) -> dict[str, Any]:
    """The fields of a noun that are not what they would be anyway."""
    return {
        name: kept
        for name, usual in _usual(type(value))
        if (kept := getattr(value, name)) is not usual and (kept != usual or type(kept) is not type(usual))
    }


def _reply(reply: Reply) -> dict[str, Any]:
    said = slim(reply)
    if reply.usage is not None:
        said["usage"] = slim(reply.usage)
    return said


_known: dict[type[Any], tuple[tuple[str, object], ...]] = {}


def _usual(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    """The fields of a noun with what they are unless given; a required one is never left out."""
    if kind not in _known:
        _known[kind] = tuple((each.name, each.default) for each in fields(kind))
    return _known[kind]
