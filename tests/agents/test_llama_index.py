"""Events of LlamaIndex, stood in for by objects with the same parts; tests/frameworks tries the real one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from proctor.agents.llama_index import _LlamaIndexListener, _writes_code
from proctor.agents.notes import Notes


class CodeActAgent:
    """One that calls its tools from code."""


class Own(CodeActAgent):
    """A kind of it."""


class ToolCall(SimpleNamespace):
    """An event."""


@pytest.mark.parametrize(
    ("target", "known"),
    [
        (object(), True),
        (Own(), False),
        (SimpleNamespace(agents={"a": object(), "b": CodeActAgent()}), False),
        (SimpleNamespace(agents={"a": object()}), True),
    ],
)
def test_tools_that_code_calls_are_unknown(target: Any, known: bool) -> None:
    notes = Notes()
    event = ToolCall(tool_name="execute", tool_id="1", tool_kwargs={"code": "find_policy()"})
    _LlamaIndexListener(notes, writes_code=_writes_code(target)).handle_event(event)
    assert notes.reply("30 days").tools_known == known
