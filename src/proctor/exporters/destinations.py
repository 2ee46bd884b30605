"""A destination's name → its exporter."""

from __future__ import annotations

import difflib

from proctor.errors import UsageError
from proctor.exporters.contract import Exporter, Subject

DESTINATIONS = ("langfuse", "otlp", "phoenix", "mlflow")


def check_destination(name: str) -> str:
    """The name, if there is such a destination."""
    if name in DESTINATIONS:
        return name
    near = difflib.get_close_matches(name, DESTINATIONS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(DESTINATIONS[:-1])} or {DESTINATIONS[-1]}"
    raise UsageError(f"there is no destination {name!r}; {hint}")


def build(name: str, subject: Subject, *, endpoint: str | None = None) -> Exporter:
    """The exporter for a run. What is missing in the environment is said here, before anything is sent."""
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
