from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from proctor.findings.orchestration.timeline import Lane, timeline
from proctor.findings.orchestration.timeline import Timeline as Line
from proctor.reports import orchestration
from proctor.transcript import Step

STEPS = [
    Step(id="p", kind="plan", name="plan", start=0.0, end=1.0),
    Step(id="d", kind="delegate", name="find sources", agent="researcher", start=1.0, end=4.0),
    Step(id="t", kind="tool", name="search", parent="d", start=1.0, end=2.0, status="error"),
    Step(id="x", kind="tool", name="<b>never & timed</b>"),
]


def drawing(line: Line) -> ET.Element:
    return ET.fromstring(orchestration.gantt(line))


def texts(picture: ET.Element) -> list[str]:
    return [text.text or "" for text in picture.iter("text")]


def test_each_bar_lies_where_its_step_ran() -> None:
    bars = [(bar.attrib["x"], bar.attrib["width"]) for bar in drawing(timeline(STEPS)).iter("rect")]
    assert bars == [("0.00%", "25.00%"), ("25.00%", "75.00%"), ("25.00%", "25.00%")]


def test_a_moment_and_a_step_without_an_end_are_ticks() -> None:
    steps = [
        Step(id="a", kind="tool", name="search", start=0.0, end=4.0),
        Step(id="e", kind="error", name="timeout", start=2.0, end=2.0),
        Step(id="o", kind="tool", name="read", start=3.0),
    ]
    ticks = [line for line in drawing(timeline(steps)).iter("line") if line.attrib.get("class") == "tick"]
    assert [tick.attrib["x1"] for tick in ticks] == ["50.00%", "75.00%"]


def test_a_moment_at_the_very_end_is_still_within_the_picture() -> None:
    steps = [
        Step(id="a", kind="tool", name="search", start=0.0, end=4.0),
        Step(id="e", kind="error", name="timeout", start=4.0, end=4.0),
    ]
    (tick,) = [line for line in drawing(timeline(steps)).iter("line") if line.attrib.get("class") == "tick"]
    assert tick.attrib["x1"] == "99.80%"


def test_what_a_step_is_stands_above_its_bar_and_inner_steps_are_indented() -> None:
    picture = drawing(timeline(STEPS))
    labels = {text.text or "": text.attrib["x"] for text in picture.iter("text")}
    assert labels["delegate · researcher: find sources · 3.0 s"] == "0"
    assert labels["✗ tool · researcher: search · 1.0 s"] == "12"
    assert labels["tool · <b>never & timed</b> · no time"] == "0"


def test_the_picture_says_in_words_what_it_shows() -> None:
    picture = drawing(timeline(STEPS))
    assert picture.attrib["role"] == "img"
    assert picture.attrib["aria-label"] == picture.findtext("title") == "4 steps over 4.0 s, 1 failed"


def test_an_error_has_a_sign_as_well_as_a_colour() -> None:
    picture = drawing(timeline(STEPS))
    failed = [text for text in picture.iter("text") if "--fail" in text.attrib["fill"]]
    assert [(text.text or "")[0] for text in failed] == ["✗"]
    assert sum("--fail" in bar.attrib["fill"] for bar in picture.iter("rect")) == 1


def test_every_colour_is_the_pages_own() -> None:
    for mark in drawing(timeline(STEPS)).iter():
        for name in ("fill", "stroke"):
            assert mark.attrib.get(name, "var(--ink").startswith("var(--")


def test_there_is_no_script_and_nothing_from_elsewhere() -> None:
    picture = orchestration.gantt(timeline(STEPS))
    assert "<script" not in picture
    assert "href" not in picture
    assert "url(" not in picture
    assert "style" not in picture


def test_without_times_the_steps_are_still_listed() -> None:
    picture = drawing(timeline([Step(id="a", kind="tool", name="search")]))
    assert picture.attrib["aria-label"] == "1 step, no times reported"
    assert "tool · search · no time" in texts(picture)
    assert not list(picture.iter("rect"))


def test_a_very_long_list_is_cut_and_says_so() -> None:
    many = [
        Step(id=str(number), kind="tool", name="search", start=float(number), end=number + 1.0) for number in range(250)
    ]
    picture = drawing(timeline(many))
    assert len(list(picture.iter("rect"))) == 200
    assert any(said.startswith("50 further steps not drawn") for said in texts(picture))


LANES = st.lists(
    st.builds(
        Lane,
        id=st.text(),
        name=st.text(),
        kind=st.sampled_from(["plan", "delegate", "tool", "re-plan", "error", "other"]),
        agent=st.none() | st.text(),
        depth=st.integers(0, 100),
        start=st.none() | st.floats(0, 1e9),
        length=st.none() | st.floats(0, 1e9),
        failed=st.booleans(),
        critical=st.booleans(),
    ),
    max_size=8,
)


@given(LANES, st.floats(0, 1e9))
def test_whatever_steps_are_called_the_picture_is_well_formed(lanes: list[Lane], seconds: float) -> None:
    picture = drawing(Line(lanes=tuple(lanes), seconds=seconds))
    ticks = [line for line in picture.iter("line") if line.attrib.get("class") == "tick"]
    assert len(list(picture.iter("rect"))) + len(ticks) == sum(lane.start is not None for lane in lanes)


def test_no_label_touches_its_bar() -> None:
    picture = drawing(timeline(STEPS))
    bars = [float(bar.attrib["y"]) for bar in picture.iter("rect")]
    labels = [float(text.attrib["y"]) for text in picture.iter("text") if " · " in (text.text or "")][: len(bars)]
    below_the_line, edge = 4.0, 1.0
    assert all(bar - label >= below_the_line + edge + 1 for label, bar in zip(labels, bars, strict=True))


def test_no_line_of_the_axis_runs_through_a_label() -> None:
    for text in drawing(timeline(STEPS)).iter("text"):
        assert text.attrib["paint-order"] == "stroke"
        assert text.attrib["stroke"].startswith("var(--paper")
