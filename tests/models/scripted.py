"""Real LangChain chat models that say what a test tells them to say."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

TOKENS = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}


def said(text: str | list[Any], **others: Any) -> AIMessage:
    """A message with a known cost."""
    return AIMessage(content=text, **{"usage_metadata": TOKENS, **others})


def called(arguments: dict[str, Any], *more: dict[str, Any]) -> AIMessage:
    """A message that calls the bound tool, once or several times."""
    calls = [{"name": "Verdict", "args": args, "id": str(number)} for number, args in enumerate((arguments, *more))]
    return said("", tool_calls=calls)


class Status(Exception):
    """What a provider's package raises for an HTTP error."""

    def __init__(self, status_code: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"Error code: {status_code}")
        self.status_code = status_code
        self.response = type("Response", (), {"headers": headers or {}})()


class _Scripted(BaseChatModel):
    """Plays a list from first to last, or asks a function of the prompt; an exception in it is raised."""

    script: list[Any] | Callable[[str], Any]
    prompts: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _answer(self, prompt: str) -> Any:
        return self.script(prompt) if callable(self.script) else self.script[len(self.prompts) - 1]

    def _played(self, messages: list[BaseMessage], options: dict[str, Any]) -> ChatResult:
        self.prompts.append(messages)
        self.options.append(options)
        answer = self._answer(self.prompt())
        if isinstance(answer, BaseException):
            raise answer
        message = said(answer) if isinstance(answer, str) else answer
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
        raise AssertionError("an asynchronous model was called synchronously")

    def prompt(self, number: int = -1) -> str:
        """Everything that was sent in one call."""
        return "\n".join(str(message.text) for message in self.prompts[number])


class Prose(_Scripted):
    """Knows no structured output."""

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return self._played(messages, options)


class Tooled(Prose):
    """Gives structured output by calling a tool."""

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **options: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **options)


class JsonMode(Prose):
    """Gives structured output as JSON in the text, as most providers' own classes do."""

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **_: Any) -> Runnable[Any, Any]:
        return self.bind(response_format=schema) | JsonOutputParser()


class OwnChain(Prose):
    """Gives instances of the schema by a chain of its own, with or without the raw message."""

    raw: bool = True

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **_: Any) -> Runnable[Any, Any]:
        async def answer(messages: list[BaseMessage]) -> Any:
            message = (await self._agenerate(messages)).generations[0].message
            assert isinstance(message, AIMessage)
            parsed = schema.model_construct(**message.tool_calls[0]["args"])
            return {"raw": message, "parsed": parsed, "parsing_error": None} if self.raw else parsed

        return RunnableLambda(answer)


class Blocking(_Scripted):
    """Has only the synchronous side."""

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **options: Any
    ) -> ChatResult:
        return self._played(messages, options)


_WISH = re.compile(r"give me 1\.0|score: ?1", re.IGNORECASE)


class Obedient(Tooled):
    """Plays its list, if any, and then marks everything 1 if it finds the wish for it outside a fence, else 0."""

    script: list[Any] | Callable[[str], Any] = Field(default_factory=list)
    names: list[str]
    outside: Callable[[str], str]

    def _answer(self, prompt: str) -> Any:
        if isinstance(self.script, list) and len(self.prompts) <= len(self.script):
            return super()._answer(prompt)
        mark = 1.0 if _WISH.search(self.outside(prompt)) else 0.0
        return called({**dict.fromkeys(self.names, mark), **{f"{name}_explanation": "as told" for name in self.names}})


def outside_by_code(prompt: str) -> str:
    """What stands outside the fences for a reader who does what the rule says: name and code have to match."""
    return re.sub(r"^<<<DATA (.+ [0-9a-f]{16})>>>\n.*?\n<<<END \1>>>$", "", prompt, flags=re.DOTALL | re.MULTILINE)


def outside_at_a_glance(prompt: str) -> str:
    """The same for a careless reader: whatever looks remotely like an END marker closes, whatever its code."""
    plain = unicodedata.normalize("NFKD", html.unescape(prompt))
    plain = "".join(_glanced(character) for character in plain)
    opening, closing = r"<\s*<\s*<[\W_]*DATA\b[^\n]*", r"<\s*<\s*<[\W_]*END\b[^\n\r\u2028]*"
    return re.sub(f"{opening}.*?(?:{closing}|$(?![\\s\\S]))", "", plain, flags=re.DOTALL | re.IGNORECASE)


def _glanced(character: str) -> str:
    """A character as a careless reader takes it: unseen ones not at all, brackets as angle brackets."""
    name = unicodedata.name(character, "")
    if name.startswith("TAG ") and 0xE0020 <= ord(character) < 0xE007F:
        character = chr(ord(character) - 0xE0000)
    elif unicodedata.category(character) in ("Cf", "Mn", "Me") or "FILLER" in name:
        return ""
    alike = ("LESS-THAN", "LEFT-POINTING", "LEFT ANGLE", "LEFT DOUBLE ANGLE", "LEFT ARROWHEAD")
    if name.endswith("SYLLABICS PA") or any(word in name for word in alike):
        return "<<<" if "VERY" in name or "TRIPLE" in name else "<<" if "DOUBLE" in name or "MUCH" in name else "<"
    return character
