"""What can happen to a PostgreSQL server."""

from __future__ import annotations

import subprocess
from typing import Any


def end_connections(server: Any) -> None:
    """Cut every connection of a store, as a restart would."""
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'proctor'")


def stop_server(server: Any) -> None:
    """Stop it as a crash would: nobody is told, and nothing is tidied up."""
    words = [str(server.bin_path / "pg_ctl"), "-w", "-D", str(server.pgdata), "-m", "immediate", "stop"]
    subprocess.run(words, check=True, user=server.system_user, capture_output=True, cwd="/")


def start_server(server: Any) -> None:
    """Start it again, at the same address."""
    server.ensure_postgres_running()
