"""Nothing leaves that must not: secrets of the environment always, and what a pattern names."""

from __future__ import annotations

import json
import re

import pytest
from tests.telemetry.played import EXAM, EXPERIMENT, REPLY, RUN, attempt, judged

from proctor.run import Failure
from proctor.telemetry.otlp import encode
from proctor.telemetry.redaction import REDACTED
from proctor.telemetry.trace import spans_of
from proctor.transcript import Reply, ToolCall

CARD = re.compile(r"\b\d{16}\b")
LEAKY = Reply(
    text="Paid with 4111111111111111.",
    tool_calls=(
        ToolCall(
            name="pay",
            arguments={"card": 4111111111111111, "note": 'say "4111111111111111"'},
            result=["4111111111111111"],
            error="4111111111111111 was refused",
        ),
    ),
)


def test_a_pattern_is_applied_to_every_text_and_to_numbers_in_calls() -> None:
    failure = Failure(stage="agent", owner="agent", reason="no 4111111111111111", turn=1)
    spans = spans_of(RUN, EXAM, attempt(LEAKY, failure=failure), redact=[CARD])
    assert b"4111111111111111" not in encode(spans, "json")
    pay = next(span for span in spans if span.name == "execute_tool pay")
    assert json.loads(pay.attributes["gen_ai.tool.call.arguments"]) == {
        "card": REDACTED,
        "note": f'say "{REDACTED}"',
    }
    assert pay.message == f"{REDACTED} was refused"


def test_a_pattern_that_reaches_over_json_is_applied_too() -> None:
    spans = spans_of(RUN, EXAM, attempt(REPLY), redact=[re.compile(r'"chunk_id":"c1"')])
    assert b"chunk_id" not in encode(spans, "json").replace(b"\\", b"")


def test_a_pattern_that_matches_an_id_does_not_cut_spans_apart() -> None:
    plain = spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT)
    cut = spans_of(RUN, EXAM, judged(), experiment=EXPERIMENT, redact=[re.compile(r"[0-9a-f]{16}|span|agent")])
    name = "langfuse.experiment.item.root_observation_id"
    assert [span.attributes[name] for span in cut] == [span.attributes[name] for span in plain]
    assert [span.attributes["langfuse.observation.type"] for span in cut] == [
        span.attributes["langfuse.observation.type"] for span in plain
    ]


@pytest.mark.parametrize("secret", ["sk-0123456789", 'with "quotes" and \\ more', "zeile\nzwei-ä", "1234567890"])
def test_a_secret_of_the_environment_is_never_written(monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    reply = Reply(
        text=f"The key is {secret}.",
        tool_calls=(ToolCall(name="t", arguments={secret: 1, "n": 1234567890}, result=[secret]),),
    )
    monkeypatch.setenv("SOME_API_KEY", secret)
    body = encode(spans_of(RUN, EXAM, attempt(reply)), "json").decode()
    assert "$SOME_API_KEY" in body
    assert secret not in body
    assert json.dumps(secret)[1:-1] not in body
    assert json.dumps(secret, ensure_ascii=False)[1:-1] not in body


def test_text_without_secrets_is_left_as_it_is() -> None:
    (span,) = (span for span in spans_of(RUN, EXAM, attempt(REPLY)) if "proctor.turn" in span.attributes)
    assert span.attributes["langfuse.observation.input"] == "What is the data retention policy?"
