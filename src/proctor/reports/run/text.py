"""Render the terminal report."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.findings.gates import GateVerdict
from proctor.findings.run import Findings, ProblemGroup, stability
from proctor.findings.run.circumstances import LONGER, fewer_at_once
from proctor.reports import gates as said_gates
from proctor.reports import numbers, outcomes
from proctor.reports.battle.words import contradictions, replies
from proctor.reports.checks import terminal_table, what_passes
from proctor.reports.conditions import faults_sentence
from proctor.reports.headline import HeadlineLine, exam_noun, headline, median_scores, noun_of
from proctor.reports.panel import by_judge
from proctor.reports.run.opening import opening
from proctor.reports.run.worst import worst
from proctor.reports.terminal import (
    INDENT,
    LABEL,
    STYLES,
    WIDE_LABEL,
    ListCut,
    Page,
    draw_estimate,
    estimates,
    facts,
    outcome_text,
    page_table,
)
from proctor.reports.words import clean, full_line, one_line, shorten
from proctor.run import Run

_REASONS = 5
_LONGEST_PART = 18
_GAP = "   "
_MEANINGS = {
    "Pass rate": "replies that passed, conversation by conversation.",
    "Held rate": "conversations without a failed reply.",
    "Consistency": "replies that contradict no earlier one.",
}
"""Meaning of the rates of a battle."""


def render(
    findings: Findings,
    *,
    html: Path | None = None,
    k: int | None = None,
    gates: Sequence[GateVerdict] = (),
    every: bool = False,
) -> RenderableType:
    """Render the report for a terminal.

    `html` is the path of the HTML report, `k` selects the pass@k and pass^k shown, and `every` shows lists in full.
    """
    cut = ListCut(command=f"proctor show {findings.run.id} --all", every=every)
    return Page(lambda width: _report(findings, width, cut, html=html, k=k, gates=gates))


def _report(
    findings: Findings,
    width: int,
    cut: ListCut,
    *,
    html: Path | None,
    k: int | None,
    gates: Sequence[GateVerdict],
) -> Iterator[RenderableType]:
    yield from _title(findings, width)
    lines = headline(findings, k=k)
    shown = _with_parts(lines, findings)
    label = max(LABEL if findings.battle is None else WIDE_LABEL, *(len(line.label) for line in shown))
    if any(line.estimate.value is not None for line in lines):
        yield from estimates(shown, width, label=label)
    else:  # a table of dashes with every value possible would be useless
        lines = []
        yield Padding(Text("Nothing was counted: no attempt has a verdict or a score.", style="dim"), INDENT)
    yield from _facts(findings, lines, label)
    yield from _gates(gates)
    yield from _battle(findings, width)
    yield from _orchestration(findings, width)
    yield from _conditions(findings, width, cut)
    yield from _categories(findings, width)
    yield from by_judge(findings.judges, width)
    yield from terminal_table(findings.checks, width, cut)
    yield from worst(findings, width, cut)
    yield from _troubles(findings.troubles, cut)
    yield from _notes(findings.notes)
    yield from _ends(findings, html)


def _with_parts(lines: Sequence[HeadlineLine], findings: Findings) -> list[HeadlineLine]:
    """Return the headline, with the parts of the score below the mean score."""
    shown: list[HeadlineLine] = []
    for line in lines:
        shown += [line, *_parts(findings)] if line.estimate is findings.mean_score else [line]
    return shown


def _parts(findings: Findings) -> Iterator[HeadlineLine]:
    """Yield the parts of the score, indented."""
    for name, part in findings.parts.items():
        part_text = numbers.say(
            part, "score", noun=noun_of(findings.run), conditions=findings.run.settings.rated_conditions
        )
        yield HeadlineLine(label=f"  {one_line(name, _LONGEST_PART)}", estimate=part, unit="score", said=part_text)


def _title(findings: Findings, width: int) -> Iterator[RenderableType]:
    run, where = findings.run, outcomes.of_run(findings)
    status = Text.assemble(outcome_text(where, where.word), f"  {numbers.duration(run.seconds)}" if run.seconds else "")
    title = Table.grid(padding=(0, 2), expand=True)
    title.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    title.add_column(justify="right", no_wrap=True)
    title.add_row(Text(one_line(f"{run.agent} on {run.benchmark}"), style="bold"), status)
    yield title
    named = f"{one_line(run.name)}, run {run.id}" if run.name not in ("", run.id) else f"run {run.id}"
    yield Text(f"{named}, {_describe_reviewer(run)}", style="dim")
    if note := faults_sentence(run):
        yield Text(note)
    if note := what_passes(findings):
        yield Text(note, style="dim")
    if run.reason:
        yield Text(f"Stopped: {one_line(run.reason)}", style=STYLES[where.style])
    yield Text()
    if sentences := opening(findings):
        yield Text(" ".join(sentences))
        yield Text()
    yield Padding(_verdicts(findings, width - INDENT[-1]), INDENT)
    yield Text()


def _describe_reviewer(run: Run) -> str:
    examined = f"examined by {one_line(run.settings.examiner)}, " if run.settings.examiner else ""
    reviewer = run.settings.reviewer
    return examined + ("checks alone" if reviewer is None else f"reviewed by {one_line(reviewer)}")


def _verdicts(findings: Findings, width: int) -> Text:
    """`✓ 21 passed   ✗ 3 not passed   ≈ 4 flaky   ? 2 unscored`: every case, script or seed once, no piece broken."""
    counts = outcomes.count_by_outcome(findings.cases)
    shown = [kind for kind in outcomes.OF_CASES if counts.get(kind.name) or kind is outcomes.PASSED]
    pieces = [outcome_text(kind, f"{numbers.whole(counts.get(kind.name, 0))} {kind.word}") for kind in shown]
    of = [] if findings.battle is None else [Text(f"{exam_noun(findings.run).capitalize()}s:")]
    lines: list[Text] = []
    for piece in (*of, *pieces):
        if lines and lines[-1].cell_len + len(_GAP) + piece.cell_len <= width:
            lines[-1].append(_GAP).append_text(piece)
        else:
            lines.append(piece.copy())
    return Text("\n").join(lines)


def _facts(findings: Findings, lines: Sequence[HeadlineLine], label: int) -> Iterator[RenderableType]:
    """Yield further figures: what is missing, failures, time, usage."""
    rows = {
        "Median score": median_scores(findings),
        **_of_battle(findings),
        "Stability": numbers.stable(stability(findings)),
        "Missing": _missing(lines),
        "Failures": _failures(findings),
        "Time": numbers.latency(findings),
        "First token": numbers.first_token(findings),
        "Usage": numbers.usage(findings.usage),
        "Workers": numbers.workers(findings.run.workers),
        "Their time": numbers.workers_time(findings.run.workers),
        "Canaries": numbers.canaries(findings.run),
        "Sent to": "\n".join(f"{name}: {clean(link)}" for name, link in findings.run.sent.items()),
    }
    yield from facts(rows, label=label)
    if findings.battle is not None and lines:
        meant = (f"{line.label}: {_MEANINGS[line.label]}" for line in lines if line.label in _MEANINGS)
        yield Padding(Text(" ".join(meant), style="dim"), INDENT)
    yield Text()


def _of_battle(findings: Findings) -> dict[str, str]:
    if findings.battle is None:
        return {}
    return {"Replies": replies(findings.battle), "Contradictions": contradictions(findings.battle)}


def _missing(lines: Sequence[HeadlineLine]) -> str:
    """Describe what is missing, and how it could change the estimates."""
    bounded = [line for line in lines if line.said.bounds]
    lacking = ", ".join(dict.fromkeys(line.said.missing for line in bounded))
    return "\n".join([lacking, *(f"{line.label:<{LABEL}}  {line.said.bounds}" for line in bounded)])


def _failures(findings: Findings) -> str:
    counts, faulted_counts = findings.compared_counts, findings.faulted_counts
    summary = numbers.failures(counts)
    if lacking := outcomes.missing_marks(findings):
        summary += f" · {numbers.plural(lacking, 'score')} missing"
    if faulted_counts is None or not (faulted_counts.failed + faulted_counts.unscored + faulted_counts.pending):
        return summary
    return f"{summary}\nunder injected faults: {numbers.failures(faulted_counts)}"


def _gates(verdicts: Sequence[GateVerdict]) -> Iterator[RenderableType]:
    if not verdicts:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for verdict in verdicts:
        outcome = said_gates.OUTCOMES[verdict.verdict]
        gate_text = Text(one_line(verdict.gate.text), style="bold")
        table.add_row(
            outcome_text(outcome, outcome.word), gate_text.append(f"\n{said_gates.sentence(verdict)}", style="not bold")
        )
    yield Text("Gates", style="dim")
    yield Padding(table, INDENT)
    yield Text()


def _battle(findings: Findings, width: int) -> Iterator[RenderableType]:
    if findings.battle is not None:
        from proctor.reports.battle.text import sections

        yield from sections(findings.battle, width, findings.run.id)


def _orchestration(findings: Findings, width: int) -> Iterator[RenderableType]:
    if findings.orchestration is not None:
        from proctor.reports.orchestration import terminal_section

        yield from terminal_section(findings.orchestration, width, conditions=len(findings.run.settings.conditions))


def _conditions(findings: Findings, width: int, cut: ListCut) -> Iterator[RenderableType]:
    if findings.conditions:
        from proctor.reports.conditions import side_by_side

        yield from side_by_side(findings, width, cut)
    if findings.lies:
        from proctor.reports.lies import lie_table

        yield from lie_table(findings.lies, width)


def _categories(findings: Findings, width: int) -> Iterator[RenderableType]:
    if not findings.categories:
        return
    marked = findings.mean_score.value is not None
    table = page_table(width)
    table.add_column("By category", ratio=1, no_wrap=True, overflow="ellipsis", min_width=8)
    for header in ("pass rate", "", "", "passed", *(("score",) if marked else ())):
        table.add_column(header, justify="right", no_wrap=True)
    axis = max(8, min(24, width - 56))
    for name, category in findings.categories.items():
        rate, mark = numbers.say(category.pass_rate), numbers.say(category.mean_score, "score")
        table.add_row(
            Text(one_line(name)), rate.value, draw_estimate(category.pass_rate, axis), rate.interval,
            numbers.passed_of(category), *((mark.value,) if marked else ()),
        )  # fmt: skip
    yield table
    yield Text()


def _troubles(troubles: Sequence[ProblemGroup], cut: ListCut) -> Iterator[RenderableType]:
    for owner, heading in outcomes.TROUBLE_HEADINGS.items():
        inside = [trouble for trouble in troubles if trouble.owner == owner]
        if not inside:
            continue
        yield outcome_text(outcomes.TROUBLES[owner], heading)
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for trouble in cut.shown(inside, _REASONS):
            table.add_row(f"{numbers.whole(trouble.count)} ×", _reason(trouble, every=cut.every))
        yield Padding(table, INDENT)
        yield from cut.rest(inside, _REASONS, noun="reasons")
        yield Text()


def _reason(trouble: ProblemGroup, *, every: bool) -> Text:
    under = f"{faults}, " if (faults := outcomes.under_faults(trouble)) else ""
    example = outcomes.which(trouble.example, under=len(trouble.conditions) != 1 or not under)
    reason = Text(
        f"{outcomes.in_stage(trouble)}: {full_line(trouble.reason) if every else shorten(trouble.reason, 240)}"
    )
    return reason.append(f"  {under}e.g. {example}", style="dim")


def _notes(notes: Sequence[str]) -> Iterator[RenderableType]:
    for note in notes:
        yield Text(clean(note))
    if notes:
        yield Text()


def _ends(findings: Findings, html: Path | None) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    if html is not None:
        table.add_row("Report", Text(clean(str(html)), style="bold"))
    command, why = next_command(findings, html=html)
    table.add_row("Next", Text(command, style="bold").append(f"  {why}", style="dim not bold"))
    yield table


def next_command(findings: Findings, *, html: Path | None = None) -> tuple[str, str]:
    """Return the suggested next command, and its purpose."""
    run = findings.run
    if run.status == "running":
        return f"proctor show {run.id}", "for newer numbers"
    if run.imported is None and (run.status != "completed" or not findings.complete):
        return resume_command(findings), explain_resume(findings)
    if again := retry_command(findings):
        return again, "repeats what timed out"
    if findings.untested:
        return f"proctor show {run.id} --case {shlex.quote(clean(findings.cases[0].id))}", "why it is no test"
    worst_case = next(iter(outcomes.worst_first(findings.cases)), None)
    if worst_case is not None and worst_case.verdict in ("fail", "flaky"):
        return f"proctor show {run.id} --case {shlex.quote(clean(worst_case.id))}", "the worst case"
    if html is None:
        return f"proctor export {run.id} --format html -o report.html", "every reply, to read and to send"
    if run.settings.most_trials == 1:
        agent = shlex.quote(clean(run.agent))
        return f"proctor run FILE --agent {agent} --trials 3", "shows whether it is consistent"
    return f"proctor export {run.id} --format csv -o results.csv", "every attempt, for a spreadsheet"


_MORE = 1.5
"""Minimum factor by which to raise a budget, and the margin on the estimated need."""


def resume_command(findings: Findings) -> str:
    """Return `proctor resume RUN`, with the options without which it would stop at once or not continue."""
    run = findings.run
    rest = ["--to-the-end"] if run.cut else []
    return " ".join([f"proctor resume {run.id}", *rest, *_raised_limit_options(findings)])


def explain_resume(findings: Findings) -> str:
    """Explain that command; before the first attempt is done, the total need is unknown."""
    if _raised_limit_options(findings) and not _done(findings):
        return "enough for the next call; what all of them take is not known yet"
    return "continues the run; what was answered is not asked again"


def retry_command(findings: Findings) -> str:
    """Return the command that repeats timed-out attempts with more time and less concurrency; empty if none."""
    late = next(iter(findings.circumstances.timeouts), None)
    if late is None or findings.run.imported is not None:
        return ""
    again = ["--retry-timeouts"] if late.stage == "agent" else []
    fewer = [f"--concurrency {fewer_at_once(late)}"] if late.concurrency > 1 and not late.limited else []
    return " ".join([f"proctor resume {findings.run.id}", *again, *fewer, f"--timeout {LONGER * late.seconds:g}"])


def _raised_limit_options(findings: Findings) -> list[str]:
    """Return the options that raise an exhausted budget to the estimated need."""
    settings, used, stop = findings.run.settings, findings.usage, findings.run.stop
    if stop is None or stop.kind != "budget":
        return []
    options = []
    if settings.budget is not None:
        options.append(f"--budget {_raised_limit(max(settings.budget, stop.cost), used.least, findings):g}")
    if settings.max_tokens is not None:
        spent = used.input_tokens + used.output_tokens
        options.append(
            f"--max-tokens {math.ceil(_raised_limit(max(settings.max_tokens, stop.tokens), spent, findings))}"
        )
    return options


def _done(findings: Findings) -> int:
    """Return the number of attempts from which the need is estimated."""
    return findings.counts.played - findings.counts.failed_by_environment


def _raised_limit(least: float, spent: float, findings: Findings) -> float:
    """Estimate the need of the whole run with a margin, rounded up to two digits."""
    done = _done(findings)
    needed = _MORE * max(least, spent / done * findings.counts.planned if done else 2 * least)
    digit = 10.0 ** (math.floor(math.log10(needed)) - 1) if needed > 0 else 1.0
    return math.ceil(needed / digit - 1e-9) * digit
