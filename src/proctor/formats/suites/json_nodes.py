"""Parse JSON text into nodes, one line at a time."""

from __future__ import annotations

import json
import re
from json import JSONDecodeError

from proctor.formats.suites.nodes import DEEPEST, ListNode, MappingNode, Node, ScalarNode, Unreadable

_BLANK = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_BARE = re.compile(r"[^\s,:\]}]++")


def read_json(text: str, line: int) -> Node:
    """Parse the value on a line. Raises Unreadable."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except JSONDecodeError as error:
        raise Unreadable(line, error.pos + 1, f"not valid JSON: {error.msg}") from error
    except RecursionError:
        raise _too_deep(line, 0) from None
    except ValueError as error:
        raise Unreadable(line, text.find(str(error)) + 1, f"not valid JSON: {error} is not a number") from error
    return _JsonLine(text, line).value(_after_blanks(text, 0), DEEPEST)[0]


def _refuse_constant(word: str) -> float:
    """Refuse NaN and infinities, which are not valid JSON."""
    raise ValueError(word)


def _after_blanks(text: str, at: int) -> int:
    if text[at : at + 1] > " ":
        return at
    met = _BLANK.match(text, at)
    return met.end() if met else at


def _too_deep(line: int, at: int) -> Unreadable:
    return Unreadable(line, at + 1, f"more than {DEEPEST} levels inside each other")


class _JsonLine:
    """Splits a line of valid JSON into nodes."""

    def __init__(self, text: str, line: int) -> None:
        self.text, self.line = text, line

    def value(self, at: int, levels: int) -> tuple[Node, int]:
        """Return the value at this offset and the offset after it."""
        if levels < 0:
            raise _too_deep(self.line, at)
        sign = self.text[at]
        if sign == "{":
            return self._read_mapping(at, levels)
        return self._read_list(at, levels) if sign == "[" else self._scalar(at)

    def _scalar(self, at: int) -> tuple[ScalarNode, int]:
        quoted = self.text[at] == '"'
        met = (_STRING if quoted else _BARE).match(self.text, at)
        assert met is not None, "the line is known to be JSON"
        if not quoted:
            return ScalarNode(self.line, at + 1, met[0]), met.end()
        text = json.loads(met[0]) if "\\" in met[0] else met[0][1:-1]
        return ScalarNode(self.line, at + 1, text, '"'), met.end()

    def _read_list(self, at: int, levels: int) -> tuple[ListNode, int]:
        found = ListNode(self.line, at + 1)
        at = _after_blanks(self.text, at + 1)
        while self.text[at] != "]":
            node, at = self.value(at, levels - 1)
            found.items.append(node)
            at = self._after_comma(at)
        return found, at + 1

    def _read_mapping(self, at: int, levels: int) -> tuple[MappingNode, int]:
        found = MappingNode(self.line, at + 1)
        at = _after_blanks(self.text, at + 1)
        while self.text[at] != "}":
            key, at = self._scalar(at)
            at = _after_blanks(self.text, _after_blanks(self.text, at) + 1)
            node, at = self.value(at, levels - 1)
            found.entries.append((key, node))
            at = self._after_comma(at)
        return found, at + 1

    def _after_comma(self, at: int) -> int:
        at = _after_blanks(self.text, at)
        return _after_blanks(self.text, at + 1) if self.text[at] == "," else at
