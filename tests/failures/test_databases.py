"""Databases, queues and caches that cannot be connected to: real clients where they are here, else what they raise."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy
from tests.failures import servers

from proctor.errors import AgentFault, EnvironmentFault
from proctor.failures import classify

CONNECTS: dict[str, Callable[[str], Any]] = {
    "psycopg": lambda at: psycopg.connect(f"postgresql://me:no@{at}/nothing"),
    "psycopg, async": lambda at: asyncio.run(psycopg.AsyncConnection.connect(f"postgresql://me:no@{at}/nothing")),
    "SQLAlchemy": lambda at: sqlalchemy.create_engine(f"postgresql+psycopg://me:no@{at}/nothing").connect(),
}


@pytest.mark.parametrize("client", CONNECTS)
def test_a_database_that_cannot_be_connected_to_is_the_environments(client: str, tmp_path: Path) -> None:
    for server, kind in ((servers.closed, "refused"), (servers.unknown, "dns")):
        with server(tmp_path) as url, pytest.raises((psycopg.Error, sqlalchemy.exc.DBAPIError)) as raised:
            CONNECTS[client](url.split("//")[1].partition("/")[0])
        fault = classify(raised.value)
        assert (type(fault), fault.kind) == (EnvironmentFault, kind), raised.value


def made(name: str, *args: Any, parent: type[Exception] = Exception, **kept: Any) -> Exception:
    """An exception of a client that is not installed here."""
    kind: type[Exception] = type(name, (parent,), kept)
    return kind(*args)


REFUSED = "connection to server at 10.0.0.1, port 5432 failed: "
MONGO: type[Exception] = type("AutoReconnect", (Exception,), {})


@pytest.mark.parametrize(
    "error",
    [
        made("OperationalError", f"{REFUSED}Connection refused", pgcode=None),
        made("OperationalError", f"{REFUSED}timeout expired"),
        made("OperationalError", f"{REFUSED}FATAL:  sorry, too many clients already"),
        made("OperationalError", f"{REFUSED}FATAL:  the database system is starting up"),
        made("OperationalError", "in whatever words", sqlstate="57P03"),
        made("OperationalError", "08001", "[08001] [Microsoft] in whatever words"),
        made("InterfaceError", 2003, "Can't connect to MySQL server on 'db:3306' (111)", sqlstate="HY000"),
        made("OperationalError", 20009, b"DB-Lib error: Unable to connect: Adaptive Server is unavailable"),
        made("ServerSelectionTimeoutError", "db:27017: [Errno 111] Connection refused, Timeout: 30s", parent=MONGO),
        made("ConnectionError", "Error 111 connecting to db:6379. Connection refused."),
        made("NoHostAvailable", "Unable to connect to any servers", {}),
        made("NoBrokersAvailable"),
        made("ServiceUnavailable", "Couldn't connect to db:7687"),
        made("AMQPConnectionError"),
        OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 5432, 0, 0), [Errno 111] Connect call"),
    ],
    ids=lambda error: f"{type(error).__name__} {error}"[:60],
)
def test_so_it_is_in_whatever_form_a_client_tells_it(error: Exception) -> None:
    fault = classify(error)
    assert isinstance(fault, EnvironmentFault), fault


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("no such table: orders"),
        sqlite3.OperationalError("unable to open database file"),
        made("OperationalError", f'{REFUSED}FATAL:  database "orders" does not exist'),
        made("OperationalError", "could not connect to the other server", sqlstate="HV00N"),
        made("OperationalError", 2013, "Lost connection to MySQL server during query (timed out)"),
        made("OperationalError", "could not receive data from server: Connection timed out"),
        made("ProgrammingError", "relation 'connection refused' does not exist", sqlstate="42P01"),
        made("AutoReconnect", "connection closed"),
        ValueError("Connection refused"),
    ],
    ids=lambda error: f"{type(error).__name__} {error}"[:60],
)
def test_what_goes_wrong_with_a_connection_or_without_a_database_stays_the_agents(error: Exception) -> None:
    fault = classify(error)
    assert isinstance(fault, AgentFault), fault


def test_a_time_out_in_a_clients_own_connecting_function_is_the_environments(tmp_path: Path) -> None:
    code = "def _connect():\n    raise TimeoutError('timed out')\n"
    for folder, expected in (("site-packages", EnvironmentFault), ("agent", AgentFault)):
        space: dict[str, Any] = {"__name__": "cache.connection"}
        exec(compile(code, str(tmp_path / folder / "cache" / "connection.py"), "exec"), space)
        with pytest.raises(TimeoutError) as raised:
            space["_connect"]()
        assert isinstance(classify(raised.value), expected)
