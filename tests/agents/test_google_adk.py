"""Events of Google's kit, stood in for by objects with the same parts; tests/frameworks tries the real one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from proctor.agents.google_adk import _AdkListener, _unseen
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
        hearing.handle_event(event)
    assert hearing.answer == "30 days"
    assert (notes.reply("30 days").first_token is not None) == streamed


def test_who_has_tools_that_no_event_tells_of_is_known_by_name() -> None:
    remote = type("RemoteA2aAgent", (), {"name": "far", "sub_agents": []})()
    expert = SimpleNamespace(name="expert", tools=[len], sub_agents=[remote])
    as_tool = SimpleNamespace(name="helper", agent=object())
    assert {*_unseen(SimpleNamespace(name="desk", tools=[as_tool], sub_agents=[expert]))} == {"helper", "far"}


@pytest.mark.parametrize(("unseen", "known"), [(frozenset(), True), (frozenset({"desk"}), False)])
def test_while_one_of_them_is_at_work_no_tool_is_known_not_to_be_called(unseen: frozenset[str], known: bool) -> None:
    notes = Notes()
    hearing = _AdkListener(notes, "desk", unseen)
    hearing.handle_event(_event("30 days", partial=False))
    assert notes.reply("30 days").tools_known == known
    assert hearing.missed != known


def test_an_event_of_an_error_leaves_the_word_to_the_exception_that_comes_after_it() -> None:
    hearing = _AdkListener(Notes(), "desk")
    hearing.handle_event(SimpleNamespace(error_code="RateLimitError", error_message="slow down", content=None))
    assert hearing.problem == "the model answered RateLimitError: slow down"
