"""Good suites: everything a file can say arrives in the nouns, from YAML and from JSONL alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from proctor.benchmark import Benchmark, Case, Expectation, ExpectedCall
from proctor.codec import benchmark_of, case_id
from proctor.errors import InputError
from proctor.formats.suites.suite import check_suite, is_suite, read_bytes, read_suite

EXAMPLE = """\
name: knowledge agent
description: optional
passing_score: 0.7               # optional; also per case
sources: knowledge/
expect: {exclusions: [as an AI]} # for every case
conditions: {slow-search: {tool: search_knowledge, delay: 2.0}}
cases:
  - id: search-1
    category: search             # or a list
    question: Which policy covers remote work?
    context: optional summary of the conversation so far
    reference: optional answer, for the judge
    reasoning: optional
    passing_score: 0.8
    expect:
      tools_used: [search_knowledge]
      tools_not_used: [web_search]
      keywords: [policy, 're:remote\\s+work']
      exclusions: [I don't know]
      citations: {min: 2, sources: [hr/remote.md], quotes: true}
      tool_calls:
        - name: search_knowledge
          arguments: {query: remote work, limit: 5}
          ignore: [top_k]
          optional: [lang]
          match: {limit: {tolerance: 1}, lang: {any_of: [en, de]}, query: {fold: true, pattern: 'remote.*'}}
          step: 1
          may_be_absent: true
      tool_threshold: 0.9
      ordered: true
      extra_allowed: true
      result_used: true
      limits: {tool_calls: 20, seconds: 10, tokens: 4000, cost: 0.02}
      sub_agents: [researcher]
      steps: [plan, {kind: delegate, agent: researcher, after: plan}]
      checks: [my_check]
"""


def made(text: str, name: str = "suite.yaml") -> Benchmark:
    reading = read_bytes(text.encode(), name=name)
    assert reading.errors == ()
    assert reading.benchmark is not None
    return reading.benchmark


def only(text: str) -> Case:
    (case,) = made(text).cases
    return case


def expecting(text: str) -> Expectation:
    """What a case with this `expect` holds the reply to."""
    return only(f"cases:\n  - question: q\n    expect: {text}\n").expect


def as_lines(text: str) -> str:
    """The same suite as JSONL."""
    document: dict[str, Any] = yaml.safe_load(text)
    cases = document.pop("cases")
    return "\n".join(json.dumps(line) for line in ({"suite": document}, *cases))


def test_everything_that_a_suite_can_say_is_read(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    path = tmp_path / "agent.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    suite = read_suite(path)
    assert (suite.name, suite.description, suite.passing_score) == ("knowledge agent", "optional", 0.7)
    assert suite.sources == str((tmp_path / "knowledge").resolve())
    assert suite.conditions == {"slow-search": {"tool": "search_knowledge", "delay": 2.0}}
    assert suite.cases == (
        Case(
            id="search-1",
            question="Which policy covers remote work?",
            answer="optional answer, for the judge",
            reasoning="optional",
            context="optional summary of the conversation so far",
            categories=("search",),
            passing_score=0.8,
            line=8,
            expect=Expectation(
                tools_used=("search_knowledge",),
                tools_not_used=("web_search",),
                keywords=("policy", r"re:remote\s+work"),
                exclusions=("as an AI", "I don't know"),
                citations=2,
                sources=("hr/remote.md",),
                quotes=True,
                tool_calls=(
                    ExpectedCall(
                        name="search_knowledge",
                        arguments={"query": "remote work", "limit": 5},
                        ignore=("top_k",),
                        optional=("lang",),
                        match={
                            "limit": {"tolerance": 1.0},
                            "lang": {"any_of": ["en", "de"]},
                            "query": {"fold": True, "pattern": "remote.*"},
                        },
                        step=1,
                        may_be_absent=True,
                    ),
                ),
                tool_threshold=0.9,
                ordered=True,
                extra_allowed=True,
                result_used=True,
                sub_agents=("researcher",),
                steps=({"kind": "plan"}, {"kind": "delegate", "agent": "researcher", "after": ["plan"]}),
                limits={"tool_calls": 20.0, "seconds": 10.0, "tokens": 4000.0, "cost": 0.02},
                checks=("my_check",),
            ),
        ),
    )


def test_jsonl_says_the_same_as_yaml() -> None:
    from_yaml, from_lines = made(EXAMPLE), made(as_lines(EXAMPLE), "suite.jsonl")
    assert from_lines.digest == from_yaml.digest
    assert (from_lines.name, from_lines.conditions) == (from_yaml.name, from_yaml.conditions)
    assert from_lines.cases[0].expect == from_yaml.cases[0].expect
    assert from_lines.cases[0].line == 2


def test_a_jsonl_suite_needs_no_first_line_of_its_own_and_blank_lines_are_skipped() -> None:
    suite = made('\n{"question": "a"}\r\n\n{"question": "b"}', "two.jsonl")
    assert [(case.question, case.line) for case in suite.cases] == [("a", 2), ("b", 4)]
    assert suite.name == "two"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_text(encoding: str) -> None:
    reading = read_bytes("cases: [{question: Où?}]".encode(encoding), name="a.yaml")
    assert [case.question for case in reading.cases] == ["Où?"]


def test_line_ends_of_windows_are_read() -> None:
    assert only("cases:\r\n  - question: a\r\n    id: b\r\n").id == "b"


# Text as it is written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["yes", "no", "on", "true", "2024-01-31", "007", "3.10", "1_000", "12:30", "0x1F"])
def test_text_is_taken_as_it_is_written_whatever_yaml_would_make_of_it(written: str) -> None:
    case = only(f"cases:\n - {{id: {written}, question: {written}, expect: {{keywords: [{written}]}}}}")
    assert (case.id, case.question, *case.expect.keywords) == (written, written, written)


def test_a_number_in_json_is_text_where_text_is_expected() -> None:
    assert made('{"question": "q", "reference": 3.10}', "a.jsonl").cases[0].answer == "3.10"


def test_a_block_of_lines_ends_without_a_line_break() -> None:
    assert only("cases:\n  - question: |\n      one\n      two\n").question == "one\ntwo"


def test_arguments_keep_numbers_flags_and_nothing_but_no_dates_and_no_codes() -> None:
    calls = expecting(
        "{tool_calls: [{name: f, arguments: "
        "{a: 5, b: -0.5, c: true, d: null, e: yes, f: 2024-01-01, g: 007, h: '5', i: [1, {j: k}], l: 1e3}}]}"
    ).tool_calls
    assert calls is not None
    expected = {
        "a": 5, "b": -0.5, "c": True, "d": None, "e": "yes", "f": "2024-01-01", "g": "007", "h": "5",
        "i": [1, {"j": "k"}], "l": 1000.0,
    }  # fmt: skip
    assert calls[0].arguments == expected
    assert [type(calls[0].arguments[name]) for name in "abc"] == [int, float, bool]


def test_null_is_as_if_the_key_were_not_there() -> None:
    case = only("cases:\n  - {question: q, reference: null, context: ~, expect: {keywords: , limits: {cost: null}}}")
    assert case == Case(id=case_id("q", None), question="q", line=2)


# Anchors -----------------------------------------------------------------------------------------------------------


def test_aliases_and_merged_keys_are_read_and_own_keys_go_before() -> None:
    suite = made(
        "cases:\n"
        "  - question: a\n"
        "    expect: &strict {keywords: [x], limits: {cost: 1}}\n"
        "  - question: b\n"
        "    expect: {<<: *strict, limits: {cost: 2}}\n"
        "  - {question: c, expect: *strict}\n"
    )
    assert [case.expect.keywords for case in suite.cases] == [("x",)] * 3
    assert [case.expect.limits["cost"] for case in suite.cases] == [1, 2, 1]


# The short forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "least", "sources"),
    [
        ("true", 1, ()),
        ("false", None, ()),
        ("3", 3, ()),
        ("0", 0, ()),
        ("{sources: [a.md]}", 1, ("a.md",)),
        ("{min: 0, sources: [a.md]}", 0, ("a.md",)),
    ],
)
def test_citations_are_a_flag_a_number_or_keys(written: str, least: int | None, sources: tuple[str, ...]) -> None:
    expect = expecting(f"{{citations: {written}}}")
    assert (expect.citations, expect.sources) == (least, sources)


def test_a_category_is_one_or_several() -> None:
    assert only("cases: [{question: q, category: a}]").categories == ("a",)
    assert only("cases: [{question: q, category: [a, b, a]}]").categories == ("a", "b")


def test_no_expected_calls_and_no_judgement_of_calls_are_different() -> None:
    assert expecting("{tool_calls: []}").tool_calls == ()
    assert expecting("{keywords: [a]}").tool_calls is None


# The suite's own expectations --------------------------------------------------------------------------------------


def joined(common: str, own: str) -> Expectation:
    return only(f"expect: {common}\ncases: [{{question: q, expect: {own}}}]").expect


def test_lists_are_joined_limits_laid_side_by_side_and_single_values_overridden() -> None:
    expect = joined(
        "{keywords: [a, b], ordered: true, tool_threshold: 0.5, limits: {cost: 1, seconds: 5}}",
        "{keywords: [b, c], ordered: false, limits: {cost: 2}}",
    )
    assert expect.keywords == ("a", "b", "c")
    assert (expect.ordered, expect.tool_threshold) == (False, 0.5)
    assert expect.limits == {"cost": 2, "seconds": 5}


def test_what_the_suite_expects_of_every_reply_is_told_apart_as_well() -> None:
    text = b"expect: {exclusions: [x], citations: {sources: [a]}}\ncases: [{question: q, expect: {keywords: [k]}}]"
    reading = read_bytes(text, name="a.yaml")
    assert reading.expect == Expectation(exclusions=("x",), citations=1, sources=("a",))
    assert reading.cases[0].expect == replace(reading.expect, keywords=("k",))


def test_calls_and_steps_of_the_suite_come_before_those_of_the_case() -> None:
    expect = joined("{tool_calls: [{name: a}], steps: [plan]}", "{tool_calls: [{name: b}], steps: [tool]}")
    assert [call.name for call in expect.tool_calls or ()] == ["a", "b"]
    assert expect.steps == ({"kind": "plan"}, {"kind": "tool"})


@pytest.mark.parametrize(
    ("common", "own", "least", "sources", "quotes"),
    [
        ("2", "{sources: [a]}", 2, ("a",), False),
        ("{sources: [a], quotes: true}", "{min: 3, sources: [b]}", 3, ("a", "b"), True),
        ("{sources: [a], quotes: true}", "false", None, (), False),
        ("{quotes: true}", "{quotes: false}", 1, (), False),
        ("false", "{sources: [a]}", 1, ("a",), False),
    ],
)
def test_citations_of_suite_and_case_are_joined_key_by_key(
    common: str, own: str, least: int | None, sources: tuple[str, ...], quotes: bool
) -> None:
    expect = joined(f"{{citations: {common}}}", f"{{citations: {own}}}")
    assert (expect.citations, expect.sources, expect.quotes) == (least, sources, quotes)


# Ids and digest ----------------------------------------------------------------------------------------------------


def test_a_case_without_an_id_gets_one_from_its_content_as_in_csv() -> None:
    suite = made("cases: [{question: q, context: c}, {question: q, context: c}, {question: q}]")
    plain = case_id("q", "c")
    assert [case.id for case in suite.cases] == [plain, f"{plain}-2", case_id("q", None)]


def test_a_made_id_steps_aside_for_one_that_was_given() -> None:
    given = f"{case_id('q', None)}-2"
    suite = made(f"cases: [{{question: q}}, {{question: q}}, {{question: other, id: {given}}}]")
    assert [case.id for case in suite.cases] == [case_id("q", None), f"{case_id('q', None)}-3", given]


def test_a_suite_that_only_has_cases_has_the_digest_of_its_cases() -> None:
    suite = made("cases: [{question: q, reference: a}]")
    case = Case(id=case_id("q", None), question="q", answer="a")
    assert suite.digest == benchmark_of([case], name="anything").digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Which policy covers remote", "Which policy governs remote"),
        ("optional summary", "another summary"),
        ("optional answer", "another answer"),
        ("reasoning: optional", "reasoning: other"),
        ("passing_score: 0.8", "passing_score: 0.9"),
        ("passing_score: 0.7", "passing_score: 0.6"),
        ("delay: 2.0", "delay: 3.0"),
        ("as an AI", "as a model"),
        ("tolerance: 1", "tolerance: 2"),
        ("may_be_absent: true", "may_be_absent: false"),
        ("cost: 0.02", "cost: 0.03"),
        ("re:remote", "re:home"),
    ],
)
def test_whatever_decides_a_verdict_changes_the_digest(old: str, new: str) -> None:
    assert old in EXAMPLE
    assert made(EXAMPLE).digest != made(EXAMPLE.replace(old, new)).digest


def test_comments_order_of_keys_and_spelling_of_numbers_do_not_change_the_digest() -> None:
    one = "passing_score: 1\ncases:\n  - question: q # x\n    expect: {limits: {cost: 1, seconds: 2}, ordered: true}\n"
    other = (
        "cases:\n- expect:\n    ordered: true\n    limits:\n      seconds: 2.0\n      cost: 1.0\n  question: 'q'\n"
        "passing_score: 1.0\n"
    )
    assert made(one).digest == made(other).digest


# The doors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "suite"), [("a.yaml", True), ("a.YML", True), ("a.jsonl", True), ("a.csv", False)])
def test_the_ending_tells_a_suite(name: str, suite: bool) -> None:
    assert is_suite(name) is suite


def test_a_file_that_is_not_there_or_no_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        check_suite(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"expected a name that ends in \.yaml"):
        check_suite(tmp_path / "a.csv")


def test_reading_a_suite_with_errors_raises_the_first_and_counts_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("cases:\n" + "  - {question: q, x: 1}\n" * 5, encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.yaml: line 2, column 19: cases\[0\]\.x: unknown key 'x'.* and 2 more"):
        read_suite(path)
    assert check_suite(path).benchmark is None


def test_sound_cases_are_counted_and_shown_beside_the_errors() -> None:
    reading = read_bytes(b"cases:\n" + b"  - question: q\n" * 12 + b"  - {}\n", name="a.yaml")
    assert (reading.rows, len(reading.preview), len(reading.errors)) == (12, 10, 1)


CRITERIA = """\
cases:
  - question: Say hello.
    criteria:
      brevity: {asks: Is it short?, weight: 3}
      tone: Is it polite?
"""


def test_a_part_of_a_case_may_weigh_more_as_a_reviewers_may() -> None:
    assert made(CRITERIA).cases[0].criteria == {
        "brevity": {"asks": "Is it short?", "weight": 3.0},
        "tone": "Is it polite?",
    }


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ("weight: 3", "weight: 0", (4, 45), "expected a number above 0, up to 1,000,000, found"),
        ("weight: 3", "weight: heavy", (4, 45), "expected a number above 0"),
        ("weight: 3", "wieght: 3", (4, 37), "did you mean 'weight'?"),
        ("asks: Is it short?, ", "", (4, 16), "the key 'asks' is missing"),
        ("asks:", "text:", (4, 17), "did you mean 'asks'?"),
        ("tone:", "my tone:", (5, 7), "a criterion cannot be called 'my tone'"),
        ("      tone: Is it polite?\n", "".join(f"      part{n}: x\n" for n in range(20)), (4, 7), "at most 20"),
    ],
)
def test_criteria_that_no_model_could_mark_are_told_with_line_and_column(
    old: str, new: str, where: tuple[int, int], said: str
) -> None:
    errors = read_bytes(CRITERIA.replace(old, new).encode(), name="suite.yaml").errors
    assert [error for error in errors if (error.line, error.column) == where and said in error.message]
