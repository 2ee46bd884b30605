"""A real chat model that follows a script, and conversations for it to judge."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from proctor.metrics.agentic import Retriever
from proctor.metrics.schemas import Batch, Dataset

FENCED = re.compile(
    r"<<<DATA (?P<name>[a-z ]+) (?P<code>\w+)>>>\n(?P<text>.*?)\n<<<END (?P=name) (?P=code)>>>", re.DOTALL
)


class Judge(BaseChatModel):
    """A chat model that follows a script: from what it is shown to what it says, a mark, a text or an exception."""

    script: Callable[[dict[str, str], str], Any]
    delay: float = 0.0
    structured: bool = False
    _prompts: list[str] = PrivateAttr(default_factory=list)
    _running: int = PrivateAttr(default=0)
    _most: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def most_at_once(self) -> int:
        return self._most

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        if not self.structured:
            raise NotImplementedError
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: list[BaseMessage], *others: Any, **options: Any) -> ChatResult:
        raise AssertionError("the judge is asked asynchronously")

    async def _agenerate(self, messages: list[BaseMessage], *others: Any, **options: Any) -> ChatResult:
        self._running += 1
        self._most = max(self._most, self._running)
        try:
            await asyncio.sleep(self.delay)
            return self._said(messages, options)
        finally:
            self._running -= 1

    def _said(self, messages: list[BaseMessage], options: dict[str, Any]) -> ChatResult:
        prompt = "\n".join(str(message.content) for message in messages)
        self._prompts.append(prompt)
        said = self.script({match["name"]: match["text"] for match in FENCED.finditer(prompt)}, prompt)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, (int, float)):
            said = {"reasoning": f"worth {said}", "correctness_score": said}
        usage: Any = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        if options.get("tools") and isinstance(said, dict):
            call: Any = {"name": options["tools"][0]["function"]["name"], "args": said, "id": "1"}
            message = AIMessage(content="", tool_calls=[call], usage_metadata=usage)
        else:
            text = said if isinstance(said, str) else json.dumps(said)
            message = AIMessage(text, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])


class BlockingJudge(BaseChatModel):
    """A chat model without an asynchronous side."""

    @property
    def _llm_type(self) -> str:
        return "blocking"

    def _generate(self, messages: list[BaseMessage], *others: Any, **options: Any) -> ChatResult:
        message = AIMessage('{"reasoning": "fine", "correctness_score": 1}')
        return ChatResult(generations=[ChatGeneration(message=message)])


def judge_by(script: Callable[[dict[str, str], str], Any], **options: Any) -> Judge:
    return Judge(script=script, **options)


def knows(shown: dict[str, str], prompt: str) -> float:
    """1 where the expected answer stands in the answer, else 0."""
    return float(shown["expected answer"] in shown["answer of the agent"])


def interaction(qa_id: str, *, right: bool = True, **others: Any) -> Batch:
    return Batch(
        **{
            "qa_id": qa_id,
            "query": f"What is said in {qa_id}?",
            "assistant": f"{qa_id} says so." if right else "I do not know.",
            "ground_truth_assistant": qa_id,
            **others,
        }
    )


def conversation(session_id: str, marks: str = "r", *, trial: int = 1, **others: Any) -> Dataset:
    """One Dataset; a letter for each interaction: r right, w wrong, u unscored (see `unsure`)."""
    batches = [
        interaction(f"q{place}", right=mark == "r", **({"assistant": "unscored"} if mark == "u" else {}))
        for place, mark in enumerate(marks)
    ]
    return Dataset(session_id=session_id, trial=trial, conversation=batches, **others)


def unsure(shown: dict[str, str], prompt: str) -> Any:
    """Knows, but says nothing usable of the answer "unscored"."""
    return "no idea" if shown["answer of the agent"] == "unscored" else knows(shown, prompt)


def source(*datasets: Any) -> type[Retriever]:
    class Source(Retriever):
        def load_dataset(self) -> list[Dataset]:
            return list(datasets)

    return Source
