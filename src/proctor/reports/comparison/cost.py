"""What a passed case costs and how soon the first token comes, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from proctor.findings.comparison import Compared
from proctor.findings.run import Findings
from proctor.findings.run.cost import cost_per_pass
from proctor.reports import numbers
from proctor.reports.numbers import passed_unit, per_pass
from proctor.run import Run


def division(run: Run) -> str:
    """What is divided by what."""
    if run.settings.type == "standard":
        return "the mean cost of an attempt ÷ the pass rate"
    return "the mean cost of a conversation ÷ the held rate"


def beside(compared: Compared) -> str:
    """`per passed case A 0.0021 (0.0018 – 0.0025), B …: the mean cost …`; empty where neither run used anything."""
    if not compared.a.usage and not compared.b.usage:
        return ""
    (a, b), run = compared.cost_per_pass, compared.b.run
    over = ", each over all of its own" if compared.is_narrowed else ""
    return f"per {passed_unit(run)} A {per_pass(a)}, B {per_pass(b)}: {division(run)}{over}"


def first_tokens(compared: Compared) -> str:
    """`A median 0.4 s, longest 0.9 s; B not measured`; empty where neither run was measured."""
    told = [numbers.first_token(compared.a), numbers.first_token(compared.b)]
    if not any(told):
        return ""
    a, b = (each or "not measured" for each in told)
    return f"A {a}; B {b}" + ("; each over all of its own" if compared.is_narrowed else "")


def are_priced(found: Sequence[Findings]) -> bool:
    """Whether any of these runs cost money."""
    return any(findings.usage.cost for findings in found)


def side_columns(found: Sequence[Findings]) -> dict[str, list[str]]:
    """What a passed case of each run costs and its median time to the first token, by header; only what is known."""
    columns = {}
    if are_priced(found):
        columns[f"per {passed_unit(found[0].run)}"] = [_pass_cell(findings) for findings in found]
    if any(findings.first_token is not None for findings in found):
        columns["first token"] = [first_token_cell(findings) for findings in found]
    return columns


def side_note(found: Sequence[Findings]) -> str:
    """What these columns are; empty where there are none."""
    priced = f"per {passed_unit(found[0].run)}: {division(found[0].run)}" if are_priced(found) else ""
    timed = any(findings.first_token is not None for findings in found)
    return "; ".join(filter(None, (priced, "first token: the median over attempts that stream" if timed else "")))


def first_token_cell(findings: Findings) -> str:
    """`0.4 s`, the median; a dash where it was not measured."""
    known = findings.first_token
    return numbers.NOTHING if known is None else numbers.duration(known.median)


def _pass_cell(findings: Findings) -> str:
    known = cost_per_pass(findings)
    return numbers.NOTHING if known.value is None else per_pass(known)
