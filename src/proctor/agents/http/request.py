"""A request to an agent → what is sent over HTTP: address, headers, body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from yarl import URL

from proctor import codec
from proctor.agents.http.options import HttpOptions
from proctor.agents.http.template import Template, quote_for_url
from proctor.agents.options import header_safe
from proctor.net.addresses import credentials_in
from proctor.transcript import Request

EVENTS = "text/event-stream"
_JSON_OR_TEXT = "application/json, text/plain;q=0.5"


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpMessage:
    """What is sent."""

    url: str
    headers: Mapping[str, str]
    body: bytes | None
    secrets: list[str]
    """What nobody may be told of it."""


class RequestWriter:
    """Writes messages by the templates of an agent."""

    def __init__(self, target: Template, options: HttpOptions) -> None:
        self._target = target
        self._options = options
        self._around = (target, *options.headers.values(), *options.query.values())
        uses = frozenset[str]().union(*(template.uses for template in self._around))
        self._fixed = None if uses else self._envelope({})
        self.uses = uses | (options.body.uses if options.body is not None else frozenset())

    def message(self, request: Request, session: Any) -> HttpMessage:
        """The message for one question."""
        envelope, template = self._fixed, self._options.body
        if envelope is None:
            values = [template.values(request, session) for template in self._around]
            envelope = self._envelope({name: value for each in values for name, value in each.items()})
        if template is None:
            return envelope
        body = template.fill(template.values(request, session))
        kind, sent = _encode_body(body)
        headers = {"Content-Type": kind, **envelope.headers}
        return HttpMessage(url=envelope.url, headers=headers, body=sent, secrets=envelope.secrets)

    def _envelope(self, values: Mapping[str, Any]) -> HttpMessage:
        """All but the body and its type."""
        options = self._options
        headers = {name: value.text(values, quoting=header_safe) for name, value in options.headers.items()}
        query = {name: value.text(values) for name, value in options.query.items()}
        url = self._target.text(values, quoting=quote_for_url)
        return HttpMessage(
            url=str(URL(url).update_query(query)) if query else url,
            headers={"Accept": EVENTS if options.stream else _JSON_OR_TEXT, **headers},
            body=None,
            secrets=credentials_in(headers) + [value.source for value in options.query.values() if not value.uses],
        )


def _encode_body(body: Any) -> tuple[str, bytes]:
    """A body's content type and bytes."""
    if isinstance(body, str):
        return "text/plain; charset=utf-8", body.encode("utf-8", "replace")
    return "application/json", codec.encode(body).encode()
