"""Gates on a run: parsed first, checked before the first call, judged at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from proctor.benchmark import Exam
from proctor.errors import NoSuchRun, UsageError
from proctor.findings import gates
from proctor.findings.gates import Gate, GateVerdict
from proctor.findings.run import Findings
from proctor.run import Run
from proctor.running.plan import exams_of
from proctor.settings import given
from proctor.storage import Store, open_store
from proctor.storage import run_name as naming
from proctor.workflows.read import findings_of_run


@dataclass(frozen=True, kw_only=True, slots=True)
class RunGates:
    """The gates of one run with what they are compared with."""

    wanted: tuple[Gate, ...] = ()
    k: int | None = None
    """Default k for gates that name none, as in the printed pass@k."""
    look: int = 1
    """Number of this verdict in a sequence of looks at the same, growing cases."""
    force: bool = False
    """Whether to judge gates that cannot be met and baselines that are not comparable."""
    baselines: Mapping[str, Findings] = field(default_factory=dict)
    """Run id → findings, for the baselines of the gates."""

    def check(self, run: Run, exams: Sequence[Exam]) -> None:
        """Raise an error, before the first call, for gates that do not fit this run or that it cannot meet."""
        look = self._look(run)
        gates.check(self.wanted, run, exams, self.baselines.__getitem__, k=self.k, look=look, force=self.force)

    def judge(self, findings: Findings) -> list[GateVerdict]:
        """Return the verdict of every gate."""
        look = self._look(findings.run)
        return gates.judge(self.wanted, findings, self.baselines.__getitem__, k=self.k, look=look, force=self.force)

    def stored_with(self, run: Run) -> tuple[str, ...]:
        """Return the gates' texts to store with the run; empty if judging them later needs options that are not
        stored."""
        plain = self.look == 1 and not self.force and self.k in (None, run.settings.trials)
        return tuple(wanted.text for wanted in self.wanted) if plain else ()

    def _look(self, run: Run) -> int:
        """Return the number of the look, which also counts extensions of the run by trials."""
        return self.look + run.settings.look - 1


def read_gates(texts: Iterable[str], *, k: int | None = None, look: int = 1, force: bool = False) -> RunGates:
    """Parse gates; raise an error for invalid ones, or for a further look without gates."""
    wanted = tuple(gates.parse(text) for text in texts)
    if look > 1 and not wanted:
        raise UsageError(given("look", look), " counts the checks of a gate, and there is none; give one as well")
    return RunGates(wanted=wanted, k=k, look=look, force=force)


def gates_of(run: Run) -> tuple[str, ...]:
    """Return the gates that a run was started with, whether stored or judged by interim looks."""
    looked_at = () if run.interim is None else tuple(run.interim.verdicts)
    return run.gates or run.settings.stop_early or looked_at


def or_those_of(gating: RunGates, run: Run, *, store: str) -> RunGates:
    """Return the given gates, or else those that the run was started with, with their baselines."""
    if gating.wanted:
        return with_baselines(gating, run, store=store)
    kept = read_gates(gates_of(run), k=gating.k, look=gating.look, force=gating.force)
    try:
        return with_baselines(kept, run, store=store, older=True)
    except NoSuchRun as error:
        raise UsageError(
            f"run {run.id} was started with gates ({'; '.join(each.text for each in kept.wanted)}), and a run that "
            f"they name is no longer stored ({error}); give --gate again with one that is"
        ) from error


def with_baselines(gating: RunGates, run: Run, *, store: str, older: bool = False) -> RunGates:
    """Load the baselines of the gates, excluding this run, so that `last` is the newest other."""
    if all(wanted.baseline is None for wanted in gating.wanted):
        return gating
    with open_store(store, create=False) as opened:
        return with_stored_baselines(gating, run, opened, older=older)


def with_stored_baselines(gating: RunGates, run: Run, store: Store, *, older: bool = False) -> RunGates:
    """Load the baselines from an open store; with `older`, only earlier runs, so that `last` always means the same
    run."""
    if all(wanted.baseline is None for wanted in gating.wanted):
        return gating
    runs = (other for other in store.archive.runs() if other.id != run.id)
    others = [other for other in runs if not older or other.created <= run.created]
    wanted = tuple(_resolve_baseline(each, run, others) for each in gating.wanted)
    names = {each.baseline for each in wanted if each.baseline is not None}
    baselines = {name: findings_of_run(store, store.archive.find(name)) for name in names}
    return replace(gating, wanted=wanted, baselines=baselines)


def judge_stored(store: Store, findings: Findings) -> list[GateVerdict]:
    """Return the verdicts of the gates that a run was started with, or none before it is completed."""
    run = findings.run
    texts = gates_of(run)
    if not texts or run.status != "completed":
        return []
    return with_stored_baselines(read_gates(texts), run, store, older=True).judge(findings)


def check_stored(gating: RunGates, run: Run, *, store: str) -> None:
    """Raise an error for gates that do not fit a stored run before it is resumed."""
    if gating.wanted:
        with open_store(store, create=False) as opened:
            exams = exams_of(opened.archive.benchmark_of(run.id), run.settings)
        gating.check(run, exams)


def _resolve_baseline(wanted: Gate, run: Run, others: Sequence[Run]) -> Gate:
    """Return the gate with the id of its baseline."""
    if wanted.baseline is None:
        return wanted
    if not others:
        raise NoSuchRun(f"the gate {wanted.text!r}: no other run is stored yet to compare this one with")
    try:
        return replace(wanted, baseline=naming.resolve(wanted.baseline, [(other.id, other.name) for other in others]))
    except NoSuchRun as error:
        if wanted.baseline == run.name or run.id.startswith(wanted.baseline):
            itself = f"run {wanted.baseline} cannot be compared with itself; name another"
            raise NoSuchRun(f"the gate {wanted.text!r}: {itself}") from error
        raise
