"""A path or URL names a store, and its secrets are never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.errors import StoreError
from proctor.storage.address import parse


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("runs.db", "runs.db"),
        (Path("folder/runs.db"), "folder/runs.db"),
        ("sqlite:///runs.db", "runs.db"),
        ("sqlite:////absolute/runs.db", "/absolute/runs.db"),
        ("SQLite:///runs.db", "runs.db"),
    ],
)
def test_a_path_or_sqlite_url_is_a_file(given: str | Path, path: str) -> None:
    address = parse(given)
    assert address.path == Path.cwd() / path
    assert address.url.drivername == "sqlite"
    assert address.shown == address.url.database == str(Path.cwd() / path)


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert parse("~/runs.db").path == Path("/somewhere/runs.db")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_postgres_url_goes_through_psycopg(scheme: str) -> None:
    address = parse(f"{scheme}://ada@db.example:5433/runs")
    assert address.path is None
    assert address.url.drivername == "postgresql+psycopg"
    assert address.shown == "postgresql://ada@db.example:5433/runs"


def test_passwords_are_not_shown_wherever_they_stand() -> None:
    address = parse("postgresql://ada:geheim@db.example/runs?sslpassword=secret2&sslmode=require")
    assert "geheim" not in address.shown
    assert "secret2" not in address.shown
    assert address.scrub("login geheim failed, secret2 too") == "login *** failed, *** too"


@pytest.mark.parametrize("given", ["", ":memory:", "sqlite://", "sqlite:///:memory:", "sqlite:///x.db?mode=ro"])
def test_a_store_needs_a_file(given: str) -> None:
    with pytest.raises(StoreError, match=r"sqlite:///PATH"):
        parse(given)


def test_other_databases_are_refused_by_name() -> None:
    with pytest.raises(
        StoreError, match=r"'mysql' are not supported; expected a path, sqlite:///PATH, or postgresql://"
    ):
        parse("mysql://root:geheim@localhost/runs")


def test_a_broken_url_is_refused_without_showing_it() -> None:
    with pytest.raises(StoreError, match="cannot be read as a URL") as caught:
        parse("postgresql://ada:geheim@host:port/runs")
    assert "geheim" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
