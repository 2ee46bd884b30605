from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.reports.pages import HOSTILE, assert_harmless, parsed, written

from proctor.benchmark import Expectation
from proctor.reports.run.html import write_html
from proctor.run import Attempt
from proctor.score import CheckResult, Contradiction, Part, Score
from proctor.transcript import Citation, Reply, Step, ToolCall

if TYPE_CHECKING:
    from tests.reports.conftest import Maker, Sample


def test_the_report_is_one_file_that_loads_nothing(sample: Sample) -> None:
    text = written(sample)
    assert_harmless(parsed(text))
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_the_first_screen_says_how_good_and_how_sure(sample: Sample) -> None:
    said = parsed(written(sample)).said
    for words in (
        "demo:librarian on handbook",
        "! incomplete",
        "2 min 04 s",
        "6 cases × 3",
        "Pass rate 41.7 %",
        "pass^3",
    ):
        assert words in said
    assert re.search(r"Pass rate 41.7 % \d+ – \d+ 4 cases × 3", said)
    assert "3 agent · 3 environment 3 unscored" in said


def test_the_note_on_the_embedded_reviewer_is_said(sample: Sample) -> None:
    assert "Scores are by the embedded reviewer" in parsed(written(sample)).said


def test_a_reader_without_a_command_line_is_told_of_no_options(sample: Sample) -> None:
    said = parsed(written(sample)).said
    notes = said.partition("Notes")[2].partition("What broke")[0]
    assert "no model. Name a model as the reviewer for free-form answers." in notes
    assert "--" not in notes


def test_the_axis_of_mean_times_is_told_apart_from_the_longest_attempt(maker: Callable[..., Maker]) -> None:
    made = maker(trials=2)
    for name, times in (("a", (1.0, 2.0)), ("b", (2.0, 6.0)), ("c", (3.0, 3.0))):
        case = made.case(name)
        for trial, seconds in enumerate(times, 1):
            made.marked(case, 0.9, trial=trial, seconds=seconds)
    said = parsed(written(made.sample())).said
    assert (
        "Mean time per case 0 4.0 s median 3.0 s (dashed), longest mean 4.0 s; "
        "single attempts: median 2.5 s, longest 6.0 s" in said
    )


def test_with_one_attempt_a_case_its_time_is_no_mean(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.9, seconds=2.0)
    said = parsed(written(made.sample())).said
    assert "Time per case 0 2.0 s median 2.0 s, longest 2.0 s (dashed: median)" in said


def test_failures_and_unscored_stand_apart_with_their_reasons(sample: Sample) -> None:
    said = parsed(written(sample)).said
    assert "✗ agent failed 3 agent the agent did not answer within 60 s" in said
    assert "! environment failed 3 calling the reviewer HTTP 503 after 3 tries" in said
    assert "? unscored 3 reviewer the answer had no number" in said


def test_a_failure_never_shows_as_zero(sample: Sample) -> None:
    said = parsed(written(sample)).said
    assert "✗ crashing Which policy covers remote work? reading 0/3 – 1.2 s" in said
    assert not re.search(r"\b0\.00\b", said)


def test_every_row_leads_to_its_case(sample: Sample) -> None:
    page = parsed(written(sample))
    links = {value.removeprefix("#") for tag, name, value in page.attributes if tag == "a" and name == "href"}
    assert links <= set(page.ids)
    assert {f"case-{number}" for number in range(1, 7)} <= links
    assert len(set(page.ids)) == len(page.ids)


def test_a_case_shows_question_expectation_reply_calls_citations_and_marks(sample: Sample) -> None:
    said = parsed(written(sample)).said
    for words in (
        "Expected The remote policy.",
        'search_knowledge(query="remote work") → 3 results 42 ms',
        "Remote work is covered by hr/remote.md.",
        "Cited hr/remote.md Up to three days a week.",
        "Score by embedded correctness 0.93 3 of 4 facts are there.",
        "✗ keywords 'policy' not found",
        "agent: the agent did not answer within 60 s detail Timeout",
        "Unscored by model: the answer had no number",
    ):
        assert words in said


def test_the_trial_that_went_wrong_is_the_open_one(maker: Callable[..., Maker]) -> None:
    made = maker(trials=3)
    case = made.case("a")
    for trial, value in enumerate((0.9, 0.2, 0.9), 1):
        made.marked(case, value, trial=trial)
    text = written(made.sample())
    trials = re.findall(r'<details class="trial"( open)?>', text)
    assert trials == ["", " open", ""]


def hostile_sample(maker: Callable[..., Maker], text: str) -> Sample:
    made = maker()
    made = maker(run=replace(made.run, name=text, agent=text, benchmark=text, reason=text, labels={text: text}))
    reply = Reply(
        text=text,
        tool_calls=(ToolCall(name=text, arguments={text: text}, result=text, error=text),),
        citations=(Citation(source=text, quote=text),),
        steps=(Step(id="1", kind=text, name=text, agent=text, detail=text, status="error"),),
        stderr=text,
    )
    expect = Expectation(keywords=(text,), limits={text: 1.0})
    case = made.case(text, question=text, reasoning=text, context=text, categories=(text,), expect=expect)
    score = Score(turn=1, of="agent", parts=(Part(name=text, value=0.2, explanation=text),), value=0.2, by=text)
    check = CheckResult(turn=1, name=text, passed=None, evidence=text)
    pair = Contradiction(turns=(1, 2), quotes=(text, text), kind=text, reason=text)
    made.played(case, reply=reply, scores=(score,), checks=(check,), contradictions=(pair,), passed=False)
    made.broken(made.case(f"b{text}"), "environment", text, detail=text)
    made.unscored(made.case(f"c{text}"), text)
    return made.sample()


def test_hostile_text_is_shown_and_harmless(maker: Callable[..., Maker]) -> None:
    text = written(hostile_sample(maker, HOSTILE))
    page = parsed(text)
    assert_harmless(page)
    assert "<script>alert(1)</script>" in page.said
    assert "{{ 7*7 }}" in page.said
    assert not re.search("[\x00\x1b\u202e]", text)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.text(st.characters(exclude_categories=[])) | st.text("<>&\"'=/ !-ab`\n"))
def test_any_text_makes_a_page_whose_elements_close(maker: Callable[..., Maker], text: str) -> None:
    written_text = written(hostile_sample(maker, text))
    written_text.encode("utf-8")
    assert_harmless(parsed(written_text))


def test_a_reply_of_50_kilobytes_is_folded_and_whole(maker: Callable[..., Maker]) -> None:
    made = maker()
    made.marked(made.case("a"), 0.2, reply=Reply(text="<b>" * 17_000))
    text = written(made.sample())
    assert '<details class="fold"><summary>48,000 more characters</summary>' in text
    assert text.count("&lt;b&gt;") == 17_000
    assert "<b>" not in text.split("<main>")[1]


def test_a_huge_run_is_cut_and_says_how_to_get_the_rest(maker: Callable[..., Maker]) -> None:
    made = maker(trials=2)
    for number in range(600):
        for trial in (1, 2):
            made.marked(made.case(f"case-{number}"), 0.1 if number == 599 else 0.9, trial=trial)
    text = written(made.sample())
    page = parsed(text)
    assert text.count('<details class="trial"') == 500
    assert "500 of 1,200 attempts are shown in full" in page.said
    assert "700 are left out" in page.said
    assert "proctor export 261115-024610-k3f9 --format json" in page.said
    assert text.index('id="case-1"') < text.index('id="case-2"')
    assert "case-599" in page.said.split("top")[0]


def test_attempts_are_read_once_as_they_stream(sample: Sample) -> None:
    def once() -> Iterator[Attempt]:
        yield from sample.attempts

    stream = io.StringIO()
    write_html(sample.findings, sample.exams, once(), stream)
    assert stream.getvalue() == written(sample)


@pytest.mark.parametrize("reviewer", ["embedded", None])
def test_an_empty_run_says_what_belongs_there(maker: Callable[..., Maker], reviewer: str | None) -> None:
    made = maker(reviewer=reviewer)
    assert "This run has no cases yet" in parsed(written(made.sample())).said
    made.case("a")
    said = parsed(written(made.sample())).said
    assert "nothing was counted" in said
    assert "1 not run yet" in said


def test_the_report_fits_dark_screens_paper_and_phones(sample: Sample) -> None:
    text = written(sample)
    for rule in (
        "color-scheme: light dark",
        "light-dark(#1b1f24, #e6e9ee)",
        "@media print",
        "max-width: 620px",
        "width=device-width",
    ):
        assert rule in text
