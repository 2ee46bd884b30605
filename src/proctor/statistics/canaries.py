"""How wrong a judge may be that was tried on replies whose verdict is known."""

from __future__ import annotations


def error_bound(judged: int, wrong: int, *, level: float = 0.95) -> float | None:
    """The highest error rate that is still in keeping with so many wrong verdicts; None: nothing was judged.

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
