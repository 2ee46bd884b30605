"""Results of a run's canaries: how many verdicts of the judge were right, and whether any changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.run import Run
from proctor.usage import Usage

_NAMED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class CanaryFinding:
    """A judge's results on replies with known verdicts."""

    source: str
    """`standard`, or the file of the canaries."""
    planned: int
    judged: int
    """Canaries that got a verdict."""
    right: int
    """Canaries that got the right verdict."""
    bound: float | None
    """Upper bound of the error rate at 95 % confidence, or None if nothing was judged."""
    changed: int | None
    """Canaries whose verdict changed since the last run with the same judge and canaries, or None without one."""
    wrong: tuple[str, ...]
    drifted: tuple[str, ...]
    """Names of the canaries whose verdict changed."""
    since: str | None
    """The run they are compared with."""
    reason: str
    """Why some canaries have no verdict."""
    usage: Usage


def canary_finding(run: Run) -> CanaryFinding | None:
    """Return the results, or None if the run has no canaries or they have not been judged yet."""
    known = run.canaries
    if known is None:
        return None
    judged = sum(verdict is not None for verdict in known.verdicts.values())
    return CanaryFinding(
        source=known.source,
        planned=len(known.verdicts),
        judged=judged,
        right=judged - len(known.wrong),
        bound=error_bound(judged, len(known.wrong)),
        changed=None if known.since is None else len(known.changed),
        wrong=known.wrong,
        drifted=known.changed,
        since=known.since,
        reason=known.reason,
        usage=known.usage,
    )


def sentences(run: Run) -> Iterator[str]:
    """Yield notes on wrong, changed or missing verdicts."""
    found = canary_finding(run)
    if found is None:
        return
    if found.wrong:
        yield (
            f"Warning: the judge got {len(found.wrong)} of {found.judged} canaries wrong ({_list_names(found.wrong)}): "
            f"it may err in up to {100 * (found.bound or 1):.0f} % of replies like these."
        )
    if found.drifted:
        yield (
            f"Drift: the judge gave {len(found.drifted)} of {found.judged} canaries another verdict than in run "
            f"{found.since} ({_list_names(found.drifted)}): its scores may not be comparable to earlier ones."
        )
    if found.judged < found.planned:
        missing = found.planned - found.judged
        yield f"{missing} of {found.planned} canaries got no verdict: {found.reason or 'the judge gave no mark'}."


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def error_bound(judged: int, wrong: int, *, level: float = 0.95) -> float | None:
    """Return the upper confidence bound of the error rate, or None if nothing was judged.

    The upper end of the one-sided exact interval (Clopper & Pearson 1934); with none wrong of K it is 1 − .05^(1/K).
    """
    if not judged:
        return None
    if not wrong:
        return 1.0 - float((1.0 - level) ** (1.0 / judged))
    if wrong >= judged:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(wrong + 1, judged - wrong, level))
