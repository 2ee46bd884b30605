"""Origin of an exception: the packages it passed through, the server, and whether that serves models."""

from __future__ import annotations

import re
import traceback
from collections.abc import Container, Iterator
from contextlib import suppress
from types import FrameType, SimpleNamespace
from urllib.parse import urlsplit

from proctor.failures.causes import read

_CLIENTS = frozenset({
    "aiohttp", "anyio", "asyncio", "concurrent", "contextlib", "h11", "h2", "http", "httpcore", "httpcore2",
    "httpx", "httpx2", "requests", "socket", "ssl", "tenacity", "threading", "truststore", "urllib", "urllib3",
})  # fmt: skip
"""Packages that make calls on behalf of others."""
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]")
_MODELS = re.compile(
    r"(?:openai|anthropic|ollama|google\.(?:genai|generativeai|ai)|vertexai|mistralai|cohere|groq|together|litellm"
    r"|huggingface_hub|langchain_(?:openai|anthropic|google_\w+|ollama|aws|mistralai|groq)"
    r"|langchain_core\.(?:exceptions|language_models)|pydantic_ai\.models)(?:\.|$)"
)
"""Packages that call only models."""
_MODELS_PATH = re.compile(
    r"/(?:chat/completions|v1/(?:completions|responses|messages)|api/(?:chat|generate))$|:(?:g|streamG)enerateContent$"
)
"""URL paths of model APIs, for any client."""
_SECRETIVE = frozenset({"aiohttp", "http", "requests"})
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def came_through(link: BaseException, packages: Container[str], functions: Container[str] | None = None) -> bool:
    """Whether it was raised in or below one of these packages, and there in one of these functions, if given."""
    within = (frame for frame in _frames(link) if _module_of(frame).partition(".")[0] in packages)
    return any(functions is None or frame.f_code.co_name in functions for frame in within)


def was_at_work_in(link: BaseException, functions: Container[str]) -> bool:
    """Whether it was raised in or below one of these functions of an installed client, not of the agent's own code."""
    named = (frame for frame in _frames(link) if frame.f_code.co_name in functions)
    return any(
        _module_of(frame).partition(".")[0] in _CLIENTS or _INSTALLED.search(frame.f_code.co_filename)
        for frame in named
    )


def is_models(link: BaseException) -> bool:
    """Whether it comes from a call to a model: by its class, the caller of the client, or the URL."""
    if any(_MODELS.match(kind.__module__) for kind in type(link).__mro__) or _MODELS_PATH.search(_url_of(link)):
        return True
    callers = (module for frame in _frames(link) if (module := _module_of(frame)).partition(".")[0] not in _CLIENTS)
    return _MODELS.match(next(callers, "")) is not None


def host_of(link: BaseException) -> str:
    """Return HOST:PORT of the called server, if the exception has it."""
    for holder in (link, read(link, "pool"), read(link, "conn"), *_callers(link)):
        host, port = read(holder, "host"), read(holder, "port")
        if isinstance(host, str) and host and isinstance(port, int):
            return _host_and_port(host, port)
    return host_in(_url_of(link))


def host_in(url: str) -> str:
    """Return HOST:PORT of a URL; empty if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return ""
    return _host_and_port(parts.hostname, port) if parts.hostname and port else ""


def _host_and_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _url_of(link: BaseException) -> str:
    """Return the called URL without its query."""
    options = read(link, "kwargs")
    given = [options.get("endpoint_url")] if isinstance(options, dict) else []
    given += [read(read(link, name), "url") for name in ("request", "response", "request_info")]
    given += [read(caller, "url") for caller in _callers(link)]
    with suppress(BaseException):
        return next((str(url) for url in given if url is not None), "").partition("?")[0]
    return ""


def _callers(link: BaseException) -> Iterator[object]:
    """Yield objects from the stack frames of clients whose exceptions lack the URL."""
    for frame in _frames(link):
        if _module_of(frame).partition(".")[0] in _SECRETIVE:
            yield frame.f_locals.get("self")
            yield SimpleNamespace(url=frame.f_locals.get("url"))


def _frames(link: BaseException) -> list[FrameType]:
    """Return the stack frames of an exception, innermost first."""
    return [frame for frame, _ in traceback.walk_tb(read(link, "__traceback__"))][::-1]


def _module_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
