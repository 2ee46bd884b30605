"""Compare the cost per passed case and the time to the first token."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.findings.comparison import Compared
from proctor.findings.run import Findings
from proctor.findings.run.cost import cost_per_pass
from proctor.reports import numbers
from proctor.reports.numbers import passed_unit, per_pass
from proctor.run import Run


def division(run: Run) -> str:
    """Describe how the cost per pass is computed."""
    if run.settings.type == "standard":
        return "the mean cost of an attempt ÷ the pass rate"
    return "the mean cost of a conversation ÷ the held rate"


def cost_per_pass_line(compared: Compared) -> str:
    """Format the costs side by side: `per passed case A 0.0021 (0.0018 – 0.0025), B …`; empty without usage."""
    if not compared.a.usage and not compared.b.usage:
        return ""
    (a, b), run = compared.cost_per_pass, compared.b.run
    over = ", each over all of its own" if compared.is_narrowed else ""
    return f"per {passed_unit(run)} A {per_pass(a)}, B {per_pass(b)}: {division(run)}{over}"


def first_tokens(compared: Compared) -> str:
    """Format the times to the first token: `A median 0.4 s, longest 0.9 s; B not measured`; empty if unmeasured."""
    times = [numbers.first_token(compared.a), numbers.first_token(compared.b)]
    if not any(times):
        return ""
    a, b = (each or "not measured" for each in times)
    return f"A {a}; B {b}" + ("; each over all of its own" if compared.is_narrowed else "")


def are_priced(found: Sequence[Findings]) -> bool:
    """Whether any of the runs has a cost."""
    return any(findings.usage.cost for findings in found)


def side_columns(found: Sequence[Findings]) -> dict[str, list[str]]:
    """Return known columns (header → cells): cost per passed case and median time to the first token."""
    columns = {}
    if are_priced(found):
        columns[f"per {passed_unit(found[0].run)}"] = [_pass_cell(findings) for findings in found]
    if any(findings.first_token is not None for findings in found):
        columns["first token"] = [first_token_cell(findings) for findings in found]
    return columns


def side_note(found: Sequence[Findings]) -> str:
    """Explain these columns; empty if there are none."""
    priced = f"per {passed_unit(found[0].run)}: {division(found[0].run)}" if are_priced(found) else ""
    timed = any(findings.first_token is not None for findings in found)
    return "; ".join(filter(None, (priced, "first token: the median over attempts that stream" if timed else "")))


def first_token_cell(findings: Findings) -> str:
    """Format the median time to the first token: `0.4 s`, or a dash if unmeasured."""
    known = findings.first_token
    return numbers.NOTHING if known is None else numbers.duration(known.median)


def _pass_cell(findings: Findings) -> str:
    known = cost_per_pass(findings)
    return numbers.NOTHING if known.value is None else per_pass(known)
