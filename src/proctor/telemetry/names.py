"""Names of span attributes: OpenTelemetry GenAI, OpenInference, Langfuse, and Proctor's own for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from proctor.telemetry.span import Span

Kind = Literal["agent", "model", "tool", "retriever", "plan", "evaluator", "other"]

OPERATION = "gen_ai.operation.name"
AGENT = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOOL = "gen_ai.tool.name"
CALL_ID = "gen_ai.tool.call.id"
ARGUMENTS = "gen_ai.tool.call.arguments"
RESULT = "gen_ai.tool.call.result"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
ERROR = "error.type"
EVALUATION = "gen_ai.evaluation.result"

OPENINFERENCE_KIND = "openinference.span.kind"
SESSION = "session.id"

OBSERVATION_TYPE = "langfuse.observation.type"
INPUT = "langfuse.observation.input"
OUTPUT = "langfuse.observation.output"
METADATA = "langfuse.observation.metadata."
USAGE_DETAILS = "langfuse.observation.usage_details"
COST_DETAILS = "langfuse.observation.cost_details"
ITEM_METADATA = "langfuse.experiment.item.metadata"

CASE = "proctor.case"
TURN = "proctor.turn"
"""Number of the turn, on spans that are turns."""
ENDED = "proctor.ended"
ESTIMATED = "proctor.time.estimated"
"""True if the times were not measured but assigned in order."""
CALL_PLACE = "proctor.call.place"
"""Position of a tool call in its reply."""
TOOLS_KNOWN = "proctor.reply.tools_known"
"""False if the reply does not report which tools were called."""
CUT_OFF = "proctor.reply.cut_off"
"""True if the reply was truncated at the model's output limit."""
STEP = "proctor.step."
"""Prefix of the fields of a Step."""

_KINDS: Mapping[str, Mapping[str, Kind]] = {
    OPENINFERENCE_KIND: {
        "agent": "agent",
        "llm": "model",
        "tool": "tool",
        "retriever": "retriever",
        "evaluator": "evaluator",
    },
    OPERATION: {
        "invoke_agent": "agent",
        "chat": "model",
        "generate_content": "model",
        "text_completion": "model",
        "execute_tool": "tool",
        "retrieval": "retriever",
        "plan": "plan",
    },
    OBSERVATION_TYPE: {
        "agent": "agent",
        "generation": "model",
        "tool": "tool",
        "retriever": "retriever",
        "evaluator": "evaluator",
    },
    "traceloop.span.kind": {"agent": "agent", "tool": "tool"},
    "llm.request.type": {"chat": "model", "completion": "model"},
    "mlflow.spanType": {
        "agent": "agent",
        "llm": "model",
        "chat_model": "model",
        "tool": "tool",
        "retriever": "retriever",
    },
    "ai.operationId": {
        "ai.generatetext.dogenerate": "model",
        "ai.streamtext.dostream": "model",
        "ai.generateobject.dogenerate": "model",
        "ai.streamobject.dostream": "model",
        "ai.toolcall": "tool",
    },
}
_FIRST_WORDS = _KINDS[OPERATION]
_PLANS = ("plan", "re-plan", "replan")


def kind_of(span: Span) -> Kind:
    """Return the kind of work a span represents, in any supported convention."""
    own = span.attributes.get(STEP + "kind")
    if own in _PLANS or span.attributes.get(OPERATION) == "plan":
        return "plan"
    for attribute, kinds in _KINDS.items():
        label = span.attributes.get(attribute)
        if isinstance(label, str) and (kind := kinds.get(label.strip('"').lower())):
            return kind
    word = span.name.partition(" ")[0].lower()
    if word in _PLANS:
        return "plan"
    return _FIRST_WORDS.get(word, "other") if " " in span.name else "other"


def first(attributes: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these attributes with a value, or None."""
    return next((value for name in names if (value := attributes.get(name)) not in (None, "")), None)
