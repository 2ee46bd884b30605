"""Cache of findings: every page of a run needs them, and reading all attempts of a large run takes long."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from starlette.requests import Request

from proctor.benchmark import Exam
from proctor.findings.run import CaseFinding, Findings, gather
from proctor.reports import outcomes
from proctor.reports.outcomes import OutcomeLabel
from proctor.run import Attempt, HumanLabel, Run
from proctor.storage import Store
from proctor.web.site.site import Site, site_of
from proctor.web.site.summaries import SMALL
from proctor.workflows.history import verdicts_of
from proctor.workflows.people import labels_in_rate, with_people
from proctor.workflows.read import stored_exams
from proctor.workflows.stored_counts import CountingPass, recall_accumulator

PATIENCE = 0.6
"""Seconds that a page waits for findings before it is shown without them."""
_FRESH = 1.0
"""Seconds for which the findings of an active run are reused."""
_SHARE = 10.0
"""Findings are reused for at least this many times as long as computing them took."""
_OUTCOMES = {
    "pass": outcomes.PASSED,
    "fail": outcomes.NOT_PASSED,
    "agent": outcomes.AGENT_FAILED,
    "environment": outcomes.ENVIRONMENT_FAILED,
    "unscored": outcomes.UNSCORED,
    "open": outcomes.PENDING,
}
"""The store's verdict of an attempt → label shown to users."""
_MOST_CASES = 500_000
"""Maximum number of cases in all cached findings."""
_log = logging.getLogger("proctor.web")


@dataclass(frozen=True, kw_only=True, slots=True)
class CachedFindings:
    """A run with its exams and findings."""

    run: Run
    """State of the run when it was read."""
    exams: dict[str, Exam]
    """Exams in plan order."""
    findings: Findings
    outcomes: dict[str, int]
    """Name of the outcome → number of attempts."""
    worst_first: list[CaseFinding]
    kinds: dict[str, OutcomeLabel]
    """Case → outcome."""
    since: float | None
    """Time of the last start or resume in seconds since the epoch, or None if no attempt has ended since."""
    at: float
    """Time of reading, on the monotonic clock."""
    took: float
    """Duration of reading in seconds."""
    labels: tuple[HumanLabel, ...] = ()
    """Human labels of the run, which the findings include."""

    def still(self, run: Run, now: float) -> bool:
        """Whether it is still current for the run as it is now."""
        if run != self.run:
            return False
        return run.status != "running" or now - self.at < max(_FRESH, _SHARE * self.took)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Verdicts:
    """Exam → number of attempts with a verdict, number of passed attempts."""

    of: dict[str, tuple[int, int]]


@dataclass(slots=True)
class _CacheSlot:
    """Cache entry of one run."""

    read: CachedFindings | None = None
    labelled: tuple[object, CachedFindings] | None = None
    """Findings including human labels and further judges, with the state that they are based on."""
    reading: bool = False
    trouble: Exception | None = None
    exams: tuple[Run, dict[str, Exam]] | None = None
    verdicts: tuple[Run, dict[str, tuple[int, int]]] | None = None
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def size(self) -> int:
        """Number of cached cases."""
        kept = (self.read and self.read.exams, self.exams and self.exams[1], self.verdicts and self.verdicts[1])
        return sum(len(each) for each in kept if each)


class FindingsCache:
    """Findings by run; each run is read by one thread at a time, however many requests wait for it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._places: OrderedDict[str, _CacheSlot] = OrderedDict()
        self._lock = threading.Lock()

    def findings(self, run: Run, *, patience: float | None = None) -> CachedFindings | None:
        """Return the findings of a run (slightly old for an active one), or None while it is still being read."""
        place = self._slot(run.id)
        read = self._findings(place, run, until=time.monotonic() + (PATIENCE if patience is None else patience))
        return None if read is None else self._with_people(place, read)

    def _findings(self, place: _CacheSlot, run: Run, *, until: float) -> CachedFindings | None:
        with place.changed:
            while True:
                if place.read is not None and place.read.still(run, time.monotonic()):
                    return place.read
                if not place.reading:
                    self._begin(place, run)
                left = until - time.monotonic()
                if left <= 0 or not place.changed.wait(left):
                    return place.read if run.status == "running" else None  # older findings may be wrong now
                if place.trouble is not None:
                    raise place.trouble
                if run.status == "running":
                    return place.read

    def _with_people(self, place: _CacheSlot, read: CachedFindings) -> CachedFindings:
        """Add human labels, which other processes may add at any time and are therefore looked up every time."""
        store, run = self._site.store, read.run.id
        everywhere, judged = store.human_labels.counts(), store.judgements.count(run)
        if not everywhere and not judged:
            return read
        labels = tuple(labels_in_rate(store, read.run))
        state = read.at, labels, everywhere, judged
        if place.labelled is None or place.labelled[0] != state:
            findings = with_people(store, read.run, read.findings)
            place.labelled = state, replace(read, findings=findings, labels=labels)
        return place.labelled[1]

    def exams(self, run: Run) -> dict[str, Exam]:
        """Return the exams of a run in plan order."""
        place = self._slot(run.id)
        known = place.exams
        if known is None or known[0].settings != run.settings:
            exams = stored_exams(self._site.store, run)
            known = place.exams = run, {exam.id: exam for exam in exams}
        return known[1]

    def verdicts(self, run: Run) -> dict[str, tuple[int, int]]:
        """Map each exam to its numbers of attempts with a verdict and of passed attempts, as a history needs them."""
        place = self._slot(run.id)
        known = place.verdicts
        if known is None or known[0] != run or run.status == "running":
            known = place.verdicts = run, self._verdicts(run)
        return known[1]

    def _verdicts(self, run: Run) -> dict[str, tuple[int, int]]:
        """Count the verdicts; those of a large finished run are cached on disk, since counting takes seconds."""

        def read() -> _Verdicts:
            return _Verdicts(of=dict(verdicts_of(self._site.store, run)))

        if run.status != "completed" or run.planned <= SMALL:
            return read().of
        return self._site.summaries.kept("verdicts", run, _Verdicts, read).of

    def _slot(self, run: str) -> _CacheSlot:
        with self._lock:
            place = self._places.setdefault(run, _CacheSlot())
            self._places.move_to_end(run)
        self._make_room()
        return place

    def _begin(self, place: _CacheSlot, run: Run) -> None:
        place.reading, place.trouble = True, None
        threading.Thread(target=self._read, args=(place, run), name=f"proctor-read-{run.id}", daemon=True).start()

    def _read(self, place: _CacheSlot, run: Run) -> None:
        read, trouble = None, None
        try:
            read = read_run(self._site.store, run, self.exams(run))
        except Exception as error:
            trouble = error
            _log.info("run %s cannot be read: %s", run.id, error)
        with place.changed:
            place.read, place.trouble, place.reading = read or place.read, trouble, False
            place.changed.notify_all()
        self._make_room()

    def _make_room(self) -> None:
        """Evict the least recently used entries; the newest is kept, however large."""
        with self._lock:
            kept = 0
            for name, place in [*reversed(self._places.items())]:
                size = place.size
                if kept and kept + size > _MOST_CASES and not place.reading:
                    del self._places[name]
                else:
                    kept += size


def read_run(store: Store, run: Run, exams: dict[str, Exam]) -> CachedFindings:
    """Return the findings of a run, from stored counts if it is completed and has them, else from its attempts."""
    began = time.monotonic()
    counted = _AttemptCounts(run)
    known = recall_accumulator(store, run, tuple(exams.values())) if run.status == "completed" else None
    if known is None:
        plain = run.settings.type == "standard" and run.kind == "standard"
        attempts = store.archive.attempts if plain else store.archive.full_attempts
        findings = _count(store, run, exams, counted.watching(attempts(run.id)))
    else:
        findings = known.findings(run)
        counted.take_over(store.archive.standing(run.id).verdicts)
    worst, kinds = outcomes.worst_first(findings.cases), {case.id: outcomes.of_case(case) for case in findings.cases}
    now = time.monotonic()
    return CachedFindings(
        run=run,
        exams=exams,
        findings=findings,
        outcomes=dict(counted.outcomes),
        worst_first=worst,
        kinds=kinds,
        since=counted.since,
        at=now,
        took=now - began,
    )


def _count(store: Store, run: Run, exams: dict[str, Exam], attempts: Iterable[Attempt]) -> Findings:
    """Compute findings from attempts; for a completed large run, store the counts for later processes."""
    if run.status != "completed":
        return gather(run, tuple(exams.values()), attempts)
    counting = CountingPass(store, run, tuple(exams.values()))
    for _ in counting.watching(attempts):
        pass
    return counting.gathering.findings(run)


class _AttemptCounts:
    """Counts of attempts that the findings do not contain."""

    def __init__(self, run: Run) -> None:
        self.outcomes: Counter[str] = Counter()
        self.since = run.started if run.ended is None else None
        self._stopped = run.ended or float("inf")

    def take_over(self, verdicts: Mapping[str, int]) -> None:
        """Add counts from the database, by stored verdict."""
        self.outcomes.update({_OUTCOMES[verdict].name: number for verdict, number in verdicts.items()})

    def watching(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """Yield the attempts and count them."""
        for attempt in attempts:
            self.outcomes[outcomes.of_attempt(attempt).name] += 1
            if attempt.started > self._stopped:
                self.since = min(attempt.started, self.since or attempt.started)
            yield attempt


_making = threading.Lock()


def findings_cache_of(request: Request) -> FindingsCache:
    """Return the findings cache of the site that serves a request."""
    state = request.app.state
    with _making:
        if not hasattr(state, "findings_cache"):
            state.findings_cache = FindingsCache(site_of(request))
    findings_cache: FindingsCache = state.findings_cache
    return findings_cache
