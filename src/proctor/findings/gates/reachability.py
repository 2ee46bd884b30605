"""Before the first call, check that the gates fit the run and can be met with this many cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from proctor.benchmark import Exam
from proctor.errors import GateError
from proctor.findings.comparison.comparability import refusal, remedy, unlike
from proctor.findings.gates.gate import COUNTS, OF_BATTLES, OVER_K, Gate
from proctor.findings.gates.verdict import Baseline, Unit, chosen_k, labelled_as_held, no_battle, no_category, unit_of
from proctor.findings.run import Findings
from proctor.run import Run
from proctor.statistics import gate as rules
from proctor.statistics.compare import Differences, compare_counts

_MOST_PAIRS = 1 << 24

_FORCE = "; --force runs it anyway"


def check(
    gates: Sequence[Gate],
    run: Run,
    exams: Sequence[Exam],
    baseline: Baseline,
    *,
    k: int | None = None,
    look: int = 1,
    force: bool = False,
) -> None:
    """Refuse gates that do not fit the run and, unless forced, those that even a perfect agent could not meet."""
    level = rules.level_of_look(look)
    categories = _categories(run, exams)
    for wanted in gates:
        if wanted.metric in OVER_K:
            chosen_k(wanted, k, run.settings.trials)
        if wanted.metric == "category" and wanted.category not in categories:
            raise no_category(wanted, categories)
        if wanted.metric in OF_BATTLES and run.settings.type == "standard":
            raise no_battle(wanted)
        if wanted.by_people and wanted.metric == "pass_rate" and run.settings.type != "standard":
            raise labelled_as_held(wanted)
        if wanted.baseline is not None:
            _check_baseline(wanted, run, exams, baseline(wanted.baseline), level=level, force=force)
        elif wanted.metric not in COUNTS and not wanted.by_people and not force:
            cases = categories[wanted.category] if wanted.category else _units(wanted, run, len(exams))
            _check_rate(wanted, cases, level, unit=unit_of(wanted, run))


def _categories(run: Run, exams: Sequence[Exam]) -> Counter[str]:
    """Count the cases of each category; in a static battle, the rows of the script."""
    rows = None if run.settings.type == "abm-static" else 1
    return Counter(category for exam in exams for case in exam.cases[:rows] for category in case.categories)


def _units(wanted: Gate, run: Run, exams: int) -> int:
    """Return the number of units the interval counts: cases or, in a static battle, conversations."""
    conversations = run.settings.type == "abm-static" and wanted.metric not in OVER_K
    return exams * run.settings.repeats if conversations else exams


def _check_rate(wanted: Gate, cases: int, level: float, *, unit: Unit) -> None:
    if rules.reachable(cases, wanted.bound, upper=wanted.upper, level=level):
        return
    needed = 1 - wanted.bound if wanted.upper else wanted.bound
    if needed >= 1:
        raise GateError(
            f"the gate {wanted.text!r} cannot be met: no number of {unit}s shows a rate of exactly {wanted.bound:g}. "
            "Choose another bound",
            terminal=_FORCE,
        )
    least, ideal = rules.fewest_cases(needed, level=level), "pass" if wanted.upper else "failure"
    raise GateError(
        f"the gate {wanted.text!r} cannot be met with {_count_units(cases, unit)}, however they end: it takes at least "
        f"{least}, without a single {ideal}. {_more(unit)} or choose another bound",
        terminal=_FORCE,
    )


def _check_baseline(
    wanted: Gate, run: Run, exams: Sequence[Exam], before: Findings, *, level: float, force: bool
) -> None:
    """Check that the two runs share cases and, unless forced, are comparable and large enough for the margin."""
    known = {exam.id for exam in exams} | {case.id for exam in exams for case in exam.cases}
    if not any(case.id in known for case in before.compared_on):
        raise GateError(f"the gate {wanted.text!r}: run {before.run.id} has no case in common with this one")
    apart = unlike(before.run, run)
    if apart and not force:
        why = refusal(before.run, run, apart)
        judge = before.run.settings.reviewer
        hint = (
            remedy(before.run, run, apart)
            if judge is None or run.settings.reviewer is not None
            else f". Have this run judged too, with --reviewer {judge}, or compare anyway with --force"
        )
        raise GateError(f"the gate {wanted.text!r}: {why}", terminal=hint)
    if not force:
        _check_margin(wanted, run, before, level)


def _check_margin(wanted: Gate, run: Run, before: Findings, level: float) -> None:
    """Refuse a margin that the interval could not clear even if every attempt passed."""
    settings = run.settings
    most = [settings.trials_of(case.id) * settings.rated_conditions for case in before.compared_on]
    a = [(case.counted, case.passed) for case in before.compared_on]
    perfect = compare_counts(a, [(trials, trials) for trials in most], level=level)
    if rules.not_worse(perfect.difference, wanted.bound) == "met":
        return
    least, unit = _fewest_pairs(wanted.bound, level), unit_of(wanted, run)
    takes = f": it takes at least {least}, without a single flip" if least else ""
    raise GateError(
        f"the gate {wanted.text!r} cannot be met with {_count_units(len(a), unit)}, however they end{takes}. "
        f"{_more(unit)} or widen the margin",
        terminal=_FORCE,
    )


def _fewest_pairs(margin: float, level: float) -> int | None:
    """Return the fewest cases that, with no flips, show a difference above −margin, or None if no number does."""
    few, many = 0, 1
    while Differences(n=many).interval(level=level)[0] <= -margin:
        few, many = many, 2 * many
        if many > _MOST_PAIRS:
            return None
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if Differences(n=middle).interval(level=level)[0] > -margin else (middle, many)
    return many


def _count_units(number: int, unit: Unit) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _more(unit: Unit) -> str:
    """Return the advice on how to get more units."""
    return "Use more trials" if unit == "conversation" else f"Add {unit}s"
