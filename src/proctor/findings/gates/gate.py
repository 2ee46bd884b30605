"""Parse the text of a gate into a `Gate`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proctor.errors import GateError
from proctor.settings import did_you_mean

COUNTS = ("failures", "cost", "latency")
"""Metrics that are counted or measured rather than estimated, and therefore compared exactly."""
OVER_K = ("pass_at_k", "pass_hat_k")
OF_BATTLES = ("held_rate", "consistency")
_BY_PEOPLE = ("pass_rate", "held_rate")
_RATES = ("pass_rate", "mean_score", *OF_BATTLES, *OVER_K, "category")
_KNOWN = (
    "pass_rate, mean_score, held_rate, consistency, pass_at_k:K, pass_hat_k:K, category:NAME, failures, cost, latency"
)

_BOUND = re.compile(
    r"(?P<metric>\w+)(?::(?P<detail>.+?))?\s*(?P<sign>>=|<=)\s*(?P<number>\S+(?:\s*%)?)(?P<people>\s+by\s+people)?"
)
_OTHER_SIGN = re.compile(r"(?P<metric>\w+(?::[^<>=]+?)?)\s*(?P<sign>>|<|==?|=>|=<)\s*(?P<number>[0-9.]+\s*%?)")
_NOT_WORSE = re.compile(r"not\s+worse\s+than\s+(?P<run>.+)\s+by\s+(?P<number>\S+(?:\s*(?:%|points?))?)", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?P<hundredths>%|points?)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """One condition that a run must meet."""

    text: str
    """The gate as the user wrote it."""
    metric: str = ""
    """pass_rate, mean_score, held_rate, consistency, pass_at_k, pass_hat_k, category, failures, cost or latency; empty
    for a comparison with a run."""
    category: str = ""
    k: int | None = None
    """The k of pass_at_k and pass_hat_k, or None for the k that is printed."""
    upper: bool = False
    """Whether the comparison is `<=` rather than `>=`."""
    bound: float = 0.0
    """The threshold, or the margin by which the run may be worse than the baseline."""
    baseline: str | None = None
    """The run that this one must not be worse than."""
    by_people: bool = False
    """Whether to decide on the pass rate by human labels rather than by the judge."""


def parse(text: str) -> Gate:
    """Parse a gate; raise GateError if it cannot be parsed or its bound is out of range."""
    worse = _NOT_WORSE.fullmatch(text.strip())
    if worse:
        return Gate(text=text, baseline=worse["run"], bound=_share(worse["number"], "the margin", text))
    found = _BOUND.fullmatch(text.strip())
    if not found:
        if near := _OTHER_SIGN.fullmatch(text.strip()):
            meant = f"{near['metric']}{'<=' if '<' in near['sign'] else '>='}{near['number']}"
            raise GateError(f"the gate {text!r} cannot be read: use >= or <=, as in {meant}")
        raise GateError(
            f"the gate {text!r} cannot be read; expected METRIC>=NUMBER or METRIC<=NUMBER with one of {_KNOWN}, "
            "or 'not worse than RUN by NUMBER'"
        )
    metric, detail, number = found["metric"], found["detail"], found["number"]
    _check_detail(metric, detail, text)
    if found["people"] and metric not in _BY_PEOPLE:
        raise GateError(f"the gate {text!r}: people's labels tell {' and '.join(_BY_PEOPLE)} alone, not {metric}")
    return Gate(
        text=text,
        metric=metric,
        category=detail if metric == "category" else "",
        k=int(detail) if detail and metric in OVER_K else None,
        upper=found["sign"] == "<=",
        by_people=found["people"] is not None,
        bound=_number(number, text) if metric in COUNTS else _share(number, metric, text),
    )


def _check_detail(metric: str, detail: str | None, text: str) -> None:
    if metric not in (*_RATES, *COUNTS):
        hint = did_you_mean(metric, (*_RATES, *COUNTS), otherwise=f"expected one of {_KNOWN}")
        raise GateError(f"the gate {text!r}: there is no metric {metric!r}; {hint}")
    if metric == "category" and not detail:
        raise GateError(f"the gate {text!r} does not say which category; expected category:NAME")
    if metric in OVER_K and detail and not (detail.isdecimal() and int(detail) >= 1):
        raise GateError(f"the gate {text!r}: k={detail!r} cannot be used; expected a whole number of at least 1")
    if detail and metric not in (*OVER_K, "category"):
        raise GateError(f"the gate {text!r}: {metric} takes no {detail!r} after a colon")


def _share(number: str, what: str, text: str) -> float:
    value = _number(number, text, share=True)
    if not 0 <= value <= 1:
        meant = f"; did you mean {value:g} % ({value / 100:g})?" if 1 < value <= 100 and "%" not in number else ""
        raise GateError(f"the gate {text!r}: {what} lies between 0 and 1, so {value:g} can decide nothing{meant}")
    return value


def _number(number: str, text: str, *, share: bool = False) -> float:
    """Parse a number such as `0.9` or `.9`; if `share` is set, also `90%`."""
    found = _NUMBER.fullmatch(number)
    if not found or (found["hundredths"] and not share):
        expected = "a number such as 0.9 or 90%" if share else "a number of at least 0"
        raise GateError(f"the gate {text!r}: {number!r} cannot be used; expected {expected}")
    value = float(found["digits"])
    return value / 100 if found["hundredths"] else value
