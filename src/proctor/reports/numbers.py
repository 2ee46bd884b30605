"""Format numbers, the same for all renderings: no false precision, no bare percentage, no unknown as 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from proctor.findings.run import Findings, count_stability
from proctor.findings.run.canaries import canary_finding
from proctor.findings.run.findings import CategoryFinding, Counts, Latency
from proctor.run import Run
from proctor.statistics.estimate import Estimate
from proctor.usage import Usage, WorkerCounts

Unit = Literal["percent", "score"]
NOTHING = "–"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@dataclass(frozen=True, kw_only=True, slots=True)
class EstimateText:
    """The parts of a formatted estimate."""

    value: str
    """`87.8 %`, `0.87`, or – if unknown."""
    interval: str
    """`79 – 94`; if there is no value, the reason."""
    basis: str
    """The data it is based on: `30 cases × 3`."""
    missing: str
    """`5 attempts without a verdict`; empty if none is missing."""
    bounds: str
    """How those could change it: `74.4 % at worst, 80 % at best`."""

    @property
    def full(self) -> str:
        """All parts in one line."""
        value_text = f"{self.value} ({self.interval})" if self.interval else self.value
        bounds = f"{self.missing}: {self.bounds}" if self.bounds else ""
        return "; ".join(piece for piece in (value_text, self.basis, bounds) if piece)


def say(estimate: Estimate, unit: Unit = "percent", *, noun: str = "case", conditions: int = 1) -> EstimateText:
    """Format an estimate; `conditions` is the number of conditions pooled in it."""
    show = percent if unit == "percent" else score
    known = estimate.value is not None
    return EstimateText(
        value=NOTHING if estimate.value is None else show(estimate.value),
        interval=interval(estimate.low, estimate.high, unit) if known else estimate.note,
        basis=basis(estimate, noun=noun, conditions=conditions) if known else "",
        missing=missing(estimate, unit),
        bounds=bounds(estimate, unit),
    )


def percent(share: float) -> str:
    """Format a share: `87.8 %`; only exact values are shown as 0 or 100."""
    text = f"{100 * share:.1f}"
    if text == "100.0" and share < 1:
        text = "99.9"
    if text == "0.0" and share > 0:
        text = "0.1"
    return f"{text.removesuffix('.0')} %"


def score(value: float) -> str:
    """Format a score: `0.87`; only exact values are shown as 1.00 or 0.00."""
    text = f"{value:.2f}"
    if text == "1.00" and value < 1:
        return "0.99"
    if text == "0.00" and value > 0:
        return "0.01"
    return text


def interval(low: float | None, high: float | None, unit: Unit = "percent") -> str:
    """Format an interval: `79 – 94` in whole percent unless narrower than two; `0.81 – 0.92` for scores."""
    if low is None or high is None:
        return ""
    if unit == "score":
        return f"{low:.2f} – {high:.2f}"
    digits = 0 if high - low >= 0.02 else 1
    return f"{100 * low:.{digits}f} – {100 * high:.{digits}f}"


def basis(estimate: Estimate, *, noun: str = "case", conditions: int = 1) -> str:
    """Format the data of an estimate: `30 cases × 3`, `9 conversations of 3 seeds`, `30 cases, 88 attempts` if uneven.

    Several pooled conditions are shown as `30 cases × 2 conditions`, `30 cases × 3 × 2 conditions`.
    """
    cases = plural(estimate.n, noun)
    if estimate.clusters is not None:
        return f"{cases} of {plural(estimate.clusters, 'seed')}"
    if not estimate.n or estimate.attempts == estimate.n:
        return cases
    trials, uneven = divmod(estimate.attempts, estimate.n)
    if uneven:
        return f"{cases}, {plural(estimate.attempts, 'attempt')}"
    each, apart = divmod(trials, conditions)
    if conditions == 1 or apart:
        return f"{cases} × {trials}"
    return f"{cases}{f' × {each}' if each > 1 else ''} × {plural(conditions, 'condition')}"


def bounds(estimate: Estimate, unit: Unit = "percent") -> str:
    """Format the values if every missing attempt had failed, or passed; empty if none is missing."""
    if not estimate.missing or estimate.worst is None or estimate.best is None:
        return ""
    show = percent if unit == "percent" else score
    return f"{show(estimate.worst)} at worst, {show(estimate.best)} at best"


def missing(estimate: Estimate, unit: Unit = "percent") -> str:
    """Format the number missing: `5 attempts without a verdict`; empty if none is."""
    what = "verdict" if unit == "percent" else "score"
    return f"{plural(estimate.missing, 'attempt')} without a {what}" if estimate.missing else ""


def whole(number: int) -> str:
    """Format an integer: `12,345`."""
    return f"{number:,}"


def plural(number: int, noun: str) -> str:
    """Format a count with its noun: `1 case`, `2 cases`, `12,345 cases`."""
    return f"{whole(number)} {noun}{'' if number == 1 else 's'}"


def workers(counts: WorkerCounts | None) -> str:
    """Format the worker counts: `2 processes, 1 lost, 5 attempts moved to another`; empty without workers."""
    if counts is None:
        return ""
    worker_text = plural(counts.workers, "Ray worker")
    if counts.kind == "processes":
        worker_text = f"{whole(counts.workers)} process{'' if counts.workers == 1 else 'es'}"
    moved = f"{whole(counts.lost)} lost, {plural(counts.moved, 'attempt')} moved to another"
    return f"{worker_text}, {moved if counts.lost else 'none lost'}"


def workers_time(counts: WorkerCounts | None) -> str:
    """Format how the workers spent their time: `93 % playing, 7 % starting`; empty without workers."""
    if counts is None:
        return ""
    spent = {"playing": counts.playing, "starting": counts.starting, "storing": counts.storing, "idle": counts.idle}
    total = sum(spent.values())
    shares = (f"{round(100 * each / total)} % {what}" for what, each in spent.items() if each > 0.005 * total)
    return ", ".join(shares)


def say_judged(count: int, asked: int) -> str:
    """Format the replies judged in a battle: `2 of 14 replies judged`."""
    return f"{whole(count)} of {whole(asked)} {'reply' if asked == 1 else 'replies'} judged"


def duration(seconds: float | None) -> str:
    """Format a duration: `42 ms`, `1.4 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`."""
    if seconds is None:
        return NOTHING
    if round(seconds * 1000) < 1000:
        return f"{round(seconds * 1000)} ms" if seconds >= 0.0005 else "< 1 ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    total = round(seconds)
    if total < _MINUTE:
        return f"{total} s"
    if total < _HOUR:
        return f"{total // _MINUTE} min {total % _MINUTE:02d} s"
    if total < _DAY:
        return f"{total // _HOUR} h {total % _HOUR // _MINUTE:02d} min"
    return f"{total // _DAY} d {total % _DAY // _HOUR} h"


def cost(amount: float | None) -> str:
    """Format a cost: `1.24`, `0.0042`, or `unknown`, never 0 for that."""
    if amount is None:
        return "unknown"
    if amount >= 0.1 or amount == 0:
        return f"{amount:,.2f}"
    return f"{amount:.4f}" if amount >= 0.0001 else "< 0.0001"


def usage(used: Usage) -> str:
    """Format the usage: `12,345 tokens in, 2,345 out, cost 1.24, 3 of 10 answers from the cache`; empty if none."""
    if not used:
        return ""
    partly = f", at least {cost(used.known_cost)}" if used.cost is None and used.known_cost else ""
    kept = (
        f", {whole(used.cached)} of {plural(used.calls + used.cached, 'answer')} from the cache" if used.cached else ""
    )
    sums = f"{whole(used.input_tokens)} tokens in, {whole(used.output_tokens)} out"
    return f"{sums}, cost {cost(used.cost)}{partly}{kept}"


def failures(counts: Counts) -> str:
    """Format the failure counts: `2 agent · 1 environment · 0 unscored · 3 not run yet`."""
    pieces = [
        f"{whole(counts.failed_by_agent)} agent",
        f"{whole(counts.failed_by_environment)} environment",
        f"{whole(counts.unscored)} unscored",
    ]
    return " · ".join([*pieces, f"{whole(counts.pending)} not run yet"] if counts.pending else pieces)


def canaries(run: Run) -> str:
    """Format the canary results: `30 of 30 right: an error rate of at most 9.5 % (95 %)`; empty without canaries."""
    found = canary_finding(run)
    if found is None:
        return ""
    if found.bound is None:
        return f"none of {whole(found.planned)} judged"
    bound = f"an error rate of at most {percent(found.bound)}"
    drift = "" if not found.changed else f"; {whole(found.changed)} changed since run {found.since}"
    return f"{whole(found.right)} of {whole(found.judged)} right: {bound} (95 %){drift}"


def stable(named: Mapping[str, str] | None) -> str:
    """`with more trials, likely 24 stable pass · 1 flaky; 5 unsure`; empty where the trials are too few."""
    counts = {} if named is None else count_stability(named)
    unsure = counts.pop("unsure", 0)
    likely = " · ".join(f"{whole(count)} {name.replace('-', ' ')}" for name, count in counts.items() if count)
    pieces = [f"with more trials, likely {likely}" if likely else "", f"{whole(unsure)} unsure" if unsure else ""]
    return "; ".join(filter(None, pieces))


def latency(findings: Findings) -> str:
    """Format the latency: `median 1.2 s, 95 % under 3.4 s, longest 5.0 s`; empty if not measured."""
    return _times(findings.latency)


def first_token(findings: Findings) -> str:
    """Format the time to the first token likewise; empty if not measured."""
    return _times(findings.first_token)


def _times(known: Latency | None) -> str:
    if known is None:
        return ""
    tail = f"95 % under {duration(known.p95)}, " if known.p95 is not None else ""
    return f"median {duration(known.median)}, {tail}longest {duration(known.maximum)}"


def exact(moment: float) -> str:
    """Format a time: `2026-11-15 02:46 UTC`."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def iso(moment: float) -> str:
    """Format a time in ISO 8601: `2026-11-15T02:46:10Z`."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"


def ago(moment: float, now: float) -> str:
    """Format a time relative to now: `2 hours ago`; the exact time if long ago or in the future."""
    past = now - moment
    if past < -_MINUTE or past >= 30 * _DAY:
        return exact(moment)
    if past < _MINUTE:
        return "just now"
    for size, noun in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if past >= size:
            return f"{plural(int(past // size), noun)} ago"
    raise AssertionError("unreachable")


def passed_of(category: CategoryFinding) -> str:
    """Format the cases passed among those with a verdict: `3/4`."""
    return f"{category.passed}/{category.counted}" if category.counted else NOTHING


def format_signed(value: float, digits: int, *, plus: bool = True) -> str:
    """Format a number with its sign: `+6`, `−0.4`, `0`."""
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return f"−{text}" if value < 0 else f"+{text}" if plus else text


def points(share: float) -> str:
    """Format a share in points without its sign: `6 points`, `0.5 points`, `1 point`; only exact zero is shown as 0."""
    number = f"{100 * abs(share):.1f}".removesuffix(".0")
    if number == "0" and share:
        return "under 0.1 points"
    return f"{number} point{'' if number == '1' else 's'}"


def _span(low: float, high: float, unit: Unit, *, plus: bool = False) -> str:
    """Format an interval: `1 to 11`, with enough digits to distinguish both ends from 0."""
    scale, fewest = (1.0, 2) if unit == "score" else (100.0, 0 if high - low >= 0.02 else 1)
    for digits in range(fewest, fewest + 4):
        if all(round(abs(end * scale), digits) or not end for end in (low, high)):
            break
    return f"{format_signed(low * scale, digits, plus=plus)} to {format_signed(high * scale, digits, plus=plus)}"


def p_value(value: float | None) -> str:
    """Format a p-value: `p = 0.11`, `p = 0.041`, `p < 0.001`."""
    if value is None:
        return f"p = {NOTHING}"
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def difference_of(estimate: Estimate, unit: Unit = "percent") -> tuple[str, str]:
    """Format a difference and its interval: `+6` and `−1 to +13`."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return NOTHING, ""
    span = _span(estimate.low, estimate.high, unit, plus=True)
    if unit == "score":
        return format_signed(estimate.value, 2), span
    return format_signed(100 * estimate.value, 1).removesuffix(".0"), span


def passed_unit(run: Run) -> str:
    """Return the unit to which a cost refers, such as `passed case`."""
    return "passed case" if run.settings.type == "standard" else "held conversation"


def per_pass(estimate: Estimate) -> str:
    """Format the cost per pass: `0.0021 (0.0018 – 0.0025)`, or why it is unknown."""
    if estimate.value is None:
        return f"unknown: {estimate.note}"
    if estimate.low is None:
        return f"{cost(estimate.value)} ({estimate.note})"
    upper = "…" if estimate.high is None else cost(estimate.high)
    return f"{cost(estimate.value)} ({cost(estimate.low)} – {upper})"
