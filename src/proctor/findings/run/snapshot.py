"""What was gathered of a large run, as bytes: counting a million attempts again takes its time."""

from __future__ import annotations

import hashlib
import zlib
from array import array
from collections import Counter
from dataclasses import dataclass, fields, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

from proctor.benchmark import Exam
from proctor.codec import encode
from proctor.findings.run.accumulator import Accumulator
from proctor.findings.run.circumstances import CircumstanceTally
from proctor.findings.run.counter import AttemptCounter, CheckTally
from proctor.findings.run.lies import LieTally
from proctor.findings.run.tally import ExamTally
from proctor.findings.run.unsure import UnsureTally
from proctor.run import Run
from proctor.statistics.intervals import Sums

_RULES = 2
"""One higher when the same attempts count otherwise, though nothing else here has changed."""
_LEVEL = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class _AccumulatorState:
    """The counts of a gathering."""

    whole: AttemptCounter
    under: dict[str, AttemptCounter]
    verdicts: bytes
    marks: bytes
    """Trial by trial, see `Trials`, compressed; empty: each case was planned once."""


def stamp(run: Run) -> str:
    """What has to be the same for a snapshot to be of use: how is counted, and what was planned."""
    counted = [(kind.__name__, *(each.name for each in fields(kind))) for kind in _KINDS]
    told = encode([_version(), _RULES, counted, run.settings, run.planned, run.kind])
    return hashlib.sha256(told.encode()).hexdigest()


def pack(gathering: Accumulator) -> bytes | None:
    """A gathering as bytes; None: conversations and steps are not kept, nor what no bytes can hold."""
    if not gathering.is_plain:
        return None
    numbers = (b"", b"") if gathering.trials is None else gathering.trials.numbers()
    verdicts, marks = (_compress(each) for each in numbers)
    whole, under = _counts(gathering.whole), {name: _counts(each) for name, each in gathering.under.items()}
    gathered = _AccumulatorState(whole=whole, under=under, verdicts=verdicts, marks=marks)
    try:
        return _compress(msgspec.msgpack.encode(gathered, enc_hook=_told))
    except (OverflowError, UnicodeEncodeError):  # sums beyond 64 bits, half a surrogate pair in a reason
        return None


def _counts(counter: AttemptCounter) -> AttemptCounter:
    """A counter without the cases that it counts, which the store has already."""
    return replace(counter, cases={})


def unpack(body: bytes, run: Run, exams: tuple[Exam, ...]) -> Accumulator | None:
    """The gathering that was packed with the same stamp; None: it cannot be read."""
    try:
        gathered = msgspec.msgpack.decode(zlib.decompress(body), type=_AccumulatorState, dec_hook=_read)
        numbers = zlib.decompress(gathered.verdicts), zlib.decompress(gathered.marks)
    except (zlib.error, msgspec.DecodeError):
        return None
    gathering = Accumulator(run, exams)
    for each in (gathered.whole, *gathered.under.values()):
        each.cases = gathering.whole.cases
    gathering.whole, gathering.under = gathered.whole, gathered.under
    if gathering.trials is not None and not gathering.trials.take(*numbers):
        return None
    return gathering


_KINDS = (AttemptCounter, ExamTally, Sums, CheckTally, CircumstanceTally, UnsureTally, LieTally)


def _told(value: object) -> object:
    if isinstance(value, array):  # sorted, since nothing hangs on their order, and apart: so they are never held twice
        return _compress(array("d", sorted(value)).tobytes())
    raise NotImplementedError(f"a {type(value).__name__} in what was gathered")


def _read(kind: Any, value: Any) -> object:
    if kind is array:
        return array("d", zlib.decompress(value))
    if getattr(kind, "__origin__", None) is Counter:
        return Counter({tuple(key): count for key, count in value.items()})
    raise NotImplementedError(f"a {kind} in what was gathered")


def _compress(numbers: bytes) -> bytes:
    return zlib.compress(numbers, _LEVEL)


def _version() -> str:
    try:
        return version("proctor")
    except PackageNotFoundError:
        return ""
