from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.reviewers.checks.asking import asked, outcome

from proctor.reviewers.checks.citations import citation_accuracy, citations_present
from proctor.reviewers.checks.sources import LARGEST
from proctor.transcript import Citation, Reply, ToolCall

REMOTE = "# Remote work\n\nStaff may work **from home** up to\nthree days a week.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    knowledge = tmp_path / "knowledge"
    (knowledge / "hr").mkdir(parents=True)
    (knowledge / "hr" / "remote.md").write_text(REMOTE, "utf-8")
    (knowledge / "hr" / "leave.md").write_text("Thirty days of leave.\n", "utf-8")
    (tmp_path / "secret.md").write_text("The password is swordfish.\n", "utf-8")
    return knowledge


def citing(source: str, quote: str | None = None, *, calls: tuple[ToolCall, ...] = ()) -> Reply:
    return Reply(text="Three days.", citations=(Citation(source=source, quote=quote),), tool_calls=calls)


def told(name: str, result: Any, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, result=result)


# --- present ------------------------------------------------------------------------------------------------------


def test_nothing_is_said_where_nothing_is_asked() -> None:
    assert asked(citations_present, citing("a.md")) is None
    assert asked(citation_accuracy, citing("a.md"), citations=1) is None


def test_citations_are_counted_in_the_list_or_in_the_text() -> None:
    assert outcome(citations_present, citing("a.md"), citations=1).passed is True
    assert outcome(citations_present, "Three days [1], or four [2].", citations=2).passed is True
    found = outcome(citations_present, "Three days [hr/remote.md].", citations=2)
    assert found.passed is False
    assert found.evidence == "1 cited, at least 2 needed: [hr/remote.md]"


def test_a_mark_in_the_text_for_a_listed_citation_is_not_counted_twice() -> None:
    reply = Reply(text="Three days [1].", citations=(Citation(source="a.md"),))
    assert outcome(citations_present, reply, citations=2).passed is False


def test_two_citations_of_one_source_are_two() -> None:
    reply = Reply(text="", citations=(Citation(source="a.md", quote="x"), Citation(source="a.md", quote="y")))
    found = outcome(citations_present, reply, citations=2)
    assert (found.passed, found.evidence) == (True, "2 cited, at least 2 needed: a.md")


def test_no_citation_fails() -> None:
    found = outcome(citations_present, "Three days.", citations=1)
    assert (found.passed, found.evidence) == (False, "0 cited, at least 1 needed")


# --- the right source ---------------------------------------------------------------------------------------------


def test_a_source_that_is_not_expected_fails() -> None:
    found = outcome(citation_accuracy, citing("hr/leave.md"), sources=("hr/remote.md", "hr/home.md"))
    assert (found.passed, found.value) == (False, 0.0)
    assert found.evidence == "hr/leave.md is not an expected source; expected hr/remote.md or hr/home.md"


def test_all_cited_sources_have_to_be_expected_and_the_share_is_told() -> None:
    reply = Reply(text="", citations=(Citation(source="hr/remote.md"), Citation(source="hr/leave.md")))
    found = outcome(citation_accuracy, reply, sources=("hr/remote",))
    assert (found.passed, found.value) == (False, 0.5)


def test_sources_named_in_the_text_count_where_there_is_no_list() -> None:
    assert outcome(citation_accuracy, "Three days [hr/remote.md].", sources=("hr/remote.md",)).passed is True
    assert outcome(citation_accuracy, "Three days [hr/leave.md].", sources=("hr/remote.md",)).passed is False


@pytest.mark.parametrize("text", ["Three days.", "Three days [1].", "Three days 【1†source】."])
def test_without_a_named_source_accuracy_is_not_checkable(text: str) -> None:
    found = outcome(citation_accuracy, text, sources=("hr/remote.md",), quotes=True)
    assert (found.passed, found.value) == (None, None)


def test_a_citation_without_a_source_fails() -> None:
    assert outcome(citation_accuracy, citing(" "), sources=("a.md",)).evidence == "a citation names no source"
    assert outcome(citation_accuracy, citing(""), quotes=True).passed is False


def test_a_name_without_extension_that_may_be_an_unexpected_file_is_not_checkable(folder: Path) -> None:
    assert outcome(citation_accuracy, citing("hr/remote"), folder=folder, sources=("hr/remote.md",)).passed is True
    (folder / "hr" / "remote.txt").write_text("old", "utf-8")
    found = outcome(citation_accuracy, citing("hr/remote"), folder=folder, sources=("hr/remote.md",))
    assert found.passed is None
    assert "hr/remote.txt" in found.evidence
    both = ("hr/remote.md", "hr/remote.txt")
    assert outcome(citation_accuracy, citing("hr/remote"), folder=folder, sources=both).passed is True


# --- the quote, from the folder -----------------------------------------------------------------------------------


def test_a_quote_that_stands_in_its_source_passes(folder: Path) -> None:
    found = outcome(citation_accuracy, citing("hr/remote.md", "from home up to three days"), folder=folder, quotes=True)
    assert (found.passed, found.value) == (True, 1.0)
    assert found.evidence == "“from home up to three days” stands in hr/remote.md"


def test_a_quote_that_stands_elsewhere_fails_with_the_nearest_miss(folder: Path) -> None:
    found = outcome(citation_accuracy, citing("hr/remote.md", "from home up to four days"), folder=folder, quotes=True)
    assert found.passed is False
    assert found.evidence == (
        "“from home up to four days” does not stand in hr/remote.md: its first 4 words are there, "
        "going on “three days a week.”"
    )
    assert outcome(citation_accuracy, citing("hr/leave.md", "three days"), folder=folder, quotes=True).passed is False


@pytest.mark.parametrize("source", ["hr/remote", "hr/remote.md#who", "./hr/../hr/remote.md", "hr\\remote.md"])
def test_other_spellings_of_a_path_are_read(source: str, folder: Path) -> None:
    assert outcome(citation_accuracy, citing(source, "three days"), folder=folder, quotes=True).passed is True


@pytest.mark.parametrize(
    "source",
    [
        "link.md",
        "out/secret.md",
        "https://a.example/secret.md",
        "file:///secret.md",
        "hr",
        ".",
        "/hr/remote.md",
        "x" * 5_000,
        "x/" * 3_000,
    ],
)
def test_nothing_outside_the_folder_is_read(source: str, folder: Path) -> None:
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / "out").symlink_to(folder.parent)
    found = outcome(citation_accuracy, citing(source, "The password is"), folder=folder, quotes=True)
    assert found.passed is None
    assert "cannot be read" in found.evidence
    assert "swordfish" not in found.evidence


@pytest.mark.parametrize(
    "source", ["nothing.md", "hr/nothing.md", "nowhere/at/all.md", "../secret.md", "..\\secret.md", "a\0b", "Our rules"]
)
@pytest.mark.parametrize("quote", ["The password is", None])
def test_a_source_that_is_not_in_the_folder_is_invented(source: str, quote: str | None, folder: Path) -> None:
    found = outcome(citation_accuracy, citing(source, quote), folder=folder, quotes=True)
    assert found.passed is False
    assert found.evidence.startswith(f"there is no source {source}: it is not a file in the folder of sources")
    assert outcome(citation_accuracy, citing(source, quote), quotes=True).passed is None
    told_of = citing(source, "three days", calls=(told("read", "three days", path=source),))
    assert outcome(citation_accuracy, told_of, folder=folder, quotes=True).passed is True


def test_an_expected_source_that_the_folder_lacks_is_the_suites_fault(folder: Path) -> None:
    found = outcome(citation_accuracy, citing("a.md", "three days"), folder=folder, sources=("a.md",), quotes=True)
    assert found.passed is None


def test_nothing_is_known_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    found = outcome(citation_accuracy, citing("a.md", "three days"), folder=tmp_path / "none", quotes=True)
    assert found.passed is None


@pytest.mark.parametrize("source", ["HR/Remote.md", "hr/remote.md:3", "hr/remote.md:3-9", "{folder}/hr/remote.md"])
def test_other_spellings_of_a_file_in_the_folder_are_found(source: str, folder: Path) -> None:
    reply = citing(source.format(folder=folder.name), "three days")
    assert outcome(citation_accuracy, reply, folder=folder, quotes=True).passed is True


def test_where_nothing_has_to_be_cited_a_reply_without_citations_is_right() -> None:
    assert outcome(citation_accuracy, "Three days.", citations=0, sources=("hr/remote.md",)).passed is True
    assert outcome(citation_accuracy, "Three days [1].", citations=0, sources=("hr/remote.md",)).passed is None


def test_absolute_paths_are_not_read_even_into_the_folder(folder: Path) -> None:
    for source in (str(folder / "hr" / "remote.md"), "/etc/hostname"):
        found = outcome(citation_accuracy, citing(source, "three days"), folder=folder, quotes=True)
        assert found.passed is None


def test_files_that_are_too_large_or_no_text_are_not_read(folder: Path) -> None:
    (folder / "large.md").write_text("three days " * (LARGEST // 10), "utf-8")
    (folder / "picture.md").write_bytes(b"\xff\xd8 three days")
    os.mkfifo(folder / "pipe.md")
    for source, reason in {
        "large.md": "larger than",
        "picture.md": "UnicodeDecodeError",
        "pipe.md": "not a file",
    }.items():
        found = outcome(citation_accuracy, citing(source, "three days"), folder=folder, quotes=True)
        assert found.passed is None
        assert reason in found.evidence


@pytest.mark.parametrize("quote", [None, "", "  ", "…", "“”"])
def test_without_a_quote_there_is_none_to_look_up(quote: str | None, folder: Path) -> None:
    found = outcome(citation_accuracy, citing("hr/remote.md", quote), folder=folder, quotes=True)
    assert found.passed is None
    assert "without a quote" in found.evidence


def test_quotes_are_not_looked_up_unless_asked(folder: Path) -> None:
    reply = citing("hr/remote.md", "an invention")
    assert outcome(citation_accuracy, reply, folder=folder, sources=("hr/remote.md",)).passed is True


# --- the quote, from a tool's result ------------------------------------------------------------------------------

TOLD = {
    "the arguments name it": told("read", REMOTE, path="hr/remote.md"),
    "deep in the arguments": told("read", {"text": REMOTE}, request={"paths": ["hr/remote.md"]}),
    "an entry of a list": told(
        "search", [{"source": "hr/leave.md", "text": "x"}, {"source": "hr/remote.md", "text": REMOTE}]
    ),
    "an entry within an entry": told(
        "search", {"results": {"hits": [{"meta": {"n": 1}, "id": "hr/remote.md", "body": {"text": REMOTE}}]}}
    ),
    "a key": told("read_many", {"hr/leave.md": "x", "hr/remote.md": REMOTE}),
    "a text that names it": told("search", f"From hr/remote.md:\n{REMOTE}"),
    "JSON as text": told("search", '[{"source": "hr/remote.md", "text": "up to three days a week"}]'),
    "bytes": told("read", REMOTE.encode(), path="hr/remote.md"),
}


@pytest.mark.parametrize("call", TOLD.values(), ids=TOLD)
def test_a_tool_result_that_names_the_source_is_read(call: ToolCall) -> None:
    right = citing("hr/remote.md", "up to three days", calls=(told("other", "nothing"), call))
    found = outcome(citation_accuracy, right, quotes=True)
    assert (found.passed, found.evidence) == (True, f"“up to three days” stands in the result of {call.name}")
    wrong = citing("hr/remote.md", "up to four days", calls=(call,))
    assert outcome(citation_accuracy, wrong, quotes=True).passed is False


NOT_TOLD = {
    "no call": (),
    "another source": (told("read", REMOTE, path="hr/leave.md"),),
    "a name that only begins so": (told("read", REMOTE, path="hr/remote.md5"),),
    "no result": (ToolCall(name="read", arguments={"path": "hr/remote.md"}),),
    "an error": (ToolCall(name="read", arguments={"path": "hr/remote.md"}, result=None, error="no such file"),),
    "an empty result": (told("read", None, path="hr/remote.md"),),
    "too large a result": (told("read", "three days " * (LARGEST // 10), path="hr/remote.md"),),
}


@pytest.mark.parametrize("calls", NOT_TOLD.values(), ids=NOT_TOLD)
def test_without_a_result_that_names_the_source_the_quote_is_not_checkable(calls: tuple[ToolCall, ...]) -> None:
    found = outcome(citation_accuracy, citing("hr/remote.md", "three days", calls=calls), quotes=True)
    assert found.passed is None
    assert "cannot be read" in found.evidence


def test_a_quote_from_another_entry_of_the_same_result_fails() -> None:
    call = told(
        "search", [{"source": "hr/leave.md", "text": "thirty days"}, {"source": "hr/remote.md", "text": "three days"}]
    )
    found = outcome(citation_accuracy, citing("hr/remote.md", "thirty days", calls=(call,)), quotes=True)
    assert found.passed is False


def test_a_short_id_has_to_be_the_whole_of_a_value() -> None:
    calls = (told("search", [{"id": 1, "text": "three days, 2 of them"}, {"id": 2, "text": "thirty days"}]),)
    assert outcome(citation_accuracy, citing("1", "three days", calls=calls), quotes=True).passed is True
    assert outcome(citation_accuracy, citing("2", "three days", calls=calls), quotes=True).passed is False


def test_the_folder_goes_before_a_tool_result(folder: Path) -> None:
    calls = (told("read", "up to four days", path="hr/remote.md"),)
    reply = citing("hr/remote.md", "up to four days", calls=calls)
    assert outcome(citation_accuracy, reply, folder=folder, quotes=True).passed is False
    assert outcome(citation_accuracy, reply, quotes=True).passed is True


def test_a_wrong_quote_decides_whatever_cannot_be_read(folder: Path) -> None:
    wrong, unread = Citation(source="hr/remote.md", quote="four days"), Citation(source="/x.md", quote="y")
    found = outcome(citation_accuracy, Reply(text="", citations=(unread, wrong)), folder=folder, quotes=True)
    assert (found.passed, found.value) == (False, 0.0)
    assert found.evidence.startswith("“four days” does not stand in hr/remote.md")


@pytest.mark.parametrize(
    ("cited", "named"),
    [("./hr/remote.md", "hr/remote.md"), ("hr/remote.md#who", "hr/remote.md"), ("Issue #5", "Issue #5")],
)
def test_other_spellings_of_a_name_are_found_in_results(cited: str, named: str) -> None:
    reply = citing(cited, "three days", calls=(told("search", [{"source": named, "text": "three days"}]),))
    assert outcome(citation_accuracy, reply, quotes=True).passed is True


def test_a_flood_of_citations_is_cut_and_told() -> None:
    reply = Reply(text="", citations=tuple(Citation(source="a.md") for _ in range(10_000)))
    found = outcome(citation_accuracy, reply, sources=("a.md",))
    assert found.passed is None
    assert found.evidence.startswith("of 10,000 citations only the first 200 are looked up; ")


def test_deep_results_and_huge_numbers_are_walked_through() -> None:
    deep: Any = {"source": "hr/remote.md", "text": "three days", "n": 10**6_000}
    for _ in range(5_000):
        deep = [deep]
    found = outcome(citation_accuracy, citing("hr/remote.md", "three days", calls=(told("search", deep),)), quotes=True)
    assert found.passed is True
    nested = told("search", "[" * 100_000 + "hr/remote.md three days")
    assert outcome(citation_accuracy, citing("hr/remote.md", "three days", calls=(nested,)), quotes=True).passed is True
