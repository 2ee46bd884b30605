"""Exporter for any OTLP/HTTP backend: spans, with marks and checks as span events."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from proctor.errors import UsageError
from proctor.exporters.contract import FinishedAttempt, Subject
from proctor.exporters.delivery_log import DeliveryMemory, digest
from proctor.exporters.marks import Mark
from proctor.exporters.outcome import SENT, DeliveryVerdict
from proctor.exporters.sender import Sender, base_address, check_address
from proctor.exporters.spans import SpanPost
from proctor.net.addresses import shown
from proctor.redaction import keep_secret
from proctor.run import Run
from proctor.telemetry.otlp import Encoding
from proctor.telemetry.trace import spans_of

_PATH = "/v1/traces"
_SUCH_AS = "http://localhost:4318"
_PROTOCOLS: Mapping[str, Encoding] = {"http/protobuf": "protobuf", "http/json": "json"}


class Otlp:
    """An OTLP endpoint."""

    name = "otlp"
    keeps_run_marks = False
    link = ""

    def __init__(self, subject: Subject, *, endpoint: str | None = None) -> None:
        url = traces_address(endpoint)
        self.where = self.identity = shown(url)
        self.memory = DeliveryMemory(None)
        self._subject = subject
        self._sender = Sender(_headers(), ca=os.environ.get("OTEL_EXPORTER_OTLP_CERTIFICATE") or None)
        self._post = SpanPost(self._sender, url, encoding=_encoding())

    async def begin(self) -> DeliveryVerdict:
        """Return at once: no preparation is needed."""
        return SENT

    @property
    def fingerprint(self) -> str:
        """Digest of the run's names and labels, and the redaction patterns."""
        run = self._subject.run
        patterns = [pattern.pattern for pattern in self._subject.redact]
        return digest(run.name, run.benchmark, run.agent, run.labels, patterns)

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """Send one trace per attempt."""
        run, redact = self._subject.run, self._subject.redact
        return await self._post.deliver([spans_of(run, each.exam, each.attempt, redact=redact) for each in played])

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Never called: OTLP cannot store run scores."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close all connections."""
        await self._sender.close()


def traces_address(endpoint: str | None) -> str:
    """Return the URL for traces: the given one, else that of OpenTelemetry's environment variables."""
    if endpoint is None and (address := os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")):
        return check_address(address, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", such_as=_SUCH_AS)
    base = base_address(endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT", such_as=_SUCH_AS)
    return base if base.endswith(_PATH) else base + _PATH


def _headers() -> dict[str, str]:
    """Parse `key=value,key=value`, percent-encoded; trace-specific headers take precedence over general ones."""
    for name in ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"):
        if header_text := os.environ.get(name):
            keep_secret(name)
            pairs = [pair.partition("=") for pair in header_text.split(",") if pair.strip()]
            if any(not equals or not key.strip() for key, equals, _ in pairs):
                raise UsageError(f"{name} cannot be read; expected key=value,key=value")
            return {key.strip(): unquote(value.strip()) for key, _, value in pairs}
    return {}


def _encoding() -> Encoding | None:
    """Return the encoding set in the environment, or None for the best available one."""
    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    protocol = next((value for name in names if (value := os.environ.get(name))), None)
    if protocol is None or protocol in _PROTOCOLS:
        return _PROTOCOLS[protocol] if protocol else None
    raise UsageError(f"OTEL_EXPORTER_OTLP_PROTOCOL={protocol!r} is not supported; expected {' or '.join(_PROTOCOLS)}")
