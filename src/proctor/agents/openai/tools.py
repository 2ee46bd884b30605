"""Python functions as tools: how they are described to a model, and how they are called."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from proctor import fault_injection as conditions
from proctor import threads
from proctor.codec import read_json
from proctor.errors import InputError, Misconfigured
from proctor.failures import short_message
from proctor.models.openai.completion import RequestedCall, arguments_in
from proctor.plugins import import_attribute
from proctor.settings import known_are
from proctor.transcript import ToolCall

_PREFIX = "python:"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SECTION = re.compile(r"^(args|arguments|parameters|params)\s*:?\s*$", re.IGNORECASE)
_OTHER_SECTION = re.compile(r"^(returns?|raises|yields?|examples?|notes?)\s*:?\s*$", re.IGNORECASE)
_GOOGLE = re.compile(r"^(?P<name>\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)$")
_SPHINX = re.compile(r"^:param\s+(?:[^:]*\s)?(?P<name>\w+)\s*:\s*(?P<text>.*)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool as declared to the model, and the function that runs it; without one, the server runs it."""

    declaration: Mapping[str, Any]
    """Declaration in the format of the Responses API; for a function: name, description and parameters."""
    call: Callable[[Mapping[str, Any]], Any] | None = None

    @property
    def name(self) -> str:
        """Name that the model uses."""
        return str(self.declaration.get("name", ""))


def read_tool(given: Any) -> Tool:
    """Return the tool at `python:module:function`, or a declared tool of the server; raise InputError if invalid."""
    if isinstance(given, Mapping):
        if "type" not in given:
            raise InputError('a tool of the server has no type; expected a table such as {type = "web_search"}')
        return Tool(declaration=given)
    if not isinstance(given, str) or not given.startswith(_PREFIX):
        raise InputError(f"the tool {given!r} is not usable; expected {_PREFIX}module:function")
    return tool_of(import_attribute(given.removeprefix(_PREFIX), what="tool"), given)


def tool_of(function: Any, spec: str) -> Tool:
    """Make a tool from a function, described by its signature and docstring."""
    name = getattr(function, "__name__", "")
    if not callable(function) or inspect.isclass(function) or not _NAME.fullmatch(name):
        raise InputError(f"the tool {spec!r} is a {type(function).__name__}; expected a function with a name")
    schema = _schema(function, spec)
    text = inspect.getdoc(function) or ""
    for parameter, description in parameter_descriptions(text).items():
        if parameter in schema["properties"]:
            schema["properties"][parameter].setdefault("description", description)
    declaration = {"type": "function", "name": name, "description": summary(text), "parameters": schema}
    return Tool(declaration=declaration, call=_with_validation(_strikable(function, name)))


def _schema(function: Any, spec: str) -> dict[str, Any]:
    """Return the JSON Schema of its arguments."""
    import pydantic

    try:
        schema: dict[str, Any] = pydantic.TypeAdapter(function).json_schema()
    except (pydantic.PydanticUserError, NameError) as error:
        raise InputError(f"the tool {spec!r} cannot be described to a model: {short_message(error, 200)}") from error
    if schema.get("type") != "object" or "properties" not in schema:
        raise InputError(f"the tool {spec!r} cannot be described to a model; expected parameters with names, no *args")
    untitled: dict[str, Any] = _strip_titles(schema)
    return untitled


def _strip_titles(schema: Any) -> Any:
    """Remove the titles, which only repeat parameter names."""
    if isinstance(schema, list):
        return [_strip_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = (name for name, value in schema.items() if name != "title" or not isinstance(value, str))
    return {
        name: schema[name] if name in ("default", "enum", "const") else _strip_titles(schema[name]) for name in kept
    }


def summary(text: str) -> str:
    """Return a docstring up to its first section."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if _SECTION.match(line.strip()) or _OTHER_SECTION.match(line.strip()) or _SPHINX.match(line.strip()):
            return "\n".join(lines[:number]).strip()
    return text.strip()


def parameter_descriptions(text: str) -> dict[str, str]:
    """Return parameter → its description in a docstring, from `Args:` sections or `:param name:` lines."""
    found: dict[str, str] = {}
    name, inside = "", False
    for line in map(str.strip, text.splitlines()):
        if _SECTION.match(line) or _OTHER_SECTION.match(line):
            name, inside = "", bool(_SECTION.match(line))
        elif match := _SPHINX.match(line) or (_GOOGLE.match(line) if inside else None):
            name = match["name"].lstrip("*")
            found[name] = match["text"]
        elif name and line and not line.startswith(":"):
            found[name] = f"{found[name]} {line}".strip()
        else:
            name = ""
    return found


def _strikable(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Make a function breakable by fault injection under its name, unless it already is."""
    if getattr(function, "__globals__", {}).get("__name__") == conditions.tool.__module__:
        return function
    return conditions.tool(function, name=name)


def _with_validation(function: Any) -> Callable[[Mapping[str, Any]], Any]:
    """Return a caller that validates the model's arguments and converts them to the annotated types."""
    import pydantic
    from pydantic_core import ArgsKwargs

    adapter = pydantic.TypeAdapter(function)
    return lambda arguments: adapter.validate_python(ArgsKwargs((), dict(arguments)))


async def run(wanted: RequestedCall, tools: Mapping[str, Tool], *, step: int) -> ToolCall:
    """Run one tool call. An error goes back to the model, which may recover; it is no failure of the agent yet."""
    made = ToolCall(name=wanted.name, arguments=arguments_in(wanted.arguments), id=wanted.id, step=step)
    tool = tools.get(wanted.name)
    if tool is None or tool.call is None:
        return replace(made, error=f"there is no tool {wanted.name!r}; {known_are(tools)}")
    try:
        arguments = read_json(wanted.arguments or "{}", dict[str, Any])
    except (ValueError, RecursionError) as error:
        return replace(made, error=f"the arguments are not a JSON object: {error}")
    started = time.perf_counter()
    try:
        result = await threads.call(tool.call, arguments)
        if inspect.isawaitable(result):
            result = await result
    except Misconfigured:
        raise
    except (Exception, SystemExit) as error:
        return replace(made, error=_describe_error(error), seconds=time.perf_counter() - started)
    return replace(made, result=result, seconds=time.perf_counter() - started)


def _describe_error(error: BaseException) -> str:
    """Describe an exception to the model, without repeating the argument values."""
    problems = getattr(error, "errors", None)
    if type(error).__name__ == "ValidationError" and callable(problems):
        places = [(".".join(map(str, each["loc"])), each["msg"]) for each in problems()]
        return "; ".join(f"{place}: {message}" for place, message in places)
    return f"{type(error).__name__}: {short_message(error)}"
