"""Render several runs side by side: summary sentence, terminal tables, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.comparison.many import ManyCompared, MatrixRow, PairFinding, RunStanding, letter
from proctor.findings.run import Findings
from proctor.reports import numbers, outcomes
from proctor.reports.comparison.cost import are_priced, side_columns, side_note
from proctor.reports.headline import noun_of
from proctor.reports.markup import plain as in_markdown
from proctor.reports.numbers import difference_of
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.run_names import join_names, run_names
from proctor.reports.terminal import STYLES, Page, cut_line, outcome_text, page_table
from proctor.reports.values import counts, estimate, plain
from proctor.reports.words import cell_text, one_line

_SHOWN = 15
_NAMED = 3
"""Maximum number of runs listed individually."""
HOLM = (
    "verdicts and p are corrected for the number of pairs (Holm), as among many some differ by chance; the intervals "
    "are not, nor is a comparison of just two of these runs, which may therefore show more"
)


def sentence(many: ManyCompared) -> str:
    """State which run is best, as far as the data show it."""
    if any(run.findings.pass_rate.value is None for run in many.runs):
        return f"Nothing can be said yet: of the {len(many.runs)} runs some have no verdict."
    first = [place for place, run in enumerate(many.runs) if run.best == 1]
    if len(first) == 1:
        [place] = first
        rate = numbers.say(many.runs[place].findings.pass_rate)
        if many.is_decided:
            return f"{_name(many, place)} is the best of {len(many.runs)}: {rate.value} ({rate.interval}) pass."
        return f"{_name(many, place)} is ahead, with {rate.value} ({rate.interval}), but not of all others for certain."
    if len(first) == len(many.runs):
        return f"These cases cannot tell the {len(many.runs)} runs apart."
    return f"No run is certainly the best: {join_names([_name(many, place) for place in first])} may each be first."


def opening(many: ManyCompared) -> list[str]:
    """State which runs are certainly behind, and on how many cases the runs disagree."""
    if any(run.findings.pass_rate.value is None for run in many.runs):
        return []
    return [*_behind(many), *_disagreement(many)]


def _behind(many: ManyCompared) -> Iterator[str]:
    behind = [place for place, run in enumerate(many.runs) if run.best > 1]
    if behind and len(behind) < len(many.runs):
        rates = (numbers.say(many.runs[place].findings.pass_rate) for place in behind)
        phrases = [
            f"{_name(many, place)}, {rate.value} ({rate.interval})" for place, rate in zip(behind, rates, strict=True)
        ]
        more = f"; and {len(phrases) - _NAMED} more" if len(phrases) > _NAMED else ""
        yield f"Clearly worse than another: {'; '.join(phrases[:_NAMED])}{more}."


def _disagreement(many: ManyCompared) -> Iterator[str]:
    apart, compared = sum(row.spread > 0 for row in many.rows), sum(row.runs_with_verdict > 1 for row in many.rows)
    if not compared:
        return
    cases = numbers.plural(compared, "case") + ("" if compared == len(many.rows) else f" that count in {_two(many)}")
    full_cases = sum(row.runs_with_verdict == len(many.runs) for row in many.rows)
    lacking = (
        f"; only {numbers.whole(full_cases)} of {len(many.rows)} count in every run"
        if full_cases < len(many.rows)
        else ""
    )
    agreement = f"They disagree on {numbers.whole(apart)} of {cases}" if apart else f"They agree on all of {cases}"
    yield f"{agreement}{lacking}."


def _two(many: ManyCompared) -> str:
    return "both runs" if len(many.runs) == 2 else "two runs or more"


def agreement(many: ManyCompared) -> str:
    """State that no case distinguishes the runs."""
    counted = [row.runs_with_verdict for row in many.rows]
    if not any(runs > 1 for runs in counted):
        return "No case has a verdict in two of them yet."
    if all(runs == len(many.runs) for runs in counted):
        return "All runs agree on every case."
    return f"The runs agree on every case that counts in {_two(many)}."


def _name(many: ManyCompared, place: int) -> str:
    return run_names([run.findings.run for run in many.runs])[place]


def rank(run: RunStanding) -> str:
    """Format a rank: `1`, or `1 to 3` if the data leave it open."""
    return str(run.best) if run.best == run.worst else f"{run.best} to {run.worst}"


def verdict(pair: PairFinding) -> str:
    """Format the result of a pair of runs."""
    if not pair.certain:
        return "not shown"
    return f"{letter(pair.b if pair.certain > 0 else pair.a)} is better"


def cell(row: MatrixRow, place: int) -> OutcomeLabel | None:
    """Return the outcome of a case in a run, or None if the run lacks the case."""
    case = row.cells[place]
    return None if case is None else outcomes.of_case(case)


def as_tsv(many: ManyCompared, rows: Sequence[MatrixRow]) -> str:
    """Format rows of the matrix as tab-separated values for a spreadsheet."""
    lines = [["case", "question", *(run.findings.run.name for run in many.runs)]]
    for row in rows:
        known = (cell(row, place) for place in range(len(many.runs)))
        lines.append([row.id, row.question, *("" if each is None else each.word for each in known)])
    return "\n".join("\t".join(cell_text(one_line(text)) for text in line) for line in lines)


def render(many: ManyCompared, *, every: bool = False) -> RenderableType:
    """Render the report for a terminal, with `every` row of the matrix or only the first ones."""
    return Page(lambda width: _report(many, width, every))


def _report(many: ManyCompared, width: int, every: bool) -> Iterator[RenderableType]:
    yield Text(sentence(many), style="bold")
    if sentences := opening(many):
        yield Text(" ".join(sentences))
    yield Text()
    for warning in many.warnings:
        yield Text(f"! {one_line(warning, 2000)}", style=STYLES["flaky"])
    if many.warnings:
        yield Text()
    yield _runs(many, width)
    yield Text()
    if columns := _side_columns(many):
        yield side_table(columns, width)
        yield Text(f"  {note(many)}", style="dim")
        if are_priced(_all_findings(many)):
            yield Text("  *: no other run is both better and cheaper", style="dim")
        yield Text()
    yield _pairs(many, width)
    yield Padding(Text(HOLM, style="dim"), (0, 0, 0, 2))
    yield Text()
    yield from _matrix(many, width, every)


def _runs(many: ManyCompared, width: int) -> RenderableType:
    table = page_table(width)
    table.add_column("", no_wrap=True)
    table.add_column("agent", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("run", no_wrap=True, style="dim")  # the agent gives way, as ids differ at their end
    for header in ("rank", "pass rate", "interval", "median time"):
        table.add_column(header, justify="right", no_wrap=True)
    for place, run in enumerate(many.runs):
        table.add_row(Text(letter(place), style="bold"), *_run_cells(run))
    return table


def side_table(columns: Mapping[str, Sequence[str]], width: int) -> RenderableType:
    """Render a table with one row per run, labelled by letter."""
    table = page_table(width)
    table.add_column("", no_wrap=True)
    for header in columns:
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("", ratio=1)
    for place, cells in enumerate(zip(*columns.values(), strict=True)):
        table.add_row(Text(letter(place), style="bold"), *cells)
    return table


def _side_columns(many: ManyCompared) -> dict[str, list[str]]:
    found = _all_findings(many)
    each = {"cost each": [_cost_cell(run) for run in many.runs]} if are_priced(found) else {}
    return {**each, **side_columns(found)}


def note(many: ManyCompared) -> str:
    """Explain the columns of cost and first token; empty if there are none."""
    return side_note(_all_findings(many))


def _all_findings(many: ManyCompared) -> list[Findings]:
    return [run.findings for run in many.runs]


def _cost_cell(run: RunStanding) -> str:
    return numbers.NOTHING if run.cost is None else numbers.cost(run.cost) + (" *" if run.on_front else "")


def _run_cells(run: RunStanding) -> list[Text | str]:
    found = run.findings
    rate_text = numbers.say(found.pass_rate, noun=noun_of(found.run))
    seconds = numbers.NOTHING if run.seconds is None else numbers.duration(run.seconds)
    return [Text(one_line(found.run.agent)), found.run.id, rank(run), rate_text.value, rate_text.interval, seconds]


def _pairs(many: ManyCompared, width: int) -> RenderableType:
    table = page_table(width)
    for header in ("pair", "difference", "interval", "p"):
        table.add_column(header, justify="left" if header == "pair" else "right", no_wrap=True)
    table.add_column("", ratio=1, no_wrap=True)
    for pair in sorted(many.pairs, key=lambda each: (not each.certain, each.adjusted or 1.0)):
        difference, interval = difference_of(pair.comparison.difference)
        shown = Text(verdict(pair), style="bold" if pair.certain else "dim")
        table.add_row(f"{letter(pair.b)} − {letter(pair.a)}", difference, interval, p_value(pair.adjusted), shown)
    return table


def p_value(value: float | None) -> str:
    """Format a p-value: `0.012`, `< 0.001`."""
    return numbers.NOTHING if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _matrix(many: ManyCompared, width: int, every: bool) -> Iterator[RenderableType]:
    apart = [row for row in many.rows if row.spread > 0]
    shown = list(many.rows) if every else apart[:_SHOWN]
    if not shown:
        yield Text(agreement(many))
        return
    table = page_table(width)
    table.add_column("Every case" if every else "Where they disagree", no_wrap=True, overflow="ellipsis", max_width=20)
    table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis")
    for place in range(len(many.runs)):
        table.add_column(letter(place), justify="center", no_wrap=True)
    for row in shown:
        table.add_row(Text(one_line(row.id)), Text(one_line(row.question)), *_cells(row))
    yield table
    if not every and len(apart) > len(shown):
        named = " ".join(run.findings.run.id for run in many.runs)
        yield cut_line(len(apart) - len(shown), f"proctor compare {named} --all")


def _cells(row: MatrixRow) -> Iterator[Text]:
    for place in range(len(row.cells)):
        outcome = cell(row, place)
        yield Text("") if outcome is None else outcome_text(outcome)


def markdown(many: ManyCompared) -> str:
    """Render as Markdown for a pull request or a wiki."""
    return "\n".join(_markdown(many)) + "\n"


def _markdown(many: ManyCompared) -> Iterator[str]:
    yield f"**{in_markdown(sentence(many), 400)}**\n"
    yield from (f"> {in_markdown(warning, 400)}\n" for warning in many.warnings)
    columns = _side_columns(many)
    yield from _markdown_table(
        ["", "agent", "run", "rank", "pass rate", "interval", "median time", *columns],
        [
            [letter(place), in_markdown(run.findings.run.agent, 100), f"`{run.findings.run.id}`", *map(str, cells)]
            for place, run in enumerate(many.runs)
            for cells in [[*_run_cells(run)[2:], *(column[place] for column in columns.values())]]
        ],
    )
    if columns:
        yield f"{note(many)}\n"
    rows = []
    for pair in many.pairs:
        difference, interval = difference_of(pair.comparison.difference)
        named = f"{letter(pair.b)} − {letter(pair.a)}"
        rows.append([named, difference, interval, p_value(pair.adjusted), verdict(pair)])
    yield from _markdown_table(["pair", "difference", "interval", "p (Holm)", ""], rows)
    yield f"{HOLM}.\n"
    apart = [row for row in many.rows if row.spread > 0][:_SHOWN]
    letters = [letter(place) for place in range(len(many.runs))]
    yield from _markdown_table(
        ["case", "question", *letters],
        [[in_markdown(row.id, 40), in_markdown(row.question, 200), *map(str, _cells(row))] for row in apart],
    )


def _markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield "| " + " | ".join(headers) + " |"
        yield "|" + "---|" * len(headers)
        yield from ("| " + " | ".join(row) + " |" for row in rows)
        yield ""


def as_dict(many: ManyCompared) -> dict[str, Any]:
    """Return the output of `proctor compare A B C --json`. Keys may be added, but not removed."""
    return {
        "sentence": sentence(many),
        "warnings": list(many.warnings),
        "runs": [_run_dict(run) for run in many.runs],
        "pairs": [_pair_dict(many, pair) for pair in many.pairs],
        "cases": [_row_dict(row) for row in many.rows],
    }


def _run_dict(run: RunStanding) -> dict[str, Any]:
    found = run.findings
    return {
        "run": found.run.id,
        "name": found.run.name,
        "agent": found.run.agent,
        "status": found.run.status,
        "attempts": counts(found.counts),
        "pass_rate": estimate(found.pass_rate),
        "rank": {"best": run.best, "worst": run.worst},
        "cost": found.usage.cost,
        "cost_per_attempt": run.cost,
        "cost_per_pass": run.cost_per_pass.value,
        "cost_per_pass_interval": [run.cost_per_pass.low, run.cost_per_pass.high],
        "cost_per_pass_note": run.cost_per_pass.note,
        "median_seconds": run.seconds,
        "first_token": plain(found.first_token),
        "on_front": run.on_front,
    }


def _pair_dict(many: ManyCompared, pair: PairFinding) -> dict[str, Any]:
    return {
        "a": many.runs[pair.a].findings.run.id,
        "b": many.runs[pair.b].findings.run.id,
        "difference": estimate(pair.comparison.difference),
        "better": pair.comparison.better,
        "p_value": pair.comparison.p_value,
        "adjusted": pair.adjusted,
        "certain": {1: "b", -1: "a", 0: None}[pair.certain],
    }


def _row_dict(row: MatrixRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "question": row.question,
        "categories": list(row.categories),
        "spread": row.spread,
        "passed": row.shares,
    }
