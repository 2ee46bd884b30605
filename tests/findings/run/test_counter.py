"""What is counted attempt by attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.run import Attempt, Failure, Key, Run, Settings
from proctor.score import Part, Score, Unscored

OUTAGE = Failure(stage="agent", owner="environment", reason="no network")
ENDINGS: Mapping[str, Mapping[str, object]] = {
    "r": {"passed": True},
    "u": {"unscored": (Unscored(turn=1, of="agent", by="judge", reason="no number"),)},
    "e": {"failure": OUTAGE},
}
"""Right, unscored, environment failure."""


def marks(*values: float) -> tuple[Score, ...]:
    """One mark by each judge of a panel."""
    return tuple(
        Score(turn=1, of="agent", parts=(Part(name="correctness", value=value),), value=value, by=f"judge-{place}")
        for place, value in enumerate(values)
    )


def played(scripts: Sequence[Mapping[str, str]], **settings: object) -> Findings:
    """A run whose cases end like this: condition → trial by trial."""
    chosen = Settings(conditions=tuple(scripts[0]), trials=len(next(iter(scripts[0].values()))), **settings)  # type: ignore[arg-type]
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=chosen, status="completed")
    exams = [Exam(id=str(n), cases=(Case(id=str(n), question=f"{n}?", answer="yes"),)) for n in range(len(scripts))]
    attempts = [
        Attempt(
            key=Key(run="r", exam=str(n), condition=condition, trial=trial), finished=True, turn_passed=(None,),
            **ENDINGS[letter],  # type: ignore[arg-type]
        )
        for n, script in enumerate(scripts)
        for condition, letters in script.items()
        for trial, letter in enumerate(letters, 1)
    ]  # fmt: skip
    return gather(run, exams, attempts)


def test_parts_of_a_mark_rest_on_attempts_however_many_judges_gave_one() -> None:
    settings = Settings(panel=("judge-0", "judge-1", "judge-2"))
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=settings, status="completed")
    exams = [Exam(id=name, cases=(Case(id=name, question=f"{name}?", answer="yes"),)) for name in "ab"]
    given = {"a": marks(1.0, 1.0, 0.4), "b": marks(0.5)}
    found = gather(
        run, exams, [Attempt(key=Key(run="r", exam=name), scores=given[name], finished=True) for name in "ab"]
    )
    part = found.parts["correctness"]
    assert (part.n, part.attempts, part.value) == (2, 2, found.mean_score.value)


def test_where_more_than_marks_is_missing_the_bounds_are_said_of_all_of_it() -> None:
    [said] = [note for note in played([{"": each} for each in "rrrue"]).notes if note.startswith("Bounded")]
    assert "1 of 5 attempts could not be judged" in said
    assert said.endswith("with all 2 that have no verdict the pass rate is 60 to 100 %.")
    [alone] = [note for note in played([{"": each} for each in "rrrru"]).notes if note.startswith("Bounded")]
    assert alone.endswith("with them the pass rate is 80 to 100 %.")


def test_the_plain_run_is_not_called_bounded_by_what_is_missing_under_faults() -> None:
    scripts = [{"": "rr", "slow": "uu"}] * 20
    scripts[0] = {"": "ru", "slow": "uu"}
    assert not [note for note in played(scripts).notes if note.startswith("Bounded")]
