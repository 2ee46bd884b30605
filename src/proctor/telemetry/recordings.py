"""Index a file of recorded conversations and look up replies by case or question: Recordings.

The file is scanned once. Only the offsets of each conversation and its lookup keys are kept in memory, so that a file
of any size stays on disk.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from proctor.codec import read_json
from proctor.errors import InputError
from proctor.settings import check_path
from proctor.telemetry.pieces import Piece, pieces
from proctor.telemetry.records import form_of, recording_in, spans_in
from proctor.telemetry.span import Span
from proctor.telemetry.transcripts import Recording, conversation_of, recording_of
from proctor.transcript import Turn

MOST_TURNS = 50
"""Maximum number of traces in one conversation; if there are more, each trace is treated as its own conversation."""
_KEPT = 32
"""Number of conversations cached in memory, since a long one is requested turn by turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedTurn:
    """A recorded turn, with its failure and its location in the file."""

    turn: Turn
    """The turn; `reply` is None if the agent failed or the recording has no reply."""
    failure: str | None
    """Why the agent gave no reply, if it failed."""
    where: str
    """Location as `path:line`."""


class Recordings:
    """The recorded conversations of one file."""

    def __init__(self, path: str | Path) -> None:
        """Scan and index the file; raise InputError with the line number if it cannot be read."""
        self.path = Path(path)
        self._pieces = array("q")  # offset, length, line, offset, length, line, …
        self._entries: list[array[int]] = []
        self._by_case: dict[str, list[tuple[int, int]]] = {}
        self._by_question: dict[bytes, list[tuple[int, int]]] = {}
        self._kept: OrderedDict[int, Recording] = OrderedDict()
        check_path("the path of the recordings", self.path)
        try:
            if self.path.is_fifo():
                raise InputError(f"{str(path)!r} is a pipe, and recordings are read more than once; name a file")
            self._state = _state(self.path)
            self._read_through()
        except OSError as error:
            raise InputError(f"cannot read the recordings {str(path)!r}: {error.strerror or error}") from error
        if not self._entries:
            raise InputError(f"{path} holds no recordings; expected JSONL or JSON with at least one conversation")

    def __len__(self) -> int:
        """Number of conversations in the file."""
        return len(self._entries)

    @property
    def cases(self) -> list[str]:
        """Ids of the cases for which there are recordings."""
        return list(self._by_case)

    def count(self, case: str | None, question: str) -> int:
        """Return the number of recordings of this case, or of this question if the case has none."""
        return len(self._find_turns(case, question))

    def find(self, asked: Sequence[tuple[str | None, str]], trial: int) -> RecordedTurn | None:
        """Return the recorded turn for the last of these questions, or None if it is not recorded.

        `asked` is the conversation so far as (case, question) pairs. The first pair and the trial's number select the
        recorded conversation; a later question that it does not contain is looked up on its own.
        """
        case, question = asked[-1]
        start = self._nth(*asked[0], trial)
        if start is not None and len(asked) > 1:
            entry, first = start
            turns = self._load(entry).transcript.turns
            order = [first + len(asked) - 1, *range(first + 1, len(turns))]
            same = [place for place in order if place < len(turns) and _is_same(turns[place], case, question)]
            start = (entry, same[0]) if same else self._nth(case, question, trial)
        elif len(asked) > 1:
            start = self._nth(case, question, trial)
        return self._recorded_turn(*start) if start is not None else None

    def _nth(self, case: str | None, question: str, trial: int) -> tuple[int, int] | None:
        places = self._find_turns(case, question)
        return places[trial - 1] if trial <= len(places) else None

    def _find_turns(self, case: str | None, question: str) -> list[tuple[int, int]]:
        by_case = self._by_case.get(case, []) if case is not None else []
        return by_case or self._by_question.get(_digest(question), [])

    def _recorded_turn(self, entry: int, place: int) -> RecordedTurn:
        recording = self._load(entry)
        turn = recording.transcript.turns[place]
        line = self._pieces[3 * self._entries[entry][0] + 2]
        return RecordedTurn(turn=turn, failure=recording.failures.get(turn.number), where=f"{self.path}:{line}")

    # --- loading conversations -------------------------------------------------------------------

    def _load(self, entry: int) -> Recording:
        if entry in self._kept:
            self._kept.move_to_end(entry)
            return self._kept[entry]
        if _state(self.path) != self._state:
            raise InputError(f"{self.path} has changed since the run began; start a new run, or put the file back")
        recording = self._recording(self._entries[entry])
        self._kept[entry] = recording
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return recording

    def _recording(self, numbers: Sequence[int]) -> Recording:
        with self.path.open("rb") as file:
            return read_recording(file, [self._pieces[3 * number : 3 * number + 2] for number in numbers])

    # --- indexing the file -----------------------------------------------------------------------

    def _read_through(self) -> None:
        traces: dict[str, _Trace] = {}
        for piece in pieces(self.path):
            number = self._keep(piece)
            try:
                if form_of(piece.value) == "span":
                    _gather(traces, spans_in(piece.value), number)
                else:
                    self._index([number], recording_in(piece.value))
            except InputError as error:
                raise InputError(f"{self.path}:{piece.line}: {error}") from error
        for numbers in _conversations(traces.values()):
            self._index(numbers, self._recording(numbers))

    def _keep(self, piece: Piece) -> int:
        self._pieces.extend((piece.offset, piece.length, piece.line))
        return len(self._pieces) // 3 - 1

    def _index(self, numbers: Sequence[int], recording: Recording) -> None:
        entry = len(self._entries)
        self._entries.append(array("q", numbers))
        for place, turn in enumerate(recording.transcript.turns):
            case = turn.case or (recording.case if place == 0 else None)
            if case is not None:
                self._by_case.setdefault(case, []).append((entry, place))
            if turn.question.strip():
                self._by_question.setdefault(_digest(turn.question), []).append((entry, place))


def read_recording(file: BinaryIO, places: Iterable[Sequence[int]]) -> Recording:
    """Read the conversation stored in these (offset, length) pieces of a file."""
    spans: list[Span] = []
    for offset, length in places:
        file.seek(offset)
        value = read_json(file.read(length))
        if form_of(value) != "span":
            return recording_in(value)
        spans += spans_in(value)
    return recording_of(spans)


@dataclass(slots=True)
class _Trace:
    """The pieces of the file that contain one trace's spans, and the conversation id that the spans carry."""

    pieces: array[int]
    conversation: str | None = None


def _gather(traces: dict[str, _Trace], spans: Sequence[Span], number: int) -> None:
    for span in spans:
        trace = traces.setdefault(span.trace, _Trace(array("q")))
        if not trace.pieces or trace.pieces[-1] != number:
            trace.pieces.append(number)
        trace.conversation = trace.conversation or conversation_of([span])


def _conversations(traces: Iterable[_Trace]) -> Iterator[Sequence[int]]:
    """Group traces by conversation id, one turn per trace. A group larger than `MOST_TURNS` is split into single
    traces."""
    together: dict[object, list[_Trace]] = {}
    for trace in traces:
        together.setdefault(trace.conversation or id(trace), []).append(trace)
    for group in together.values():
        alike = [group] if len(group) <= MOST_TURNS else [[trace] for trace in group]
        for one in alike:
            yield array("q", dict.fromkeys(number for trace in one for number in trace.pieces))


def _state(path: Path) -> tuple[int, int]:
    known = path.stat()
    return known.st_size, known.st_mtime_ns


def _digest(question: str) -> bytes:
    return hashlib.blake2b(question.strip().encode("utf-8", "replace"), digest_size=16).digest()


def _is_same(turn: Turn, case: str | None, question: str) -> bool:
    return (case is not None and turn.case == case) or turn.question.strip() == question.strip()
