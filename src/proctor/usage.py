"""Usage of model calls (Usage) and statistics of a run's workers (WorkerCounts)."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens, calls and cost, summed over retries."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    """Number of calls, including retries."""
    cost: float | None = None
    """Cost in the currency of the price list; None means unknown, not 0."""
    known_cost: float = 0.0
    """Known part of an unknown cost: a lower bound."""
    cached: int = 0
    """Number of replies from the cache, which caused neither a call nor cost."""

    @property
    def least(self) -> float:
        """The cost or, if it is unknown, its lower bound."""
        return self.known_cost if self.cost is None else self.cost

    def __bool__(self) -> bool:
        """Whether anything was used."""
        used = self.input_tokens or self.output_tokens or self.calls or self.cached or self.known_cost
        return bool(used) or self.cost is not None

    def __add__(self, other: Usage) -> Usage:
        """Add two usages; the cost is unknown if either is, but `known_cost` is kept."""
        if not other:
            return self
        if not self:
            return other
        unknown, least = self.cost is None or other.cost is None, self.least + other.least
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            cost=None if unknown else least,
            known_cost=least if unknown else 0.0,
            cached=self.cached + other.cached,
        )

    def __sub__(self, other: Usage) -> Usage:
        """Subtract a usage that is part of this one."""
        if not other:
            return self
        unknown, least = self.cost is None or other.cost is None, max(0.0, self.least - other.least)
        return Usage(
            input_tokens=max(0, self.input_tokens - other.input_tokens),
            output_tokens=max(0, self.output_tokens - other.output_tokens),
            calls=max(0, self.calls - other.calls),
            cost=None if unknown else least,
            known_cost=least if unknown else 0.0,
            cached=max(0, self.cached - other.cached),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerCounts:
    """Statistics of the workers that played a run; they are not part of its settings."""

    workers: int
    """Number of concurrent workers; for a resumed run, of the last time."""
    lost: int = 0
    """Number of workers that died or stopped responding, over all resumes."""
    moved: int = 0
    """Number of attempts that other workers took over from lost ones."""
    kind: str = "processes"
    """Kind of workers: `processes` on one machine or `ray` actors."""
    starting: float = 0.0
    """Total seconds of all workers until they were ready: imports and whatever an agent loads."""
    playing: float = 0.0
    """Total seconds of all workers spent playing."""
    storing: float = 0.0
    """Total seconds of all workers spent waiting until their results were stored."""
    idle: float = 0.0
    """Total seconds of all workers without work."""

    def __add__(self, later: WorkerCounts) -> WorkerCounts:
        """Combine with the counts of a later resume of the same run."""
        summed = ("lost", "moved", "starting", "playing", "storing", "idle")
        return replace(later, **{name: getattr(self, name) + getattr(later, name) for name in summed})
