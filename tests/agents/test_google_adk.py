"""Events of Google's kit, stood in for by objects with the same parts; tests/frameworks tries the real one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from proctor.agents.google_adk import _AdkListener
from proctor.agents.notes import Notes


def _event(text: str, *, partial: bool) -> Any:
    part = SimpleNamespace(text=text, thought=False)
    return SimpleNamespace(
        author="desk",
        content=SimpleNamespace(parts=[part]),
        error_code=None,
        usage_metadata=None,
        partial=partial,
        get_function_calls=list,
        get_function_responses=list,
        is_final_response=lambda: not partial,
    )


@pytest.mark.parametrize("streamed", [True, False])
def test_only_text_that_is_streamed_has_a_first_token(streamed: bool) -> None:
    notes = Notes()
    hearing = _AdkListener(notes, "desk")
    for event in [_event("30", partial=True)] * streamed + [_event("30 days", partial=False)]:
        hearing.hear(event)
    assert hearing.answer == "30 days"
    assert (notes.reply("30 days").first_token is not None) == streamed
