"""How a run that stopped goes on: the command, with a larger budget where the old one was spent."""

from __future__ import annotations

import math

from proctor.findings.run import Findings
from proctor.findings.run.circumstances import LONGER, fewer_at_once

_MORE = 1.5
"""How much larger than the old one a budget is at least, and than what the rest would take at the rate so far."""


def command(findings: Findings) -> str:
    """`proctor resume RUN`, with options where it would stop again at once, or not go on, without them."""
    run = findings.run
    rest = ["--to-the-end"] if run.cut else []
    return " ".join([f"proctor resume {run.id}", *rest, *_means(findings)])


def explain(findings: Findings) -> str:
    """What that command does; before the first attempt is over, nobody knows what the rest will take."""
    if _means(findings) and not _done(findings):
        return "enough for the next call; what all of them take is not known yet"
    return "continues the run; what was answered is not asked again"


def retry_command(findings: Findings) -> str:
    """The command that plays again what did not answer in time, with more time and fewer at once; empty: none did."""
    late = next(iter(findings.circumstances.timeouts), None)
    if late is None or findings.run.imported is not None:
        return ""
    again = ["--retry-timeouts"] if late.stage == "agent" else []
    fewer = [f"--concurrency {fewer_at_once(late)}"] if late.concurrency > 1 and not late.limited else []
    return " ".join([f"proctor resume {findings.run.id}", *again, *fewer, f"--timeout {LONGER * late.seconds:g}"])


def _means(findings: Findings) -> list[str]:
    """What a budget that was spent has to be raised to, about."""
    settings, used, stop = findings.run.settings, findings.usage, findings.run.stop
    if stop is None or stop.kind != "budget":
        return []
    means = []
    if settings.budget is not None:
        means.append(f"--budget {_raised_limit(max(settings.budget, stop.cost), used.least, findings):g}")
    if settings.max_tokens is not None:
        spent = used.input_tokens + used.output_tokens
        means.append(f"--max-tokens {math.ceil(_raised_limit(max(settings.max_tokens, stop.tokens), spent, findings))}")
    return means


def _done(findings: Findings) -> int:
    """Attempts that tell what one takes."""
    return findings.counts.played - findings.counts.failed_by_environment


def _raised_limit(least: float, spent: float, findings: Findings) -> float:
    """Enough for the whole at the rate so far, with some room, rounded up to two digits."""
    done = _done(findings)
    needed = _MORE * max(least, spent / done * findings.counts.planned if done else 2 * least)
    digit = 10.0 ** (math.floor(math.log10(needed)) - 1) if needed > 0 else 1.0
    return math.ceil(needed / digit - 1e-9) * digit
