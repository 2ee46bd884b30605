"""Where the spans of each trace stand in a file, kept on disk: a file of any size takes the same memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby

from proctor.telemetry.recordings import MOST_TURNS
from proctor.telemetry.span import Span
from proctor.telemetry.transcripts import conversation_of

_TABLES = """
CREATE TABLE traces (id TEXT PRIMARY KEY, conversation TEXT) WITHOUT ROWID;
CREATE TABLE pieces (trace TEXT, offset INTEGER, length INTEGER, line INTEGER);
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -16000;
"""
_TRACE = """
INSERT INTO traces VALUES (?, ?)
ON CONFLICT (id) DO UPDATE SET conversation = coalesce(conversation, excluded.conversation)
"""
_CONVERSATIONS = """
WITH sizes AS (SELECT conversation, count(*) AS turns FROM traces WHERE conversation IS NOT NULL GROUP BY conversation)
SELECT coalesce(CASE WHEN turns <= ? THEN 'c' || sizes.conversation END, 't' || traces.id) AS whole,
       offset, length, line
FROM pieces JOIN traces ON traces.id = pieces.trace LEFT JOIN sizes ON sizes.conversation = traces.conversation
ORDER BY whole, offset
"""


class TraceIndex:
    """Pieces of a file by the conversation that they belong to, in a temporary file that goes with it."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.executescript(_TABLES)

    def add(self, spans: Sequence[Span], *, offset: int, length: int, line: int) -> None:
        """Note a piece that holds these spans."""
        for trace in dict.fromkeys(span.trace for span in spans):
            own = conversation_of([span for span in spans if span.trace == trace])
            self._database.execute(_TRACE, (trace, own))
            self._database.execute("INSERT INTO pieces VALUES (?, ?, ?, ?)", (trace, offset, length, line))

    def conversations(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """The line where each conversation begins, and the places of its pieces; as `Recordings` puts them together."""
        rows = self._database.execute(_CONVERSATIONS, (MOST_TURNS,))
        for _, pieces in groupby(rows, key=lambda row: row[0]):
            places = list(pieces)
            yield places[0][3], list(dict.fromkeys((offset, length) for _, offset, length, _ in places))

    def close(self) -> None:
        """Forget everything."""
        self._database.close()
