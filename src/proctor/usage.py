"""What calls to models cost: Usage. What became of the workers that made them: WorkerCounts."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens, calls and cost, added up over retries."""

    input_tokens: int = 0
    """Tokens sent."""
    output_tokens: int = 0
    """Tokens received."""
    calls: int = 0
    """Calls made, retries included."""
    cost: float | None = None
    """In the currency of the price list; None: unknown, which is not 0."""
    known_cost: float = 0.0
    """Of a cost that is unknown, the part that is known: it was at least so much."""
    cached: int = 0
    """Answers that came from the cache: no call was made for them, and nothing paid."""

    @property
    def least(self) -> float:
        """What it cost, or where that is unknown, at least did."""
        return self.known_cost if self.cost is None else self.cost

    def __bool__(self) -> bool:
        """Whether anything was used at all."""
        used = self.input_tokens or self.output_tokens or self.calls or self.cached or self.known_cost
        return bool(used) or self.cost is not None

    def __add__(self, other: Usage) -> Usage:
        """Both together; the cost is unknown as soon as either's is, but what is known of it stays known."""
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
        """What is left of it without the other, which is a part of it."""
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
    """What became of the workers that played a run; how a run is played is no setting of it."""

    workers: int
    """How many played at once; the last time, where the run has gone on since."""
    lost: int = 0
    """How many died or fell silent, over all resumes."""
    moved: int = 0
    """How many attempts others went on with for that reason."""
    kind: str = "processes"
    """What they were: `processes` of one machine, or actors on `ray`."""
    starting: float = 0.0
    """Seconds of all workers together until they could play: imports, and what an agent loads."""
    playing: float = 0.0
    """… with something to play."""
    storing: float = 0.0
    """… while what they had reported was being stored."""
    idle: float = 0.0
    """… with nothing to play."""

    def __add__(self, later: WorkerCounts) -> WorkerCounts:
        """Both together, of a run that went on."""
        summed = ("lost", "moved", "starting", "playing", "storing", "idle")
        return replace(later, **{name: getattr(self, name) + getattr(later, name) for name in summed})
