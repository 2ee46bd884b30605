"""Traces from a Langfuse server, page by page, into a file that is read like any other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlencode

import msgspec

from proctor.errors import InputError
from proctor.exporters.langfuse import connect
from proctor.exporters.sender import RequestResult, Sender, found
from proctor.workflows.harvest.candidate import HarvestLog

_OBSERVATIONS = 1000
"""In one page of version 4's API, at most."""
_TRACES = 50
"""In one page of version 3's."""
_FIELDS = "core,basic,io,metadata,model,usage"
_GONE = (404, 405, 410)


async def download(path: Path, *, since: float, log: HarvestLog) -> None:
    """Write all observations since then, one a line; what a server does not give up is told.

    Raises InputError where there is no usable answer at all.
    """
    api, sender = connect()
    try:
        with path.open("wb") as file:
            await _fetch(_Api(api, sender), file, since, log)
    finally:
        await sender.close()


class _Api:
    """The addresses of one server's API."""

    def __init__(self, api: str, sender: Sender) -> None:
        self._api, self._sender = api, sender

    async def get(self, path: str, **query: Any) -> RequestResult:
        return await self._sender.get(f"{self._api}/{path}?{urlencode(query)}", may_be_missing=True)


async def _fetch(api: _Api, file: BinaryIO, since: float, log: HarvestLog) -> None:
    moment = datetime.fromtimestamp(since, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    first = await api.get("v2/observations", fields=_FIELDS, limit=_OBSERVATIONS, fromStartTime=moment)
    old = first.status in _GONE
    pages = _traces(api, moment) if old else _observations(api, moment, first)
    written = 0
    async for answer, records in pages:
        if not answer.verdict.arrived or records is None:
            said = answer.verdict.reason or "its answer is no page of traces; is this the address of a Langfuse?"
            if not written:
                raise InputError(f"Langfuse gave no traces: {said}")
            log.cannot_read(f"Langfuse, after {written:,} records: {said}")
            return
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
        written += len(records)


_Page = tuple[RequestResult, list[Any] | None]


async def _observations(api: _Api, moment: str, answer: RequestResult) -> AsyncIterator[_Page]:
    """Version 4: observations, each page with a cursor to the next."""
    while True:
        body = answer.json()
        records, cursor = found(body, "data"), found(body, "meta", "cursor")
        yield answer, records if isinstance(records, list) else None
        if not cursor or not records:
            return
        answer = await api.get(
            "v2/observations", fields=_FIELDS, limit=_OBSERVATIONS, fromStartTime=moment, cursor=cursor
        )


async def _traces(api: _Api, moment: str) -> AsyncIterator[_Page]:
    """Version 3: traces by pages, and each with its observations by itself."""
    page = 1
    while True:
        answer = await api.get("traces", page=page, limit=_TRACES, fromTimestamp=moment, orderBy="timestamp.asc")
        listed = found(answer.json(), "data")
        if not isinstance(listed, list):
            yield answer, None
            return
        yield answer, await asyncio.gather(*(_whole(api, trace) for trace in listed))
        page += 1
        if page > (found(answer.json(), "meta", "totalPages") or 0) or not listed:
            return


async def _whole(api: _Api, trace: Any) -> Any:
    """A trace with its observations; as it was listed where they cannot be had."""
    answer = await api.get(f"traces/{quote(str(found(trace, 'id')), safe='')}")
    whole = answer.json()
    return whole if answer.verdict.arrived and isinstance(whole, dict) else trace
