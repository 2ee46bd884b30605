"""Human labelling of attempts: drawing a sample, and storing labels from a form or a CSV file."""

from __future__ import annotations

import csv
import io
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.benchmark import Exam
from proctor.errors import InputError, UsageError
from proctor.run import Attempt, HumanLabel, Key, Run
from proctor.running.plan import exams_of
from proctor.settings import check_name, shown, unwritable
from proctor.storage import Store, open_store
from proctor.workflows.people import is_in_rate

COLUMNS = ("attempt", "case", "question", "reference", "reply", "verdict", "note", "who")
_FEWEST_FAILED = 5
"""Minimum number of judge-failed attempts in a sample, if there are as many: without them nothing can be corrected."""
_VERDICTS = {"pass": True, "fail": False}
_LONGEST_NOTE = 2_000
_LONGEST_TRIAL = 9
"""Maximum digits of a trial number, more than any run needs and within the limits of every store."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawn:
    """An attempt drawn for labelling."""

    exam: Exam
    attempt: Attempt

    @property
    def name(self) -> str:
        """Name of the attempt in a CSV file."""
        key = self.attempt.key
        return "/".join((key.run, key.exam, key.condition, str(key.trial)))

    @property
    def is_conversation(self) -> bool:
        """Whether there are several replies to judge: it then passes if the agent held."""
        return len(self.attempt.transcript.turns) > 1

    def question(self) -> str:
        """Return the question; for a conversation, everything but the last reply."""
        turns = self.attempt.transcript.turns
        if not self.is_conversation:
            return turns[0].question
        exchanges = [
            f"[{turn.number}] {turn.question}\n> {turn.reply.text if turn.reply else ''}" for turn in turns[:-1]
        ]
        return "\n".join([*exchanges, f"[{turns[-1].number}] {turns[-1].question}"])

    def reply(self) -> str:
        """Return the reply, or the last one of a conversation."""
        last = self.attempt.transcript.turns[-1].reply
        return last.text if last is not None else ""

    def reference(self) -> str:
        """Return the expected answer."""
        return "\n".join(case.answer for case in self.exam.cases if case.answer)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelSample:
    """Random sample of attempts to label, the same for everybody and independent of existing labels."""

    drawn: tuple[Drawn, ...]
    """Attempts, at most one per case."""
    done: frozenset[str]
    """Cases that this person has labelled."""
    cases: int
    """Number of cases that can be labelled."""

    @property
    def left(self) -> list[Drawn]:
        """Attempts that this person has not labelled yet."""
        return [each for each in self.drawn if each.exam.id not in self.done]

    def place_of(self, shown: Drawn) -> int:
        """Return the position of an attempt, from 1."""
        return self.drawn.index(shown) + 1


def draw(name: str, *, store: str, count: int, seed: int = 0, who: str | None = None) -> list[Drawn]:
    """Draw attempts to label, excluding cases labelled by `who`, or by anybody if `who` is None."""
    return draw_sample(name, store=store, count=count, seed=seed, who=who).left


def draw_sample(name: str, *, store: str, count: int, seed: int = 0, who: str | None = None) -> LabelSample:
    """Draw attempts to label, and mark the cases labelled by `who`, or by anybody if `who` is None."""
    if count < 1:
        raise UsageError(f"-n {count} draws nothing; expected at least 1")
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        done = {label.key.exam for label in opened.human_labels.of_run(run.id) if who in (None, label.who)}
        eligible = (attempt for attempt in opened.archive.attempts(run.id) if is_in_rate(run, attempt.key))
        by_case = _by_case(eligible)
        chosen = _chosen(by_case, count, random.Random(f"{run.id} {seed}"))
        exams = {exam.id: exam for exam in exams_of(opened.archive.benchmark_of(run.id), run.settings)}
        found = ((exams.get(key.exam), opened.archive.attempt(key)) for key in chosen)
        drawn = tuple(Drawn(exam=exam, attempt=attempt) for exam, attempt in found if exam and attempt)
    if not drawn:
        raise InputError(f"run {run.id} has no attempt with a reply and a verdict; there is nothing to label")
    return LabelSample(drawn=drawn, done=frozenset(done), cases=len(by_case))


def _by_case(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    """Map each case to its attempts with a reply and a verdict."""
    by_case: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.passed is not None and attempt.failure is None:
            by_case.setdefault(attempt.key.exam, []).append(attempt)
    return by_case


def _chosen(by_case: Mapping[str, Sequence[Attempt]], count: int, rng: random.Random) -> list[Key]:
    """Draw one attempt of each case, up to `count`, including some that the judge failed."""
    drawn = [rng.choice(trials) for trials in by_case.values()]
    rng.shuffle(drawn)
    first, rest = drawn[:count], drawn[count:]
    lacking = min(_FEWEST_FAILED, count) - sum(not attempt.passed for attempt in first)
    if lacking > 0:
        failed = [attempt for attempt in rest if not attempt.passed][:lacking]
        passed = [attempt for attempt in first if attempt.passed]
        kept = passed[: len(passed) - len(failed)] if len(first) == count else passed
        first = [*kept, *(attempt for attempt in first if not attempt.passed), *failed]
        rng.shuffle(first)
    return [attempt.key for attempt in first]


def put_label(
    key: Key, *, passed: bool, who: str, store: str, note: str = "", seconds: float | None = None
) -> HumanLabel:
    """Store a person's label on an attempt."""
    check_name("who labels", who)
    label = HumanLabel(key=key, passed=passed, who=who, note=_note(note), made=time.time(), seconds=seconds)
    with open_store(store, create=False) as opened:
        _put(opened, key.run, [label])
    return label


def _note(note: str) -> str:
    """Clean a note for all stores: without NUL, which PostgreSQL rejects, and lone surrogates."""
    return note[:_LONGEST_NOTE].replace("\0", "").encode(errors="replace").decode()


def _put(opened: Store, run: str, labels: Sequence[HumanLabel]) -> None:
    """Store labels; raise an error for those on an attempt without a reply."""
    for label in labels:
        attempt = opened.archive.attempt(label.key)
        if attempt is not None and (attempt.failure is not None or not _has_reply(attempt)):
            raise InputError(
                f"the attempt at case {label.key.exam!r}, trial {label.key.trial} of run {run} has no reply that could "
                "pass or fail: the call failed; label another, no label was stored"
            )
    opened.human_labels.put(run, labels)


def _has_reply(attempt: Attempt) -> bool:
    return any(turn.reply is not None for turn in attempt.transcript.turns)


def take_back(label: HumanLabel, *, store: str) -> None:
    """Delete a label."""
    with open_store(store, create=False) as opened:
        opened.human_labels.take_back(label)


def write_sheet(drawn: Sequence[Drawn], path: Path) -> None:
    """Write a CSV file to be labelled elsewhere, by filling in `verdict` (pass, fail, or nothing), `note` and `who`."""
    _must_be_empty(path)
    try:
        path.write_bytes(sheet_of(drawn))
    except OSError as error:
        raise unwritable(path, error) from error


def _must_be_empty(path: Path) -> None:
    """Raise an error for a file that contains labels or is not a label sheet."""
    try:
        content = path.read_bytes() if path.is_file() else b""
        rows = list(_rows(content, str(path))) if content else []
    except (OSError, InputError):
        raise UsageError(f"{path} is there already and is not a sheet of labels; write to another file") from None
    filled = sum(any((row.get(name) or "").strip() for name in ("verdict", "note")) for _, row in rows)
    if filled:
        raise UsageError(
            f"{path} is there already, with something filled in in {filled} {'row' if filled == 1 else 'rows'}, which "
            "would be lost: --from stores its labels; write to another file, or delete this one"
        )


def sheet_of(drawn: Sequence[Drawn]) -> bytes:
    """Return the CSV file's content."""
    text = io.StringIO(newline="")
    sheet = csv.writer(text)
    sheet.writerow(COLUMNS)
    for each in drawn:
        cells = (each.name, each.exam.id, each.question(), each.reference(), each.reply())
        sheet.writerow([*map(_harmless, cells), "", "", ""])
    return text.getvalue().encode("utf-8-sig")


def _harmless(text: str) -> str:
    """Escape a text that a spreadsheet would interpret as a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def read_sheet(name: str, path: Path, *, store: str, who: str) -> int:
    """Store the labels of a CSV file, all or none, and return their number. Rows without a verdict are skipped; a file
    without any verdict is an error."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unreadable(str(path), error) from error
    return store_sheet(name, content, source=str(path), store=store, who=who)


def store_sheet(name: str, content: bytes, *, source: str, store: str, who: str) -> int:
    """Store the labels in a CSV file's content; `source` is its name in error messages."""
    with open_store(store, create=False) as opened:
        run = opened.archive.find(name)
        labels = list(_labels(content, source, run, who))
        if not labels:
            raise InputError(
                f"no row of {source} has a verdict, so no label was stored; fill in pass or fail in the column verdict"
            )
        _put(opened, run.id, labels)
    return len(labels)


def _labels(content: bytes, source: str, run: Run, who: str) -> Iterator[HumanLabel]:
    seen: dict[tuple[Key, str], int] = {}
    for line, row in _rows(content, source):
        if None in row:
            raise InputError(
                f"{source}, line {line} has more cells than the header: a text with a comma needs quotes around it, "
                "and there is one verdict a row"
            )
        verdict = (row.get("verdict") or "").strip().lower()
        if not verdict:
            continue
        if verdict not in _VERDICTS:
            raise InputError(f"{source}, line {line}: the verdict is {shown(verdict)}; expected pass, fail or nothing")
        key = _key(row.get("attempt") or "", run, f"{source}, line {line}")
        by = (row.get("who") or "").strip() or who
        check_name(f"{source}, line {line}: who", by)
        if (key, by) in seen:
            raise InputError(f"{source}, line {line}: {by} has labelled this attempt in line {seen[key, by]} already")
        seen[key, by] = line
        note = _note(row.get("note") or "")
        yield HumanLabel(key=key, passed=_VERDICTS[verdict], who=by, note=note, made=time.time())


def _rows(content: bytes, source: str) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = content.decode("utf-8-sig")
        header = text.partition("\n")[0]
        delimiter = ";" if header.count(";") > header.count(",") else ","  # as saved by spreadsheets in many countries
        sheet = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        columns = list(sheet.fieldnames or ())
        twice = [name for name in COLUMNS if columns.count(name) > 1]
        if twice:
            raise InputError(f"{source} has the column {twice[0]} twice; expected it once, with one verdict a row")
        missing = {"attempt", "verdict"} - set(columns)
        if missing:
            raise InputError(
                f"{source} has no column {' and no column '.join(sorted(missing))}; expected a file ",
                terminal="that `proctor label RUN --to FILE` wrote",
                page="as it is downloaded here",
            )
        yield from ((sheet.line_num, row) for row in sheet)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(source, error) from error


def _unreadable(source: str, error: Exception) -> InputError:
    why = getattr(error, "strerror", None) or error
    return InputError(f"cannot read {source!r}: {why}; expected a comma CSV in UTF-8")


def _key(name: str, run: Run, where: str) -> Key:
    named, _, rest = name.strip().lstrip("'").partition("/")
    if named != run.id:
        raise InputError(f"{where}: the attempt {shown(name)} is not of run {run.id}; it is a sheet of another run")
    exam, _, last = rest.rpartition("/")[0].rpartition("/")
    trial = rest.rpartition("/")[2]
    if not exam or not trial.isdecimal() or len(trial) > _LONGEST_TRIAL:
        raise InputError(f"{where}: the attempt {shown(name)} cannot be read; expected RUN/CASE/CONDITION/TRIAL")
    return Key(run=run.id, exam=exam, condition=last, trial=int(trial))
