"""What takes too long is given up, on each database."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from proctor.storage import open_store
from proctor.storage.search import TimeUp, deadline

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT 1 - n FROM c) SELECT count(*) FROM c"


@pytest.fixture
def connection(store_url: str) -> Iterator[Connection]:
    with open_store(store_url) as store, store.archive._database.reading() as opened:
        yield opened


def test_what_would_never_end_is_given_up(connection: Connection) -> None:
    with pytest.raises(TimeUp), deadline(connection, time.monotonic() + 0.05):
        connection.exec_driver_sql(ENDLESS)


def test_what_ends_in_time_is_not_given_up_nor_what_is_asked_later(store_url: str) -> None:
    with open_store(store_url) as store:
        with pytest.raises(TimeUp), store.archive._database.reading() as one, deadline(one, time.monotonic() - 1):
            one.exec_driver_sql(ENDLESS)
        with store.archive._database.reading() as same:
            long = ENDLESS.replace("FROM c)", "FROM c LIMIT 100000)") if same.dialect.name == "sqlite" else "SELECT 1"
            assert same.exec_driver_sql(long).scalar() is not None
            with deadline(same, None):
                assert same.exec_driver_sql("SELECT 1").scalar() == 1
