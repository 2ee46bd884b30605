"""Serialize the accumulated counts of a run; recounting a million attempts takes long."""

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
"""Version of the counting rules; increase it when the same attempts count differently although no fields changed."""
_LEVEL = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class _AccumulatorState:
    """Serialized form of an Accumulator."""

    whole: AttemptCounter
    under: dict[str, AttemptCounter]
    verdicts: bytes
    marks: bytes
    """Verdicts and scores per trial (see `Trials`), compressed; empty if each case was planned once."""


def stamp(run: Run) -> str:
    """Return a hash of everything a snapshot depends on: the counting rules and the run's plan."""
    counted = [(kind.__name__, *(each.name for each in fields(kind))) for kind in _KINDS]
    text = encode([_version(), _RULES, counted, run.settings, run.planned, run.kind])
    return hashlib.sha256(text.encode()).hexdigest()


def pack(gathering: Accumulator) -> bytes | None:
    """Serialize an accumulator, or return None if it holds conversations or steps or cannot be encoded."""
    if not gathering.is_plain:
        return None
    numbers = (b"", b"") if gathering.trials is None else gathering.trials.numbers()
    verdicts, marks = (_compress(each) for each in numbers)
    totals, under = _counts(gathering.whole), {name: _counts(each) for name, each in gathering.under.items()}
    gathered = _AccumulatorState(whole=totals, under=under, verdicts=verdicts, marks=marks)
    try:
        return _compress(msgspec.msgpack.encode(gathered, enc_hook=_encode_array))
    except (OverflowError, UnicodeEncodeError):  # sums beyond 64 bits, or an unpaired surrogate in a reason
        return None


def _counts(counter: AttemptCounter) -> AttemptCounter:
    """Return the counter without its cases, which the store already has."""
    return replace(counter, cases={})


def unpack(body: bytes, run: Run, exams: tuple[Exam, ...]) -> Accumulator | None:
    """Restore an accumulator packed with the same stamp, or return None if it cannot be read."""
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


def _encode_array(value: object) -> object:
    if isinstance(value, array):  # sorted, as order is irrelevant; one by one to save memory
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
