"""Spans → a destination's OTLP endpoint, in batches, with a verdict on each attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import chain

import msgspec

from proctor.exporters.outcome import DeliveryVerdict, worst
from proctor.exporters.sender import RequestResult, Sender
from proctor.net.exchange import Response
from proctor.telemetry.otlp import Encoding, SpanBatch, batches
from proctor.telemetry.span import Span

Trace = Sequence[Span]
"""The spans of one attempt."""
_FAULTY = frozenset({400, 413, 422})
"""Statuses of an invalid or too large request, which may be caused by only one part of it."""
_ALL_FAULTY = 4
"""Consecutive single attempts refused before the batch is no longer split."""


def best_encoding() -> Encoding:
    """Return protobuf if it is installed, since every backend accepts it; else JSON."""
    return "protobuf" if find_spec("opentelemetry") and find_spec("opentelemetry.proto") else "json"


class SpanPost:
    """Sends traces to one URL."""

    def __init__(
        self, sender: Sender, url: str, headers: Mapping[str, str] | None = None, *, encoding: Encoding | None = None
    ) -> None:
        self._sender = sender
        self._url = url
        self._headers = headers or {}
        self._encoding = encoding or best_encoding()
        self._refused = 0

    async def deliver(self, traces: Sequence[Trace]) -> list[DeliveryVerdict]:
        """Send traces; return a verdict for each. A refused trace does not affect the others."""
        places = {trace[0].trace: place for place, trace in enumerate(traces)}
        results: list[list[DeliveryVerdict]] = [[] for _ in traces]
        for batch in batches(chain.from_iterable(traces), encoding=self._encoding):
            inside = list(dict.fromkeys(places[span.trace] for span in batch.spans))
            verdicts = await self._deliver(batch, [traces[place] for place in inside])
            for place, verdict in zip(inside, verdicts, strict=True):
                results[place].append(verdict)
        return [worst(verdicts) for verdicts in results]

    async def _deliver(self, batch: SpanBatch, traces: Sequence[Trace]) -> list[DeliveryVerdict]:
        answer = await self._sender.post(self._url, batch.body, {**self._headers, **batch.headers})
        faulty = answer.status in _FAULTY
        if faulty and len(traces) > 1 and self._refused < _ALL_FAULTY:
            middle = len(traces) // 2
            return [*await self.deliver(traces[:middle]), *await self.deliver(traces[middle:])]
        self._refused = self._refused + 1 if faulty else 0
        return [_judge_answer(answer, batch)] * len(traces)


def _judge_answer(answer: RequestResult, batch: SpanBatch) -> DeliveryVerdict:
    """Return the verdict for all traces in a batch, since OTLP does not say which spans were rejected."""
    if not answer.verdict.arrived or answer.response is None:
        return answer.verdict
    rejected, message = _partial_success(answer.response)
    if not rejected:
        return answer.verdict
    all_rejected = rejected >= len(batch.spans)
    reason = f"{rejected} of the {len(batch.spans)} spans of one request were rejected"
    reason += f": {message}" if message else ", without a reason"
    return DeliveryVerdict(state="rejected" if all_rejected else "unknown", reason=reason)


def _partial_success(response: Response) -> tuple[int, str]:
    """Return the number of rejected spans, and the reason."""
    if not response.body:
        return 0, ""
    if "protobuf" in response.headers.get("Content-Type", ""):
        return _from_protobuf(response.body)
    try:
        answer = msgspec.json.decode(response.body)
        partial = answer.get("partialSuccess") or answer.get("partial_success") or {}
        rejected = int(partial.get("rejectedSpans") or partial.get("rejected_spans") or 0)
        return rejected, str(partial.get("errorMessage") or partial.get("error_message") or "")
    except (msgspec.DecodeError, AttributeError, ValueError, TypeError):
        return 0, ""


def _from_protobuf(body: bytes) -> tuple[int, str]:
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    message = ExportTraceServiceResponse()
    try:
        message.ParseFromString(body)
    except DecodeError:
        return 0, ""
    return message.partial_success.rejected_spans, message.partial_success.error_message
