"""What can happen to a PostgreSQL server."""

from __future__ import annotations

from typing import Any


def end_connections(server: Any) -> None:
    """Cut every connection of a store, as a restart would."""
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'proctor'")
