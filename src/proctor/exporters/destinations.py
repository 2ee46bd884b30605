"""Destination name → exporter."""

from __future__ import annotations

import os

from proctor.errors import UsageError
from proctor.exporters.contract import Exporter, Subject
from proctor.settings import did_you_mean

DESTINATIONS = ("langfuse", "otlp", "phoenix", "mlflow")
_NEEDED: dict[str, tuple[tuple[str, ...], ...]] = {
    "langfuse": (("LANGFUSE_PUBLIC_KEY",), ("LANGFUSE_SECRET_KEY",), ("LANGFUSE_BASE_URL", "LANGFUSE_HOST")),
    "otlp": (("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),),
    "phoenix": (("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT"),),
    "mlflow": (("MLFLOW_TRACKING_URI",),),
}
"""Destination → groups of environment variables, of which one per group must be set."""


def configured_destinations() -> list[str]:
    """Return the destinations for which the environment has an address and, if needed, keys."""
    return [
        name
        for name, groups in _NEEDED.items()
        if all(any(os.environ.get(variable) for variable in group) for group in groups)
    ]


def check_destination(name: str) -> str:
    """Return the name if such a destination exists; raise otherwise."""
    if name in DESTINATIONS:
        return name
    expected = f"expected {', '.join(DESTINATIONS[:-1])} or {DESTINATIONS[-1]}"
    hint = did_you_mean(name, DESTINATIONS, otherwise=expected)
    raise UsageError(f"there is no destination {name!r}; {hint}")


def build(name: str, subject: Subject, *, endpoint: str | None = None) -> Exporter:
    """Create the exporter for a run; raise UsageError if environment variables are missing."""
    if check_destination(name) == "langfuse":
        from proctor.exporters.langfuse import Langfuse

        if endpoint is not None:
            raise UsageError("--endpoint is not for langfuse: its address and keys come from the environment alone")
        return Langfuse(subject)
    if name == "otlp":
        from proctor.exporters.otlp import Otlp

        return Otlp(subject, endpoint=endpoint)
    if name == "phoenix":
        from proctor.exporters.phoenix import Phoenix

        return Phoenix(subject, endpoint=endpoint)
    from proctor.exporters.mlflow import Mlflow

    return Mlflow(subject, endpoint=endpoint)
