"""The library keeps benchmarks with their versions, and nothing that reaches beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.benchmark import Benchmark
from proctor.errors import InputError
from proctor.workflows.library import Library, NoSuchBenchmark, RefusedFile

ROWS = b'"What is 2 + 2?";"4"\n"What is 3 + 3?";"6"\n'
SUITE = b"cases:\n  - question: Why?\n    expect: {keywords: [because]}\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "benchmarks")


def test_a_file_becomes_a_benchmark_with_its_name(library: Library) -> None:
    saved = library.save(file="sums.csv", content=ROWS, name="  My   sums ", description="Easy ones.")
    assert (saved.id, saved.name, saved.description) == ("my-sums", "My sums", "Easy ones.")
    assert (saved.newest.file, saved.newest.cases) == ("sums.csv", 2)
    read = library.read("my-sums")
    assert (read.name, read.description, len(read.cases)) == ("My sums", "Easy ones.", 2)
    assert read.digest == saved.newest.digest
    assert library.find("my-sums") == saved


def test_a_changed_file_is_a_new_version_and_the_old_one_stays(library: Library) -> None:
    first = library.save(file="sums.csv", content=ROWS, name="sums")
    second = library.save(file="sums.csv", content=ROWS + b'"What is 4 + 4?";"8"\n', name="sums")
    assert [version.cases for version in second.versions] == [3, 2]
    assert len(library.read("sums").cases) == 3
    assert len(library.read("sums", first.newest.id).cases) == 2
    again = library.save(file="sums.csv", content=ROWS, name="sums")
    assert [version.cases for version in again.versions] == [2, 3], "the same file is the same version, now the newest"


def test_names_that_look_alike_are_told_apart(library: Library) -> None:
    ids = [
        library.save(file="a.csv", content=ROWS, name=name).id
        for name in ("A b", "a-b", "Ünïcode ≈", "≈", "handbook 30")
    ]
    assert ids == ["a-b", "a-b-2", "unicode", "benchmark", "handbook-30-2"]


def test_a_suite_is_played_from_its_file_and_rows_with_their_name(library: Library) -> None:
    library.save(file="s.yaml", content=SUITE, name="whys")
    library.save(file="r.csv", content=ROWS, name="sums")
    path = library.playable("whys")
    assert isinstance(path, Path)
    assert path.name == "whys.yaml"
    assert library.read("whys").name == "whys"
    assert isinstance(library.playable("sums"), Benchmark)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("a.csv", b'"only one field"\n', "Invalid number of fields"),
        ("a.csv", b"", "No questions"),
        ("a.yaml", b"cases:\n  - question: ''\n", "line 2"),
        ("a.exe", ROWS, "does not say the format"),
        ("", ROWS, "does not say the format"),
    ],
)
def test_a_file_with_errors_is_not_kept(library: Library, file: str, content: bytes, said: str) -> None:
    with pytest.raises(RefusedFile, match=said) as refused:
        library.save(file=file, content=content, name="bad")
    assert refused.value.examined.errors
    assert not any(each.own for each in library.all())


@pytest.mark.parametrize(
    "suite",
    [
        b"sources: /etc\ncases:\n  - question: Why?\n",
        b"sources: ../..\ncases:\n  - question: Why?\n",
        b'expect: {checks: ["python:os:system"]}\ncases:\n  - question: Why?\n',
        b'cases:\n  - question: Why?\n    expect: {checks: ["python:my:code"]}\n',
    ],
    ids=["a folder", "a folder above", "code for all", "code for one"],
)
def test_a_suite_from_a_stranger_neither_runs_code_nor_reads_folders(library: Library, suite: bytes) -> None:
    with pytest.raises(RefusedFile, match="uploaded suite cannot"):
        library.save(file="a.yaml", content=suite, name="bad")


@pytest.mark.parametrize(
    "identity", ["..", ".", "", "../benchmarks", "a/b", "/etc", "a\0b", "A", "-a", "about.json", "%2e%2e", "x" * 65]
)
def test_an_id_never_leaves_the_folder(library: Library, identity: str) -> None:
    library.save(file="a.csv", content=ROWS, name="a")
    for use in (library.find, library.path, library.read, library.delete):
        with pytest.raises(NoSuchBenchmark):
            use(identity)


@pytest.mark.parametrize("version", ["../a", "", "about", "0" * 12])
def test_a_version_is_one_of_those_there_are(library: Library, version: str) -> None:
    library.save(file="a.csv", content=ROWS, name="a")
    with pytest.raises(NoSuchBenchmark, match="no version"):
        library.path("a", version)


def test_the_name_of_a_file_never_leaves_the_folder(library: Library, tmp_path: Path) -> None:
    library.save(file="../../../evil.csv", content=ROWS, name="../../evil")
    assert [path.name for path in tmp_path.rglob("*.csv")] == ["evil.csv"]
    assert library.path("evil").is_relative_to(tmp_path / "benchmarks" / "evil")


@pytest.mark.parametrize("name", ["x" * 201, "bell\a", "  "])
def test_names_that_nobody_could_read_are_refused(library: Library, name: str) -> None:
    if name.strip():
        with pytest.raises(InputError, match="the name cannot be used"):
            library.save(file="a.csv", content=ROWS, name=name)
    else:
        assert library.save(file="a.csv", content=ROWS, name=name.strip()).name == "a"


def test_a_benchmark_can_be_deleted_but_not_those_that_came_with_proctor(library: Library) -> None:
    library.save(file="a.csv", content=ROWS, name="a")
    library.delete("a")
    assert [each.id for each in library.all()] == ["handbook-30", "library-skills"]
    with pytest.raises(InputError, match="came with Proctor"):
        library.delete("handbook-30")


def test_what_is_damaged_hides_nothing_else(library: Library, tmp_path: Path) -> None:
    library.save(file="a.csv", content=ROWS, name="a")
    damaged = tmp_path / "benchmarks" / "b"
    damaged.mkdir()
    (damaged / "about.json").write_text("{")
    assert [each.id for each in library.all() if each.own] == ["a"]
