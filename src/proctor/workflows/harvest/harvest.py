"""Harvest runs, files and Langfuse into a suite of drafts: harvest."""

from __future__ import annotations

import hashlib
import heapq
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.codec import encode
from proctor.doctor.questions import same_meaning
from proctor.errors import InputError, UsageError
from proctor.formats.suites.suite import LIMIT, YAML, read_bytes, summary
from proctor.formats.suites.write import write_suite
from proctor.reading.text.fold import squeeze
from proctor.redaction import private
from proctor.redaction.personal import Kind, PersonalData
from proctor.redaction.personal_numbers import Span
from proctor.settings import check_path, compile_pattern, unwritable, why_no_pattern
from proctor.storage import Store, open_store
from proctor.workflows.harvest import langfuse
from proctor.workflows.harvest.candidate import Candidate, HarvestLog, Only
from proctor.workflows.harvest.drafts import draft_cases
from proctor.workflows.harvest.recordings import RecordedFile
from proctor.workflows.harvest.stored_run import RunHarvest


class Sample:
    """A sample of up to so many distinct questions, each with its number of occurrences.

    The questions with the smallest digests are kept: every question has the same chance however often it was asked, the
    same file gives the same sample, and the counts of kept questions are exact, since none of them was ever dropped
    (bottom-k sampling, Cohen and Kaplan 2007).
    """

    def __init__(self, most: int, outline: Callable[[str], str]) -> None:
        """Create a sample; `outline` masks personal data, so that questions that differ only in it are the same."""
        self._most, self._outline = most, outline
        self._kept: dict[int, Candidate] = {}
        self._largest: list[int] = []
        self._order: dict[int, int] = {}
        self._added = 0
        self.beyond = 0
        """Number of conversations whose questions are not in the sample."""

    @property
    def merged_conversations(self) -> int:
        """Number of conversations merged into another with the same question."""
        return sum(each.met - 1 for each in self._kept.values())

    def add(self, candidate: Candidate) -> None:
        """Add a candidate, merging it with one that asks the same."""
        key = self._key(candidate)
        self._added += 1
        if key in self._kept:
            candidate.settle(self._outline)
            self._kept[key].merge(candidate)
        elif len(self._kept) < self._most or key < -self._largest[0]:
            candidate.settle(self._outline)
            self._kept[key], self._order[key] = candidate, self._added
            heapq.heappush(self._largest, -key)
            if len(self._kept) > self._most:
                self._let_go(-heapq.heappop(self._largest))
        else:
            self.beyond += candidate.met

    def _let_go(self, key: int) -> None:
        self.beyond += self._kept.pop(key).met
        del self._order[key]

    def candidates(self) -> list[Candidate]:
        """Return the sample in order of appearance."""
        return [self._kept[key] for key in sorted(self._kept, key=self._order.__getitem__)]

    def _key(self, candidate: Candidate) -> int:
        """Return a digest of the question's meaning; cases with different answers are different."""
        case = candidate.case
        context = self._outline(candidate.context) if candidate.context else None
        meaning = same_meaning(self._outline(candidate.question), context)
        key_text = encode([*meaning, "" if case is None else squeeze(case.answer or "")])
        return int.from_bytes(hashlib.blake2b(key_text.encode(), digest_size=8).digest(), "big")


PATTERN = "re:"
"""Prefix of a line with a regular expression."""
_SECONDS = 1.0
"""Timeout in seconds of one pattern on one text."""


class OwnList:
    """User-defined words and patterns to mask, from a file: one per line, patterns after `re:`, comments after `#`."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._made = [compile_pattern(pattern, folded=True) for pattern in patterns]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> OwnList:
        """Read the list from a file; raise InputError with the line number if an entry is invalid."""
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise InputError(
                f"cannot read {os.fspath(path)!r}: {reason}; expected one word or pattern per line"
            ) from error
        patterns = []
        for number, line in enumerate(map(str.strip, lines), 1):
            if line and not line.startswith("#"):
                pattern = _pattern(line)
                if not pattern or (wrong := why_no_pattern(pattern)) is not None:
                    reason = wrong if pattern else "it is empty"
                    raise InputError(f"{os.fspath(path)}:{number}: this pattern does not compile: {reason}")
                patterns.append(pattern)
        return cls(patterns)

    def places_in(self, text: str) -> Iterator[Span]:
        """Yield the matches; raise InputError if a pattern times out, since the text might then stay unmasked."""
        for number, made in enumerate(self._made, 1):
            try:
                found = [each.span() for each in made.finditer(text, timeout=_SECONDS)]
            except TimeoutError as error:
                raise InputError(
                    f"entry {number} of the list to mask takes more than {_SECONDS:g} s on one text; simplify it"
                ) from error
            yield from ((start, end) for start, end in found if end > start)


def _pattern(line: str) -> str:
    """Return the pattern of a line, or a pattern that matches its words as whole words."""
    if line.startswith(PATTERN):
        return line.removeprefix(PATTERN).strip()
    return rf"(?<!\w){re.escape(line)}(?!\w)"


LANGFUSE = "langfuse"
"""Name of the Langfuse server as a source."""
OTLP = "otlp"
"""Optional keyword before files of spans, which are recognised by content anyway."""
MOST = 10_000
_WEEK = 7 * 86_400.0
_PASSING_SCORE = 0.7
_RECORDED = (".json", ".jsonl", ".ndjson")
_FEW = 3
_NOT_FAILED = "nothing says that it failed"


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestOptions:
    """Options of a harvest."""

    only: Only | None = None
    """Selection; None means failed and flaky cases of a run. For a file, `failed` or everything."""
    limit: int = 200
    """Maximum number of drafts."""
    since: float | None = None
    """Start time for Langfuse in seconds since the epoch, or None for a week ago."""
    mask: Path | None = None
    """File with user-defined words and patterns to mask."""
    from_replies: bool = False
    """Whether replies that nobody judged count as correct."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HarvestReport:
    """Result of a harvest."""

    cases: int
    """Number of drafts written; with 0, no file was written."""
    read: dict[str, int]
    """Source → number of conversations, or of questions of a run."""
    runs: frozenset[str]
    """Sources that are runs."""
    merged: int
    """Number of items merged into another with the same question."""
    beyond: int
    """Number of items whose questions were dropped because of the limit."""
    left_out: dict[str, int]
    """Reason → number of items left out."""
    masked: dict[Kind, int]
    """Kind → number of masked pieces of personal data."""
    not_chosen: int = 0
    """Number of items left out only because they did not match the selection."""
    problems: tuple[str, ...] = ()
    """First items left out for other reasons, with their locations."""
    incomplete: tuple[str, ...] = ()
    """First parts of sources that could not be read."""
    unread: int = 0
    """Number of records that could not be read."""


def harvest(sources: Sequence[str], output: Path, *, store: str, wanted: HarvestOptions, force: bool) -> HarvestReport:
    """Write the drafts from these sources as a suite; an existing file is only replaced with `force`."""
    _check(output, wanted, force=force)
    own = None if wanted.mask is None else OwnList.read(wanted.mask)
    masking = PersonalData(None if own is None else own.places_in)
    reading = _Reading(wanted, masking, store=store)
    sample = Sample(wanted.limit, masking.outline)
    with reading:
        for source in _without_words(sources):
            for candidate in reading.candidates(source):
                sample.add(candidate)
    cases = list(draft_cases(sample.candidates(), masking))
    if cases:
        _write(output, _suite(output, reading.header(), cases))
    elif reading.log.unread:
        raise InputError(masking.outline("; ".join(reading.log.incomplete)))
    elif reading.log.problems and not reading.log.not_chosen:
        raise InputError(f"nothing was written: {masking.outline(_list_few(reading.log.problems))}")
    log, outline = reading.log, masking.outline
    return HarvestReport(
        cases=len(cases),
        read=dict(log.read),
        runs=frozenset(log.runs),
        merged=sample.merged_conversations,
        beyond=sample.beyond,
        left_out=dict(log.left_out),
        masked={kind: count for kind, count in masking.counts.items() if count},
        not_chosen=log.not_chosen,
        problems=tuple(map(outline, log.problems)),
        incomplete=tuple(map(outline, log.incomplete)),
        unread=log.unread,
    )


def _without_words(sources: Sequence[str]) -> list[str]:
    """Return the sources without the keyword `otlp`, which is redundant before files."""
    named = [source for source in sources if source != OTLP or Path(source).is_file()]
    if not named:
        raise InputError("otlp is not a source by itself; name the files of spans, as in `proctor harvest spans.jsonl`")
    return named


def _list_few(problems: Sequence[str]) -> str:
    more = f"; and {len(problems) - _FEW} more" if len(problems) > _FEW else ""
    return "; ".join(problems[:_FEW]) + more


def _check(output: Path, wanted: HarvestOptions, *, force: bool) -> None:
    if output.suffix.lower() not in YAML:
        raise UsageError(f"-o {str(output)!r} is not a YAML suite; expected a name that ends in .yaml or .yml")
    if not 1 <= wanted.limit <= MOST:
        raise UsageError(f"--limit {wanted.limit} is not usable; expected a whole number from 1 to {MOST:,}")
    if output.exists() and not force:
        raise InputError(
            f"{output} exists already, and drafts in it may have been reviewed; name another file, or replace it with "
            "--force"
        )


@dataclass(slots=True)
class _Reading:
    """Reader of the sources, with the store, opened for the first run among them."""

    wanted: HarvestOptions
    masking: PersonalData
    store: str = field(kw_only=True)
    log: HarvestLog = field(default_factory=HarvestLog)
    _stack: ExitStack = field(default_factory=ExitStack)
    _opened: Store | None = None
    _runs: list[dict[str, Any]] = field(default_factory=list)
    _recorded: bool = False

    def __enter__(self) -> _Reading:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def candidates(self, source: str) -> Iterator[Candidate]:
        path = Path(source)
        check_path("a source", path)
        if path.is_file():
            return self._of_file(path)
        if source == LANGFUSE:
            return self._of_langfuse()
        if path.suffix.lower() in _RECORDED or len(path.parts) != 1:
            raise InputError(f"there is no file {source!r}; expected recordings or traces, a stored run, or langfuse")
        return self._of_run(source)

    def _of_run(self, name: str) -> Iterator[Candidate]:
        if self._opened is None:
            self._opened = self._stack.enter_context(open_store(self.store, create=False))
        run = self._opened.archive.find(name)
        benchmark = self._opened.archive.benchmark_of(run.id)
        self._runs.append({"passing_score": run.settings.passing_score, "sources": benchmark.sources})
        return RunHarvest(self._opened, run, self.log, only=self.wanted.only, outline=self.masking.outline).candidates()

    def _of_file(self, path: Path) -> Iterator[Candidate]:
        unread = self.log.unread
        yield from self._of_recordings(path, str(path))
        if not self.log.read[str(path)] and self.log.unread == unread:
            raise InputError(f"{path} holds no recordings; expected JSONL or JSON with at least one conversation")

    def _of_recordings(self, path: Path, source: str) -> Iterator[Candidate]:
        if self.wanted.only == "flaky":
            raise UsageError(
                f"finding flaky ones needs verdicts, which recordings do not have; {source} is not a stored run"
            )
        self._recorded = True
        recorded = RecordedFile(path, self.log, source=source, from_replies=self.wanted.from_replies)
        for candidate in recorded.candidates():
            if self.wanted.only == "failed" and candidate.verdict != "failed":
                self.log.pass_over(_NOT_FAILED)
            else:
                yield candidate

    def _of_langfuse(self) -> Iterator[Candidate]:
        import asyncio

        since = self.wanted.since if self.wanted.since is not None else time.time() - _WEEK
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="proctor-harvest-")))
        path = folder / "langfuse.jsonl"
        private.make_file(path)
        asyncio.run(langfuse.download(path, since=since, log=self.log))
        return self._of_recordings(path, LANGFUSE)

    def header(self) -> dict[str, Any]:
        """Return the suite's header; if all sources are runs, with the passing score of their cases."""
        if self._recorded or not self._runs:
            return {"passing_score": _PASSING_SCORE}
        folders = {run["sources"] for run in self._runs}
        return {
            "passing_score": self._runs[0]["passing_score"],
            "sources": folders.pop() if len(folders) == 1 else None,
        }


def _suite(output: Path, header: dict[str, Any], cases: Sequence[dict[str, Any]]) -> bytes:
    """Return the suite's text after checking that it can be read."""
    day = datetime.now(UTC).date().isoformat()
    suite_fields = {"name": output.stem, "description": f"Drafts harvested on {day}.", **header}
    if suite_fields.get("sources"):  # relative to the suite's folder, as in suites
        suite_fields["sources"] = os.path.relpath(suite_fields["sources"], output.parent.resolve())
    content = write_suite(suite_fields, cases).encode()
    if len(content) > LIMIT:
        raise InputError(
            f"the drafts take {len(content):,} bytes, and a suite may have {LIMIT:,}",
            terminal=": give a smaller --limit, or harvest the sources one by one",
            page=": draft fewer of them",
        )
    reading = read_bytes(content, name=output.name)
    if reading.errors:
        raise InputError(f"the drafts cannot be written as a suite: {summary(reading.errors, reading.more)}")
    return content


def _write(output: Path, content: bytes) -> None:
    """Write the file atomically."""
    unfinished = output.with_name(f".{output.name}.new")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(output)
    except OSError as error:
        raise unwritable(output, error) from error
