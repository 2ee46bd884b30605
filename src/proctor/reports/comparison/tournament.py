"""Render a tournament: summary sentence, terminal tables, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from proctor.findings.comparison.many import letter
from proctor.findings.run.cost import cost_per_pass
from proctor.findings.tournament import WIN_BY, ContestOutcome, ContestTally, Tournament
from proctor.reports import numbers
from proctor.reports.comparison.cost import side_columns, side_note
from proctor.reports.comparison.many import side_table
from proctor.reports.markup import plain as in_markdown
from proctor.reports.run_names import join_names, run_names
from proctor.reports.terminal import STYLES, Page, page_table
from proctor.reports.values import estimate, plain
from proctor.reports.words import one_line
from proctor.statistics.bradley_terry import FEWEST_CASES, Meeting, Strength
from proctor.statistics.estimate import Estimate
from proctor.statistics.judges import prefers_place


def sentence(found: Tournament) -> str:
    """State which run is strongest, as far as the cases show it."""
    cases = found.ranking.cases
    if cases < FEWEST_CASES:
        are = "case is" if cases == 1 else "cases are"
        return f"{cases} {are} too few to rank these {len(found.runs)} runs."
    first = [place for place, strength in enumerate(found.ranking.strengths) if strength.best == 1]
    names = run_names(found.runs)
    if len(first) == 1:
        [place] = first
        named = names[place]
        if found.is_decided:
            return f"{named} is the strongest of {len(found.runs)}: {_tally(found.tally(place))}."
        return f"{named} is ahead, but not of all others for certain: {_tally(found.tally(place))}."
    if len(first) == len(found.runs):
        return f"These contests cannot tell the {len(found.runs)} runs apart."
    return f"No run is certainly the strongest: {join_names([names[place] for place in first])} may each be first."


def opening(found: Tournament) -> list[str]:
    """State how contests ended, which runs are certainly weaker, and how much data there is."""
    strengths, names = found.ranking.strengths, run_names(found.runs)
    cases = numbers.plural(found.ranking.cases, "case")
    tied = sum(found.tally(place).tied for place in range(len(found.runs))) // 2
    sentences = [f"{numbers.plural(len(found.outcomes), 'contest')} over {cases}, {numbers.whole(tied)} of them tied."]
    behind = [names[place] for place, strength in enumerate(strengths) if strength.best > 1]
    if behind and len(behind) < len(names):
        sentences.append(f"Certainly weaker than another: {join_names(behind)}.")
    return sentences


def _tally(tally: ContestTally) -> str:
    return f"{numbers.whole(tally.won)} won, {numbers.whole(tally.tied)} tied, {numbers.whole(tally.lost)} lost"


def _position_bias(toward_first: Estimate | None) -> str:
    """Describe the position bias of a judge that contradicts itself."""
    if toward_first is None or toward_first.value is None:
        return ""
    rate_text, preferred = numbers.say(toward_first), prefers_place(toward_first)
    claim = f" In {rate_text.value} of them ({rate_text.interval}) it favoured the reply that was shown first"
    return (
        f"{claim}: it prefers the {preferred} place (position bias), so look for another judge."
        if preferred
        else f"{claim}."
    )


def notes(found: Tournament) -> Iterator[str]:
    """Yield the caveats and explanations of the numbers."""
    for cycle in found.ranking.cycles:
        cycle_text = " beats ".join(letter(place) for place in (*cycle, cycle[0]))
        yield f"A cycle that is not by chance: {cycle_text}; no order of these is right."
    if found.is_by_verdicts:
        yield (
            f"A contest is won by the share of passed trials, where it differs by more than {WIN_BY:g}: there are no "
            "scores that the same judge gave to all."
        )
    elif found.judge is None:
        yield f"A contest is won by the stored score, where it differs by more than {WIN_BY:g}."
    else:
        yield f"Each contest was judged by {one_line(found.judge, 80)} in both orders, without names."
    if found.flips is not None and found.flips.value is not None:
        rate_text = numbers.say(found.flips)
        yield (
            f"Position flips: {rate_text.value} ({rate_text.interval}, {rate_text.basis}): the judge decided "
            f"otherwise when the replies changed places; these are ties.{_position_bias(found.toward_first)}"
        )
    if used := numbers.usage(found.usage):
        yield f"Judging took {used}."
    yield (
        "Strength: Bradley-Terry, log odds, ties as halves; intervals by bootstrap over cases; ranks by simultaneous "
        "intervals of all pairs."
    )


def rank(strength: Strength) -> str:
    """Format a rank: `1`, or `1 to 3` if the cases leave it open."""
    return str(strength.best) if strength.best == strength.worst else f"{strength.best} to {strength.worst}"


def _number(value: float | None) -> str:
    return numbers.NOTHING if value is None else f"{value:+.2f}".replace("-", "−")


def _interval(strength: Strength) -> str:
    low, high = strength.value.low, strength.value.high
    return numbers.NOTHING if low is None or high is None else f"{_number(low)} – {_number(high)}"


def share(found: Tournament, place: int, other: int) -> str:
    """Format the share of contests won against another run, ties counting half; `!` marks a certain difference."""
    if place == other:
        return "·"
    meeting = _meeting(found, place, other)
    if meeting.share.value is None:
        return numbers.NOTHING
    value = meeting.share.value if meeting.a == place else 1 - meeting.share.value
    return f"{numbers.percent(value)}{' !' if meeting.certain else ''}"


def better(outcome: ContestOutcome) -> str:
    """Name the winner: `A`, `B`, `a tie (position flip)`, or a dash without a verdict."""
    if outcome.score is None:
        return numbers.NOTHING
    if outcome.score == 0.5:
        return "a tie (position flip)" if outcome.flipped else "a tie"
    return letter(outcome.a if outcome.score > 0.5 else outcome.b)


def _meeting(found: Tournament, place: int, other: int) -> Meeting:
    both = {place, other}
    return next(meeting for meeting in found.ranking.meetings if {meeting.a, meeting.b} == both)


def render(found: Tournament) -> RenderableType:
    """Render the report for a terminal."""
    return Page(lambda width: _report(found, width))


def _report(found: Tournament, width: int) -> Iterator[RenderableType]:
    yield Text(sentence(found), style="bold")
    yield Text(" ".join(opening(found)))
    yield Text()
    for warning in found.warnings:
        yield Text(f"! {one_line(warning, 2000)}", style=STYLES["flaky"])
    if found.warnings:
        yield Text()
    yield _runs(found, width)
    yield Text()
    if columns := side_columns(found.findings):
        yield side_table(columns, width)
        yield Text(f"  {side_note(found.findings)}", style="dim")
        yield Text()
    yield _matrix(found, width)
    yield Text()
    for note in notes(found):
        yield Text(note, style="dim")


def _runs(found: Tournament, width: int) -> RenderableType:
    table = page_table(width)
    table.add_column("", no_wrap=True)
    table.add_column("agent", ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column("run", no_wrap=True, style="dim")  # the agent gives way, as ids differ at their end
    for header in ("rank", "strength", "interval", "won", "tied", "lost"):
        table.add_column(header, justify="right", no_wrap=True)
    for place, run in enumerate(found.runs):
        table.add_row(Text(letter(place), style="bold"), Text(one_line(run.agent)), run.id, *cells(found, place))
    return table


def cells(found: Tournament, place: int) -> list[str]:
    """Return rank, strength, its interval, and the contests won, tied and lost."""
    strength, tally = found.ranking.strengths[place], found.tally(place)
    counts = map(numbers.whole, (tally.won, tally.tied, tally.lost))
    return [rank(strength), _number(strength.value.value), _interval(strength), *counts]


def _matrix(found: Tournament, width: int) -> RenderableType:
    table = page_table(width)
    places = range(len(found.runs))
    table.add_column("won against", ratio=1, no_wrap=True)
    for place in places:
        table.add_column(letter(place), justify="right", no_wrap=True)
    for place in places:
        table.add_row(Text(letter(place), style="bold"), *(share(found, place, other) for other in places))
    return table


def markdown(found: Tournament) -> str:
    """Render as Markdown for a pull request or a wiki."""
    return "\n".join(_markdown(found)) + "\n"


def _markdown(found: Tournament) -> Iterator[str]:
    places = range(len(found.runs))
    yield f"**{in_markdown(sentence(found), 400)}**\n"
    yield from (f"> {in_markdown(warning, 400)}\n" for warning in found.warnings)
    columns = side_columns(found.findings)
    headers = ["rank", "strength", "interval", "won", "tied", "lost", *columns]
    yield f"| | agent | run | {' | '.join(headers)} |"
    yield "|---|---|---|" + "---:|" * len(headers)
    for place, run in enumerate(found.runs):
        named = [letter(place), in_markdown(run.agent, 100), f"`{run.id}`"]
        side_cells = [column[place] for column in columns.values()]
        yield f"| {' | '.join([*named, *cells(found, place), *side_cells])} |"
    yield ""
    if columns:
        yield f"{side_note(found.findings)}\n"
    yield f"| won against | {' | '.join(letter(place) for place in places)} |"
    yield "|---|" + "---:|" * len(found.runs)
    for place in places:
        yield f"| {letter(place)} | {' | '.join(share(found, place, other) for other in places)} |"
    yield ""
    yield from (f"{in_markdown(note, 400)}\n" for note in notes(found))


def as_dict(found: Tournament) -> dict[str, Any]:
    """Return the output of `proctor tournament --json`. Keys may be added, but not removed."""
    judged = sum(outcome.score is not None for outcome in found.outcomes)
    return {
        "sentence": sentence(found),
        "warnings": list(found.warnings),
        "judge": found.judge,
        "cases": found.ranking.cases,
        "contests": {"planned": len(found.outcomes), "judged": judged, "open": found.open},
        "runs": [_run_dict(found, place) for place in range(len(found.runs))],
        "pairs": [_pair_dict(found, meeting) for meeting in found.ranking.meetings],
        "cycles": [[found.runs[place].id for place in cycle] for cycle in found.ranking.cycles],
        "position_flips": None if found.flips is None else estimate(found.flips),
        "flips_toward_first": None if found.toward_first is None else estimate(found.toward_first),
        "usage": _usage(found),
    }


def _usage(found: Tournament) -> dict[str, Any]:
    used = found.usage
    return {
        "calls": used.calls,
        "cached": used.cached,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost if found.judge is not None else 0.0,
    }


def _counts(tally: ContestTally) -> dict[str, int]:
    return {"won": tally.won, "tied": tally.tied, "lost": tally.lost}


def _run_dict(found: Tournament, place: int) -> dict[str, Any]:
    run, strength = found.runs[place], found.ranking.strengths[place]
    return {
        "run": run.id,
        "name": run.name,
        "agent": run.agent,
        "status": run.status,
        "rank": {"best": strength.best, "worst": strength.worst},
        "strength": estimate(strength.value),
        **_counts(found.tally(place)),
        "cost_per_pass": estimate(cost_per_pass(found.findings[place])),
        "first_token": plain(found.findings[place].first_token),
    }


def _pair_dict(found: Tournament, meeting: Meeting) -> dict[str, Any]:
    return {
        "a": found.runs[meeting.a].id,
        "b": found.runs[meeting.b].id,
        **_counts(found.tally(meeting.a, meeting.b)),
        "share": estimate(meeting.share),
        "certain": {1: "a", -1: "b", 0: None}[meeting.certain],
    }
