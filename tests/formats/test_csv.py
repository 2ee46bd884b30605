"""Every rule of the benchmark format, with its words and its place."""

from __future__ import annotations

import codecs
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from proctor.codec import case_id
from proctor.errors import InputError
from proctor.formats.csv import LIMIT, benchmark, collect, read_bytes, read_path, read_start, record, write
from proctor.formats.rules import header_separator

at_leisure = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SEED = (
    '"What is the capital of France?";"Paris";"The capital of France is Paris.";"Let\'s talk about geography."\n'
    '"What is the capital of Italy?";"Rome";"The capital of Italy is Rome.";"Let\'s talk about best countries in the '
    'world."\n'
)


def errors(text: str | bytes) -> list[tuple[int, int, str]]:
    """Line, column and message of every error."""
    data = text if isinstance(text, bytes) else text.encode()
    return [(problem.line, problem.column, problem.message) for problem in read_bytes(data).errors]


def places(text: str | bytes) -> list[tuple[int, int, str]]:
    """Line, column and the first words of every error."""
    return [(line, column, message.partition(": ")[0]) for line, column, message in errors(text)]


def rows(text: str | bytes) -> list[tuple[str | None, ...]]:
    """The valid rows."""
    cases = read_bytes(text if isinstance(text, bytes) else text.encode()).cases
    return [(case.question, case.answer, case.reasoning, case.context) for case in cases]


# Good files ------------------------------------------------------------------------------------------------------


def test_the_example_of_the_format_is_read() -> None:
    table = read_bytes(SEED.encode())
    assert table.errors == ()
    assert table.rows == 2
    first = table.cases[0]
    assert (first.question, first.answer) == ("What is the capital of France?", "Paris")
    assert (first.reasoning, first.context) == ("The capital of France is Paris.", "Let's talk about geography.")


def test_quoted_fields_hold_semicolons_quotes_and_line_breaks() -> None:
    assert rows('"a;b";"say ""hi""";"one\ntwo\r\nthree";""""\n') == [("a;b", 'say "hi"', "one\ntwo\r\nthree", '"')]


@pytest.mark.parametrize("text", ['"q";"a"', '"q";"a"\n', '"q";"a"\r\n', '\n \t\r\n"q";"a"\n\n  '])
def test_lines_end_with_lf_crlf_or_the_file_and_blank_lines_are_skipped(text: str) -> None:
    assert errors(text) == []
    assert rows(text) == [("q", "a", None, None)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf_8_with_or_without_a_mark_and_utf_16_with_one_are_read(encoding: str) -> None:
    assert rows('"Où?";"Là 😀"\n'.encode(encoding)) == [("Où?", "Là 😀", None, None)]


def test_blanks_inside_the_quotes_are_kept() -> None:
    assert rows('" q ";"\ta\n"') == [(" q ", "\ta\n", None, None)]


@pytest.mark.parametrize("text", ['"q";"a"', '"q";"a";""', '"q";"a";"";""', '"q";"a";" ";"\n"'])
def test_empty_reasoning_and_context_are_none(text: str) -> None:
    assert rows(text) == [("q", "a", None, None)]


def test_a_field_of_6000_characters_is_long_enough() -> None:
    assert errors(f'"{"😀" * 6000}";"{"a" * 6000}";"{"r" * 6000}";"{"c" * 6000}"') == []


def test_the_id_is_made_of_question_and_context_and_repeated_ones_are_numbered() -> None:
    cases = read_bytes(b'"q";"a"\n"q";"b"\n"q";"a";"";"c"\n"q";"c";"why"\n').cases
    plain = case_id("q", None)
    assert [case.id for case in cases] == [plain, f"{plain}-2", case_id("q", "c"), f"{plain}-3"]


def test_the_line_where_a_row_starts_is_kept_beside_it() -> None:
    table = read_bytes(b'\n"q\n\n";"a"\r\n\r\n"broken\n"q";"b"\n')
    assert [case.line for case in table.cases] == [2, 7]


def test_the_preview_is_the_first_ten_valid_rows_and_rows_counts_all() -> None:
    table = read_bytes(b"".join(b'"q%d";"a"\nbroken\n' % number for number in range(12)))
    assert [case.question for case in table.preview] == [f"q{number}" for number in range(10)]
    assert table.preview == table.cases[:10]
    assert table.rows == len(table.cases) == 12


# Errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "count"), [('"q"', 1), ('"a";"b";"c";"d";"e"', 5), ('"";' * 9 + '""', 10)])
def test_fewer_than_two_or_more_than_four_fields_are_an_error_at_the_record(text: str, count: int) -> None:
    told = f"Invalid number of fields: {count}, expected 2 to 4, as in question;answer;reasoning;context"
    assert errors(f'"q";"a"\n{text}\n') == [(2, 1, told)]


def test_an_empty_question_and_an_empty_answer_are_two_errors_each_at_its_field() -> None:
    assert errors('"";" \n"\n') == [
        (1, 1, "Question field is required: it holds nothing; every row needs a question and an answer"),
        (1, 4, "Answer field is required: it holds only blanks; every row needs a question and an answer"),
    ]


@pytest.mark.parametrize(("index", "name"), enumerate(["Question", "Answer", "Reasoning", "Context"]))
def test_a_field_longer_than_6000_characters_is_an_error_at_the_field(index: int, name: str) -> None:
    fields = ["é"] * 4
    fields[index] = "é" * 6001
    told = f"{name} exceeds 6000 characters: it has 6001; shorten it"
    assert errors(";".join(f'"{field}"' for field in fields)) == [(1, 1 + 4 * index, told)]


@pytest.mark.parametrize(
    ("text", "column", "detail"),
    [
        ('"q";"a";', 9, "the line ends with a semicolon; remove it"),
        ('"q";"a"; \t', 9, "the line ends with a semicolon; remove it"),
        (' "q";"a"', 1, "there are blanks before the opening quote; remove them"),
        ('"q";\t"a"', 5, "there are blanks before the opening quote; remove them"),
        ('"q" ;"a"', 1, "there are blanks after the closing quote; remove them"),
        ('"q";"a"\t', 5, "there are blanks after the closing quote; remove them"),
        ("q;a", 1, "the field 'q;a' is not in double quotes; put quotes around every field"),
        ('"q";a', 5, "the field 'a' is not in double quotes; put quotes around every field"),
        ('"q";;"r"', 5, 'an empty field must be written ""'),
        ('"q";"say "hi" to"', 5, 'the quote before \'hi" to"\' is not doubled; write "" for a quote inside a field'),
        ('"q","a"', 1, "a comma separates these fields; write a semicolon, or use `proctor convert`"),
        ('"q"\t"a"', 1, "a tab separates these fields; write a semicolon, or use `proctor convert`"),
        ('"q";"a"\r"q";"a"', 5, "a lone CR ends the line; end lines with LF or CRLF"),
        ('"q";"a"\0', 5, "there is a NUL byte outside the fields; remove it"),
        ("\0", 1, "there is a NUL byte outside the fields; remove it"),
        ('"q";"a\0"', 5, "the answer holds a NUL byte as character 2; remove it"),
        ('"a\rb";"a"', 1, "the question holds a lone CR as character 2; end lines with LF or CRLF"),
    ],
)
def test_a_malformed_field_is_an_error_at_its_place_and_reading_goes_on(text: str, column: int, detail: str) -> None:
    data = f'"q";"a"\n{text}\n"q";"b"\n'
    assert errors(data) == [(2, column, f"File parsing error: {detail}")]
    assert [row[1] for row in rows(data)] == ["a", "b"]


def test_a_quote_that_is_never_closed_does_not_swallow_the_rows_after_it() -> None:
    data = '"q";"a\n"q2";"b"\n"q3";"c"\n'
    told = "the quote that opens this field is still open where a later line starts with a quote; close it"
    assert errors(data) == [(1, 5, f"File parsing error: {told}")]
    assert [row[0] for row in rows(data)] == ["q2", "q3"]


def test_a_quote_that_is_still_open_at_the_end_is_an_error_where_its_field_starts() -> None:
    told = "the quote that opens this field is never closed; close it, and double every quote inside the field"
    assert errors('"q";"a"\n"q";"never\n') == [(2, 5, f"File parsing error: {told}")]


def test_reading_goes_on_at_the_line_after_the_one_where_a_broken_record_starts() -> None:
    assert places('"one\ntwo "three" four";"a"\n"q";"a"\n') == [
        (1, 1, "File parsing error"),
        (2, 1, "File parsing error"),
    ]


def test_a_file_with_old_mac_line_ends_is_one_error() -> None:
    assert places('"q";"a"\r"q";"b"\r') == [(1, 5, "File parsing error")]


def test_columns_count_characters_and_lines_count_line_feeds_inside_fields_too() -> None:
    assert places('"😀é\u2028\x85";""\n"one\r\ntwo\n";" "\n"x"') == [
        (1, 8, "Answer field is required"),
        (4, 3, "Answer field is required"),
        (5, 1, "Invalid number of fields"),
    ]


@pytest.mark.parametrize(
    "header",
    [
        "question;answer",
        '"question";"answer";"reasoning";"context"',
        "QUESTION; Answer ;Reasoning",
        '\n"Answer";"Question"',
        "question;answer;category",
        "question",
    ],
)
def test_a_header_row_is_an_error_that_says_to_remove_it(header: str) -> None:
    data = f'{header}\n"q";"a"\n'
    line = 1 + header.count("\n")
    assert errors(data) == [(line, 1, "File parsing error: this is a header row; remove the header row")]
    assert rows(data) == [("q", "a", None, None)]


@pytest.mark.parametrize(("mark", "name"), [(",", "a comma"), ("\t", "a tab")])
def test_a_header_row_with_another_separator_points_to_convert(mark: str, name: str) -> None:
    (line, column, message), *_ = errors(f'Question{mark}"Answer"\nq{mark}a\n')
    assert (line, column) == (1, 1)
    advice = f"a header row, and {name} between its names; make this table a benchmark file with `proctor convert`"
    assert message == f"File parsing error: {advice}"


@pytest.mark.parametrize(
    "text",
    [
        '"Question?";"answer"',
        '"q";"a"\n"question";"answer"',
        '"question";"question"',
        '"Question\nWhat is 2 + 2?";"4"',
        '"question;answer";"a"',
        '"question,answer,context";"a"',
        '"question";"answer\n"',
    ],
)
def test_column_names_elsewhere_are_no_header_row(text: str) -> None:
    assert errors(text) == []


@pytest.mark.parametrize("data", [b"", codecs.BOM_UTF8, b"\n \r\n\t"])
def test_an_empty_file_has_no_questions(data: bytes) -> None:
    ((line, column, message),) = errors(data)
    assert (line, column) == (1, 1)
    assert message.startswith("No questions: ")


def test_a_file_in_another_encoding_is_one_error_with_the_byte_and_the_other_errors_stay() -> None:
    data = b'"q";"a"\n"q";"caf\xe9"\n"only"\n"r\xe9sum\xe9";"a"\n"ok";"ok"\n'
    first, second = errors(data)
    assert first[:2] == (2, 5)
    assert first[2].startswith("File parsing error: byte 0xE9 at offset 16 is not UTF-8 (the first of 3 such places); ")
    assert second[2].startswith("Invalid number of fields")
    assert rows(data) == [("q", "a", None, None), ("ok", "ok", None, None)]


def test_a_bad_byte_outside_the_fields_is_placed_where_it_stands() -> None:
    assert places(b'"q";"a"\n"q";\xe9\n')[0] == (2, 5, "File parsing error")


def test_the_list_is_cut_at_100_errors_and_says_how_many_more() -> None:
    table = read_bytes(b"x\n" * 250 + b"\xe9\n" + b'"q";"a"\n')
    assert len(table.errors) == 100
    assert table.more == 152
    assert table.rows == 1


def test_errors_come_in_the_order_of_the_file() -> None:
    found = places('"one\ntwo\n";"never\nx\n')
    assert [line for line, _, _ in found] == sorted(line for line, _, _ in found)
    assert len(found) == 4


# Size ------------------------------------------------------------------------------------------------------------


def _endless() -> Iterator[bytes]:
    for _ in range(LIMIT // 65_536 + 1):
        yield b"x" * 65_536
    raise AssertionError("read on after the limit was passed")


def test_an_upload_is_refused_while_it_streams() -> None:
    with pytest.raises(InputError, match="exceeds 2097152 bytes"):
        collect(_endless())


def test_an_upload_up_to_the_limit_is_collected() -> None:
    assert len(collect([b"x" * LIMIT])) == LIMIT


def test_a_file_beyond_the_limit_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(b'"q";"a"\n' * (LIMIT // 8) + b"\n")
    with pytest.raises(InputError, match="exceeds 2097152 bytes"):
        read_path(path)
    table = read_bytes(read_start(path))
    assert table.rows == 0
    assert [problem.message.partition(":")[0] for problem in table.errors] == ["File exceeds 2097152 bytes"]


def test_no_more_than_one_byte_beyond_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(10 * LIMIT)
    assert len(read_start(path)) == LIMIT + 1


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "full.csv"
    path.write_bytes(b'"q";"a"\n' * (LIMIT // 8))
    assert read_bytes(read_path(path)).rows == LIMIT // 8


def test_memory_stays_a_small_multiple_of_the_file() -> None:
    data = b'"q";"a"\n' * (LIMIT // 8)
    tracemalloc.start()
    try:
        table = read_bytes(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert table.rows == LIMIT // 8
    assert peak < 4 * LIMIT


def test_a_file_that_is_not_there_or_is_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read '.*nowhere\.csv': No such file"):
        read_path(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="cannot read"):
        read_path(tmp_path)


# Benchmarks ------------------------------------------------------------------------------------------------------


def test_a_valid_file_becomes_a_benchmark() -> None:
    made = benchmark(SEED.encode(), name="capitals", description="of Europe")
    assert (made.name, made.description, len(made.cases)) == ("capitals", "of Europe", 2)
    assert [case.line for case in made.cases] == [1, 2]


def test_the_digest_does_not_depend_on_where_the_rows_stand() -> None:
    moved = codecs.BOM_UTF8 + b"\n\n" + SEED.encode()
    assert benchmark(SEED.encode(), name="a").digest == benchmark(moved, name="b").digest
    assert benchmark(SEED.encode(), name="a").digest != benchmark(SEED.lower().encode(), name="a").digest


def test_a_file_with_errors_becomes_none_and_the_first_are_told() -> None:
    with pytest.raises(InputError) as caught:
        benchmark(b'"q";"a"\n"one"\n' + b"x\n" * 200, name="broken")
    said = str(caught.value)
    assert said.startswith("broken: line 2, column 1: Invalid number of fields: 1")
    assert "line 3, column 1: File parsing error" in said
    assert said.endswith("; and 198 more (`proctor check` lists them)")


def test_a_single_error_is_told_without_a_count() -> None:
    with pytest.raises(InputError) as caught:
        benchmark(b"", name="empty")
    assert "more" not in str(caught.value)


# Writing ---------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(['"', '""', ";", '";"', "\n", "\r\n", " ", "\t", "é", "😀", "\u2028", "\x85", "\ufeff", "=1"])
PLAIN = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")
FIELD = st.lists(PIECES | PLAIN, max_size=12).map("".join)
FILLED = FIELD.filter(lambda text: bool(text.strip()))
ROW = st.tuples(FILLED, FILLED, st.none() | FIELD, st.none() | FIELD)


@at_leisure
@given(st.lists(ROW, min_size=1, max_size=8))
def test_whatever_is_written_reads_back_the_same(written: list[tuple[str, str, str | None, str | None]]) -> None:
    assume(not header_separator(record(written[0])))
    data = write(written)
    assert errors(data) == []
    expected = [(q, a, r if (r or "").strip() else None, c if (c or "").strip() else None) for q, a, r, c in written]
    assert rows(data) == expected
    assert rows(data.decode().encode("utf-16")) == expected


def test_a_row_is_written_with_two_to_four_quoted_fields() -> None:
    written = write([("q", "a"), ("q", "a", None, None), ("q", 'say "x"', "r"), ("q", "a", None, "c")])
    assert written == b'"q";"a"\n"q";"a"\n"q";"say ""x""";"r"\n"q";"a";"";"c"\n'


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("", "a"), "row 2: Question field is required"),
        (("q",), "row 2: Answer field is required"),
        (("q", "a", "r", "c", "x"), "row 2: Invalid number of fields: 5"),
        (("q", "a", "x" * 6001), "row 2: Reasoning exceeds 6000 characters"),
        (("q", "a\0"), "row 2: File parsing error: the answer holds a NUL byte"),
        (("q", "a\rb"), "row 2: File parsing error: the answer holds a lone CR"),
        (("q", "\ud83d"), r"row 2: File parsing error: the answer holds half a character \(U\+D83D\)"),
    ],
)
def test_a_row_that_would_not_read_back_is_refused(row: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        write([("q", "a"), row])


def test_a_first_row_that_reads_like_a_header_is_refused() -> None:
    with pytest.raises(InputError, match="reads like a header row"):
        write([("Question", "answer")])
    assert write([("q", "a"), ("Question", "answer")])


def test_nothing_and_too_much_are_not_written() -> None:
    with pytest.raises(InputError, match="No questions"):
        write([])
    with pytest.raises(InputError, match="exceeds 2097152 bytes"):
        write([("q", "x" * 6000)] * 350)


# Anything --------------------------------------------------------------------------------------------------------

SOUP = st.lists(st.sampled_from([b'"', b";", b'";"', b"\n", b"\r", b"\0", b" ", b"a", b"\xe9", "é".encode()]))
ANYTHING = st.binary(max_size=200) | SOUP.map(b"".join) | SOUP.map(lambda pieces: b"\xff\xfe" + b"".join(pieces))


@at_leisure
@given(ANYTHING)
def test_no_bytes_crash_the_reader_and_every_place_lies_in_the_file(data: bytes) -> None:
    table = read_bytes(data)
    lines = table.text.split("\n")
    for problem in table.errors:
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        problem.message.encode()
    assert table.errors or table.cases
    assert len({case.id for case in table.cases}) == table.rows
    if table.rows:
        assert rows(write(rows(data))) == rows(data)
