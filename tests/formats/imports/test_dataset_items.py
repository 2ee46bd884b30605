"""Items of datasets: where their question, its context and the answer are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.imports.made_files import as_json, as_lines, langfuse_item
from tests.formats.imports.reading import read

_LC = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"]}
_BEFORE = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


@pytest.mark.parametrize(
    ("given", "question", "context"),
    [
        ({"args": ["2+2?"], "kwargs": {}}, "2+2?", None),
        ({"args": [], "kwargs": {"question": "2+2?", "context": "Sums."}}, "2+2?", "Sums."),
        ({"messages": [[{**_LC, "kwargs": {"content": "2+2?"}}]]}, "2+2?", None),
        ({"question": "And 2+2?", "chat_history": _BEFORE}, "And 2+2?", "user: Hi\n\nassistant: Hello"),
        ({"question": "2+2?", "context": ["One.", "Two."]}, "2+2?", "One.\n\nTwo."),
        ([{"role": "user", "content": {"type": "input_text", "text": "2+2?"}}], "2+2?", None),
        ([{"role": "user", "content": [{"type": "text", "text": "2+2?"}]}], "2+2?", None),
    ],
)
def test_a_question_is_found_in_whatever_shape_it_is_kept(
    tmp_path: Path, given: Any, question: str, context: str | None
) -> None:
    records, _ = read(as_lines(tmp_path / "items.jsonl", [langfuse_item(1, input=given)]))

    assert (records[0].case.question, records[0].case.context) == (question, context)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ({"entities": [{"type": "PER", "name": "Ann"}]}, '[{"type": "PER", "name": "Ann"}]'),
        ({"generations": [[{"text": "4"}]], "llm_output": None}, "4"),
        ([{"type": "text", "text": "4"}], "4"),
        ([{"type": "text", "name": "no piece"}], '[{"type": "text", "name": "no piece"}]'),
    ],
)
def test_an_expected_output_is_data_unless_it_is_pieces_of_a_message(
    tmp_path: Path, expected: Any, answer: str
) -> None:
    records, log = read(as_lines(tmp_path / "items.jsonl", [langfuse_item(1, expectedOutput=expected)]))

    assert records[0].case.answer == answer
    assert not log.left_out


def test_an_odd_item_is_told_and_the_others_are_taken(tmp_path: Path) -> None:
    items = [langfuse_item(1, input={"a": "x", "b": "y"}), langfuse_item(2)]
    path = as_lines(tmp_path / "items.jsonl", items)

    records, log = read(path)
    assert ([each.case.id for each in records], log.skipped_count) == (["item-2"], 1)
    records, log = read(path, question="a")
    assert ([each.case.question for each in records], log.skipped_count) == (["x", "What is 2 + 2?"], 0)


def test_a_page_does_not_pass_for_the_whole_dataset(tmp_path: Path) -> None:
    meta = {"page": 1, "limit": 50, "totalItems": 120, "totalPages": 3}

    _, log = read(as_json(tmp_path / "items.json", {"data": [langfuse_item(1)], "meta": meta}))

    assert [*log.notes] == ["items.json is not all there is: page 1 of 3, 1 of 120 items; name the other pages too"]
    assert not read(as_json(tmp_path / "all.json", {"data": [langfuse_item(1)], "meta": meta | {"totalItems": 1}}))[
        1
    ].notes


def test_a_whole_dataset_of_langfuse_is_read(tmp_path: Path) -> None:
    whole = {"id": "d", "name": "sums", "items": [langfuse_item(1), langfuse_item(2)], "runs": []}

    assert [each.case.id for each in read(as_json(tmp_path / "set.json", whole))[0]] == ["item-1", "item-2"]


def test_a_table_of_langfuse_is_read_whether_its_cells_are_json_or_plain(tmp_path: Path) -> None:
    head = '"id","datasetId","datasetName","input","expectedOutput","metadata","status"\n'
    rows = [
        '"""it-1""","""d""","""sums""","""What is 2+2?""","""4""","{}","""ACTIVE"""',
        '"""it-2""","""d""","""sums""","{""question"": ""?""}","null","null","""ARCHIVED"""',
        'it-3,d,sums,"""Four"" is what?",4,,ACTIVE',
    ]
    path = tmp_path / "items.csv"
    path.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")

    records, log = read(path)

    assert [(each.case.id, each.case.question, each.case.answer) for each in records] == [
        ("it-1", "What is 2+2?", "4"),
        ("it-3", '"Four" is what?', "4"),
    ]
    assert records[0].case.metadata == {"datasetName": "sums"}
    assert log.left_out == {"archived items": 1}


def test_what_an_item_says_besides_is_listed(tmp_path: Path) -> None:
    items = [langfuse_item(1, reviewer="Ann")]
    examples = [{"id": "1", "inputs": {"question": "2+2?"}, "outputs": {"answer": "4"}, "reviewer": "Ann"}]

    assert read(as_lines(tmp_path / "items.jsonl", items))[1].left_out == {"keys of items: reviewer": 1}
    assert read(as_lines(tmp_path / "examples.jsonl", examples))[1].left_out == {"keys of examples: reviewer": 1}
