"""The chart."""

from __future__ import annotations

import sys
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.made_histories import a_run, counts, story, told

from proctor.errors import InputError
from proctor.findings.history import History
from proctor.reports.history import words
from proctor.reports.history.svg import as_png, chart, draw_series

SVG = "{http://www.w3.org/2000/svg}"


def drawing(history: History, **options: Any) -> ET.Element:
    return ET.fromstring(chart(history, **options))


def groups(history: History) -> list[ET.Element]:
    """One for each run."""
    return list(drawing(history).iter(f"{SVG}g"))


def number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def test_every_run_is_drawn_with_its_verdict() -> None:
    styles = [group.attrib["class"] for group in groups(told())]
    assert styles == ["run"] * 4 + ["left_out", "better", "run", "worse", "better"]


def test_runs_go_from_left_to_right_and_better_rates_lie_higher() -> None:
    dots = [next(group.iter(f"{SVG}circle")) for group in groups(told())]
    places = [number(dot, "cx") for dot in dots]
    assert places == sorted(set(places))
    rates = [entry.rate.value for entry in told().entries if entry.rate is not None]
    heights = [number(dot, "cy") for dot in dots]
    assert sorted(range(9), key=lambda at: -heights[at]) == sorted(range(9), key=lambda at: (rates[at] or 0.0, at))


def test_dots_lie_inside_their_intervals() -> None:
    for group in groups(told()):
        dot, line = next(group.iter(f"{SVG}circle")), next(group.iter(f"{SVG}line"))
        assert number(line, "y1") > number(dot, "cy") > number(line, "y2")


def test_the_sentence_is_the_label_for_those_who_do_not_see_it() -> None:
    history = told()
    said = words.sentence(history, history.series[0], words.calendar_of(history))
    assert drawing(history).attrib["aria-label"] == said


def test_everything_lies_inside_the_picture() -> None:
    for history in (told(), told(by="model"), told([(a_run(1), counts())]), many_runs()):
        picture = drawing(history)
        width, height = number(picture, "width"), number(picture, "height")
        for each in picture.iter(f"{SVG}text"):
            assert 0 <= number(each, "x") <= width
            assert 0 < number(each, "y") <= height


@pytest.mark.parametrize("width", [360, 1112])
def test_a_course_alone_lies_inside_a_picture_of_any_width_and_leaves_words_to_the_page(width: int) -> None:
    for history in (told(), many_runs()):
        picture = ET.fromstring(draw_series(history, history.series[0], width=width))
        assert number(picture, "width") == width
        texts = [*picture.iter(f"{SVG}text")]
        assert all(0 <= number(each, "x") <= width for each in texts)
        assert all(0 < number(each, "y") <= number(picture, "height") for each in texts)
        assert not any(len(each.text or "") > 12 for each in texts)


def test_what_rates_are_is_told_by_the_runs() -> None:
    battle = [(a_run(3, type="abm-dynamic"), counts())]
    assert words.measure(told(battle).entries) == "held rate"
    assert words.unit(told(battle).entries) == "conversations"
    assert "Held rates" in chart(told(battle))
    assert "Pass rates" in chart(told())
    mixed = told([*battle, *story()[1:3]]).entries
    assert (words.measure(mixed), words.unit(mixed)) == ("rate", "rests on")
    assert [words.is_held(entry) for entry in mixed].count(True) == 1


def many_runs() -> History:
    return told([(a_run(1 + at % 28, id=f"{at:04}"), counts(range(at % 7))) for at in range(200)])


def test_many_runs_are_strokes_without_crowding_dates() -> None:
    picture = drawing(many_runs())
    assert len([group for group in picture.iter(f"{SVG}g") if "dense" in group.attrib["class"]]) == 200
    dates = [each for each in picture.iter(f"{SVG}text") if each.text and "Nov" in each.text and len(each.text) < 12]
    assert 3 < len(dates) < 20


def test_a_boundary_has_a_number_and_a_note() -> None:
    texts = [each.text for each in drawing(told()).iter(f"{SVG}text")]
    assert "1" in texts
    note = "1. Not comparable with the runs before: another version of the benchmark (41d0c2b8e7a9 → 9f2c1a77b0e4)."
    assert note in texts


def test_the_baseline_is_dashed_from_its_run_to_the_last_held_against_it() -> None:
    history = told([(a_run(at), counts(range(20 if at < 3 else 0))) for at in range(1, 5)])
    picture = drawing(history)
    middles = [number(next(group.iter(f"{SVG}circle")), "cx") for group in picture.iter(f"{SVG}g")]
    lines = [each for each in picture.iter(f"{SVG}line") if each.attrib["class"] == "baseline"]
    assert [(number(line, "x1"), number(line, "x2")) for line in lines] == [
        (middles[0], middles[2]),
        (middles[2], middles[3]),
    ]


def test_colours_follow_the_page_the_screen_and_the_printer() -> None:
    style = drawing(told()).find(f"{SVG}style")
    assert style is not None
    assert style.text is not None
    assert "--h-ink: var(--ink, #1b1f24)" in style.text
    assert "@media screen and (prefers-color-scheme: dark)" in style.text


def test_for_programs_without_variables_colours_are_spelled_out() -> None:
    assert "var(" not in chart(told(), literal=True)
    assert "#c4322b" in chart(told(), literal=True)


def test_other_people_s_text_is_harmless() -> None:
    evil = '</title><script>alert("x")</script>\x00\x1b[31m'
    run = a_run(3, name=evil, labels={evil: evil}, status="failed", reason=evil)
    picture = drawing(told([*story()[:2], (run, counts())]))
    assert not list(picture.iter(f"{SVG}script"))


def test_without_the_extra_a_png_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError, match=r'pip install "proctor\[charts\]"'):
        as_png(chart(told(), literal=True))


def test_a_png_is_a_png() -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts` is not installed")
    assert as_png(chart(told(), literal=True)).startswith(b"\x89PNG")
