"""The options of `[agents.NAME]` for an HTTP agent, checked before the first question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.agents import options as checked
from proctor.agents.http.expression import Expression
from proctor.agents.http.template import PLACEHOLDER, Template
from proctor.codec import read_json
from proctor.errors import InputError
from proctor.net import addresses

DEFAULT_BODY = {
    "question": "{{question}}",
    "context": "{{context}}",
    "history": "{{history}}",
    "conversation": "{{conversation}}",
}
PARTS = ("tool_calls", "citations", "steps", "usage")
"""Optional parts of a reply besides its text."""
_EXPRESSIONS = ("text", *PARTS, "session", "delta")
_LIMITS = ("requests_per_minute", "tokens_per_minute", "concurrency", "max_bytes")
_KNOWN = ("method", "headers", "query", "body", *_EXPRESSIONS, "stream", "poll", *_LIMITS, "ca", "proxy")
_POLL_KNOWN = ("url", "id", "done", "failed", "every")
_METHODS = ("POST", "GET", "PUT", "PATCH")


@dataclass(frozen=True, kw_only=True, slots=True)
class Poll:
    """How to poll for the result of a job."""

    url: Template | Expression
    """URL to poll: a template with `id`, or an expression for the first response."""
    done: Expression
    """Whether the job is done; its response is then read like any other."""
    id: Expression | None = None
    """Job id in the first response, available in the URL as `{{id}}`."""
    failed: Expression | None = None
    """Whether the job has failed."""
    every: float = 0.5
    """Seconds between two polls."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpOptions:
    """Options of an HTTP agent."""

    method: str
    headers: Mapping[str, Template]
    query: Mapping[str, Template]
    body: Template | None
    expressions: Mapping[str, Expression]
    """Option name → expression: text, tool_calls, citations, steps, usage, session, delta."""
    stream: bool
    poll: Poll | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    concurrency: int | None
    max_bytes: int
    ca: str | None
    proxy: bool


def read_options(options: Mapping[str, Any]) -> HttpOptions:
    """Return the validated options; raise InputError, whose message shows no value that may be a secret."""
    checked.must_be_known(options, _KNOWN, whose="an http agent")
    method = checked.one_of({"method": str(options.get("method", "POST")).upper()}, "method", _METHODS)
    stream = options.get("stream")
    if stream not in (None, "sse"):
        raise InputError(f'stream={stream!r} is not known; expected "sse" (server-sent events)')
    made = HttpOptions(
        method=method,
        headers=_templates(options, "headers"),
        query=_templates(options, "query"),
        body=_body(options, method),
        expressions={name: Expression(options[name], option=name) for name in _EXPRESSIONS if name in options},
        stream=stream is not None,
        poll=_poll(checked.table(options, "poll")) if "poll" in options else None,
        requests_per_minute=checked.number(options, "requests_per_minute"),
        tokens_per_minute=checked.number(options, "tokens_per_minute"),
        concurrency=checked.whole_or_none(options, "concurrency"),
        max_bytes=checked.positive_integer(options, "max_bytes", checked.MAX_BYTES),
        ca=checked.text(options, "ca"),
        proxy=checked.truth(options, "proxy") or False,
    )
    _must_agree(made)
    return made


def _must_agree(options: HttpOptions) -> None:
    if options.stream and options.poll:
        raise InputError("an http agent streams or is polled, not both; remove stream or poll")
    if "delta" in options.expressions and not options.stream:
        raise InputError('delta says where the text of an event is; it needs stream = "sse"')


def _body(options: Mapping[str, Any], method: str) -> Template | None:
    """Return the body template. A string that contains JSON is parsed, so that values are inserted as JSON."""
    if "body" not in options:
        return None if method == "GET" else Template(DEFAULT_BODY, option="body")
    if method == "GET":
        raise InputError("a GET request has no body; put the question into query, or choose another method")
    body = options["body"]
    if isinstance(body, str) and body.lstrip().startswith(("{", "[")):
        try:
            body = read_json(body)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"body looks like JSON, but is not: {error}; placeholders stand in quotes there, "
                "and one that stands alone becomes the value itself"
            ) from error
    return Template(body, option="body")


def _poll(given: Mapping[str, Any]) -> Poll:
    checked.must_be_known(given, _POLL_KNOWN, whose="poll")
    for name in ("url", "done"):
        if name not in given:
            raise InputError(f"poll has no {name}; expected poll = {{url = …, done = …}}")
    named = {f"poll.{name}": value for name, value in given.items()}
    return Poll(
        url=_poll_url(checked.text(named, "poll.url") or "", frozenset({"id"} & given.keys())),
        done=Expression(given["done"], option="poll.done"),
        id=Expression(given["id"], option="poll.id") if "id" in given else None,
        failed=Expression(given["failed"], option="poll.failed") if "failed" in given else None,
        every=checked.number(named, "poll.every") or 0.5,
    )


def _poll_url(url: str, known: frozenset[str]) -> Template | Expression:
    """Return a template for a literal URL, else an expression for the first response."""
    if url.startswith(("/", "http://", "https://")):
        return Template(url, option="poll.url", extra=known)
    return Expression(url, option="poll.url")


def _templates(options: Mapping[str, Any], name: str) -> dict[str, Template]:
    return {key: Template(text, option=f"{name}.{key}") for key, text in checked.texts(options, name).items()}


_SECRET_NAME = re.compile(r"^code$|^sig$|(key|token|secret|password|passwd|pwd|signature|credentials?|auth)$", re.I)


def read_target(spec: str) -> Template:
    """Return the URL template, which allows placeholders in path and query; raise InputError if it is unusable."""
    try:
        url = addresses.parse(PLACEHOLDER.sub("x", spec))
    except ValueError as error:
        raise InputError(
            f"the agent's address cannot be used: {error}; expected something like http://HOST/PATH"
        ) from None
    if url.user is not None or url.password is not None:
        raise InputError(
            f"the address of the agent {addresses.shown(url)!r} holds a user or password, and it is stored with the "
            'run; put them into the environment and say headers = {Authorization = "Basic ${NAME}"}'
        )
    for name in url.query:
        if _SECRET_NAME.search(name):
            raise InputError(
                f"the address of the agent {addresses.shown(url)!r} has {name!r} in its query, and it is stored with "
                f'the run; put it into the environment and say query = {{{name} = "${{NAME}}"}}'
            )
    if PLACEHOLDER.search(spec.split("/", 3)[2]):
        raise InputError("the agent's address has a placeholder in its host; expected it in the path or the query")
    return Template(spec, option="spec")
