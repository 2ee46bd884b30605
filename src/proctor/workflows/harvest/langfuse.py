"""Download traces from a Langfuse server, page by page, into a file that is read like any other."""

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
from proctor.exporters.sender import RequestResult, Sender, value_at
from proctor.workflows.harvest.candidate import HarvestLog

_OBSERVATIONS = 1000
"""Maximum page size of the version 4 API, in observations."""
_TRACES = 50
"""Maximum page size of the version 3 API, in traces."""
_FIELDS = "core,basic,io,metadata,model,usage"
_GONE = (404, 405, 410)


async def download(path: Path, *, since: float, log: HarvestLog) -> None:
    """Write all observations since a time, one per line; log what the server does not return.

    Raise InputError if there is no usable response at all.
    """
    api, sender = connect()
    try:
        with path.open("wb") as file:
            await _fetch(_Api(api, sender), file, since, log)
    finally:
        await sender.close()


class _Api:
    """URLs of a server's API."""

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
            reason = answer.verdict.reason or "its answer is not a page of traces; is this the address of a Langfuse?"
            if not written:
                raise InputError(f"Langfuse gave no traces: {reason}")
            log.cannot_read(f"Langfuse, after {written:,} records: {reason}")
            return
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
        written += len(records)


_Page = tuple[RequestResult, list[Any] | None]


async def _observations(api: _Api, moment: str, answer: RequestResult) -> AsyncIterator[_Page]:
    """Yield pages of observations with version 4, where each page has a cursor to the next."""
    while True:
        body = answer.json()
        records, cursor = value_at(body, "data"), value_at(body, "meta", "cursor")
        yield answer, records if isinstance(records, list) else None
        if not cursor or not records:
            return
        answer = await api.get(
            "v2/observations", fields=_FIELDS, limit=_OBSERVATIONS, fromStartTime=moment, cursor=cursor
        )


async def _traces(api: _Api, moment: str) -> AsyncIterator[_Page]:
    """Yield pages of traces with version 3, requesting the observations of each trace."""
    page = 1
    while True:
        answer = await api.get("traces", page=page, limit=_TRACES, fromTimestamp=moment, orderBy="timestamp.asc")
        listed = value_at(answer.json(), "data")
        if not isinstance(listed, list):
            yield answer, None
            return
        yield answer, await asyncio.gather(*(_fetch_full_trace(api, trace) for trace in listed))
        page += 1
        if page > (value_at(answer.json(), "meta", "totalPages") or 0) or not listed:
            return


async def _fetch_full_trace(api: _Api, trace: Any) -> Any:
    """Return a trace with its observations, or as listed if they are not available."""
    answer = await api.get(f"traces/{quote(str(value_at(trace, 'id')), safe='')}")
    full_trace = answer.json()
    return full_trace if answer.verdict.arrived and isinstance(full_trace, dict) else trace
