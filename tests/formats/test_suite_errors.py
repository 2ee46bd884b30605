"""Every error of a suite file, with its place, in words that say what to write."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from proctor.formats.suites.suite import LIMIT, check_suite, read_bytes


def errors(text: str | bytes, name: str = "a.yaml") -> list[str]:
    """Every error as one line."""
    data = text if isinstance(text, bytes) else text.encode()
    return [str(problem) for problem in read_bytes(data, name=name).errors]


def in_expect(text: str) -> list[str]:
    """The errors of an `expect`, each from the name of its key on."""
    found = errors(f"cases:\n- question: q\n  expect: {text}\n")
    return [problem.partition("cases[0].expect.")[2] or problem for problem in found]


# Keys ----------------------------------------------------------------------------------------------------------------


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() -> None:
    text = "nmae: x\ncases:\n  - question: q\n    refrence: a\n    expect:\n      keywrods: [a]\n"
    assert errors(text) == [
        "line 1, column 1: nmae: unknown key 'nmae'; did you mean 'name'?",
        "line 4, column 5: cases[0].refrence: unknown key 'refrence'; did you mean 'reference'?",
        "line 6, column 7: cases[0].expect.keywrods: unknown key 'keywrods'; did you mean 'keywords'?",
    ]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("cases: [{question: q, keywords: [a]}]", "write it under expect"),
        ("cases: [{question: q, answer: a, reference: a}]", "'answer' and 'reference' mean the same; give one"),
        ("cases: [{question: q, xyzzy: a}]", "expected one of id, category, question"),
        ("question: q\ncases: [{question: q}]", "it belongs to a case"),
        ("cases: [{question: q, expect: {sources: [a]}}]", "write it under citations"),
        ("cases: [{question: q, expect: {limits: {time: 3}}}]", "did you mean 'seconds'?"),
    ],
)
def test_a_key_in_the_wrong_place_is_told_where_it_belongs(text: str, advice: str) -> None:
    (problem,) = errors(text)
    assert advice in problem


def test_a_key_that_stands_twice_is_an_error_in_yaml_json_and_arguments() -> None:
    said = "the key 'question' is already in line 2; keep one of them"
    assert errors("cases:\n  - question: a\n    question: b\n") == [f"line 3, column 5: cases[0]: {said}"]
    (problem,) = errors('{"question": "a", "question": "b"}', "a.jsonl")
    assert problem == "line 1, column 19: the key 'question' is already in column 2; keep one of them"
    assert "the key 'x' is already" in in_expect("{tool_calls: [{name: f, arguments: {x: 1, x: 2}}]}")[0]


def test_the_same_key_under_different_anchors_is_no_error() -> None:
    assert errors("cases: [{question: q, expect: &e {ordered: true}}, {question: r, expect: {<<: [*e, *e]}}]") == []


def test_ids_that_stand_twice_are_told_with_both_lines() -> None:
    text = "cases:\n  - id: a\n    question: q\n  - question: r\n    id: a\n"
    said = "the id 'a' is already used on line 2; ids must be unique"
    assert errors(text) == [f"line 5, column 5: cases[1].id: {said}"]


# Values --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{keywords: policy}", "keywords: expected a list, found the text 'policy'; write [policy]"),
        ("{keywords: {a: b}}", "keywords: expected a list, found keys with values"),
        ("{keywords: ['']}", "keywords[0]: it is empty; write some text, or remove it"),
        ("{keywords: [null]}", "keywords[0]: expected text, found null; put it in quotes if you mean the word"),
        ("{keywords: [a: b]}", "keywords[0]: expected text, found keys with values; a text with a colon"),
        ("{keywords: [re: b]}", "keywords[0]: expected text, found keys with values; write a pattern in quotes"),
        ("{keywords: ['re:(']}", "keywords[0]: the pattern '(' does not compile: missing )"),
        ("{exclusions: ['re:']}", "exclusions[0]: the pattern is empty"),
        ("{ordered: yes}", "ordered: expected true or false, found the text 'yes'; write true"),
        ("{ordered: 1}", "ordered: expected true or false, found the number 1"),
        ("{tool_threshold: '0.7'}", "tool_threshold: expected a number from 0 to 1, found the text '0.7'; remove the"),
        ("{tool_threshold: 1.5}", "tool_threshold: expected a number from 0 to 1, found the number 1.5"),
        ("{tool_threshold: true}", "tool_threshold: expected a number from 0 to 1, found true"),
        ("{tool_threshold: .nan}", "tool_threshold: expected a number from 0 to 1, found the text '.nan'"),
        ("{citations: maybe}", "citations: expected true or false, or a whole number of at least 0, or keys (min,"),
        ("{citations: -1}", "citations: expected a whole number of at least 0, found the number -1"),
        ("{limits: {seconds: 0}}", "limits.seconds: expected a number above 0, found the number 0"),
        ("{limits: {tokens: 1.5}}", "limits.tokens: expected a whole number of at least 0, found the number 1.5"),
        ("{limits: [a]}", "limits: expected keys (tool_calls, seconds, tokens, …) with values, found a list"),
        ("{steps: [[plan]]}", "steps[0]: expected text, or keys (kind, name, agent, …) with values, found a list"),
        ("{steps: [{kind: tool, min: 3, max: 2}]}", "steps[0]: min=3 is above max=2"),
        ("{steps: [{kind: tool, after: [{}]}]}", "steps[0].after[0]: a step needs a kind, a name or an agent"),
        ("{steps: [{after: plan}]}", "steps[0]: a step needs a kind, a name or an agent"),
        ("{tool_calls: [search]}", "tool_calls[0]: expected keys (name, arguments, ignore, …) with values, found the"),
        ("{tool_calls: [{arguments: {}}]}", "tool_calls[0]: the key 'name' is missing (the tool's name)"),
        ("{tool_calls: [{name: f, match: {q: {}}}]}", "tool_calls[0]: the rule for 'q' is empty"),
        ("{tool_calls: [{name: f, match: {q: {tolerance: 1}}}]}", "tool_calls[0]: nothing is compared with 'q'"),
        ("{tool_calls: [{name: f, match: {q: {pattern: '['}}}]}", "tool_calls[0].match.q.pattern: the pattern '['"),
        ("{tool_calls: [{name: f, match: {q: {any_of: []}}}]}", "tool_calls[0].match.q.any_of: expected at least one"),
        ("{tool_calls: [{name: f, match: {q: {regex: a}}}]}", "tool_calls[0].match.q.regex: unknown key 'regex'; did"),
        ("{tool_calls: [{name: f, arguments: {a: 99999999999999999999}}]}", "tool_calls[0].arguments.a: the number 99"),
        ("{tool_calls: [{name: f, arguments: {a: 1e999}}]}", "tool_calls[0].arguments.a: the number 1e999 is beyond"),
        ("{checks: [\"a\\nb\"]}", "checks[0]: expected one line of text, found several"),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_told_what_is_expected(written: str, said: str) -> None:
    (problem,) = in_expect(written)
    assert problem.startswith(said)


@pytest.mark.parametrize("written", ["", "''", "'  '", "~", "|\n    \n"])
def test_an_empty_question_is_an_error(written: str) -> None:
    (problem,) = errors(f"cases:\n  - question: {written}\n")
    assert problem.startswith("line 2, column ")
    assert "cases[0].question: " in problem


@pytest.mark.parametrize("key", ["question", "reference", "reasoning", "context"])
def test_long_texts_are_refused_as_in_csv(key: str) -> None:
    other = "" if key == "question" else "    question: q\n"
    text = f"cases:\n  - {key}: {'x' * 6000}\n{other}"
    assert errors(text) == []
    (problem,) = errors(text.replace("xxx", "xxxx", 1))
    assert problem == f"line 2, column {7 + len(key)}: cases[0].{key}: exceeds 6000 characters: it has 6001; shorten it"


def test_characters_that_cannot_be_stored_are_refused() -> None:
    assert errors('{"question": "a\\ud800"}', "a.jsonl") == [
        "line 1, column 14: question: holds half a character (U+D800) as character 2; remove it or complete it"
    ]
    (problem,) = errors('cases: [{question: "a\\0"}]')
    assert "holds a NUL character as character 2" in problem


def test_a_folder_of_sources_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("sources: nowhere\ncases: [{question: q}]", encoding="utf-8")
    (problem,) = check_suite(path).errors
    assert (problem.line, problem.column, problem.path) == (1, 1, "sources")
    assert "there is no folder" in problem.message


# Files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no cases: the file is empty"),
        ("# nothing\n", "no cases: the file is empty"),
        ("name: x\n", "the key 'cases' is missing"),
        ("cases:\n", "cases: expected a list, found nothing"),
        ("cases: []\n", "cases: expected at least one item, found none"),
        ("- question: q\n", "the file is a list; put it under `cases:`"),
        ("hello\n", "expected keys (name, description, passing_score, …) with values, found the text 'hello'"),
    ],
)
def test_a_file_without_cases_says_so(text: str, said: str) -> None:
    (problem,) = errors(text)
    assert said in problem


def test_a_jsonl_file_without_cases_says_so() -> None:
    for text in ("", "\n\n", '{"suite": {"name": "x"}}'):
        (problem,) = errors(text, "a.jsonl")
        assert "no cases" in problem


def test_every_error_is_told_in_the_order_of_the_file_and_cut_at_a_hundred() -> None:
    reading = read_bytes(b"cases:\n" + b"  - {a: 1}\n" * 120, name="a.yaml")
    assert len(reading.errors) == 100
    assert reading.more == 140
    assert [problem.line for problem in reading.errors] == [2 + place // 2 for place in range(100)]


def test_a_broken_line_of_json_does_not_hide_the_next() -> None:
    text = '{"question": }\n[]\n{"question": NaN}\n{"question": "q", "x": 1}\n{"question": "q"} {}\n{"suite": {}}\n'
    assert [problem.partition("; ")[0] for problem in errors(text, "a.jsonl")] == [
        "line 1, column 14: not valid JSON: Expecting value",
        "line 2, column 1: expected keys (id, category, question, …) with values, found a list",
        "line 3, column 14: not valid JSON: NaN is not a number",
        "line 4, column 19: x: unknown key 'x'",
        "line 5, column 19: not valid JSON: Extra data",
        "line 6, column 1: suite: the suite's own keys are allowed on the first line only",
    ]


def test_places_are_counted_in_characters_not_bytes() -> None:
    assert errors("cases: [{question: 'Où 😀 ça?', x: 1}]")[0].startswith("line 1, column 32:")
    assert errors('{"question": "Où 😀 ça?", "x": 1}', "a.jsonl")[0].startswith("line 1, column 26:")


@pytest.fixture(params=["C", "Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With libyaml, and where it is missing."""
    if request.param == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML was built without libyaml")
    return str(request.param)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("cases:\n\t- question: q\n", "line 2, column 1", "a tab indents this line"),
        ("cases:\n  - question: what: now\n", "line 2, column 19", "put the value in quotes"),
        ("cases:\n  - question: @you\n", "line 2, column 15", "cannot start with @"),
        ("cases:\n  - question: 'open\n", "line 2, column 15", "never closed"),
        ("cases:\n  - question: q\n   id: b\n", "line 3, column 4", "not indented like its neighbours"),
        ('cases:\n  - question: "\\d"\n', "line 2, column ", "use single quotes around patterns"),
        ("cases:\n  - question: a\x07b\n", "line 2, column 16", "a control character"),
        ("cases: [{question: q}]\n---\ncases: []\n", "line 2, column 1", "a second document"),
        ("cases: [*unknown]\n", "line 1, column 9", "*unknown stands for &unknown, which is not written"),
        ("cases: &a [*a]\n", "line 1, column 12", "*a contains itself"),
        ("cases: !!python/object/apply:os.system [ls]\n", "line 1, column 8", "the tag"),
        ("cases: [{question: !secret q}]\n", "line 1, column 20", "the tag '!secret' is not read"),
        ("cases: [{? [a] : b}]\n", "line 1, column 12", "where a key is expected"),
        ("cases: [{<<: text}]\n", "line 1, column 10", "<< takes keys from elsewhere"),
    ],
)
def test_what_is_no_yaml_or_more_than_data_is_told_with_its_place(text: str, place: str, said: str) -> None:
    (problem,) = errors(text)
    assert problem.startswith(place)
    assert said in problem


@pytest.mark.usefixtures("parser")
def test_lines_and_columns_are_the_same_with_and_without_libyaml() -> None:
    assert errors("cases:\n  - question: q\n    expect: {é: 1, b: 2}\n") == [
        "line 3, column 14: cases[0].expect.é: unknown key 'é'; expected one of " + _KNOWN,
        "line 3, column 20: cases[0].expect.b: unknown key 'b'; expected one of " + _KNOWN,
    ]


_KNOWN = (
    "tools_used, tools_not_used, keywords, exclusions, citations, tool_calls, tool_threshold, ordered, extra_allowed, "
    "fold_names, result_used, sub_agents, steps, limits, role, checks"
)


def test_bytes_that_are_no_text_are_told_with_their_offset() -> None:
    (problem,) = errors("cases:\n  - question: café\n".encode("latin-1"))
    assert problem.startswith("line 2, column 18: byte 0xE9 at offset 24 is not UTF-8")


# Bounds --------------------------------------------------------------------------------------------------------------


def test_a_file_beyond_the_limit_is_refused_unread() -> None:
    (problem,) = errors(b"cases: [" + b" " * LIMIT)
    assert "the file exceeds 8,388,608 bytes" in problem


def test_aliases_that_unfold_without_bounds_are_refused_in_time() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12)]
    text = "cases: [{question: q, expect: {tool_calls: [{name: f, arguments: {" + ", ".join(lines) + "}}]}}]"
    started = time.process_time()
    assert "more than 1,000,000 values" in errors(text)[-1]
    assert time.process_time() - started < 30


def test_merged_keys_that_unfold_without_bounds_are_read_once() -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}" for level in range(1, 40)]
    text = "cases: [{question: q, expect: {tool_calls: [{name: f, arguments: {" + ", ".join(lines) + "}}]}}]"
    assert errors(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[" * 20_000, "a.yaml"),
        ("{a: " * 20_000, "a.yaml"),
        ('{"question": ' + "[" * 20_000 + "]" * 20_000 + "}", "a.jsonl"),
        ('{"question": ' + "[" * 60 + "]" * 60 + "}", "a.jsonl"),
    ],
)
def test_what_is_nested_too_deep_is_refused(text: str, name: str) -> None:
    (problem,) = errors(text, name)
    assert "more than 50 levels inside each other" in problem


def test_aliases_inside_aliases_are_refused_where_they_get_too_deep() -> None:
    lines = ["a0: &a0 [x]", *(f"a{level}: &a{level} [*a{level - 1}]" for level in range(1, 2000))]
    text = "cases: [{question: q, expect: {tool_calls: [{name: f, arguments: {" + ", ".join(lines) + "}}]}}]"
    assert "more than 50 levels inside each other" in errors(text)[-1]


def test_a_wrong_type_names_what_is_allowed_there() -> None:
    head = "cases:\n- question: q\n  reference: r\n"
    assert errors(f"{head}  review: [a]\n")[0].endswith("expected one of needed, done, found a list")
    (said,) = in_expect("{tool_calls: [{name: a, arguments: {x: 1}, match: {x: {pattern: [1]}}}]}")
    assert said.endswith("expected a pattern, found a list")


def test_a_whole_number_that_no_float_holds_exactly_is_none() -> None:
    assert in_expect("{limits: {tool_calls: 1e300}}")[0].endswith(
        "expected a whole number of at least 0, found the number 1e300"
    )
    assert in_expect("{limits: {tool_calls: 1e3}}") == []
