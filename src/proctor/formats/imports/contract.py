"""Interface of importers: ImportSource, ImportedRun, ImportedRecord, ImportedResult, ImportLog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from proctor.benchmark import Case
from proctor.errors import InputError
from proctor.redaction.known import known
from proctor.redaction.literals import TABLES_OF_KEYS
from proctor.redaction.shapes import holds_secret, mask_secrets
from proctor.run import Failure
from proctor.score import Review
from proctor.transcript import Reply
from proctor.usage import Usage

_TABLES = TABLES_OF_KEYS - {"query", "params"}
"""Names of tables whose values are secrets, without those that often hold ordinary data."""
TOLD = 20
"""Maximum number of skipped records to list; further ones are only counted."""


class CutOff(Exception):
    """Raised for a file that ends in the middle of a record; everything before it was read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportOptions:
    """User options for what a file does not specify itself."""

    question: str | None = None
    """The key of an item's input that holds the question."""
    answer: str | None = None
    """The key of an item's expected output that holds the answer."""
    scorer: str | None = None
    """The scorer whose score decides if there are several."""
    beside: tuple[Path, ...] = ()
    """Other files given together with this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedResult:
    """A tool's result for one reply."""

    reply: Reply | None = None
    """The reply, or None if there is none."""
    review: Review = Review()
    """Scores and checks, or why there are none."""
    passed: bool | None = None
    """The tool's verdict, if it gives one; otherwise the scores decide."""
    failure: Failure | None = None
    """Why the attempt failed."""
    usage: Usage = Usage()
    """Usage of agent and judges together."""
    started: float = 0.0
    ended: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedRecord:
    """One case, with its result in one trial of one run."""

    case: Case
    place: str
    """Position in the file, for display."""
    run: str = ""
    """Key of the run in `ImportSource.runs`."""
    result: ImportedResult | None = None
    """The result, or None if the file only has cases."""
    own_id: bool = True
    """Whether the id is the tool's own rather than derived from the question."""
    trial: int | None = None
    """The tool's trial number, or None to take the next one of this case."""
    lost: tuple[str, ...] = ()
    """Expectations of the case that cannot be expressed here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedRun:
    """One run in another tool."""

    name: str
    agent: str
    """The model or provider that answered."""
    judge: str
    """What judged there: a scorer, or the tool itself."""
    rubric: str = ""
    """The judge's rubric, if the file names it; verdicts by different rubrics are not compared."""
    weights: dict[str, float] = field(default_factory=dict)
    """Scorers whose scores decide, with their weights."""
    marks_decide: bool = True
    """Whether scores are compared with a passing score; otherwise the tool gives the verdicts."""
    labels: dict[str, str] = field(default_factory=dict)
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    stopped: str = ""
    """Why the run did not complete, or empty if it did."""
    order: dict[str, int] = field(default_factory=dict)
    """Case → position in the tool's dataset, if that differs from the order of the file."""


class ImportLog:
    """Records what was not imported, so that nothing is dropped silently."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        """Feature without a counterpart here → number of occurrences."""
        self.skipped: list[tuple[str, str]] = []
        """(place, reason) of the first records that could not be imported."""
        self.skipped_count = 0
        self.undecided: list[tuple[str, str]] = []
        """(place, reason) of the first imported cases that nothing can judge."""
        self.undecided_count = 0
        self.masked = 0
        """Number of secrets that were masked."""
        self.cut_off = ""
        """Where the file ends prematurely, or empty."""
        self.notes: dict[str, None] = {}
        """Notes on how the file was read, in order and without duplicates."""

    def leave_out(self, what: str, times: int = 1) -> None:
        """Count a feature that has no counterpart here."""
        self.left_out[what] += times

    def skip(self, place: str, why: str) -> None:
        """Log a record that cannot be imported."""
        self.skipped_count += 1
        if len(self.skipped) < TOLD:
            self.skipped.append((place, why))

    def leave_undecided(self, place: str, why: str) -> None:
        """Log a case that is imported without anything to judge it by."""
        self.undecided_count += 1
        if len(self.undecided) < TOLD:
            self.undecided.append((place, why))

    def note(self, sentence: str) -> None:
        """Add a note, once."""
        self.notes[sentence] = None

    def without_secrets(self, value: Any) -> Any:
        """Mask secrets in imported data: known ones from the environment, and those recognised by pattern or key."""
        return self._clean(value, keys=False)

    def _clean(self, value: Any, *, keys: bool) -> Any:
        """Mask secrets recursively; `keys` is set in headers, queries and environments, where any key may hold one."""
        if isinstance(value, str):
            return self._mask(value)
        if isinstance(value, list):
            return [self._clean(each, keys=keys) for each in value]
        if not isinstance(value, Mapping):
            return value
        cleaned: dict[str, Any] = {}
        for name, each in value.items():
            hidden = holds_secret(str(name), each, keys=keys)
            self.masked += hidden
            below = keys or str(name).lower() in _TABLES
            cleaned[self._mask(str(name))] = "[secret]" if hidden else self._clean(each, keys=below)
        return cleaned

    def _mask(self, text: str) -> str:
        if not text.isprintable():
            text = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        if len(text) < 8:
            return text
        secrets = known()
        if secrets.are_known() and secrets.are_in(text):
            self.masked += len(secrets.names_in(text))
            text = secrets.scrub(text)
        masked, times = mask_secrets(text)
        self.masked += times
        return masked


class ImportSource(Protocol):
    """A file of another tool, which can be read repeatedly."""

    tool: str
    version: str
    """Version of the tool as given in the file, or empty."""
    name: str
    """Name of the benchmark."""

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return the runs by a key of the reader's choice; empty if the file only has cases."""
        ...

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield every case with its result."""
        ...


def newer_format(path: object, tool: str, found: object, known_to: object) -> InputError:
    """Return the error for a file in a newer, unsupported format."""
    return InputError(
        f"{path}: the {tool} format {found!r} is newer than {known_to!r}, the newest that is known here; nothing was "
        "imported. Update Proctor, or export with an older version of the tool"
    )
