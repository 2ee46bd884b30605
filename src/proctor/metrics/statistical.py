"""Statistical modes that turn success rates into pass@k and pass^k: FrequentistMode, BayesianMode."""

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
"""Bit length up to which an integer still converts to a float."""


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
    """Base of the statistical modes FrequentistMode and BayesianMode."""

    method: str
    """Name of the method, as shown in results."""

    @abstractmethod
    def rates(self, counts: Sequence[tuple[int, int]], k: int) -> list[Rates]:
        """Return the rates for each (n, c): c of n ≥ 1 interactions are correct."""

    @abstractmethod
    def estimates(self, n: int, c: int, k: int) -> tuple[Estimate, Estimate]:
        """Estimate pass@k and pass^k over conversations, c of n ≥ 1 of which are fully correct."""


@dataclass(frozen=True)
class FrequentistMode(StatisticalMode):
    """Point estimates from p = c/n; summaries transform Wilson's interval by the same formulas."""

    method = "plug-in"

    def rates(self, counts: Sequence[tuple[int, int]], k: int) -> list[Rates]:
        """Return the point estimates at c/n, without intervals."""
        return [Rates(at_k=_at_k(n, c, k), hat_k=plug_in_hat_k(n, c, k)) for n, c in counts]

    def estimates(self, n: int, c: int, k: int) -> tuple[Estimate, Estimate]:
        """Return the estimates at c/n and at the ends of Wilson's interval.

        Both formulas increase with p, so the transformed interval keeps its coverage.
        """
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
    """Beta-Binomial posteriors with exact means and credible intervals, without sampling."""

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
        """Return posterior means and intervals for all conversations."""
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
        """Return pass@k and pass^k from the posterior of the share of fully correct conversations."""
        from proctor.statistics.bayes import estimates

        return estimates(n, c, k, a=self.beta_prior_a, b=self.beta_prior_b, level=self.ci_level)


def _at_k(n: int, c: int, k: int) -> float:
    """Return the plug-in pass@k without a negative zero."""
    return abs(plug_in_at_k(n, c, k))


def is_number(value: object) -> bool:
    """Whether the value is a finite number and not a bool."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isfinite(value) if isinstance(value, float) else value.bit_length() < _BITS
