"""Other tables become benchmark files exactly, or not at all."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.formats.convert import convert
from proctor.formats.csv import LIMIT, read_bytes, write
from proctor.formats.rules import COLUMNS
from proctor.formats.suites.suite import read_suite
from proctor.formats.synonyms import other_names

Row = tuple[str | None, ...]


def rows(path: Path) -> list[Row]:
    """The rows of a benchmark file, which must be valid."""
    table = read_bytes(path.read_bytes())
    assert table.errors == ()
    return [(case.question, case.answer, case.reasoning, case.context) for case in table.cases]


def converted(folder: Path, name: str, data: str | bytes) -> list[Row]:
    """The rows that a table of this name becomes."""
    source, target = folder / name, folder / "made.csv"
    source.write_bytes(data if isinstance(data, bytes) else data.encode())
    report = convert(source, target)
    assert report.problems == ()
    assert report.rows == len(rows(target))
    return rows(target)


def comma(table: Sequence[Sequence[str | None]], mark: str = ",") -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=mark).writerows(table)
    return out.getvalue()


# Reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mark"), [("t.csv", ","), ("t.csv", ";"), ("t.csv", "\t"), ("t.tsv", "\t"), ("T.TAB", "\t")]
)
def test_a_table_with_a_header_is_converted_exactly(tmp_path: Path, name: str, mark: str) -> None:
    cells = [" lead; and, tail\t", 'say "hi"', "one\ntwo\r\nthree", "=1+1"]
    table = comma([["Question", "Answer", "Reasoning", "Context"], cells, ["007", "1.10", "", ""]], mark)
    assert converted(tmp_path, name, table) == [tuple(cells), ("007", "1.10", None, None)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_first_column_name(tmp_path: Path, encoding: str) -> None:
    assert converted(tmp_path, "t.csv", "question,answer\nOù?,Là\n".encode(encoding)) == [("Où?", "Là", None, None)]


def test_json_lines_are_converted_with_their_numbers_as_written(tmp_path: Path) -> None:
    lines = [
        {"question": "q\u2028", "answer": "a", "reasoning": None, "context": "c"},
        {"answer": True, "question": "second"},
    ]
    text = "\n\n".join(json.dumps(line) for line in lines) + '\r\n{"question": "third", "answer": 1.10}\n'
    assert converted(tmp_path, "t.jsonl", text) == [
        ("q\u2028", "a", None, "c"),
        ("second", "true", None, None),
        ("third", "1.10", None, None),
    ]


@pytest.mark.parametrize(("field", "alias"), [(field, other) for field in COLUMNS for other in other_names(field)])
def test_columns_may_have_the_other_names_that_people_give_them(tmp_path: Path, field: str, alias: str) -> None:
    names = [alias.upper().replace("_", " ") if name == field else name for name in COLUMNS]
    assert converted(tmp_path, "t.csv", comma([names, ["q", "a", "r", "c"]])) == [("q", "a", "r", "c")]


def test_columns_may_stand_in_any_order_and_rows_may_be_short(tmp_path: Path) -> None:
    assert converted(tmp_path, "t.csv", "answer,id,question,context\na,1,q\n,,,\nb,2,r,c\n") == [
        ("q", "a", None, None),
        ("r", "b", None, "c"),
    ]


def test_the_report_names_the_columns_used_and_those_dropped(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("id,Prompt,Expected Output,,\n7,q,a,,left\n")
    report = convert(source, tmp_path / "made.csv")
    assert report.columns == {"question": "Prompt", "answer": "Expected Output"}
    assert report.dropped == ("id", "column 5")
    assert report.kind == "a benchmark file"


def test_a_column_with_the_field_s_own_name_wins_over_other_names(tmp_path: Path) -> None:
    assert converted(tmp_path, "t.csv", "input,question,answer\nx,q,a\n") == [("q", "a", None, None)]


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "t.csv",
            "id,text\n1,x\n",
            "no column for the question: its columns are 'id', 'text'; expected question or input",
        ),
        ("t.jsonl", '{"question": "q", "label": "a"}', "no column for the answer: its columns are 'question', 'label'"),
        ("t.csv", "input,prompt,answer\n1,2,3\n", "'input' and 'prompt' may each be the question; name the right one"),
        ("t.csv", "question,question,answer\n1,2,3\n", "'question' and 'question' may each be the question"),
        ("t.csv", "", "its columns are none"),
        ("t.csv", 'question,answer\n"q"x,a\n', "the record at line 2 cannot be read"),
        ("t.jsonl", '{"question": "q"\n', "line 1 is not JSON"),
        ("t.jsonl", '{"question": "q", "question": "p"}', "the key 'question' appears twice"),
        ("t.jsonl", "[1]\n", "expected an object"),
        ("t.jsonl", "[" * 100_000, "line 1 is not JSON"),
        ("t.docx", "x", "ending '.docx'; expected one of .csv, .tsv"),
        ("t.csv", b"question,answer\n\xe9,a\n", "byte 0xE9 at offset 16 is not UTF-8"),
        ("t.xlsx", b"no workbook", "is not an XLSX workbook"),
        ("t.xlsx", b"PK\x05\x06" + b"\0" * 18, "is not an XLSX workbook"),
    ],
)
def test_a_table_that_cannot_be_understood_is_an_input_error(
    tmp_path: Path, name: str, data: str | bytes, said: str
) -> None:
    source, target = tmp_path / name, tmp_path / "made.csv"
    source.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(InputError) as caught:
        convert(source, target)
    assert said in str(caught.value)
    assert not target.exists()


def test_a_table_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    for name in ("no.csv", "no.tsv", "no.jsonl", "no.xlsx"):
        with pytest.raises(InputError, match="cannot read '"):
            convert(tmp_path / name, tmp_path / "made.csv")


# Refusing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "line", "said"),
    [
        ("t.csv", 'question,answer\nq,a\n\n"two\nlines", \n', 4, "Answer field is required"),
        ("t.csv", f"question,answer\n{'x' * 6001},a\n", 2, "Question exceeds 6000 characters: it has 6001"),
        ("t.csv", "question,answer\nq,a,extra\n", 2, "Invalid number of fields: 3, but there are 2"),
        ("t.csv", "question,answer\nQuestion,Answer\n", 2, "reads like a header row"),
        ("t.csv", 'question,answer\nq,"a\rb"\n', 2, "the answer holds a lone CR"),
        ("t.csv", "question,answer\n", 1, "No questions"),
        ("t.jsonl", '\n{"question": "q", "answer": ["a", "b"]}', 2, "answer (column 'answer') is a list"),
        ("t.jsonl", '{"question": {"text": "q"}, "answer": "a"}', 1, "question (column 'question') is an object"),
        ("t.jsonl", '{"question": "q\\u0000", "answer": "a"}', 1, "the question holds a NUL byte"),
        ("t.jsonl", '{"question": "q", "answer": "\\ud83d"}', 1, "half a character"),
        ("t.csv", '"q";"a"\n"only one"\n', 2, "column 1: Invalid number of fields: 1"),
    ],
)
def test_a_row_that_no_benchmark_file_may_hold_refuses_all(
    tmp_path: Path, name: str, data: str, line: int, said: str
) -> None:
    source, target = tmp_path / name, tmp_path / "made.csv"
    source.write_bytes(data.encode())
    report = convert(source, target)
    assert [problem.line for problem in report.problems] == [line]
    assert said in report.problems[0].message
    assert report.rows == 0
    assert not target.exists()


def test_every_bad_row_is_reported_up_to_a_hundred(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("question,answer\n" + ",a\n" * 130)
    report = convert(source, tmp_path / "made.csv")
    assert [problem.line for problem in report.problems] == list(range(2, 102))
    assert report.more == 30


def test_a_table_that_would_be_too_large_is_refused_at_the_row_that_passes_the_limit(tmp_path: Path) -> None:
    source, row = tmp_path / "t.csv", f"q,{'x' * 6000}\n"
    source.write_text("question,answer\n" + row * 350)
    report = convert(source, tmp_path / "made.csv")
    (problem,) = report.problems
    assert problem.line == 2 + LIMIT // len('"q";""\n' + "x" * 6000)
    assert "exceeds 2097152 bytes" in problem.message
    assert not (tmp_path / "made.csv").exists()


def test_a_file_does_not_overwrite_itself(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text("question,answer\nq,a\n")
    with pytest.raises(InputError, match="overwrite itself"):
        convert(source, source)
    assert source.read_text().startswith("question")


@pytest.mark.parametrize(("name", "said"), [("made.xlsx", "unknown ending '.xlsx'"), ("no/made.csv", "cannot write ")])
def test_a_target_that_cannot_be_written_is_an_input_error(tmp_path: Path, name: str, said: str) -> None:
    source = tmp_path / "t.csv"
    source.write_text("question,answer\nq,a\n")
    with pytest.raises(InputError, match=said):
        convert(source, tmp_path / name)


# There and back --------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(['"', '""', ";", ",", "\t", "\n", "\r\n", " ", "é", "😀", "\u2028", "\x85", "\ufeff", "=1"])
TEXT = st.lists(PIECES | st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8).map("".join)
FILLED = TEXT.filter(lambda text: bool(text.strip()))
OPTIONAL = st.none() | FILLED
ROWS = st.lists(st.tuples(FILLED, FILLED, OPTIONAL, OPTIONAL), min_size=1, max_size=5)
in_one_folder = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
@in_one_folder
@given(table=ROWS)
def test_a_benchmark_file_goes_there_and_back_unchanged(tmp_path: Path, ending: str, table: list[Row]) -> None:
    first, there, back = tmp_path / "first.csv", tmp_path / f"there.{ending}", tmp_path / "back.csv"
    first.write_bytes(write(table))
    report = convert(first, there)
    assert (report.problems, report.rows) == ((), len(table))
    assert report.kind != "a benchmark file"
    convert(there, back)
    assert back.read_bytes() == first.read_bytes()


# Workbooks -------------------------------------------------------------------------------------------------------


def workbook(path: Path, *sheets: Sequence[Sequence[object]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, sheet in enumerate(sheets, 1):
        page = book.create_sheet(f"Sheet{number}")
        for line, cells in enumerate(sheet, 1):
            for place, cell in enumerate(cells, 1):
                page.cell(line, place, cell)
                if isinstance(cell, str) and not cell.startswith("=SUM"):
                    page.cell(line, place).data_type = "s"
    book.save(path)
    return path


HEADER = ["Question", "Answer", "Reasoning", "Context"]
# XML has no words for other control characters, and reads CRLF as LF.
SHOWN = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\n\t")
)
CELL = SHOWN.filter(lambda text: bool(text.strip()) and "_x" not in text)


@in_one_folder
@given(table=st.lists(st.tuples(CELL, CELL, st.none() | CELL, st.none() | CELL), min_size=1, max_size=4))
def test_a_workbook_is_converted_exactly(tmp_path: Path, table: list[Row]) -> None:
    source = workbook(tmp_path / "t.xlsx", [HEADER, *table])
    convert(source, tmp_path / "made.csv")
    assert rows(tmp_path / "made.csv") == table


def test_numbers_truths_and_dates_in_a_workbook_become_text(tmp_path: Path) -> None:
    table: list[list[object]] = [
        [*HEADER],
        [1, 2.0, 0.1, True],
        [date(2026, 1, 5), datetime(2026, 1, 5, 9, 30), None, -1.5],
    ]
    source = workbook(tmp_path / "t.xlsx", table)
    convert(source, tmp_path / "made.csv")
    assert rows(tmp_path / "made.csv") == [
        ("1", "2", "0.1", "TRUE"),
        ("2026-01-05", "2026-01-05 09:30:00", None, "-1.5"),
    ]


def test_escaped_characters_in_a_workbook_are_read_as_the_spreadsheet_shows_them(tmp_path: Path) -> None:
    source = workbook(tmp_path / "t.xlsx", [HEADER, ["one_x000D_\ntwo", "_x005F_x000D_"]])
    convert(source, tmp_path / "made.csv")
    assert rows(tmp_path / "made.csv") == [("one\r\ntwo", "_x000D_", None, None)]


def test_empty_rows_above_and_between_are_skipped_and_other_sheets_named(tmp_path: Path) -> None:
    source = workbook(tmp_path / "t.xlsx", [[], HEADER, [], ["q", "a"], [None, None], ["r", "b"]], [["x"]], [["y"]])
    report = convert(source, tmp_path / "made.csv")
    assert rows(tmp_path / "made.csv") == [("q", "a", None, None), ("r", "b", None, None)]
    assert report.notes == ("read the sheet 'Sheet1', not 'Sheet2', 'Sheet3'",)


@pytest.mark.parametrize(
    ("cell", "said"), [("=SUM(1,2)", "holds a formula whose value is not stored"), ("#N/A", "the error #N/A")]
)
def test_a_cell_without_a_value_refuses_the_conversion_at_its_row(tmp_path: Path, cell: str, said: str) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in (HEADER, ["q", "a"], ["q", cell]):
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    report = convert(tmp_path / "t.xlsx", tmp_path / "made.csv")
    assert [(problem.line, said in problem.message) for problem in report.problems] == [(3, True)]


def test_without_openpyxl_the_line_that_installs_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = workbook(tmp_path / "t.xlsx", [HEADER, ["q", "a"]])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r'pip install "proctor\[xlsx\]"'):
        convert(source, tmp_path / "made.csv")


# Real data -------------------------------------------------------------------------------------------------------


def test_real_questions_with_several_references_are_refused_by_line(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "shared" / "data" / "nq301_dev.jsonl"
    if not source.exists():
        pytest.skip("the shared data is not beside the project")
    with pytest.raises(InputError, match="no column for the answer: its columns are 'question', 'references'"):
        convert(source, tmp_path / "made.csv")


def test_a_table_without_a_header_is_read_by_its_places(tmp_path: Path) -> None:
    table = tmp_path / "excel.csv"
    table.write_text('Wo, bitte, ist das?;Hier;;In Köln\nWie viel?;"1;5"\n', encoding="utf-8-sig")
    report = convert(table, tmp_path / "b.csv", header=False)
    assert not report.problems
    assert (tmp_path / "b.csv").read_text() == '"Wo, bitte, ist das?";"Hier";"";"In Köln"\n"Wie viel?";"1;5"\n'


@pytest.mark.parametrize("mark", [";", ",", "\t"])
def test_excel_s_own_first_line_says_what_separates(tmp_path: Path, mark: str) -> None:
    table, out = tmp_path / "excel.csv", tmp_path / "b.csv"
    table.write_text(f"sep={mark}\r\nquestion{mark}answer\r\nq{mark}1\r\n{mark}2\r\n", newline="")
    assert [problem.line for problem in convert(table, out).problems] == [4], "lines are those of the file"
    table.write_text(f"sep={mark}\r\nq{mark}1\r\n", newline="")
    assert not convert(table, out, header=False).problems
    assert out.read_text() == '"q";"1"\n'


def test_categories_are_kept_where_the_target_has_a_place_for_them(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("prompt,expected,Tags\nq,a,maths; sums\nr,b,\n")
    report = convert(table, tmp_path / "s.jsonl")
    assert report.columns == {"question": "prompt", "answer": "expected", "category": "Tags"}
    read = read_suite(tmp_path / "s.jsonl")
    assert [(case.question, case.answer, case.categories) for case in read.cases] == [
        ("q", "a", ("maths", "sums")),
        ("r", "b", ()),
    ]
    assert convert(tmp_path / "s.jsonl", tmp_path / "t2.tsv").rows == 2
    assert "q\ta\t\t\tmaths; sums\n" in (tmp_path / "t2.tsv").read_text()
    report = convert(table, tmp_path / "b.csv")
    assert report.dropped == ("Tags",)
    assert "give OUT the ending .jsonl" in report.notes[0]


def test_a_category_that_is_no_name_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text('question,answer,category\nq,a,"two\nlines"\n')
    assert "is not a usable name" in convert(table, tmp_path / "s.jsonl").problems[0].message


def test_jsonl_has_no_header_to_leave_out(tmp_path: Path) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"question": "q", "answer": "a"}\n')
    with pytest.raises(InputError, match="leave --no-header out"):
        convert(table, tmp_path / "b.csv", header=False)


# Categories from a file ------------------------------------------------------------------------------------------

CAPITALS = '"Capital of France?";"Paris"\n"Capital of Japan?";"Tokyo"\n"Capital of Peru?";"Lima"\n'


def categorised(folder: Path, told: str, name: str = "told.csv") -> dict[str, tuple[str, ...]]:
    """Question → its categories, of the suite that three capitals become."""
    source, beside, target = folder / "capitals.csv", folder / name, folder / "made.jsonl"
    source.write_text(CAPITALS, "utf-8")
    beside.write_text(told, "utf-8")
    convert(source, target, categories=beside)
    return {case.question.split()[-1]: case.categories for case in read_suite(target).cases}


@pytest.mark.parametrize("header", ["question,category\n", "Prompt,Tags\n", ""])
def test_a_file_gives_rows_their_categories_by_question_or_case_id(tmp_path: Path, header: str) -> None:
    japan = read_bytes(CAPITALS.encode()).cases[1].id
    told = f"{header}Capital of France?,europe; rich\n{japan},asia\n{japan},island\n{japan},asia\n"
    assert categorised(tmp_path, told) == {"France?": ("europe", "rich"), "Japan?": ("asia", "island"), "Peru?": ()}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            "Capital of France?,europe\nCapital of Spain?,europe\n",
            "line 2: no row has the question or case id 'Capital of Sp",
        ),
        ("Capital of France?,\n", "line 1: there is no category for 'Capital of France?'"),
        ("Capital of France?,europe,rich\n", "line 1 has 3 fields"),
    ],
)
def test_a_line_that_names_no_row_or_no_category_is_told_and_nothing_is_written(
    tmp_path: Path, told: str, said: str
) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        categorised(tmp_path, told)
    assert not (tmp_path / "made.jsonl").exists()


def test_categories_of_a_file_are_added_to_those_of_the_table_and_rows_without_any_are_told(tmp_path: Path) -> None:
    source, beside, target = tmp_path / "t.csv", tmp_path / "c.csv", tmp_path / "made.jsonl"
    source.write_text("question,answer,category\nOne?,1,odd\nTwo?,2,\n", "utf-8")
    beside.write_text("One?,small\n", "utf-8")
    assert convert(source, target, categories=beside).notes == ("1 of 2 rows have no category",)
    assert [case.categories for case in read_suite(target).cases] == [("odd", "small"), ()]
    with pytest.raises(InputError, match="a benchmark file has no categories"):
        convert(source, tmp_path / "made.csv", categories=beside)
