"""What exporters' tests share: no real keys, no waiting between tries."""

from __future__ import annotations

import pytest
from tests.exporters.langfuse_stub import PUBLIC, SECRET

from proctor.exporters import sender as sender

_PREFIXES = ("LANGFUSE_", "OTEL_", "PHOENIX_", "MLFLOW_")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "peers: a round trip with real servers; `make test-peers`")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the environment's own, and tries that follow each other at once."""
    import os

    for name in [name for name in os.environ if name.startswith(_PREFIXES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", PUBLIC)
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    monkeypatch.setattr(sender, "BACKOFF", 0.0)
