from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from proctor.reports import svg
from proctor.score import LookPoint
from proctor.statistics.estimate import Estimate

SHARE = st.floats(0, 1)


@given(SHARE, SHARE, SHARE)
def test_an_interval_is_drawn_where_it_lies(a: float, b: float, c: float) -> None:
    low, value, high = sorted((a, b, c))
    drawing = ET.fromstring(svg.interval(Estimate(value=value, low=low, high=high, n=3, method="m"), 'a "label" <'))
    [dot] = drawing.iter("circle")
    line = next(each for each in drawing.iter("line") if each.attrib["class"] == "range")
    ends = [float(place.rstrip("%")) for place in (line.attrib["x1"], dot.attrib["cx"], line.attrib["x2"])]
    assert ends == [round(100 * end, 2) for end in (low, value, high)]
    assert drawing.attrib["aria-label"] == 'a "label" <'


def test_no_dot_is_drawn_where_there_is_no_value() -> None:
    drawing = ET.fromstring(svg.interval(Estimate(value=None, low=None, high=None, n=0, method="m"), "none"))
    assert not list(drawing.iter("circle"))


@given(st.lists(st.floats(0, 7.6)))
def test_every_value_is_in_one_bar_of_the_histogram(values: list[float]) -> None:
    drawing = ET.fromstring(svg.histogram(values, top=7.6, label="times", mark=3.8))
    bars = list(drawing.iter("rect"))
    assert bool(bars) == bool(values)
    for bar in bars:
        assert 0 <= float(bar.attrib["x"].rstrip("%")) < 100
        assert 1 <= float(bar.attrib["height"]) <= 40


@given(st.lists(st.tuples(st.sampled_from(["pass", "fail"]), st.integers(0, 1000))))
def test_a_stack_fills_its_width(counts: list[tuple[str, int]]) -> None:
    drawing = ET.fromstring(svg.stack(counts, "outcomes"))
    total = sum(float(piece.attrib["width"].rstrip("%")) for piece in drawing.iter("rect"))
    assert abs(total - 100) < 0.01 * len(counts) + 0.01 or not sum(count for _, count in counts)


def test_the_lines_of_the_looks_say_what_they_mean() -> None:
    points = [
        LookPoint(attempts=5, value=0.1, low=-2.0, high=2.0),
        LookPoint(attempts=90, value=2.5, low=-1.0, high=1.5),
    ]
    drawing = ET.fromstring(svg.path_between(points, of=90, label="looks"))
    assert [(each.text, each.attrib["text-anchor"]) for each in drawing.iter("text")] == [
        ("met", "end"),
        ("not met", "end"),
    ]


def test_a_bound_that_is_known_at_one_look_alone_is_seen() -> None:
    points = [LookPoint(attempts=15, value=-8.0, low=-6.0, high=None)]
    drawing = ET.fromstring(svg.path_between(points, of=300, label="looks"))
    bounds = [each.attrib["points"] for each in drawing.iter("polyline") if each.attrib["class"] == "bounds"]
    assert bounds == ["", "18.0,86.0 42.0,86.0"]
