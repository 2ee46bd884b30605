"""A tool of an MCP server as an agent: find it, call it with the question, read its result."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proctor import codec
from proctor.agents import options as checked
from proctor.agents.command.program import words_of
from proctor.agents.http.options import PARTS, read_target
from proctor.agents.http.response import made_of
from proctor.agents.http.template import Template
from proctor.agents.mcp.http import Http
from proctor.agents.mcp.protocol import Busy, Connection, McpResult
from proctor.agents.mcp.stdio import Stdio
from proctor.agents.rpc import shorten
from proctor.codec import read_json
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault, CallError, InputError, Misconfigured
from proctor.failures import host_in
from proctor.net.addresses import credentials_in, scrub_secrets, shown
from proctor.net.limits import Throttle
from proctor.settings import did_you_mean
from proctor.transcript import Reply, Request

_BOTH = ("tool", "argument", "arguments", "requests_per_minute", "concurrency", "max_bytes")
_REMOTE = (*_BOTH, "headers", "ca", "proxy")
_LOCAL = (*_BOTH, "restarts")


@dataclass(frozen=True, kw_only=True, slots=True)
class McpOptions:
    """Options of an MCP agent."""

    server: str | list[str]
    """URL, or program and arguments."""
    tool: str | None
    """None for the only tool of the server."""
    argument: str | None
    """The tool's argument for the question; None for its only string argument."""
    arguments: Template
    headers: Mapping[str, str]
    requests_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    restarts: int
    ca: str | None
    proxy: bool


def read_options(rest: str, options: Mapping[str, Any]) -> McpOptions:
    """Return the validated options; raise InputError, whose message shows no value that may be a secret."""
    remote = rest.startswith(("http://", "https://"))
    fitting = _REMOTE if remote else _LOCAL
    checked.must_be_known(options, dict.fromkeys((*fitting, *_REMOTE, *_LOCAL)), whose="an mcp: agent")
    for name in sorted(set(options) - set(fitting)):
        raise InputError(
            f"the option {name!r} has no effect for a server that is {'an address' if remote else 'a program'}"
        )
    return McpOptions(
        server=_address(rest) if remote else words_of(rest, scheme="mcp"),
        tool=checked.text(options, "tool"),
        argument=checked.text(options, "argument"),
        arguments=Template(checked.table(options, "arguments"), option="arguments"),
        headers=checked.headers(options),
        requests_per_minute=checked.number(options, "requests_per_minute"),
        concurrency=checked.whole_or_none(options, "concurrency"),
        max_bytes=checked.positive_integer(options, "max_bytes", checked.MAX_BYTES),
        restarts=checked.positive_integer(options, "restarts", 5),
        ca=checked.text(options, "ca"),
        proxy=checked.truth(options, "proxy") or False,
    )


def _address(rest: str) -> str:
    if read_target(rest).uses:
        raise InputError("the address of an mcp: agent has placeholders, which are not filled in there; remove them")
    return rest


def reply_of(answered: McpResult, tool: str) -> Reply:
    """Return the reply; raise AgentFault if the tool failed."""
    result = answered.result
    if result.get("resultType", "complete") != "complete":
        raise AgentFault(f"the tool {tool!r} asks for further input, which is not available here")
    texts = _texts(result.get("content"))
    if result.get("isError") is True:
        raise AgentFault(f"the tool {tool!r} failed: {shorten(' '.join(texts)) or 'it gave no reason'}")
    return replace(_build_reply(texts, result.get("structuredContent")), stderr=answered.stderr)


def _texts(content: Any) -> list[str]:
    """Return the texts of the content blocks, including embedded resources."""
    blocks = content if isinstance(content, list) else []
    return [text for block in blocks if isinstance(block, dict) and isinstance(text := _text(block), str)]


def _text(block: Mapping[str, Any]) -> Any:
    resource = block.get("resource")
    if block.get("type") == "resource" and isinstance(resource, dict):
        return resource.get("text")
    return block.get("text") if block.get("type") == "text" else None


def _build_reply(texts: list[str], structured: Any) -> Reply:
    """Return the reply: structured data with a `text`, else the tool's text, else its data as JSON."""
    for value in (structured, _data(texts)):
        if isinstance(value, dict) and isinstance(value.get("text"), str):
            parts = {part: value[part] for part in PARTS if value.get(part) is not None}
            return made_of({"text": value["text"], **parts})
    if texts or structured is None:
        return to_reply("\n".join(texts))
    if isinstance(structured, dict) and list(structured) == ["result"] and isinstance(structured["result"], str):
        return to_reply(structured["result"])
    if isinstance(structured, str):
        return to_reply(structured)
    return to_reply(codec.encode(structured))


def _data(texts: list[str]) -> Any:
    """Return the JSON object that makes up the whole text, or None if there is none."""
    if len(texts) != 1 or not texts[0].lstrip().startswith("{"):
        return None
    try:
        return read_json(texts[0])
    except (ValueError, RecursionError):
        return None


def string_arguments(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of a tool's string arguments; only the required ones, if there are any."""
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    texts = [name for name, value in named.items() if isinstance(value, dict) and value.get("type") == "string"]
    required = schema.get("required")
    needed = [name for name in texts if isinstance(required, list) and name in required]
    return needed or texts


_HANDS_OVER = frozenset({"context", "history", "messages"})
_TELLS_ALL = frozenset({"history", "messages"})
_MOST_PAGES = 100
_LISTING = "listing the tools"
"""Pseudo conversation for listing the tools."""


@dataclass(frozen=True, kw_only=True, slots=True)
class McpTool:
    """A tool that a server offers."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema of its arguments."""


class McpAgent:
    """An agent that is called as an MCP tool."""

    def __init__(self, options: McpOptions) -> None:
        server = options.server
        self.name = "mcp:" + (shown(server) if isinstance(server, str) else shlex.join(server))
        self.takes_request = not options.arguments.uses.isdisjoint(_HANDS_OVER)
        self.keeps_memory = options.arguments.uses.isdisjoint(_TELLS_ALL)
        self._options = options
        self._secrets = credentials_in(options.headers)
        self._connection = _connection(options)
        self._throttle = Throttle(requests_per_minute=options.requests_per_minute, concurrency=options.concurrency)
        self._finding = asyncio.Lock()
        self._found: tuple[McpTool, str | None] | None = None

    async def list_tools(self) -> tuple[McpTool, ...]:
        """Return all tools of the server."""
        try:
            return await self._list_tools()
        except CallError as error:
            raise self._scrub_error(error) from error.__cause__

    async def reply(self, request: Request) -> Reply:
        """Call the tool. Finding it and waiting for our own rate limits do not count as agent time."""
        async with self._throttle.slot() as began:
            try:
                tool, argument = await self._tool()
                await self._connection.ready(request.conversation)
                started = time.perf_counter()
                params = {"name": tool.name, "arguments": self._arguments(request, argument)}
                answered = await self._connection.request(
                    "tools/call", params, conversation=request.conversation, schema=tool.schema
                )
                self._throttle.report(200, began=began)
                reply = reply_of(answered, tool.name)
            except CallError as error:
                if isinstance(error, Busy):
                    self._throttle.report(error.status or 0, retry_after=error.retry_after, began=began)
                raise self._scrub_error(error) from error.__cause__
        return reply if reply.seconds is not None else replace(reply, seconds=time.perf_counter() - started)

    async def forget(self, conversation: str) -> None:
        """End the conversation's session."""
        await self._connection.forget(conversation)

    async def close(self) -> None:
        """Disconnect from the server."""
        await self._connection.close()

    def _scrub_error(self, error: CallError) -> CallError:
        error.args = (scrub_secrets(str(error), self._secrets),)
        if isinstance(self._options.server, str):
            error.host = error.host or host_in(self._options.server)
        return error

    def _arguments(self, request: Request, argument: str | None) -> dict[str, Any]:
        """Return the tool's arguments; those without a value are left out."""
        template = self._options.arguments
        filled = template.fill(template.values(request, None))
        given = {name: value for name, value in filled.items() if value is not None}
        return given if argument is None else {**given, argument: request.question}

    async def _list_tools(self) -> tuple[McpTool, ...]:
        tools: list[McpTool] = []
        params: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            answered = await self._connection.request("tools/list", params, conversation=_LISTING)
            tools += map(_read_tool, _items(answered.result))
            if not answered.result.get("nextCursor"):
                break
            params = {"cursor": answered.result["nextCursor"]}
        await self._connection.forget(_LISTING)
        return tuple(tools)

    async def _tool(self) -> tuple[McpTool, str | None]:
        """Return the tool, and its argument for the question; None if the arguments template holds the question."""
        async with self._finding:
            if self._found is None:
                tool = _chosen(self._options.tool, await self._list_tools())
                self._found = (tool, self._argument(tool))
            return self._found

    def _argument(self, tool: McpTool) -> str | None:
        options = self._options
        properties = tool.schema.get("properties")
        known = list(properties) if isinstance(properties, dict) else []
        if options.argument is not None:
            if known and options.argument not in known:
                raise Misconfigured(
                    f"the tool {tool.name!r} has no argument {options.argument!r}; {_hint(options.argument, known)}"
                )
            return options.argument
        if {"question", "messages"} & options.arguments.uses:
            return None
        texts = [name for name in string_arguments(tool.schema) if name not in options.arguments.source]
        if len(texts) != 1:
            raise Misconfigured(
                f"the tool {tool.name!r} has the arguments {', '.join(known) or 'none'}; "
                "say which one the question goes into with argument = …"
            )
        return texts[0]


def _connection(options: McpOptions) -> Connection:
    if isinstance(options.server, str):
        return Http(
            options.server,
            headers=options.headers,
            max_bytes=options.max_bytes,
            ca=options.ca,
            proxy=options.proxy,
        )
    return Stdio(options.server, max_bytes=options.max_bytes, restarts=options.restarts)


def _items(result: Mapping[str, Any]) -> list[Any]:
    tools = result.get("tools")
    if not isinstance(tools, list):
        raise AgentFault("the MCP server answered tools/list without a list of tools", kind="wrong_type")
    return tools


def _read_tool(given: Any) -> McpTool:
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise AgentFault("the MCP server lists a tool without a name", kind="wrong_type")
    schema = given.get("inputSchema")
    return McpTool(
        name=given["name"],
        description=str(given.get("description") or ""),
        schema=schema if isinstance(schema, dict) else {},
    )


def _chosen(name: str | None, tools: tuple[McpTool, ...]) -> McpTool:
    known = [tool.name for tool in tools]
    if not tools:
        raise Misconfigured("the MCP server offers no tools; expected one that takes the question")
    if name is None:
        if len(tools) == 1:
            return tools[0]
        raise Misconfigured(f"the MCP server offers {', '.join(known)}; say which one is the agent with tool = …")
    if name not in known:
        raise Misconfigured(f"the MCP server has no tool {name!r}; {_hint(name, known)}")
    return tools[known.index(name)]


def _hint(name: str, known: list[str]) -> str:
    return did_you_mean(name, known, otherwise=f"it has {', '.join(known)}")
