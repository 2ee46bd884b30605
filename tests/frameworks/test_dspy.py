"""DSPy, by OpenInference's spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.frameworks.examined import find_policy, model, must_tell, replies, traced

dspy = pytest.importorskip("dspy")
instrumentation = pytest.importorskip("openinference.instrumentation.dspy")
__all__ = ["model"]


def test_its_spans_tell_the_tool_call(model: str, tmp_path: Path) -> None:
    instrumentation.DSPyInstrumentor().instrument(tracer_provider=traced())
    llm = dspy.LM("openai/scripted", api_base=model, api_key="none", cache=False)

    def ask(question: str) -> str:
        with dspy.context(lm=llm):
            return str(dspy.ReAct("question -> answer", tools=[find_policy])(question=question).answer)

    for reply in replies(ask, tmp_path):
        must_tell(reply, usage=False, others=("finish",))
