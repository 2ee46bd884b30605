"""Whatever holds cases → Benchmark, or one clear sentence."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from proctor import Benchmark, Case, Exam, Expectation, ExpectedCall
from proctor.codec import benchmark_of, case_id
from proctor.errors import InputError, UsageError
from proctor.workflows.load import load_benchmark


def deep(levels: int) -> dict[str, Any]:
    """Dicts inside each other."""
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"a": found}
    return found


def test_tuples_are_question_answer_reasoning_and_context() -> None:
    [one, two] = load_benchmark([("q", "a"), ("q2", "a2", "because", "earlier")]).cases
    assert (one.question, one.answer, one.reasoning, one.context) == ("q", "a", None, None)
    assert (two.reasoning, two.context) == ("because", "earlier")


def test_a_dict_may_hold_all_that_a_case_does() -> None:
    item = {"id": "x", "question": "q", "categories": ["c"], "passing_score": 0.9, "expect": {"keywords": ["k"]}}
    [case] = load_benchmark([item]).cases
    assert case == Case(id="x", question="q", categories=("c",), passing_score=0.9, expect=Expectation(keywords=("k",)))


def test_a_question_without_an_id_gets_the_one_that_a_file_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text('"q";"a"\n"q";"b"\n"q";"a";"";"context"\n')
    from_file = load_benchmark(path)
    from_list = load_benchmark([("q", "a"), ("q", "b"), ("q", "a", None, "context")])
    assert [case.id for case in from_list.cases] == [case.id for case in from_file.cases]
    plain = case_id("q", None)
    assert [case.id for case in from_list.cases] == [plain, f"{plain}-2", case_id("q", "context")]


def test_equal_cases_have_equal_digests_wherever_they_come_from(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text('"q";"a"\n')
    assert load_benchmark(str(path)).digest == load_benchmark([("q", "a")]).digest
    assert load_benchmark([("q", "b")]).digest != load_benchmark([("q", "a")]).digest


def test_a_benchmark_is_taken_as_it_is() -> None:
    given = benchmark_of([Case(id="1", question="q")], name="mine")
    assert load_benchmark(given) is given


def test_a_file_is_called_after_itself_and_a_list_after_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "my cases.v2.csv"
    path.write_text('"q";"a"\n')
    assert load_benchmark(path).name == "my cases.v2"
    assert load_benchmark([("q", "a")]).name == "cases"
    assert load_benchmark([("q", "a")], name="other").name == "other"


GOOD = Case(id="1", question="q")
TWICE = (Case(id="1", question="q"), Case(id="1", question="other"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "benchmark=None is not a benchmark; expected a path"),
        (3, "benchmark=3 is not a benchmark"),
        (b"q", "benchmark=b'q' is not a benchmark"),
        ({"question": "q"}, "is not a benchmark; expected a path"),
        ([], "has no cases"),
        (["what is it?"], "case 1 is 'what is it?'; expected a proctor.Case"),
        ([("a", "b", "c", "d", "e")], "case 1 is ('a', 'b', 'c', 'd', 'e')"),
        ([()], "case 1 is ()"),
        ([("q", "a"), ("  ", "a")], "case 2: the question is empty"),
        ([{"answer": "a"}], "case 1 is not usable: it has no 'question', which it needs"),
        ([{"question": 3}], "case 1 is not usable: question is 3; expected a text"),
        ([{"question": "q", "id": ["x"]}], "case 1 is not usable"),
        ([{"question": "q", "reasonig": "r"}], "unknown key 'reasonig'; did you mean 'reasoning'?"),
        ([{"question": "q", "zzz": "r"}], "unknown key 'zzz'; expected one of id, question"),
        ([{"question": "q", 3: "r"}], "unknown key 3"),
        ([{"id": "1", "question": "q"}, {"id": "1", "question": "r"}], "case 2: the id '1' appears twice"),
        ([("half a \ud800 character", "a")], "half a character (U+D800)"),
        ([("q", "half a \udc00 character")], "half a character (U+DC00)"),
        (Benchmark(name="mine", digest="d", cases=()), "the benchmark 'mine' has no cases"),
        (Benchmark(name="mine", digest="d", cases=TWICE), "the benchmark 'mine' has the id '1' twice"),
        (
            Benchmark(name="mine", digest="d", cases=(), exams=(Exam(id="e", cases=()), Exam(id="e", cases=()))),
            "the benchmark 'mine' has the id 'e' twice",
        ),
        (Benchmark(name="mine", digest="d", cases=(GOOD, Case(id="2", question=" "))), "case 2: the question is empty"),
        (Benchmark(name="mine", digest="d", cases=(), exams=(Exam(id="e", cases=()),)), "the exam 'e' has no cases"),
        (Benchmark(name="mine", digest="d", cases=(), exams=(Exam(id="e", cases=TWICE),)), "has the id '1' twice"),
        (
            Benchmark(
                name="mine", digest="d", cases=(GOOD,), exams=(Exam(id="e", cases=(Case(id="2", question=""),)),)
            ),
            "case 2: the question is empty",
        ),
        (Benchmark(name="mine", digest="d", cases=(Case(id="1", question=3),)), "is 3; expected a text"),  # type: ignore[arg-type]
        (
            Benchmark(name="mine", digest="d", cases=(Case(id="1", question="half \ud800"),)),
            "half a character (U+D800)",
        ),
        ("nowhere.csv", "nowhere.csv"),
        ("/", "Is a directory"),
    ],
)
def test_what_is_no_benchmark_is_one_clear_sentence(source: Any, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        load_benchmark(source)
    assert "\n" not in str(caught.value)


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(InputError) as caught:
        load_benchmark(["x" * 10_000])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("score", [math.nan, math.inf, 5, -1, -0.01, 1.01, 10**400])
def test_a_passing_score_is_a_number_from_0_to_1(score: float) -> None:
    case = Case(id="1", question="q", answer="a", passing_score=score)
    made = Benchmark(name="mine", digest="d", cases=(case,))
    for source in ([case], [{"question": "q", "passing_score": score}], made):
        with pytest.raises(InputError, match=r"passing_score|not usable"):
            load_benchmark(source)
    with pytest.raises(UsageError, match="passing_score"):
        load_benchmark(Benchmark(name="mine", digest="d", cases=(GOOD,), passing_score=score))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a\0b", "a NUL character as character 2"),
        ("a\ud800", "half a character (U+D800) as character 2"),
        ("a\nb", "a line break as character 2"),
        ("x" * 201, "has 201 characters"),
        ("   ", "is empty"),
    ],
)
def test_ids_and_names_are_one_line_of_text_that_any_store_takes(name: str, words: str) -> None:
    for source in (
        [Case(id=name, question="q")],
        [Case(id="1", question="q", categories=(name,))],
        Benchmark(name="mine", digest="d", cases=(Case(id=name, question="q"),)),
        Benchmark(name=name, digest="d", cases=(GOOD,)),
        Benchmark(name="mine", digest="d", cases=(), exams=(Exam(id=name, cases=(GOOD,)),)),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            load_benchmark(source)


@pytest.mark.parametrize(
    "case",
    [
        {"question": "a\0b"},
        {"answer": "a\0b"},
        {"context": "a\0b"},
        {"reasoning": "a\0b"},
        {"expect": Expectation(keywords=("a\0b",))},
        {"expect": Expectation(tool_calls=(ExpectedCall(name="t", arguments={"deep": [{"a\0": 1}]}),))},
    ],
)
def test_a_nul_is_refused_wherever_it_stands_for_not_every_store_takes_it(case: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a NUL character as character 2"):
        load_benchmark([Case(**{"id": "1", "question": "q", **case})])


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        (Expectation(tool_threshold=math.nan), "tool_threshold=nan"),
        (Expectation(tool_threshold=2), "tool_threshold=2"),
        (Expectation(citations=-1), "citations=-1"),
        (Expectation(limits={"seconds": math.inf}), "limits.seconds=inf"),
        (Expectation(limits={"second": 1}), "there is no limit 'second'"),
        (Expectation(keywords=("re:(",)), "the pattern '(' does not compile"),
        (Expectation(exclusions=("re:",)), "the pattern '' is none"),
        (Expectation(tool_calls=(ExpectedCall(name="t", match={"a": {"tolerance": -1}}),)), "the tolerance of 'a'=-1"),
        (Expectation(tool_calls=(ExpectedCall(name="t", match={"a": {"pattern": "["}}),)), "does not compile"),
        (Expectation(tool_calls=(ExpectedCall(name="t", arguments={"n": 10**30}),)), "a number beyond 64 bits"),
        (Expectation(tool_calls=(ExpectedCall(name="t", arguments={"n": math.nan}),)), "its expect holds nan"),
        (Expectation(tool_calls=(ExpectedCall(name="t", arguments=deep(100)),)), "levels inside each other"),
        (Expectation(tool_calls=(ExpectedCall(name="t", arguments=deep(100_000)),)), "not usable|levels"),
    ],
)
def test_what_no_reply_can_be_held_to_is_refused(expect: Expectation, words: str) -> None:
    with pytest.raises(InputError, match=words if "|" in words else re.escape(words)):
        load_benchmark([Case(id="1", question="q", expect=expect)])


def test_one_case_says_the_same_in_every_door_by_whichever_names(tmp_path: Path) -> None:
    said = [
        {"question": "q", "answer": "a", "categories": ["c"]},
        {"prompt": "q", "reference": "a", "category": "c"},
        {"input": "q", "expected": "a", "tags": ["c"]},
    ]
    lines = tmp_path / "s.jsonl"
    loaded = [load_benchmark([each]) for each in said]
    for each in said:
        lines.write_text(json.dumps(each) + "\n")
        loaded.append(load_benchmark(lines))
    assert {(each.digest, each.cases[0].answer, each.cases[0].categories) for each in loaded} == {
        (loaded[0].digest, "a", ("c",))
    }


def test_two_names_of_one_thing_are_refused() -> None:
    with pytest.raises(InputError, match="case 1: 'reference' means the same as another of its keys"):
        load_benchmark([{"question": "q", "answer": "a", "reference": "b"}])


@pytest.mark.parametrize("name", ["category", "categories"])
def test_a_row_of_a_table_without_a_category_has_none(name: str) -> None:
    loaded = load_benchmark([{"question": "q", "answer": "a", name: None}])
    assert loaded.cases[0].categories == ()


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ({"exclusion": ["hate"]}, r"case 1: expect.exclusion: unknown key 'exclusion'; did you mean 'exclusions'\?"),
        ({"tool_calls": [{"name": "fare", "argument": {}}]}, r"expect.tool_calls\[0\].argument: unknown key"),
        ({"tool_calls": [{"name": "a", "match": {"x": {"patern": "x"}}}]}, "did you mean 'pattern'"),
        ({"limits": {"second": 1}}, "did you mean 'seconds'"),
        ({"keywords": "one"}, "expected a list, found the text 'one'"),
        ({"tool_calls": [{"name": "a", "arguments": {"x": object()}}]}, "what JSON has no word for"),
        ({1: 2}, "unknown key '1'"),
    ],
)
def test_a_dict_of_expectations_is_read_as_in_a_suite_and_no_word_of_it_is_dropped(
    expect: dict[Any, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        load_benchmark([{"question": "q", "expect": expect}])


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"citations": True}, Expectation(citations=1)),
        ({"citations": {"min": 2, "sources": ["a"]}}, Expectation(citations=2, sources=("a",))),
        ({"citations": 2, "sources": ["a"], "quotes": True}, Expectation(citations=2, sources=("a",), quotes=True)),
        ({"steps": ["plan"]}, Expectation(steps=({"kind": "plan"},))),
        ({"keywords": ("a", "b")}, Expectation(keywords=("a", "b"))),
        ({"tool_calls": []}, Expectation(tool_calls=())),
    ],
)
def test_a_dict_of_expectations_may_say_what_a_suite_may(given: dict[str, Any], meant: Expectation) -> None:
    assert load_benchmark([{"question": "q", "expect": given}]).cases[0].expect == meant


def test_a_case_written_out_as_a_dict_is_the_same_case() -> None:
    calls = (ExpectedCall(name="t", arguments={"n": 1}, ignore=("id",)),)
    case = Case(id="1", question="q", expect=Expectation(citations=1, sources=("a",), tool_calls=calls))
    assert load_benchmark([asdict(case)]).cases == (case,)
