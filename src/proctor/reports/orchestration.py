"""Phrase the findings about an orchestrator, the same for all renderings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from proctor.findings.orchestration.findings import OrchestrationFindings
from proctor.findings.orchestration.timeline import Lane, Timeline
from proctor.reports import numbers
from proctor.reports.headline import HeadlineLine
from proctor.reports.markup import draw_interval, plain
from proctor.reports.numbers import duration, plural
from proctor.reports.terminal import INDENT, WIDE_LABEL, estimates
from proctor.reports.terminal import facts as terminal_facts
from proctor.reports.words import one_line
from proctor.statistics.estimate import Estimate

_SUB_AGENTS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareRow:
    """A measure between 0 and 1."""

    label: str
    meaning: str
    estimate: Estimate


def heading(conditions: int) -> str:
    """Return the heading; it says if the figures pool several conditions, unlike the run's rates."""
    if conditions == 1:
        return "Orchestration"
    return f"Orchestration, over {'both' if conditions == 2 else f'all {conditions}'} conditions"


def shares(found: OrchestrationFindings) -> list[ShareRow]:
    """Return the known shares: planning, coordination, parallelism, recovery, resources."""
    return [
        ShareRow(label=label, meaning=meaning, estimate=estimate)
        for label, (meaning, of) in _SHARES.items()
        if (estimate := of(found)).value is not None
    ]


_SHARES: dict[str, tuple[str, Callable[[OrchestrationFindings], Estimate]]] = {
    "Planned": ("expected sub-agents and steps that a plan names", lambda found: found.planning.planned),
    "Used": ("expected sub-agents and steps that were used", lambda found: found.planning.used),
    "Plan done": ("entries of the plan that were done", lambda found: found.planning.done),
    "Right agent": ("delegations that went to the right sub-agent", lambda found: found.coordination.right),
    "Not repeated": ("delegations that do not repeat another", lambda found: found.coordination.distinct),
    "Overlap": ("time in which two or more steps were at work", lambda found: found.parallelism.overlap),
    "Critical path": (
        "time on the longest chain of steps that wait for each other",
        lambda found: found.parallelism.critical,
    ),
    "Recovered": ("errors that were followed by success", lambda found: found.recovery.recovered),
    "Limits kept": ("limits of tool calls, time, tokens and cost that were kept", lambda found: found.resources.kept),
}
"""Label → what it is a share of, and a function that returns it."""


def facts(found: OrchestrationFindings) -> dict[str, str]:
    """Return label → text for all other figures, without empty ones."""
    entries = {
        "Per success": per_success(found),
        "Time": time(found),
        "Speed-up": speed_up(found),
        "Counted": counts_line(found),
        "Tokens": shares_line(found.resources.tokens),
        "Cost": shares_line(found.resources.cost),
        "Steps unclear": " · ".join(_unclear(what, count) for what, count in found.oddities.items()),
    }
    return {label: value for label, value in entries.items() if value}


_UNCLEAR = {
    "unknown kind": "of an unknown kind",
    "no time": "without start or end",
    "end before start": "that end before they start",
    "repeated id": "with the id of another",
    "unknown parent": "below a step that is not there",
    "parents in a circle": "below each other in a circle",
}
"""Kind of an invalid step → description."""


def _unclear(what: str, count: int) -> str:
    return f"{numbers.plural(count, 'step')} {_UNCLEAR.get(what, one_line(what, 80))}"


def legend(found: OrchestrationFindings) -> str:
    """Explain what the shares are shares of."""
    return "; ".join(f"{each.label}: {each.meaning}" for each in shares(found))


def per_success(found: OrchestrationFindings) -> str:
    """Format the cost of a success, including failures: `804 tokens (624 – 1,036) · 6.1 tool calls (5.0 – 7.3)`."""
    each = found.per_success
    pieces = (
        _amount(each.tokens, "tokens", lambda value: numbers.whole(round(value))),
        _amount(each.tool_calls, "tool calls", lambda value: f"{value:.1f}"),
        _amount(each.cost, "cost", numbers.cost),
    )
    return " · ".join(piece for piece in pieces if piece)


def _amount(estimate: Estimate, what: str, show: Callable[[float], str]) -> str:
    if estimate.value is None:
        return ""
    ends = (estimate.low, estimate.high)
    span = f" ({' – '.join(numbers.NOTHING if end is None else show(end) for end in ends)})"
    amount = f"cost {show(estimate.value)}" if what == "cost" else f"{show(estimate.value)} {what}"
    least = "at least " if estimate.missing else ""
    return f"{least}{amount}{span if any(end is not None for end in ends) else ''}"


def time(found: OrchestrationFindings) -> str:
    """Format the latency: `median 53 ms, 95 % under 65 ms, longest 79 ms`."""
    known = found.seconds
    if known is None:
        return ""
    tail = f"95 % under {numbers.duration(known.p95.value)}, " if known.p95 is not None else ""
    return f"median {numbers.duration(known.median)}, {tail}longest {numbers.duration(known.maximum)}"


def speed_up(found: OrchestrationFindings) -> str:
    """Format the speed-up: `1.7 × (1.6 – 1.9) against one after another, at most 3 at once`; empty if unknown."""
    times = _times(found.parallelism.speed_up)
    return times and f"{times} against one after another, at most {found.parallelism.at_once} at once"


def _times(estimate: Estimate) -> str:
    """Format a factor: `1.7 × (1.6 – 1.9)`."""
    if estimate.value is None:
        return ""
    low, high = (numbers.NOTHING if end is None else f"{end:.1f}" for end in (estimate.low, estimate.high))
    return f"{estimate.value:.1f} × ({low} – {high})"


def counts_line(found: OrchestrationFindings) -> str:
    """Format the counts: `118 hand-offs · 2 repeated · 3 errors · 1 re-plan`."""
    pieces = [
        numbers.plural(found.coordination.hand_offs, "hand-off"),
        f"{numbers.whole(found.coordination.duplicated)} repeated" if found.coordination.duplicated else "",
        numbers.plural(found.recovery.errors, "error"),
        numbers.plural(found.recovery.re_plans, "re-plan") if found.recovery.re_plans else "",
    ]
    summary = " · ".join(piece for piece in pieces if piece)
    coverage = f"{numbers.whole(found.outlined)} of {numbers.plural(found.attempts, 'attempt')} tell their steps"
    return summary if found.outlined == found.attempts else f"{summary} · {coverage}"


def shares_line(by_agent: Mapping[str, Estimate]) -> str:
    """Format the share of each sub-agent: `researcher 62 % (50 – 73), checker 31 % (20 – 44)`."""
    pieces = list(_share_pieces(by_agent))
    more = len(pieces) - _SUB_AGENTS
    return ", ".join(pieces[:_SUB_AGENTS]) + (f", and {more} more" if more > 0 else "")


def _share_pieces(by_agent: Mapping[str, Estimate]) -> Iterator[str]:
    for agent, share in by_agent.items():
        shown = numbers.say(share)
        yield f"{one_line(agent, 40)} {shown.value} ({shown.interval})"


def rows(conditions: Mapping[str, OrchestrationFindings]) -> dict[str, list[str]]:
    """Return measure → value with interval under each condition, for measures known under any of them."""
    columns = [_cells_by_label(found) for found in conditions.values()]
    labels = [label for label in (*_SHARES, *_BESIDE) if any(each.get(label) for each in columns)]
    return {label: [each.get(label) or numbers.NOTHING for each in columns] for label in labels}


_BESIDE: dict[str, Callable[[OrchestrationFindings], str]] = {
    "Per success": per_success,
    "Speed-up": lambda found: _times(found.parallelism.speed_up),
    "Counted": counts_line,
}
"""Further rows of a table of conditions, below the shares."""


def _cells_by_label(found: OrchestrationFindings) -> dict[str, str]:
    share_cells = {each.label: _with_interval(each.estimate) for each in shares(found)}
    return {**share_cells, **{label: say(found) for label, say in _BESIDE.items()}}


def _with_interval(estimate: Estimate) -> str:
    rate_text = numbers.say(estimate)
    return f"{rate_text.value} ({rate_text.interval})"


_EDGE = 0.002
_MOST_LANES = 200
_HEAD, _ROW = 20, 36
_LABEL, _BAR, _UNDERLINE = 11, 18, 30
"""Vertical positions in a row, such that letters with descenders do not touch the bar."""
_INDENT, _DEEPEST = 12, 12
_LONGEST = 72
# Colours of the page; the values after the comma are fallbacks for a stand-alone picture.
_INK, _MUTED = "var(--ink, #1b1f24)", "var(--muted, #5b6572)"
_PAPER, _LINE, _FAIL = "var(--paper, #ffffff)", "var(--line, #e1e5ea)", "var(--fail, #c4322b)"
_FILLS = {"delegate": _INK, "plan": _PAPER, "re-plan": _PAPER}
_LEGEND = (
    "full: delegation · grey: tool · outlined: plan",
    "dashed: changed plan · underlined: critical path · ✗ error",
)


def gantt(timeline: Timeline) -> Markup:
    """Draw the steps as a Gantt chart: a labelled bar for each, indented by its depth."""
    shown = timeline.lanes[:_MOST_LANES]
    left_out = len(timeline.lanes) - len(shown)
    bottom = _HEAD + _ROW * len(shown)
    marks = [*_axis(timeline.seconds, bottom)]
    for place, lane in enumerate(shown):
        marks += _lane(lane, timeline.seconds, _HEAD + _ROW * place)
    below = [f"{plural(left_out, 'further step')} not drawn", *_LEGEND] if left_out else [*_LEGEND]
    marks += [_text(line, 0, bottom + 16 * place, _MUTED) for place, line in enumerate(below, 1)]
    return Markup(
        '<svg class="gantt" width="100%" height="{}" font-family="var(--text, sans-serif)" font-size="12" role="img" '
        'aria-label="{}"><title>{}</title>{}</svg>'
    ).format(bottom + 16 * len(below) + 8, _summary(timeline), _summary(timeline), Markup("").join(marks))


def _summary(timeline: Timeline) -> str:
    failed = sum(lane.failed for lane in timeline.lanes)
    summary = plural(len(timeline.lanes), "step")
    summary += f" over {duration(timeline.seconds)}" if timeline.seconds else ", no times reported"
    return f"{summary}, {failed} failed" if failed else summary


def _axis(seconds: float, bottom: int) -> Iterator[Markup]:
    if not seconds:
        return
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        place = _percent(share)
        yield Markup('<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}"/>').format(place, place, 14, bottom, _LINE)
        yield _text(duration(share * seconds) if share else "0", place, 10, _MUTED, anchor)


def _lane(lane: Lane, seconds: float, top: int) -> Iterator[Markup]:
    label = _lane_text(lane)
    yield _text(label, _INDENT * min(lane.depth, _DEEPEST), top + _LABEL, _FAIL if lane.failed else _INK)
    if lane.start is None:
        return
    start = lane.start / seconds if seconds else 0.0
    length = (lane.length or 0.0) / seconds if seconds else 0.0
    yield _bar(lane, label, start, length, top + _BAR) if length else _tick(lane, label, start, top + _BAR)
    if lane.critical:
        yield Markup('<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="1.5"/>').format(
            _percent(start), _percent(start + length), top + _UNDERLINE, top + _UNDERLINE, _INK
        )


def _bar(lane: Lane, label: str, start: float, length: float, y: int) -> Markup:
    colour = _FAIL if lane.failed else _FILLS.get(lane.kind, _MUTED)
    edge = _INK if colour == _PAPER else colour  # keeps even the shortest bar visible
    dashes = Markup(' stroke-dasharray="3 2"') if lane.kind == "re-plan" else ""
    return Markup('<rect x="{}" width="{}" y="{}" height="8" fill="{}" stroke="{}"{}><title>{}</title></rect>').format(
        _percent(start), _percent(length), y, colour, edge, dashes, label
    )


def _tick(lane: Lane, label: str, start: float, y: int) -> Markup:
    """A moment, or a step whose end is not known; at an edge it stays within the picture."""
    place, colour = _percent(min(max(start, _EDGE), 1 - _EDGE)), _FAIL if lane.failed else _INK
    return Markup(
        '<line class="tick" x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="2"><title>{}</title></line>'
    ).format(place, place, y, y + 8, colour, label)


def _lane_text(lane: Lane) -> str:
    """Label a step: `✗ delegate · researcher: find sources · 1.4 s`."""
    name = f"{lane.agent}: {lane.name}" if lane.agent and lane.agent != lane.name else lane.name
    time = "no time" if lane.start is None else "no end" if lane.length is None else duration(lane.length)
    return f"{'✗ ' if lane.failed else ''}{lane.kind} · {one_line(name, _LONGEST)} · {time}"


def _text(label: str, x: int | str, y: int, colour: str, anchor: str = "start") -> Markup:
    """Draw text with an outline in the background colour, so that axis lines do not cross it."""
    return Markup(
        '<text x="{}" y="{}" fill="{}" stroke="{}" stroke-width="4" paint-order="stroke" text-anchor="{}">{}</text>'
    ).format(x, y, colour, _PAPER, anchor, label)


def _percent(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def terminal_section(found: OrchestrationFindings, width: int, *, conditions: int) -> Iterator[RenderableType]:
    """Render the shares, then the counts."""
    yield Text(heading(conditions), style="dim")
    lines = [
        HeadlineLine(
            label=each.label,
            estimate=each.estimate,
            unit="percent",
            said=numbers.say(each.estimate, conditions=conditions),
        )
        for each in shares(found)
    ]
    if lines:
        yield from estimates(lines, width, label=WIDE_LABEL)
        yield Padding(Text(legend(found), style="dim"), INDENT)
    yield from terminal_facts(
        {label: value for label, value in facts(found).items() if label != "Time"}, label=WIDE_LABEL
    )
    yield Text()


def markdown_shares(found: OrchestrationFindings, *, conditions: int) -> Iterator[str]:
    """Yield the rows of a table of the measures between 0 and 1."""
    known = shares(found)
    if not known:
        return
    yield f"| {heading(conditions).lower()} | | 95 % interval | | |"
    yield "|:--|--:|:--|:--|:--|"
    for each in known:
        share = numbers.say(each.estimate)
        yield f"| {each.label} | {share.value} | {share.interval} | {draw_interval(each.estimate)} | {each.meaning} |"


def markdown_facts(found: OrchestrationFindings) -> Iterator[str]:
    """Yield one line for each other figure."""
    for label, value in facts(found).items():
        yield f"- {label}: {plain(value, 400)}"
