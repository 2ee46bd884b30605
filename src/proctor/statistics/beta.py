"""The Beta distribution where SciPy is too slow or too inaccurate: quantiles and mean powers to 1e-10."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

_SHIFT = 16
"""From this argument on, Stirling's series is exact to machine precision; below, factors are simply multiplied."""


def log_mean_power(a: Floats, b: Floats, k: int) -> Floats:
    """log E[p^k] for p ~ Beta(a, b), which is log B(a+k, b)/B(a, b), to full relative precision.

    For small k, the sum of log((a+j)/(a+b+j)). Otherwise, `a` is increased by the recurrence of the ratio, and
    Stirling's formula is applied with the large terms cancelled analytically, so that all terms are of the result's
    magnitude: differences of log-gammas would lose eight digits at n = 10⁷.
    """
    total = np.zeros_like(a)
    if k <= _SHIFT:
        for j in range(k):
            total += _log_ratio(a + j, b)
        return total
    for j in range(_SHIFT):
        total -= np.log1p(b * k / ((a + j) * (a + b + k + j)))
    return total + _stirling(a + _SHIFT, b, k)


def _stirling(a: Floats, b: Floats, k: int) -> Floats:
    """log Γ(a+k)Γ(a+b)/(Γ(a)Γ(a+b+k)) for a ≥ 16."""
    main = (a - 0.5) * np.log1p(b * k / (a * (a + b + k))) + k * _log_ratio(a + k, b) + b * _log_ratio(a + b, float(k))
    return main + (_rest(a + k) - _rest(a)) - (_rest(a + b + k) - _rest(a + b))


def _rest(x: Floats) -> Floats:
    """Return the remainder of Stirling's formula for log Γ(x)."""
    y = 1 / (x * x)
    terms = 1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y * (1 / 1188 - y * (691 / 360360)))))
    return terms / x


def _log_ratio(x: Floats, step: Floats | float) -> Floats:
    """log(x/(x+step)), by log1p if the ratio is near 1."""
    return np.where(step < x, np.log1p(-step / (x + step)), np.log(x / (x + step)))


def quantiles(a: Floats, b: Floats, tail: float) -> tuple[Floats, Floats]:
    """Return q and 1 − q to full relative precision, where q is the quantile of Beta(a, b) at lower tail `tail`.

    A `tail` above one half means the upper tail 1 − tail. Newton's method, carried to third order, on the smaller of
    the two tails and of q and 1 − q, starting from approximation 26.5.22 of Abramowitz & Stegun (1964). For a or b
    below 1, where the density has a pole, SciPy's own inverse is used.
    """
    pole = np.minimum(a, b) < 1
    swap = a > b
    small = np.zeros_like(a)
    for rows, first, second, lower in ((~swap & ~pole, a, b, tail < 0.5), (swap & ~pole, b, a, tail >= 0.5)):
        small[rows] = _quantile(first[rows], second[rows], min(tail, 1 - tail), lower)
    q, rest = np.where(swap, 1 - small, small), np.where(swap, small, 1 - small)
    q[pole], rest[pole] = special.betaincinv(a[pole], b[pole], tail), special.betainccinv(b[pole], a[pole], tail)
    return q, rest


def _quantile(a: Floats, b: Floats, tail: float, lower: bool) -> Floats:
    x = _start(a, b, tail, lower)
    norm = special.betaln(a, b)
    active = np.arange(a.size)
    for _ in range(60):
        if not active.size:
            break
        at, first, second = x[active], a[active], b[active]
        step = _step(first, second, at, norm[active], tail, lower)
        x[active] = at + np.clip(step, -at / 2, (1 - at) / 2)
        # The remaining error is of the order of the fourth power of the step, in standard deviations.
        spread = np.sqrt(at * (1 - at) / (first + second))
        active = active[np.abs(step) > 1e-4 * np.minimum(spread, at)]
    return x


def _start(a: Floats, b: Floats, tail: float, lower: bool) -> Floats:
    """Return an initial approximation, for a, b ≥ 1."""
    z = float(special.ndtri(tail)) * (1.0 if lower else -1.0)
    ra, rb = 1 / (2 * a - 1), 1 / (2 * b - 1)
    h = 2 / (ra + rb)
    lam = (z * z - 3) / 6
    w = -z * np.sqrt(h + lam) / h - (rb - ra) * (lam + 5 / 6 - 2 / (3 * h))
    x: Floats = np.clip(a / (a + b * np.exp(2 * w)), 1e-300, 1 - 1e-16)
    return x


def _step(a: Floats, b: Floats, x: Floats, norm: Floats, tail: float, lower: bool) -> Floats:
    """Return the step from x to the quantile: a short one by the inverse series to third order, else Halley's."""
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - norm)
    short = tail - special.betainc(a, b, x) if lower else _upper(a, b, x) - tail
    newton = short / np.maximum(density, 1e-300)
    slope = (a - 1) / x - (b - 1) / (1 - x)
    bend = slope * slope - ((a - 1) / (x * x) + (b - 1) / ((1 - x) * (1 - x)))
    turn = slope * newton / 2
    series = newton * (1 - turn + (slope * slope / 2 - bend / 6) * newton * newton)
    halley = newton / (1 + np.clip(turn, -0.5, 0.5))
    return np.where(np.abs(turn) < 0.05, series, halley)


def _upper(a: Floats, b: Floats, x: Floats) -> Floats:
    """Return the upper tail; SciPy's `betaincc` is five times slower, and used only if 1 − x would lose digits."""
    tail: Floats = np.asarray(special.betainc(b, a, 1 - x), dtype=np.float64)
    tiny = x < 0.01
    tail[tiny] = special.betaincc(a[tiny], b[tiny], x[tiny])
    return tail
