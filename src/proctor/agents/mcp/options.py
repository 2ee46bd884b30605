"""What can be said of an MCP agent in `[agents.NAME]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.agents import options as checked
from proctor.agents.command.program import words_of
from proctor.agents.http.target import read_target
from proctor.agents.http.template import Template
from proctor.errors import InputError

_BOTH = ("tool", "argument", "arguments", "requests_per_minute", "concurrency", "max_bytes")
_REMOTE = (*_BOTH, "headers", "ca", "proxy")
_LOCAL = (*_BOTH, "restarts")


@dataclass(frozen=True, kw_only=True, slots=True)
class McpOptions:
    """Everything that can be said of an MCP agent."""

    server: str | list[str]
    """An address, or a program with its arguments."""
    tool: str | None
    """None: the only one there is."""
    argument: str | None
    """The tool's argument for the question; None: the only one that is text."""
    arguments: Template
    headers: Mapping[str, str]
    requests_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    restarts: int
    ca: str | None
    proxy: bool


def read_options(rest: str, options: Mapping[str, Any]) -> McpOptions:
    """The options, checked; raises InputError, which shows no value that may be a secret."""
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
        max_bytes=checked.whole(options, "max_bytes", checked.MAX_BYTES),
        restarts=checked.whole(options, "restarts", 5),
        ca=checked.text(options, "ca"),
        proxy=checked.truth(options, "proxy") or False,
    )


def _address(rest: str) -> str:
    if read_target(rest).uses:
        raise InputError("the address of an mcp: agent has placeholders, which are not filled in there; remove them")
    return rest
