"""What calls to models cost: Usage."""

from __future__ import annotations

from dataclasses import dataclass


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

    def __bool__(self) -> bool:
        """Whether anything was used at all."""
        return bool(self.input_tokens or self.output_tokens or self.calls or self.cost is not None)

    def __add__(self, other: Usage) -> Usage:
        """Both together; the cost is unknown as soon as either's is."""
        if not other:
            return self
        if not self:
            return other
        unknown = self.cost is None or other.cost is None
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            cost=None if unknown else (self.cost or 0.0) + (other.cost or 0.0),
        )

    def __sub__(self, other: Usage) -> Usage:
        """What is left of it without the other, which is a part of it."""
        if not other:
            return self
        unknown = self.cost is None or other.cost is None
        return Usage(
            input_tokens=max(0, self.input_tokens - other.input_tokens),
            output_tokens=max(0, self.output_tokens - other.output_tokens),
            calls=max(0, self.calls - other.calls),
            cost=None if unknown else max(0.0, (self.cost or 0.0) - (other.cost or 0.0)),
        )
