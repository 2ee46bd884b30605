"""pass@k and pass^k: at least one right in k tries, all right in k tries."""

from __future__ import annotations

from math import comb


def pass_at_k(m: int, c: int, k: int) -> float:
    """Unbiased 1 − C(m−c, k)/C(m, k) from c passes in m trials, k ≤ m (Chen et al. 2021)."""
    return 1.0 - comb(m - c, k) / comb(m, k)


def pass_hat_k(m: int, c: int, k: int) -> float:
    """Unbiased C(c, k)/C(m, k) from c passes in m trials, k ≤ m (Yao et al. 2024)."""
    return comb(c, k) / comb(m, k)
