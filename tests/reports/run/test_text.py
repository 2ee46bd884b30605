from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType

from proctor.findings.run import Summary
from proctor.reports.run.text import next_command, render
from proctor.reports.runs import runs_table
from proctor.score import Part, Score, Unscored

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=300) | st.sampled_from(
    ["漢字" * 90, "👩‍🔬🇬🇧" * 60, "x" * 500, "[bold]not markup[/bold]", "\x1b[31mred", "e\u0301" * 200, "a b " * 90]
)


def printed(what: RenderableType, *, width: int = 80, terminal: bool = False) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None).print(
        what
    )
    return stream.getvalue()


def test_the_report_tells_its_things_in_order(sample: Sample) -> None:
    said = printed(render(sample.findings, html=Path("report.html")))
    order = [
        "demo:librarian on handbook", "incomplete", "✓ 1 passed", "Pass rate", "Mean score", "Failures", "By category",
        "Worst cases", "The agent failed", "The environment failed", "Could not be scored", "embedded reviewer",
        "report.html", "proctor resume",
    ]  # fmt: skip
    places = [said.index(word) for word in order]
    assert places == sorted(places)


def test_no_estimate_stands_without_its_interval(sample: Sample) -> None:
    said = printed(render(sample.findings))
    for label in ("Pass rate", "pass@3", "pass^3", "Mean score", "search", "reading"):
        [line] = [line for line in said.splitlines() if line.strip().startswith(f"{label} ") and "●" in line]
        assert " – " in line


def test_a_failure_never_shows_as_zero(sample: Sample) -> None:
    [line] = [line for line in printed(render(sample.findings)).splitlines() if "crashing  " in line]
    assert "0.00" not in line
    assert line.split()[-3:] == ["–", "1.2", "s"]


def test_failures_and_unscored_are_told_apart_with_their_reasons(sample: Sample) -> None:
    said = printed(render(sample.findings))
    assert "3 × agent: the agent did not answer within 60 s" in said
    assert "3 × calling the reviewer: HTTP 503 after 3 tries" in said
    assert "3 × reviewer: the answer had no number" in said
    assert "3 agent · 3 environment · 3 unscored" in said


def test_a_judge_that_failed_is_told_where_the_checks_have_their_verdict_all_the_same(
    maker: Callable[..., Maker],
) -> None:
    made = maker()
    attempt = made.marked(made.case("a"), 0.9)
    lacking = Unscored(turn=1, of="agent", by="judge", reason="no number")
    made.attempts[-1] = replace(attempt, scores=(), unscored=(lacking,), passed=True)
    assert "0 unscored · 1 score missing" in printed(render(made.sample().findings))


def test_missing_attempts_are_said_with_what_they_could_change(sample: Sample) -> None:
    said = printed(render(sample.findings))
    assert "6 attempts without a verdict, 9 attempts without a score" in said
    assert "at worst" in said


def test_a_run_without_a_single_verdict_says_why_it_has_no_number(maker: Callable[..., Maker]) -> None:
    made = maker(run=replace(maker().run, status="running"))
    made.case("a")
    said = printed(render(made.sample().findings))
    assert "Nothing was counted: no attempt has a verdict or a score." in said
    assert "0 % at worst" not in said
    assert "1 not run yet" in said
    assert "Pass rate" not in said


def test_colour_comes_with_a_sign_and_vanishes_where_there_is_no_terminal(sample: Sample) -> None:
    assert "\x1b[" not in printed(render(sample.findings))
    coloured = printed(render(sample.findings), terminal=True)
    assert "\x1b[31m✗" in coloured
    assert "\x1b[32m✓" in coloured
    assert "\x1b[33m≈" in coloured
    assert "\x1b[35m?" in coloured


def test_colour_stands_for_verdicts_alone(sample: Sample) -> None:
    coloured = printed(render(sample.findings, html=Path("report-7.html")), terminal=True)
    codes = {code for found in re.findall(r"\x1b\[([0-9;]*)m", coloured) for code in found.split(";")}
    bold, dim, off = "1", "2", "0"
    red, green, yellow, magenta, grey = "31", "32", "33", "35", "90"
    assert codes <= {bold, dim, off, red, green, yellow, magenta, grey}


def test_square_brackets_in_other_peoples_text_are_no_markup(maker: Callable[..., Maker]) -> None:
    made = maker()
    text = "[red]a[/red] [link=x]"
    made.marked(made.case("[b]id[/b]", question=text, categories=(text,)), 0.1)
    said = printed(render(made.sample().findings), width=120)
    assert said.count(text) == 2
    assert "[b]id[/b]" in said


def test_no_color_is_obeyed(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in printed(render(sample.findings), terminal=True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(ANY_TEXT, ANY_TEXT, st.sampled_from([30, 60, 80, 200]))
def test_no_line_is_wider_than_the_terminal(maker: Callable[..., Maker], text: str, other: str, width: int) -> None:
    made = maker(trials=2)
    made = maker(run=replace(made.run, name=text, agent=other, benchmark=text, reason=other), trials=2)
    made.marked(made.case(f"a{text}", question=other, categories=(text, "search")), 0.2)
    made.broken(made.case("b", question=text), "agent", other)
    made.unscored(made.case("c", question=other), text)
    found = made.sample().findings
    listed = runs_table([(found.run, Summary(rate=found.pass_rate))])
    for page in (render(found, html=Path("very/" * 40 + "long.html")), listed):
        for line in printed(page, width=width).split("\n"):
            assert cell_len(line) <= width
            assert "\x1b" not in line


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "shift_jis"])
def test_an_output_that_is_not_unicode_gets_stand_ins(sample: Sample, encoding: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=80).print(render(sample.findings))
    stream.flush()
    assert "Pass rate" in stream.buffer.getvalue().decode(encoding)


def test_who_examined_and_who_reviewed_is_never_cut(sample: Sample) -> None:
    chosen = replace(
        sample.findings.run.settings, examiner="an examiner with a name", reviewer="a reviewer with a name"
    )
    run = replace(sample.findings.run, settings=chosen)
    said = " ".join(printed(render(replace(sample.findings, run=run))).split())
    assert "examined by an examiner with a name, reviewed by a reviewer with a name" in said


def test_k_picks_what_is_shown(sample: Sample) -> None:
    said = printed(render(sample.findings, k=2))
    assert "pass@2" in said
    assert "pass^2" in said
    assert "pass@3" not in said


def test_one_trial_shows_no_pass_at_k(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    assert "pass@" not in printed(render(made.sample().findings))


def test_without_categories_there_is_no_table_of_them(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9)
    said = printed(render(made.sample().findings))
    assert "By category" not in said
    assert "Worst cases" not in said


def test_long_lists_of_worst_cases_and_reasons_are_cut_and_say_so(maker: Callable[..., Maker]) -> None:
    made = maker()
    for number in range(20):
        made.broken(made.case(f"case-{number}"), "agent", f"reason {number}")
    said = printed(render(made.sample().findings))
    assert "and 12 more: proctor show 261115-024610-k3f9 --all" in said
    assert "and 15 more reasons: proctor show 261115-024610-k3f9 --all" in said
    every = printed(render(made.sample().findings, every=True))
    assert all(re.search(rf"case-{number} .*\n", every) and f"reason {number} " in every for number in range(20))
    assert "--all" not in every


def test_the_parts_of_the_mark_stand_below_their_mean_and_the_median_beside(maker: Callable[..., Maker]) -> None:
    made = maker()
    for number, value in enumerate((0.0, 0.8, 0.9)):
        parts = (Part(name="correctness", value=value), Part(name="tone", value=1.0))[: 1 + (number > 0)]
        score = Score(turn=1, of="agent", parts=parts, value=value, by="own")
        made.played(made.case(f"case-{number}"), scores=(score,), passed=value > 0.7, turn_passed=(value > 0.7,))
    lines = [line.split() for line in printed(render(made.sample().findings)).splitlines()]
    place = next(number for number, line in enumerate(lines) if line[:2] == ["Mean", "score"])
    correctness, tone = lines[place + 1], lines[place + 2]
    assert (correctness[0], correctness[1], correctness[-2:]) == ("correctness", "0.57", ["3", "cases"])
    assert (tone[0], tone[1], tone[-2:]) == ("tone", "1.00", ["2", "cases"])
    assert lines[place + 3] == ["Median", "score", "0.80"]


def test_the_next_command_fits_the_run(sample: Sample, maker: Callable[..., Maker]) -> None:
    html = Path("report.html")
    assert next_command(sample.findings)[0] == "proctor resume 261115-024610-k3f9"
    made = maker()
    made.marked(made.case("a"), 0.9)
    whole = made.sample().findings
    assert next_command(whole)[0].startswith("proctor export 261115-024610-k3f9 --format html")
    assert next_command(whole, html=html)[0] == "proctor run FILE --agent demo:librarian --trials 3"
    made.marked(made.case("b c"), 0.2)
    for written in (html, None):
        found = next_command(made.sample().findings, html=written)
        assert found == ("proctor show 261115-024610-k3f9 --case 'b c'", "the worst case")
    running = replace(whole, run=replace(whole.run, status="running"))
    assert next_command(running)[0] == "proctor show 261115-024610-k3f9"


@pytest.mark.parametrize("width", [60, 80, 130])
def test_runs_are_listed_with_their_pass_rate_and_interval(sample: Sample, width: int) -> None:
    run, found = sample.findings.run, Summary(rate=sample.findings.pass_rate)
    listed = runs_table([(run, found), (replace(run, name="other"), None)], now=run.created + 7500)
    said = printed(listed, width=width)
    for word in (run.id, "nightly", "✓ completed", "41.7 %", "2 hours ago", "other", "–"):
        assert word in said
    if width >= 80:
        assert "demo:librarian" in said
        assert "handbook" in said


def test_short_names_lend_their_room_to_long_agents_and_ids_are_never_cut(sample: Sample) -> None:
    agent = "openai-compatible:tiny@h:1"
    run = replace(sample.findings.run, id="261115-121311-84f9", name="a name that is longer than this", agent=agent)
    said = printed(runs_table([(run, Summary(rate=sample.findings.pass_rate))], now=run.created + 7500))
    assert agent in said
    assert run.id in said
    assert "…" in said.splitlines()[2]


@pytest.mark.parametrize("width", [60, 80, 130])
def test_battles_are_listed_with_what_was_judged_and_no_test_has_no_rate(sample: Sample, width: int) -> None:
    run, rate = sample.findings.run, sample.findings.pass_rate
    fought = Summary(rate=rate, asked=50, judged=2)
    listed = runs_table([(run, fought), (run, replace(fought, judged=1, no_test=True))], now=run.created + 7500)
    said = printed(listed, width=width)
    for word in ("41.7 %", "2/50", "no test", "1/50", "judged"):
        assert word in said
    assert "judged" not in printed(runs_table([(run, Summary(rate=rate))], now=run.created), width=width)


def test_runs_that_fit_take_one_line_each(sample: Sample) -> None:
    run = replace(sample.findings.run, name="n", agent="a", benchmark="b")
    row = printed(runs_table([(run, None)], now=run.created), width=120).splitlines()[1]
    assert row.split()[:4] == [run.id, "n", "b", "a"]


def test_an_empty_list_says_what_fills_it() -> None:
    assert printed(runs_table([])) == "No runs yet. Try: proctor demo\n"


def test_marks_that_are_missing_are_not_told_twice_and_of_the_plain_run_alone(maker: Callable[..., Maker]) -> None:
    made = maker(conditions=("", "slow"))
    made.marked(made.case("a"), 0.9)
    made.attempts.append(replace(made.attempts[0], key=replace(made.attempts[0].key, condition="slow")))
    made.unscored(made.case("b"), "no number")
    missing = made.attempts[-1]
    made.attempts.append(replace(missing, key=replace(missing.key, condition="slow")))
    said = printed(render(made.sample().findings))
    assert "0 agent · 0 environment · 1 unscored\n" in said
    assert "missing" not in next(line for line in said.splitlines() if "Failures" in line)


def test_how_many_cases_ended_how_is_broken_between_the_kinds_alone(sample: Sample) -> None:
    assert "? 1 unscored\n  ! 1 environment failed\n" in printed(render(sample.findings), width=80)
