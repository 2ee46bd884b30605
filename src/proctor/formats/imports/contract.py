"""What a file of another tool is read as: ImportSource, ImportedRun, ImportedRecord, ImportedResult, ImportLog."""

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
"""Of the tables whose keys open something, those that are not as often data."""
TOLD = 20
"""Records that could not be taken beyond these are only counted."""


class CutOff(Exception):
    """A file that ends in the middle of a record; all before it could be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportOptions:
    """What a person says of a file that does not say it itself."""

    question: str | None = None
    """The key of an item's input that holds the question."""
    answer: str | None = None
    """The key of an item's expected output that holds the answer."""
    scorer: str | None = None
    """Whose mark decides, where several marked."""
    beside: tuple[Path, ...] = ()
    """The files that were named together with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedResult:
    """What their tool says of one reply."""

    reply: Reply | None = None
    """None: there is none."""
    review: Review = Review()
    """Marks and checks, or why there are none."""
    passed: bool | None = None
    """Their verdict, where they give one; else the marks decide."""
    failure: Failure | None = None
    """Why it broke."""
    usage: Usage = Usage()
    """Of agent and judges together."""
    started: float = 0.0
    ended: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedRecord:
    """One case, and what came of it in one trial of one run."""

    case: Case
    place: str
    """Where it stands in the file, for people."""
    run: str = ""
    """The key of the run in `ImportSource.runs`."""
    result: ImportedResult | None = None
    """None: the file has cases alone."""
    own_id: bool = True
    """Whether the id is theirs; else it is made of the question."""
    trial: int | None = None
    """Their number of the trial; None: the next one of this case."""
    lost: tuple[str, ...] = ()
    """What the case is held to there and cannot be here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedRun:
    """One run of theirs."""

    name: str
    agent: str
    """The model or provider that answered."""
    judge: str
    """Who judged there: a scorer, or the tool itself."""
    rubric: str = ""
    """By what, where the file tells it: verdicts by different rubrics are not compared."""
    weights: dict[str, float] = field(default_factory=dict)
    """Whose marks decide."""
    marks_decide: bool = True
    """Whether marks are held against a passing score; if not, their tool gives the verdicts."""
    labels: dict[str, str] = field(default_factory=dict)
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    stopped: str = ""
    """Why it did not come to its end there; empty: it did."""
    order: dict[str, int] = field(default_factory=dict)
    """Case → its place in their dataset, where that is not the order of the file."""


class ImportLog:
    """What became of a file besides what was taken: nothing is dropped in silence."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        """What has no counterpart here → how often it was met."""
        self.skipped: list[tuple[str, str]] = []
        """Records that could not be taken: where, and why; the first ones."""
        self.skipped_count = 0
        self.undecided: list[tuple[str, str]] = []
        """Cases of the suite that no one will judge: where, and why; the first ones."""
        self.undecided_count = 0
        self.masked = 0
        """Secrets that were masked."""
        self.cut_off = ""
        """Where the file ends in the middle; empty: it does not."""
        self.notes: dict[str, None] = {}
        """What a person should know of how it was read."""

    def leave_out(self, what: str, times: int = 1) -> None:
        """Count something that has no counterpart."""
        self.left_out[what] += times

    def skip(self, place: str, why: str) -> None:
        """A record that cannot be taken."""
        self.skipped_count += 1
        if len(self.skipped) < TOLD:
            self.skipped.append((place, why))

    def leave_undecided(self, place: str, why: str) -> None:
        """A case that is taken, though nothing that it could be held to was."""
        self.undecided_count += 1
        if len(self.undecided) < TOLD:
            self.undecided.append((place, why))

    def note(self, sentence: str) -> None:
        """Say something once."""
        self.notes[sentence] = None

    def without_secrets(self, value: Any) -> Any:
        """What was read, without secrets: of the environment, known by their looks, or named as such."""
        return self._clean(value, keys=False)

    def _clean(self, value: Any, *, keys: bool) -> Any:
        """`keys`: within headers, a query or an environment, where any key opens something."""
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
    """A file of another tool. It can be read more than once."""

    tool: str
    version: str
    """Of the tool, as the file tells it; empty: it does not."""
    name: str
    """What the benchmark is called."""

    def runs(self) -> Mapping[str, ImportedRun]:
        """Their runs by a key of the reader's own; empty: the file has cases alone."""
        ...

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Every case with what came of it, one after the other."""
        ...


def newer_format(path: object, tool: str, found: object, known_to: object) -> InputError:
    """A file of a format that nobody has seen yet."""
    return InputError(
        f"{path}: the {tool} format {found!r} is newer than {known_to!r}, the newest that is known here; nothing was "
        "imported. Update Proctor, or export with an older version of the tool"
    )
