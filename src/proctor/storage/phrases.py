"""What stands in every row, written as one sign each: a third of a row would be names of fields.

JSON writes control characters as escapes, so that one of them in a row can only be a sign. Stores out there hold these
signs: what one stands for never changes. A new one needs a new revision of the schema, so that older code stays away.
"""

from __future__ import annotations

from collections.abc import Iterable, Reversible

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


def shortened(text: str, phrases: Iterable[Phrase]) -> str:
    """JSON with signs for these phrases."""
    for sign, phrase in phrases:
        text = text.replace(phrase, sign)
    return text


def expanded(text: str, phrases: Reversible[Phrase]) -> str:
    """The JSON again; text without signs is left as it is."""
    for sign, phrase in reversed(phrases):
        text = text.replace(sign, phrase)
    return text
