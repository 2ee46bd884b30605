"""Contradictions as lines from one turn to the other, drawn row by row: rows may be as high as their text."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from proctor.reports.battle.conversation import ConversationView, TurnLink
from proctor.reports.words import one_line

_LANE, _EDGE, _TOP, _BEND = 10, 8, 23, 6
"""Points between two lanes, before the first, above the first joint, and of a rounded corner."""

_ROW = Markup(
    '<div class="wires" aria-hidden="true"><svg width="{width}" height="1"></svg>'
    '<svg class="strand" width="{width}" height="100%">{drawn}</svg></div>'
)
"""The first drawing only keeps the room: the height of the second must not have a say in the height of its row."""


def wires(talk: ConversationView) -> list[Markup]:
    """What is drawn beside each turn, the first turn first; nothing where no line passes."""
    width = _EDGE + _LANE * talk.lanes
    return [_row(talk, place, width) for place in range(1, len(talk.turns) + 1)] if talk.bonds else []


def _row(talk: ConversationView, place: int, width: int) -> Markup:
    passing = [(number, bond) for number, bond in enumerate(talk.bonds) if bond.rows[0] <= place <= bond.rows[1]]
    drawn = [_wire(talk, number, bond, place) for number, bond in passing]
    return _ROW.format(width=width, drawn=Markup("").join(drawn))


def _wire(talk: ConversationView, number: int, bond: TurnLink, place: int) -> Markup:
    """A part of one line, which leads to its other end."""
    first, last = bond.rows
    other = bond.found.turns[1 if place == first else 0]
    x, y = _EDGE + _LANE * bond.lane, _TOP + 5 * bond.lane
    told = f"turn {bond.found.turns[1]} contradicts turn {bond.found.turns[0]}: {one_line(bond.found.reason, 400)}"
    strokes = _strokes(x, y, begins=place == first, ends=place == last)
    return Markup('<a class="wire" href="#{}" tabindex="-1" data-bond="{}"><title>{}</title>{}{}</a>').format(
        talk.anchor(other), number, told, _reach(x, y, place, bond.rows), Markup("").join(strokes)
    )


def _strokes(x: int, y: int, *, begins: bool, ends: bool) -> Sequence[Markup]:
    if begins:
        bend = Markup('<path d="M0 {y}H{near}Q{x} {y} {x} {low}"/>').format(x=x, y=y, near=x - _BEND, low=y + _BEND)
        return bend, _straight(x, y + _BEND, "100%")
    if ends:
        bend = Markup('<path d="M{x} {high}Q{x} {y} {near} {y}H0"/>').format(x=x, y=y, near=x - _BEND, high=y - _BEND)
        return _straight(x, 0, y - _BEND), bend
    return (_straight(x, 0, "100%"),)


def _straight(x: int, top: int, bottom: int | str) -> Markup:
    return Markup('<line x1="{}" x2="{}" y1="{}" y2="{}"/>').format(x, x, top, bottom)


def _reach(x: int, y: int, place: int, rows: tuple[int, int]) -> Markup:
    """Room for a pointer around the line."""
    top, bottom = (y if place == rows[0] else 0), (y if place == rows[1] else "100%")
    return Markup('<line class="reach" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(x, x, top, bottom)
