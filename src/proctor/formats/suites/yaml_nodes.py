"""Parse YAML text into nodes: only text, lists and mappings; tags never create other objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from proctor.formats.suites.nodes import DEEPEST, ListNode, MappingNode, Node, ScalarNode, Unreadable

MERGE = "<<"
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
_MEANT = (
    ("mapping values are not allowed", "a value contains a colon followed by a blank; put the value in quotes"),
    ("end of stream", "a quote or bracket is opened here and never closed"),
    ("could not find expected ':'", "a key without its colon, or a line that is not indented like its neighbours"),
    ("did not find expected key", "a line that is not indented like its neighbours, or a quote inside a quoted text"),
    ("expected <block end>", "a line that is not indented like its neighbours, or a quote inside a quoted text"),
    ("did not find expected '-'", "a line that is not indented like its neighbours; each item starts with `- `"),
    ("expected ',' or", "a comma is missing between brackets, or a bracket is not closed"),
    ("unknown escape", "a backslash between double quotes starts an escape; use single quotes around patterns"),
    ("not allowed", "a control character; remove it"),
    ("not acceptable", "a control character; remove it"),
)  # fmt: skip
_STARTS = {
    "\t": "a tab indents this line; YAML takes blanks only",
    "@": "a bare value cannot start with @; put it in quotes",
    "`": "a bare value cannot start with `; put it in quotes",
    "%": "a bare value cannot start with %; put it in quotes",
}


def read_yaml(text: str) -> Node | None:
    """Parse the single document of a text, or return None if it is empty. Raises Unreadable."""
    try:
        return _Builder().built(_events(text))
    except yaml.MarkedYAMLError as error:
        raise _unreadable(error, text) from error
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        message = f"not valid YAML: {_meant(error.reason, '')}"
        raise Unreadable(before.count("\n") + 1, len(before) - before.rfind("\n"), message) from error


def _events(text: str) -> Iterator[Event]:
    """Yield parser events; no Python objects are constructed."""
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    yield from yaml.parse(text, Loader=loader)


class _Builder:
    """Builds nodes from a document's events, iteratively, so that deep nesting cannot overflow the stack."""

    def __init__(self) -> None:
        self.open: list[ListNode | MappingNode] = []
        self.keys: list[ScalarNode | None] = []
        self.anchors: dict[str, Node] = {}
        self.root: Node | None = None

    def built(self, events: Iterator[Event]) -> Node | None:
        documents = 0
        for event in events:
            if isinstance(event, NodeEvent):
                self._start(event)
            elif isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _unreadable_at(
                        event, "a second document starts here; a suite is one document, remove the `---`"
                    )
            elif self.open and not isinstance(event, DocumentEndEvent):
                self.open.pop()
                self.keys.pop()
        return self.root

    def _start(self, event: NodeEvent) -> None:
        if type(event) is ScalarEvent and event.anchor is None:  # by far the most frequent case
            self._place(_node(event), event)
            return
        node = self._resolve_alias(event) if isinstance(event, AliasEvent) else _node(event)
        if event.anchor is not None and not isinstance(event, AliasEvent):
            self.anchors[event.anchor] = node
        self._place(node, event)
        if not isinstance(node, ScalarNode) and not isinstance(event, AliasEvent):
            self.open.append(node)
            self.keys.append(None)
            if len(self.open) > DEEPEST:
                raise _unreadable_at(event, f"more than {DEEPEST} levels inside each other")

    def _resolve_alias(self, event: AliasEvent) -> Node:
        node = self.anchors.get(event.anchor or "")
        if node is None:
            raise _unreadable_at(event, f"*{event.anchor} stands for &{event.anchor}, which is not written before it")
        if any(node is outer for outer in self.open):
            raise _unreadable_at(event, f"*{event.anchor} contains itself")
        return node

    def _place(self, node: Node, event: NodeEvent) -> None:
        if not self.open:
            self.root = node
            return
        parent, key = self.open[-1], self.keys[-1]
        if isinstance(parent, ListNode):
            parent.items.append(node)
        elif key is not None:
            self.keys[-1] = None
            _enter(parent, key, node)
        elif isinstance(node, ScalarNode):
            self.keys[-1] = node
        else:
            raise _unreadable_at(
                event, "there is a list, or keys in brackets, where a key is expected; put a key before the colon"
            )


def _enter(parent: MappingNode, key: ScalarNode, value: Node) -> None:
    """Add an entry; `<<` merges other mappings, over which explicit keys take precedence."""
    if not (key.bare and key.text == MERGE):
        parent.entries.append((key, value))
        return
    for source in value.items if isinstance(value, ListNode) else [value]:
        if not isinstance(source, MappingNode):
            raise Unreadable(key.line, key.column, "<< takes keys from elsewhere, as in `<<: *name`")
        parent.merged.append(source)


def _node(event: NodeEvent) -> Node:
    mark = event.start_mark
    assert mark is not None, "what is parsed from text has a place"
    line, column = mark.line + 1, mark.column + 1
    if type(event) is ScalarEvent:
        style = event.style or ""
        if event.tag in _TEXT_TAGS:
            style = style or '"'
        elif event.tag is not None:
            raise _unreadable_at(event, f"the tag {event.tag!r} is not read; remove it")
        return ScalarNode(line, column, event.value, style)
    assert isinstance(event, (SequenceStartEvent, MappingStartEvent)), "an alias has no node of its own"
    if event.tag not in (None, "!"):
        raise _unreadable_at(event, f"the tag {event.tag!r} is not read; remove it")
    return ListNode(line, column) if isinstance(event, SequenceStartEvent) else MappingNode(line, column)


def _place(event: Event) -> tuple[int, int]:
    mark = event.start_mark
    assert mark is not None, "what is parsed from text has a place"
    return mark.line + 1, mark.column + 1


def _unreadable_at(event: Event, message: str) -> Unreadable:
    return Unreadable(*_place(event), message)


def _unreadable(error: yaml.MarkedYAMLError, text: str) -> Unreadable:
    problem = error.problem or "it cannot be read"
    mark = error.problem_mark or error.context_mark
    if "end of stream" in problem and error.context_mark is not None:
        mark = error.context_mark  # where the quote was opened is more helpful than the end of the file
    if mark is None:
        return Unreadable(1, 1, f"not valid YAML: {problem}")
    lines = text.split("\n", mark.line + 1)
    sign = lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""
    return Unreadable(mark.line + 1, mark.column + 1, f"not valid YAML: {_meant(problem, sign)}")


def _meant(problem: str, sign: str) -> str:
    """Return the parser's message with its most likely cause."""
    if "cannot start any token" in problem and sign in _STARTS:
        return _STARTS[sign]
    return next((f"{meaning} ({problem})" for words, meaning in _MEANT if words in problem), problem)
