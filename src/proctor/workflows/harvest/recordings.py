"""Read candidates from a file of recorded conversations or traces, in a stream however large it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import InputError
from proctor.formats.rules import LONGEST
from proctor.telemetry import json_spans
from proctor.telemetry.pieces import Piece, pieces
from proctor.telemetry.recordings import MOST_TURNS, read_recording
from proctor.telemetry.records import form_of, recording_in, spans_in
from proctor.telemetry.span import Span
from proctor.telemetry.transcripts import Recording, conversation_of, recording_of
from proctor.transcript import Turn
from proctor.workflows.harvest.candidate import Candidate, HarvestLog, conversation_before

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
    """Index of a file's pieces by conversation, in a temporary file that is deleted on close."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.executescript(_TABLES)

    def add(self, spans: Sequence[Span], *, offset: int, length: int, line: int) -> None:
        """Index a piece that contains these spans."""
        for trace in dict.fromkeys(span.trace for span in spans):
            own = conversation_of([span for span in spans if span.trace == trace])
            self._database.execute(_TRACE, (trace, own))
            self._database.execute("INSERT INTO pieces VALUES (?, ?, ?, ?)", (trace, offset, length, line))

    def conversations(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield each conversation's first line and (offset, length) pieces, grouped as in `Recordings`."""
        rows = self._database.execute(_CONVERSATIONS, (MOST_TURNS,))
        for _, rows_of_one in groupby(rows, key=lambda row: row[0]):
            places = list(rows_of_one)
            yield places[0][3], list(dict.fromkeys((offset, length) for _, offset, length, _ in places))

    def close(self) -> None:
        """Delete the index."""
        self._database.close()


NO_QUESTION = "no question was found in what it says"
TOO_LONG = f"its question has more than {LONGEST:,} characters"
_UNREADABLE = (InputError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class RecordedFile:
    """Reader of one file of recordings. Unreadable records are logged and skipped."""

    def __init__(
        self,
        path: Path,
        log: HarvestLog,
        *,
        source: str,
        from_replies: bool = False,
    ) -> None:
        """Open a file; with `from_replies`, unjudged replies count as correct."""
        self._path, self._log, self._source, self._from_replies = path, log, source, from_replies

    def candidates(self) -> Iterator[Candidate]:
        """Yield every turn with a question, of every conversation."""
        index = TraceIndex()
        try:
            for piece in self._pieces():
                yield from self._of_piece(piece, index)
            with self._path.open("rb") as file:
                for line, places in index.conversations():
                    yield from self._of_recording(read_recording(file, places), line)
        finally:
            index.close()

    def _pieces(self) -> Iterator[Piece]:
        try:
            yield from pieces(
                self._path,
                unreadable=lambda error: self._log.cannot_read(_where_it_ends(error)),
                partial=self._log.problems.append,
            )
        except InputError as error:
            self._log.cannot_read(f"{_where_it_ends(error)}; complete records before it were read")
        except OSError as error:
            raise InputError(f"cannot read {str(self._path)!r}: {error.strerror or error}") from error

    def _of_piece(self, piece: Piece, index: TraceIndex) -> Iterator[Candidate]:
        try:
            if form_of(piece.value) != "span":
                recording = recording_in(piece.value)
            else:
                spans = spans_in(piece.value)
                if not _is_whole(piece.value):
                    index.add(spans, offset=piece.offset, length=piece.length, line=piece.line)
                    return
                recording = recording_of(spans)
        except _UNREADABLE as error:
            self._log.cannot_read(f"{self._path}:{piece.line}: {error}")
            return
        yield from self._of_recording(recording, piece.line, _scores(piece.value))

    def _of_recording(
        self, recording: Recording, line: int, scores: dict[str, Any] | None = None
    ) -> Iterator[Candidate]:
        self._log.read[self._source] += 1
        turns = recording.transcript.turns
        for place, turn in enumerate(turns):
            trace = recording.traces[place] if place < len(recording.traces) else ""
            where = f"{self._path}:{line}" + (f" (trace {trace})" if trace else "")
            if not turn.question.strip():
                self._log.leave_out(NO_QUESTION, where)
            elif len(turn.question) > LONGEST:
                self._log.leave_out(TOO_LONG, where)
            else:
                known = {"trace": trace} if trace else {"line": line}
                yield self._candidate(
                    turn, turns[:place], recording, {**known, **({"scores": scores} if scores else {})}
                )

    def _candidate(
        self, turn: Turn, before: tuple[Turn, ...], recording: Recording, known: dict[str, Any]
    ) -> Candidate:
        failure = recording.failures.get(turn.number)
        place = {"turn": turn.number} if len(recording.transcript.turns) > 1 else {}
        return Candidate(
            question=turn.question,
            context=recording.before.get(turn.number) or conversation_before(before),
            origin={"source": self._source, **known, **place, **time_of(turn.started)},
            reply=None if turn.reply is None else turn.reply.text,
            failure=failure,
            verdict="failed" if failure is not None else "unjudged",
            good=turn.reply if self._from_replies and failure is None else None,
        )


def time_of(seconds: float) -> dict[str, str]:
    """Return the time as provenance, or nothing if unknown."""
    if seconds <= 0:
        return {}
    return {"time": datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")}


def _is_whole(value: Any) -> bool:
    """Whether a piece is a complete conversation: a trace with its observations, without a session."""
    return json_spans.is_trace(value) and not value.get("sessionId")


def _scores(value: Any) -> dict[str, Any]:
    """Return the scores of a Langfuse trace, from people and judges, by name."""
    scores = value.get("scores") if isinstance(value, Mapping) else None
    score_records = [each for each in scores if isinstance(each, Mapping)] if isinstance(scores, list) else []
    return {str(each["name"]): each["value"] for each in score_records if each.get("name") and "value" in each}


def _where_it_ends(error: InputError) -> str:
    """Describe what is wrong with a record and the most likely cause."""
    message = str(error)
    return f"{message}; the file ends in the middle of a record" if "truncated" in message else message
