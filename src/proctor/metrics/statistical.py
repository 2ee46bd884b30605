"""How a success rate becomes pass@k and pass^k: FrequentistMode, BayesianMode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from proctor.errors import InputError
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import wilson
from proctor.statistics.pass_at_k import plug_in_at_k, plug_in_hat_k

_BITS = 1000
"""Of a whole number that a float can still hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """pass@k and pass^k of one conversation, with intervals where the mode has them."""

    at_k: float
    hat_k: float
    at_k_low: float | None = None
    at_k_high: float | None = None
    hat_k_low: float | None = None
    hat_k_high: float | None = None


class StatisticalMode(ABC):
    """How the numbers are made. Pick FrequentistMode or BayesianMode."""

    method: str
    """What the numbers are called."""

    @abstractmethod
    def rates(self, counts: Sequence[tuple[int, int]], k: int) -> list[Rates]:
        """For each (n, c) with n ≥ 1, c right of n interactions."""

    @abstractmethod
    def estimates(self, n: int, c: int, k: int) -> tuple[Estimate, Estimate]:
        """pass@k and pass^k over conversations, c of n fully correct, n ≥ 1."""


@dataclass(frozen=True)
class FrequentistMode(StatisticalMode):
    """Point estimates: p = c/n put into the formulas. A summary has Wilson's interval put through them."""

    method = "plug-in"

    def rates(self, counts: Sequence[tuple[int, int]], k: int) -> list[Rates]:
        """The formulas at c/n, without intervals."""
        return [Rates(at_k=_at_k(n, c, k), hat_k=plug_in_hat_k(n, c, k)) for n, c in counts]

    def estimates(self, n: int, c: int, k: int) -> tuple[Estimate, Estimate]:
        """The formulas at c/n and at the ends of Wilson's interval: both rise with p, so they keep its coverage."""
        low, high = wilson(c / n, n)
        at_k = Estimate(
            value=_at_k(n, c, k), low=1 - (1 - low) ** k, high=1 - (1 - high) ** k,
            n=n, attempts=n, method=self.method,
        )  # fmt: skip
        hat_k = Estimate(
            value=plug_in_hat_k(n, c, k), low=low**k, high=high**k, n=n, attempts=n, method=self.method
        )  # fmt: skip
        return at_k, hat_k


@dataclass(frozen=True, kw_only=True)
class BayesianMode(StatisticalMode):
    """Beta-Binomial posteriors: exact means and credible intervals. Nothing is sampled."""

    beta_prior_a: float = 1.0
    beta_prior_b: float = 1.0
    ci_level: float = 0.95
    mc_samples: int | None = None
    """Accepted without effect: nothing is sampled."""
    rng_seed: int | None = None
    """Accepted without effect: nothing is sampled."""
    dirichlet_prior: float | None = None
    """Accepted without effect: rates have a Beta prior."""

    method = "posterior"

    def __post_init__(self) -> None:
        for name in ("beta_prior_a", "beta_prior_b"):
            value = getattr(self, name)
            if not is_number(value) or value <= 0:
                raise InputError(f"{name}={value!r} of BayesianMode; expected a positive number")
        if not is_number(self.ci_level) or not 0 < self.ci_level < 1:
            raise InputError(f"ci_level={self.ci_level!r} of BayesianMode; expected a number between 0 and 1, as 0.95")

    def rates(self, counts: Sequence[tuple[int, int]], k: int) -> list[Rates]:
        """Posterior means and intervals, all conversations at once."""
        from proctor.statistics.bayes import posterior

        if not counts:
            return []
        n, c = zip(*counts, strict=True)
        found = posterior(n, c, k, a=self.beta_prior_a, b=self.beta_prior_b, level=self.ci_level)
        columns = (found.at_k, found.hat_k, found.at_k_low, found.at_k_high, found.hat_k_low, found.hat_k_high)
        names = ("at_k", "hat_k", "at_k_low", "at_k_high", "hat_k_low", "hat_k_high")
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [Rates(**dict(zip(names, row, strict=True))) for row in rows]

    def estimates(self, n: int, c: int, k: int) -> tuple[Estimate, Estimate]:
        """The posterior of the share of fully correct conversations, put through the formulas."""
        from proctor.statistics.bayes import estimates

        return estimates(n, c, k, a=self.beta_prior_a, b=self.beta_prior_b, level=self.ci_level)


def _at_k(n: int, c: int, k: int) -> float:
    """Without the sign of −0.0, which nobody wants to read."""
    return abs(plug_in_at_k(n, c, k))


def is_number(value: object) -> bool:
    """A finite number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isfinite(value) if isinstance(value, float) else value.bit_length() < _BITS
