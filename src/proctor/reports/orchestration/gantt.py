"""An orchestrator's steps on a line of time, as inline SVG: no script, the page's own colours, fit for print."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from proctor.findings.orchestration.timeline import Lane, Timeline
from proctor.reports.numbers import duration, plural
from proctor.reports.words import one_line

_MOST_LANES = 200
_HEAD, _ROW = 20, 36
_LABEL, _BAR, _UNDERLINE = 11, 18, 30
"""Where they stand in a row: clear of each other, letters below the line included."""
_INDENT, _DEEPEST = 12, 12
_LONGEST = 72
# The page's own colours; the values after the comma are for a picture that stands alone.
_INK, _MUTED = "var(--ink, #1b1f24)", "var(--muted, #5b6572)"
_PAPER, _LINE, _FAIL = "var(--paper, #ffffff)", "var(--line, #e1e5ea)", "var(--fail, #c4322b)"
_FILLS = {"delegate": _INK, "plan": _PAPER, "re-plan": _PAPER}
_LEGEND = (
    "full: delegation · grey: tool · outlined: plan",
    "dashed: changed plan · underlined: critical path · ✗ error",
)


def gantt(timeline: Timeline) -> Markup:
    """Each step as a bar, under the step it is part of; what it is stands above its bar."""
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
    said = plural(len(timeline.lanes), "step")
    said += f" over {duration(timeline.seconds)}" if timeline.seconds else ", no times reported"
    return f"{said}, {failed} failed" if failed else said


def _axis(seconds: float, bottom: int) -> Iterator[Markup]:
    if not seconds:
        return
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        place = _percent(share)
        yield Markup('<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}"/>').format(place, place, 14, bottom, _LINE)
        yield _text(duration(share * seconds) if share else "0", place, 10, _MUTED, anchor)


def _lane(lane: Lane, seconds: float, top: int) -> Iterator[Markup]:
    said = _said(lane)
    yield _text(said, _INDENT * min(lane.depth, _DEEPEST), top + _LABEL, _FAIL if lane.failed else _INK)
    if lane.start is None:
        return
    start = lane.start / seconds if seconds else 0.0
    length = (lane.length or 0.0) / seconds if seconds else 0.0
    yield _bar(lane, said, start, length, top + _BAR) if length else _tick(lane, said, start, top + _BAR)
    if lane.critical:
        yield Markup('<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="1.5"/>').format(
            _percent(start), _percent(start + length), top + _UNDERLINE, top + _UNDERLINE, _INK
        )


def _bar(lane: Lane, said: str, start: float, length: float, y: int) -> Markup:
    colour = _FAIL if lane.failed else _FILLS.get(lane.kind, _MUTED)
    edge = _INK if colour == _PAPER else colour  # which keeps the shortest bar visible
    dashes = Markup(' stroke-dasharray="3 2"') if lane.kind == "re-plan" else ""
    return Markup('<rect x="{}" width="{}" y="{}" height="8" fill="{}" stroke="{}"{}><title>{}</title></rect>').format(
        _percent(start), _percent(length), y, colour, edge, dashes, said
    )


def _tick(lane: Lane, said: str, start: float, y: int) -> Markup:
    """A moment, or a step whose end is not known."""
    place, colour = _percent(start), _FAIL if lane.failed else _INK
    return Markup(
        '<line class="tick" x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="2"><title>{}</title></line>'
    ).format(place, place, y, y + 8, colour, said)


def _said(lane: Lane) -> str:
    """`✗ delegate · researcher: find sources · 1.4 s`."""
    name = f"{lane.agent}: {lane.name}" if lane.agent and lane.agent != lane.name else lane.name
    time = "no time" if lane.start is None else "no end" if lane.length is None else duration(lane.length)
    return f"{'✗ ' if lane.failed else ''}{lane.kind} · {one_line(name, _LONGEST)} · {time}"


def _text(said: str, x: int | str, y: int, colour: str, anchor: str = "start") -> Markup:
    """Edged with paper, so that no line of the axis runs through it."""
    return Markup(
        '<text x="{}" y="{}" fill="{}" stroke="{}" stroke-width="4" paint-order="stroke" text-anchor="{}">{}</text>'
    ).format(x, y, colour, _PAPER, anchor, said)


def _percent(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"
