"""Redact exported spans: secrets from the environment, always, and whatever matches the user's patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.codec import encode
from proctor.redaction import without_known
from proctor.redaction.nouns import map_texts
from proctor.telemetry.span import Span, SpanEvent

REDACTED = "[redacted]"
_LINKS = frozenset(
    {
        "langfuse.experiment.id",
        "langfuse.experiment.dataset.id",
        "langfuse.experiment.item.id",
        "langfuse.experiment.item.root_observation_id",
        "langfuse.observation.type",
        "openinference.span.kind",
        "gen_ai.operation.name",
    }
)
"""Attributes that link spans together; user patterns are not applied to them, so that the links stay intact."""

Clean = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Json:
    """A value to be JSON-encoded after redaction, so that patterns are applied to the strings inside it."""

    value: Any


def redact_spans(spans: Sequence[Span], patterns: Sequence[re.Pattern[str]]) -> tuple[Span, ...]:
    """Return the spans with secrets and pattern matches redacted and their `Json` values encoded."""
    together = "\0".join(text for span in spans for text in _texts(span))
    scrub: Clean = without_known if without_known(together) != together else str
    clean = _with_patterns(scrub, patterns) if patterns else scrub
    return tuple(_redact_span(span, scrub, clean) for span in spans)


def _redact_span(span: Span, scrub: Clean, clean: Clean) -> Span:
    links = {name: value for name, value in span.attributes.items() if name in _LINKS}
    attributes = _attributes(span.attributes, clean) | _attributes(links, scrub)
    events = tuple(
        SpanEvent(name=event.name, time=event.time, attributes=_attributes(event.attributes, clean))
        for event in span.events
    )
    return replace(span, name=clean(span.name), message=clean(span.message), attributes=attributes, events=events)


def _with_patterns(scrub: Clean, patterns: Sequence[re.Pattern[str]]) -> Clean:
    def clean(text: str) -> str:
        text = scrub(text)
        for pattern in patterns:
            text = pattern.sub(REDACTED, text)
        return text

    return clean


def _attributes(attributes: Mapping[str, Any], clean: Clean) -> dict[str, Any]:
    return {name: _written(value, clean) for name, value in attributes.items()}


def _written(value: Any, clean: Clean) -> Any:
    """Redact the strings inside a value; encoded JSON is redacted again as a whole, for patterns that span several
    parts."""
    if isinstance(value, Json):
        text = encode(value.value if clean is str else map_texts(value.value, clean))
        return text if clean is str else clean(text)
    if isinstance(value, (list, tuple)):
        return [_written(each, clean) for each in value]
    return clean(value) if isinstance(value, str) else value


def _texts(span: Span) -> Iterator[str]:
    """Yield all text in a span in its original form, before JSON encoding escapes any of it."""
    yield from (span.name, span.message)
    for attributes in (span.attributes, *(event.attributes for event in span.events)):
        for value in attributes.values():
            yield from _texts_in(value)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, (str, int, float)):
        yield str(value)
    elif isinstance(value, Json):
        yield from _texts_in(value.value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts_in(inner)
