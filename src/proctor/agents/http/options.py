"""The options of `[agents.NAME]` for an HTTP agent, checked before the first question."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from proctor.agents.http.expression import Expression
from proctor.agents.http.template import Template
from proctor.errors import InputError

DEFAULT_BODY = {
    "question": "{{question}}",
    "context": "{{context}}",
    "history": "{{history}}",
    "conversation": "{{conversation}}",
}
PARTS = ("tool_calls", "citations", "steps", "usage")
"""What a reply may hold besides its text."""
_EXPRESSIONS = ("text", *PARTS, "session", "delta")
_NUMBERS = ("requests_per_minute", "tokens_per_minute", "concurrency", "max_bytes")
_KNOWN = ("method", "headers", "query", "body", *_EXPRESSIONS, "stream", "poll", *_NUMBERS, "ca", "proxy")
_POLL_KNOWN = ("url", "id", "done", "failed", "every")
_METHODS = ("POST", "GET", "PUT", "PATCH")
_MAX_BYTES = 10_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Poll:
    """How to ask after a job."""

    url: Template | Expression
    """Where to ask: built from `id`, or found in the first reply."""
    done: Expression
    """True once the job is done; the reply is then read like any other."""
    id: Expression | None = None
    """The job's id in the first reply, as `{{id}}` in the address."""
    failed: Expression | None = None
    """True where the job has failed."""
    every: float = 0.5
    """Seconds between two questions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """Everything that can be said of an HTTP agent."""

    method: str
    headers: Mapping[str, Template]
    query: Mapping[str, Template]
    body: Template | None
    expressions: Mapping[str, Expression]
    """By option: text, tool_calls, citations, steps, usage, session, delta."""
    stream: bool
    poll: Poll | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    ca: str | None
    proxy: bool


def read_options(options: Mapping[str, Any]) -> Options:
    """The options, checked; raises InputError, which shows no value that may be a secret."""
    _must_be_known(options, _KNOWN, "an http agent has no option")
    method = _one_of(str(options.get("method", "POST")).upper(), _METHODS, "method")
    stream = options.get("stream")
    if stream not in (None, "sse"):
        raise InputError(f'stream={stream!r} is not known; expected "sse" (server-sent events)')
    numbers = {name: _number(options[name], name) for name in _NUMBERS if name in options}
    made = Options(
        method=method,
        headers=_texts(options.get("headers", {}), "headers"),
        query=_texts(options.get("query", {}), "query"),
        body=_body(options, method),
        expressions={name: Expression(options[name], option=name) for name in _EXPRESSIONS if name in options},
        stream=stream is not None,
        poll=_poll(options["poll"]) if "poll" in options else None,
        requests_per_minute=numbers.get("requests_per_minute"),
        tokens_per_minute=numbers.get("tokens_per_minute"),
        concurrency=math.ceil(numbers["concurrency"]) if "concurrency" in numbers else None,
        max_bytes=int(numbers.get("max_bytes", _MAX_BYTES)),
        ca=_text(options["ca"], "ca") if "ca" in options else None,
        proxy=_truth(options.get("proxy", False), "proxy"),
    )
    _must_agree(made)
    return made


def _must_agree(options: Options) -> None:
    if options.stream and options.poll:
        raise InputError("an http agent streams or is polled, not both; remove stream or poll")
    if "delta" in options.expressions and not options.stream:
        raise InputError('delta says where the text of an event stands; it needs stream = "sse"')


def _must_be_known(options: Mapping[str, Any], known: tuple[str, ...], problem: str) -> None:
    for name in sorted(set(options) - set(known)):
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
        raise InputError(f"{problem} {name!r}; {hint}")


def _body(options: Mapping[str, Any], method: str) -> Template | None:
    """What is sent. A text that is JSON is taken as what it says, so that values are put in as JSON has them."""
    if "body" not in options:
        return None if method == "GET" else Template(DEFAULT_BODY, option="body")
    if method == "GET":
        raise InputError("a GET request has no body; put the question into query, or choose another method")
    body = options["body"]
    if isinstance(body, str) and body.lstrip().startswith(("{", "[")):
        try:
            body = msgspec.json.decode(body)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"body looks like JSON, but is not: {error}; placeholders stand in quotes there, "
                "and one that stands alone becomes the value itself"
            ) from error
    return Template(body, option="body")


def _poll(given: Any) -> Poll:
    if not isinstance(given, Mapping):
        raise InputError("poll is no table; expected poll = {url = …, done = …}")
    _must_be_known(given, _POLL_KNOWN, "poll has no option")
    for name in ("url", "done"):
        if name not in given:
            raise InputError(f"poll has no {name}; expected poll = {{url = …, done = …}}")
    url = _text(given["url"], "poll.url")
    return Poll(
        url=_poll_url(url, frozenset({"id"} & given.keys())),
        done=Expression(given["done"], option="poll.done"),
        id=Expression(given["id"], option="poll.id") if "id" in given else None,
        failed=Expression(given["failed"], option="poll.failed") if "failed" in given else None,
        every=_number(given.get("every", 0.5), "poll.every"),
    )


def _poll_url(url: str, known: frozenset[str]) -> Template | Expression:
    """Written out, or where it stands in the first reply."""
    if url.startswith(("/", "http://", "https://")):
        return Template(url, option="poll.url", extra=known)
    return Expression(url, option="poll.url")


def _texts(given: Any, option: str) -> dict[str, Template]:
    if not isinstance(given, Mapping):
        raise InputError(f'{option} is no table; expected {option} = {{NAME = "VALUE"}}')
    return {
        name: Template(_text(value, f"{option}.{name}"), option=f"{option}.{name}") for name, value in given.items()
    }


def _text(value: Any, option: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{option} is a {type(value).__name__}; expected text")
    return str(value)


def _number(value: Any, option: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
        raise InputError(f"{option}={value!r} is not usable; expected a number greater than 0")
    return value


def _truth(value: Any, option: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{option}={value!r} is not usable; expected true or false")
    return value


def _one_of(value: str, known: tuple[str, ...], option: str) -> str:
    if value not in known:
        raise InputError(f"{option}={value!r} is not known; expected {', '.join(known)}")
    return value
