"""Any backend that takes OTLP over HTTP: spans, with marks and checks as events of what they judge."""

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
    """One OTLP endpoint."""

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
        """Nothing to make ready."""
        return SENT

    @property
    def fingerprint(self) -> str:
        """The run's names and labels, and what is redacted."""
        run = self._subject.run
        patterns = [pattern.pattern for pattern in self._subject.redact]
        return digest(run.name, run.benchmark, run.agent, run.labels, patterns)

    async def send(self, played: Sequence[FinishedAttempt]) -> list[DeliveryVerdict]:
        """One trace for each attempt."""
        run, redact = self._subject.run, self._subject.redact
        return await self._post.deliver([spans_of(run, each.exam, each.attempt, redact=redact) for each in played])

    async def conclude(self, run: Run, marks: Sequence[Mark]) -> list[DeliveryVerdict]:
        """Never asked for: OTLP has no place for them."""
        raise NotImplementedError

    async def close(self) -> None:
        """Let go of all connections."""
        await self._sender.close()


def traces_address(endpoint: str | None) -> str:
    """Where traces go: as given, else as the environment says, in OpenTelemetry's words."""
    if endpoint is None and (whole := os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")):
        return check_address(whole, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", such_as=_SUCH_AS)
    base = base_address(endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT", such_as=_SUCH_AS)
    return base if base.endswith(_PATH) else base + _PATH


def _headers() -> dict[str, str]:
    """`key=value,key=value`, percent-encoded; those for traces come before those for everything."""
    for name in ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"):
        if told := os.environ.get(name):
            keep_secret(name)
            pairs = [pair.partition("=") for pair in told.split(",") if pair.strip()]
            if any(not equals or not key.strip() for key, equals, _ in pairs):
                raise UsageError(f"{name} cannot be read; expected key=value,key=value")
            return {key.strip(): unquote(value.strip()) for key, _, value in pairs}
    return {}


def _encoding() -> Encoding | None:
    """As the environment says; None: the best there is."""
    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    told = next((value for name in names if (value := os.environ.get(name))), None)
    if told is None or told in _PROTOCOLS:
        return _PROTOCOLS[told] if told else None
    raise UsageError(f"OTEL_EXPORTER_OTLP_PROTOCOL={told!r} is not supported; expected {' or '.join(_PROTOCOLS)}")
