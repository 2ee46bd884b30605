"""What every framework's test asks of it: the answer, the tool call with arguments and result, and the tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.scripted_model import RECEIVED, SENT, scripted_model

import proctor
from proctor.transcript import Reply

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-any-framework.md"
_TOOLS = """
def find_policy(topic: str) -> str:
    'Find the policy on a topic.'
    return f"The policy on {topic}: 30 days."
"""
NOBODY = "http://127.0.0.1:9/v1"
"""Where no model is."""
ASKED = [("How many days of leave are there?", "30 days"), ("How long may I be on leave?", "30 days")]


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The base URL of a scripted model."""
    with scripted_model() as url:
        yield url


def find_policy(topic: str) -> str:
    """Find the policy on a topic."""
    return f"The policy on {topic}: 30 days."


def replies(agent: Any, folder: Path, asked: list[tuple[str, str]] = ASKED) -> list[Reply]:
    """What an agent replies to two questions, both at once; nothing may fail."""
    done = proctor.evaluate(asked, agent=agent, reviewer="embedded", store=folder / "store.db")
    attempts = list(done.attempts())
    failed = [attempt.failure.reason for attempt in attempts if attempt.failure is not None]
    assert not failed, failed
    found = [turn.reply for attempt in attempts for turn in attempt.transcript.turns]
    return [reply for reply in found if reply is not None]


def must_not_be_blamed(agent: Any, folder: Path) -> None:
    """A model that cannot be reached: no attempt is the agent's failure, and none has an answer."""
    done = proctor.evaluate(ASKED[:1], agent=agent, reviewer="embedded", store=folder / "store.db", retries=0)
    failures = [attempt.failure for attempt in done.attempts()]
    assert [failure and failure.owner for failure in failures] == ["environment"], failures


def must_tell(reply: Reply, *, arguments: bool = True, usage: bool = True, others: tuple[str, ...] = ()) -> None:
    """The answer, one tool call and the tokens of two calls; `others` are calls that the framework makes of its own."""
    assert "30 days" in reply.text
    calls = [call for call in reply.tool_calls if call.name not in others]
    assert [call.name for call in calls] == ["find_policy"]
    assert reply.tools_known
    if arguments:
        assert calls[0].arguments == {"topic": "leave"}
        assert "30 days" in str(calls[0].result)
    else:
        assert not calls[0].result_known
    told = None if reply.usage is None else (reply.usage.input_tokens, reply.usage.output_tokens)
    assert told == ((2 * SENT, 2 * RECEIVED) if usage else None)


def must_tell_sub_agent(reply: Reply) -> None:
    """That the work was handed to the agent `expert`, and that the tool call is its own."""
    assert "30 days" in reply.text
    handed = [step for step in reply.steps if step.kind == "delegate"]
    assert [step.name for step in handed] == ["expert"]
    assert handed[0].usage, "what it used itself"
    assert [call.name for call in reply.tool_calls] == ["find_policy"]
    assert [step.agent for step in reply.steps if step.kind == "tool"] == ["expert"]


def traced() -> Any:
    """A tracer provider of the program's own, as one that is instrumented has."""
    trace = pytest.importorskip("opentelemetry.trace")
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    if not isinstance(trace.get_tracer_provider(), sdk.TracerProvider):
        trace.set_tracer_provider(sdk.TracerProvider())
    return trace.get_tracer_provider()


def recipe(framework: str, model: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The program of the page that imports this framework, as an agent whose OpenAI is the scripted model."""
    (folder / "desk_tools.py").write_text(_TOOLS, encoding="utf-8")
    for name, value in {"API_KEY": "none", "BASE_URL": model, "API_BASE": model}.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    blocks = [block.partition("```")[0] for block in PAGE.read_text("utf-8").split("```python\n")[1:]]
    found = next(block for block in blocks if f"from {framework}" in block or f"import {framework}" in block)
    return f"python:{named(folder, found, monkeypatch)}:answer"


def named(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with this source, by a name that can be imported."""
    name = f"made_{folder.name}".replace("-", "_")
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop(name, None)
    return name
