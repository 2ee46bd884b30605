"""Held to forty digits of decimal arithmetic, so that nothing but the paper's formulas is believed."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

import numpy as np
import pytest

from proctor.statistics.beta import log_mean_power, quantiles

D = Decimal


@contextmanager
def forty_digits() -> Iterator[None]:
    with localcontext() as context:
        context.prec = 45
        yield


def log_gamma(x: Decimal) -> Decimal:
    product = D(1)
    while x < 60:
        product *= x
        x += 1
    bernoulli = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798)]
    bernoulli += [(-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6)]
    rest = sum(
        (D(p) / (D(q) * (2 * i) * (2 * i - 1) * x ** (2 * i - 1)) for i, (p, q) in enumerate(bernoulli, 1)), D(0)
    )
    half_log_two_pi = D("0.918938533204672741780329736405617639861397473637783412817151540482765695927")
    return (x - D("0.5")) * x.ln() - x + half_log_two_pi + rest - product.ln()


def cumulative(a: Decimal, b: Decimal, x: Decimal) -> Decimal:
    if x > (a + 1) / (a + b + 2):
        return 1 - cumulative(b, a, 1 - x)
    front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1 - x).ln()).exp() / a
    c, d = D(1), 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + numerator * d), 1 + numerator / c
            total *= c * d
        if abs(c * d - 1) < D(10) ** -35:
            return front * total
    raise AssertionError("the continued fraction did not settle")


def quantile(a: Decimal, b: Decimal, tail: Decimal, start: float) -> Decimal:
    x = D(start)
    for _ in range(3):
        density = ((a - 1) * x.ln() + (b - 1) * (1 - x).ln() + log_gamma(a + b) - log_gamma(a) - log_gamma(b)).exp()
        x -= (cumulative(a, b, x) - tail) / density
    return x


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1), (4, 1), (8, 4), (1, 2501), (2, 9), (31, 970), (959, 16), (501, 501), (50_001, 150_001),
        (10, 10_000_000), (9_000_000, 1_000_000), (10_000_001, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tail", [0.025, 0.975])
def test_quantiles_and_what_is_left_are_right_to_thirteen_digits(a: int, b: int, tail: float) -> None:
    q, rest = (float(found[0]) for found in quantiles(np.array([float(a)]), np.array([float(b)]), tail))
    with forty_digits():
        # An upper tail is 1 − 0.975 as a float, which is not quite a fortieth.
        exact = D(tail) if tail < 0.5 else 1 - D(1 - tail)
        true = quantile(D(a), D(b), exact, q)
        assert abs(float((D(q) - true) / true)) < 1e-13
        assert abs(float((D(rest) - (1 - true)) / (1 - true))) < 1e-13


def test_quantiles_of_a_flat_prior_are_closed_forms() -> None:
    b = np.array([1.0, 2.0, 11.0, 1001.0, 1e7])
    q, rest = quantiles(np.ones_like(b), b, 0.025)
    assert q == pytest.approx(-np.expm1(np.log1p(-0.025) / b), rel=1e-14)
    assert rest == pytest.approx(0.975 ** (1 / b), rel=1e-14)


def test_quantiles_hold_for_priors_below_one() -> None:
    q, _ = quantiles(np.array([0.5]), np.array([0.5]), 0.025)
    assert q[0] == pytest.approx(np.sin(np.pi * 0.025 / 2) ** 2, rel=1e-13)


def test_quantiles_of_the_thinnest_priors_are_numbers_in_order() -> None:
    rng = np.random.default_rng(1)
    a, b = 10 ** rng.uniform(-2, 6, 2000), 10 ** rng.uniform(-2, 6, 2000)
    before = np.zeros(2000)
    for tail in (1e-6, 0.025, 0.4, 0.5, 0.975, 1 - 1e-6):
        q, rest = quantiles(a, b, tail)
        assert np.all((before <= q) & (q <= 1) & (rest >= 0) & (rest <= 1))
        before = q


def test_quantiles_mirror() -> None:
    a, b = np.array([3.0, 40.0, 700.5]), np.array([9.0, 2.0, 0.75])
    q, rest = quantiles(a, b, 0.1)
    mirrored, mirrored_rest = quantiles(b, a, 0.9)
    assert mirrored == pytest.approx(rest, rel=1e-13)
    assert mirrored_rest == pytest.approx(q, rel=1e-13)


@pytest.mark.parametrize("n", [1, 10, 1000, 10_000_000])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("k", [1, 2, 16, 17, 300, 10_000])
def test_the_mean_power_is_the_product_of_fractions(n: int, share: float, k: int) -> None:
    a, b = 1 + round(share * n), 1 + n - round(share * n)
    found = float(log_mean_power(np.array([float(a)]), np.array([float(b)]), k)[0])
    exact = Fraction(prod(range(a, a + k)), prod(range(a + b, a + b + k)))
    with forty_digits():
        true = (D(exact.numerator) / D(exact.denominator)).ln()
        assert abs(float((D(found) - true) / true)) < 1e-14


def test_the_mean_power_holds_for_parameters_that_are_not_whole() -> None:
    a, b, k = 0.5, 2.25, 40
    exact = prod(Fraction(a) + j for j in range(k)) / prod(Fraction(a) + Fraction(b) + j for j in range(k))
    assert np.exp(log_mean_power(np.array([a]), np.array([b]), k)[0]) == pytest.approx(float(exact), rel=1e-13)
