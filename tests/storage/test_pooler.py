"""The contract of stores through PgBouncer, which hands out another connection for each transaction."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.contracts.test_storage import *  # noqa: F403 - its tests are collected here, with the address below
from tests.storage.test_lease import (  # noqa: F401 - likewise
    test_leaving_a_run_that_was_lost_does_not_free_it,
    test_of_many_who_want_a_run_one_gets_it,
    test_who_has_lost_a_run_writes_nothing_more,
)

PROGRAM = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="PgBouncer is not installed (Debian: apt install pgbouncer)")

_SETTINGS = """\
[databases]
* = host={socket} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_idle_timeout = 1
"""


@pytest.fixture(scope="module")
def pooler(postgres_server: Any) -> Iterator[int]:
    """A pooler in front of the server; gives its port."""
    assert PROGRAM is not None
    where = parse_qs(urlsplit(postgres_server.get_uri()).query)["host"][0]
    with tempfile.TemporaryDirectory(prefix="proctor-pooler-") as folder, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.close()
        settings = Path(folder) / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(socket=where, port=port))
        Path(folder).chmod(0o755)
        words = [PROGRAM, "-q", str(settings)]
        with subprocess.Popen(words, user=postgres_server.system_user, stderr=subprocess.PIPE) as process:
            _wait_for(port, process)
            yield port
            process.terminate()


@pytest.fixture
def store_url(pooler: int, postgres_url: str) -> str:
    """An empty database, through the pooler."""
    database = urlsplit(postgres_url).path.lstrip("/")
    return f"postgresql://postgres@127.0.0.1:{pooler}/{database}"


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except ConnectionRefusedError:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
