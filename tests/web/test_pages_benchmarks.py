"""Working on benchmarks in the page: tables are converted, rows edited, versions compared, failures kept."""

from __future__ import annotations

import io
import re
import stat
import zipfile
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.web.browsing import Browser
from tests.web.test_home import examined, numbered
from tests.web.test_pages_doing import GOOD, upload

from proctor import evaluate
from proctor.benchmark import Case
from proctor.formats import archive
from proctor.formats.suites import suite
from proctor.run import Run
from proctor.workflows.upload import examine

TABLE = 'ID,Prompt,Expected\n1,What is 2 + 2?,4\n2,"Who wrote it, really?",Ada\n'


def workbook() -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("question", "answer", "owner"), ("What is 2 + 2?", 4, "me"), ("Who?", "Ada", "you")):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def mapping(page: str) -> dict[str, str]:
    """Column → what it becomes."""
    chosen = re.findall(
        r'<select id="column-(\w+)"(?:(?!</select>).)*?<option value="\d+" selected>(.*?)</option>', page
    )
    left_out = re.search(r"Left out: (.*?)\.</p>", page)
    others = re.findall("<bdi>(.*?)</bdi>", left_out[1]) if left_out else []
    return {column: name for name, column in chosen} | dict.fromkeys(others, "left out")


def saved(browser: Browser, file: str, content: str | bytes) -> str:
    """The id of a benchmark that was saved from this."""
    answer = upload(browser, content, file=file, do="save")
    assert answer.status_code == 303, answer.text[:2000]
    return str(answer.headers["location"].rpartition("/")[2])


# converted ------------------------------------------------------------------------------------------


def test_a_table_with_a_header_is_converted_and_its_columns_are_shown_first(browser: Browser) -> None:
    page = upload(browser, TABLE, file="faq.csv", do="look").text
    assert mapping(page) == {"Prompt": "question", "Expected": "answer", "ID": "left out"}
    assert "2 questions" in page
    assert "Converted from <bdi>faq.csv</bdi>" in page
    identity = saved(browser, "faq.csv", TABLE)
    cases = browser.site.library.read(identity).cases
    assert [(case.question, case.answer) for case in cases] == [
        ("What is 2 + 2?", "4"),
        ("Who wrote it, really?", "Ada"),
    ]


@pytest.mark.parametrize("file", ["faq.tsv", "faq.xlsx", "faq.jsonl", "faq.ndjson"])
def test_tabs_workbooks_and_lines_of_json_are_taken_too(browser: Browser, file: str) -> None:
    content: str | bytes = {
        "faq.tsv": "question\tanswer\nWhat is 2 + 2?\t4\nWho?\tAda\n",
        "faq.jsonl": '{"prompt": "What is 2 + 2?", "ideal": "4"}\n{"prompt": "Who?", "ideal": "Ada"}\n',
        "faq.ndjson": '{"query": "What is 2 + 2?", "target": "4"}\n{"query": "Who?", "target": "Ada"}\n',
    }.get(file, "") or workbook()
    cases = browser.site.library.read(saved(browser, file, content)).cases
    assert [case.answer for case in cases] == ["4", "Ada"]


def test_lines_of_json_that_need_no_conversion_show_how_their_keys_are_read(browser: Browser) -> None:
    page = upload(browser, '{"input": "Who?", "ideal": "Ada", "tags": ["x"]}\n', file="faq.jsonl", do="look").text
    keys = page.partition("How its keys are read")[2]
    read_as = dict(re.findall(r'<tr><td>(\w+)</td><td class="free" dir="auto">(\w+)</td>', keys))
    assert read_as == {"question": "input", "answer": "ideal", "category": "tags"}
    plain = upload(browser, '{"question": "Who?", "reference": "Ada"}\n', file="faq.jsonl", do="look").text
    assert "How its keys are read" not in plain


def test_a_benchmark_file_is_taken_as_it_came(browser: Browser) -> None:
    assert "Converted from" not in upload(browser, GOOD, do="look").text
    assert browser.get(f"/benchmarks/{saved(browser, 'faq.csv', GOOD)}/file").text == GOOD


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("faq.tsv", "question\tanswer\nWho?\t\n", "Answer field is required"),
        ("faq.tsv", "who\twhat\nA\tB\n", "has no column for the question"),
        ("faq.xlsx", b"no workbook", "is not a readable zip file"),
        (
            "faq.csv",
            "Foo,Bar,Baz\na,b,c\n",
            "the first line has 'Foo', 'Bar', 'Baz'; name two of them question and answer",
        ),
        (
            "faq.csv",
            "question,answer\nWer heißt so?,ü\n".encode("cp1252"),
            "save the file as UTF-8 (in Excel: CSV UTF-8)",
        ),
        ("faq.doc", b"", "does not say the format"),
        ("suite.jsonl", '{"question": "Who?", "expect": {"keywrods": ["Ada"]}}\n', "keywrods"),
    ],
)
def test_what_cannot_be_converted_is_told_with_its_line_and_nothing_is_kept(
    browser: Browser, file: str, content: str | bytes, words: str
) -> None:
    answer = upload(browser, content, file=file, do="save")
    assert answer.status_code == 422
    assert words in unescape(answer.text)
    assert "/tmp" not in answer.text, "no path of the server is told"
    assert not re.search("proctor convert|udc|--no-header", answer.text)
    looked = upload(browser, content, file=file, do="look").text
    assert words in unescape(looked), "it is told alike when it is only looked at"
    assert not any(each.own for each in browser.site.library.all())


# zip ------------------------------------------------------------------------------------------------

SUITE = "name: cited\nsources: papers\ncases:\n  - question: Who?\n    expect: {citations: {quotes: true}}\n"


def packed(**files: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def test_a_suite_comes_with_its_sources_as_a_zip_file(browser: Browser) -> None:
    content = packed(**{"s__suite.yaml": SUITE, "s__papers__a.md": "Ada wrote it.", "s__papers__b.md": "So did Bob."})
    identity = saved(browser, "cited.zip", content)
    read = browser.site.library.read(identity)
    assert read.sources is not None
    assert read.sources.startswith(str(browser.site.settings.folder.resolve()))
    assert sorted(path.name for path in browser.site.library.path(identity).parent.glob("papers/*")) == ["a.md", "b.md"]
    assert browser.get(f"/benchmarks/{identity}/file").content == content
    assert browser.get(f"/benchmarks/{identity}").status_code == 200


@pytest.mark.parametrize(
    ("identity", "was", "now"), [("faq", "Who?", "Who else?"), ("library-skills", "name: library skills", "name: x")]
)
def test_the_text_of_a_suite_with_sources_is_edited_and_saved(
    browser: Browser, identity: str, was: str, now: str
) -> None:
    saved(browser, "cited.zip", packed(**{"s__suite.yaml": SUITE, "s__papers__a.md": "Ada wrote it."}))
    address = browser.get(f"/benchmarks/{identity}/edit?as_text=1").headers["location"]
    page = browser.page(address)
    assert "no errors" in page
    hidden = dict(re.findall(r'<input type="hidden" name="(kept|called|beside)" value="([^"]*)"', page))
    text = browser.site.library.path(identity).read_text().replace(was, now)
    looked = browser.post("/benchmarks/new", {**hidden, "name": "mine", "text": text, "do": "look"})
    assert "no errors" in browser.page(looked.headers["location"])
    answer = browser.post("/benchmarks/new", {**hidden, "name": "mine", "text": text, "do": "save"})
    made = answer.headers["location"].removeprefix("/benchmarks/")
    assert now in browser.site.library.path(made).read_text()
    sources = browser.site.library.read(made).sources
    assert sources is not None
    assert list(Path(sources).rglob("*.md"))


def test_an_edited_suite_names_no_other_folder_of_the_server(browser: Browser) -> None:
    saved(browser, "cited.zip", packed(**{"s__suite.yaml": SUITE, "s__papers__a.md": "Ada wrote it."}))
    beside = f"faq/{browser.site.library.find('faq').newest.id}"
    text = SUITE.replace("papers", "../../../..")
    fields = {"beside": beside, "called": "suite.yaml", "name": "mine", "text": text, "do": "save"}
    assert "not in the zip file" in browser.post("/benchmarks/new", fields).text


def test_the_cases_of_a_suite_with_sources_are_edited_row_by_row(browser: Browser) -> None:
    saved(browser, "cited.zip", packed(**{"s__suite.yaml": SUITE, "s__papers__a.md": "Ada wrote it."}))
    here = browser.get("/benchmarks/faq/edit").headers["location"]
    opened = browser.site.library.find("faq").newest.id
    fields = {"version": opened, "every": "1", "question-1": "Who else?", "reference-1": "Bob", "expect-1": ""}
    assert browser.post(here.partition("?")[0], fields).headers["location"] == "/benchmarks/faq"
    read = browser.site.library.read("faq")
    assert (read.cases[0].question, [each.name for each in Path(read.sources or "").iterdir()]) == (
        "Who else?",
        ["a.md"],
    )


def linked() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        link = zipfile.ZipInfo("papers")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc")
        made.writestr("suite.yaml", SUITE)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (packed(**{"..__..__suite.yaml": SUITE}), "leaves its folder"),
        (packed(**{"/etc/suite.yaml": SUITE}), "leaves its folder"),
        (packed(**{"a\\..\\suite.yaml": SUITE}), "leaves its folder"),
        (linked(), "is a link"),
        (packed(**{"suite.yaml": SUITE.replace("papers", "../../..")}), "not in the zip file"),
        (packed(**{"suite.yaml": SUITE}), "there is no folder 'papers'"),
        (packed(**{"suite.yaml": SUITE, "papers__a": "0" * (8 * 2**20)}), "times as many"),
        (packed(**{f"a{number}": "x" for number in range(archive.MOST_FILES + 1)}), "expected at most 2,000"),
        (
            packed(**{"a.yaml": SUITE, "b.yaml": SUITE}),
            "one suite (.yaml, .yml, .jsonl) at its top; found a.yaml, b.yaml",
        ),
        (b"PK\x03\x04 no zip", "not a readable zip file"),
    ],
)
def test_a_zip_file_that_would_fill_or_leave_its_folder_is_refused(content: bytes, words: str) -> None:
    found = examine("cited.zip", content)
    assert found.benchmark is None
    assert words in found.errors[0].message


def test_a_zip_file_unpacks_to_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    told = examine("cited.zip", packed(**{"suite.yaml": SUITE, "papers__a": "x" * 2000})).errors[0].message
    assert "unpacks to" in told


QUOTES = 'question;answer\n"What is the capital of France?";"Paris"\n"Open;"x"\n"What is 3?";"3"\n'


def faults(browser: Browser, content: str) -> list[tuple[str, str]]:
    """Line and what is wrong, as the page of a new benchmark lists them."""
    page = unescape(upload(browser, content, file="faq.csv", do="look").text)
    return re.findall(
        r'<td class="number">(\d+)</td><td class="number">\d+</td><td class="free">(.*?)<(?:code|/td)', page
    )


def test_a_table_whose_header_names_its_columns_is_told_what_is_wrong_with_its_rows(browser: Browser) -> None:
    assert faults(browser, QUOTES) == [("3", "the record cannot be read: ';' expected after '\"'; fix its quotes")]
    [(line, said)] = faults(browser, "question,answer,answer\nWho?,Ada,Bob\n")
    assert (line, "may each be the answer" in said) == ("1", True)


def test_a_table_whose_header_names_other_columns_is_told_of_the_quotes_too(browser: Browser) -> None:
    found = faults(browser, QUOTES.replace("question;answer", "Frage;Antwort"))
    assert [(line, said.split(":")[0]) for line, said in found] == [
        ("1", "nothing says which column is which"),
        ("3", "the record cannot be read"),
    ]


# edited ---------------------------------------------------------------------------------------------


def test_rows_are_changed_added_and_removed_and_saved_as_a_new_version(browser: Browser) -> None:
    identity = saved(browser, "faq.csv", GOOD)
    here = f"/benchmarks/{identity}/edit"
    assert "Edit" in browser.page(f"/benchmarks/{identity}")
    page = browser.page(f"{here}?row=2")
    assert 'name="row" value="2"' in page
    answer = browser.post(here, {"row": "2", "question": "Another?\r\nReally?", "answer": "Yes", "do": "row"})
    kept = kept_in(answer)
    kept = kept_in(browser.post(here, {"kept": kept, "row": "1", "do": "remove"}))
    kept = kept_in(browser.post(here, {"kept": kept, "row": "0", "question": "Last?", "answer": "Yes", "do": "row"}))
    page = browser.page(f"{here}?kept={kept}")
    assert "rows changed</b>, not saved yet" in page
    assert len(browser.site.library.find(identity).versions) == 1
    based_on = browser.site.library.find(identity).newest.id
    answer = browser.post(here, {"kept": kept, "do": "save", "based_on": based_on})
    assert answer.headers["location"] == f"/benchmarks/{identity}"
    found = browser.site.library.find(identity)
    assert len(found.versions) == 2
    questions = [case.question for case in browser.site.library.read(identity).cases]
    assert (questions[0], questions[-1], len(questions)) == ("Another?\nReally?", "Last?", 12)


def test_the_row_that_is_open_is_saved_with_the_others(browser: Browser) -> None:
    identity = saved(browser, "faq.csv", GOOD)
    here, based_on = f"/benchmarks/{identity}/edit", browser.site.library.find(identity).newest.id
    kept = kept_in(browser.post(here, {"row": "1", "question": "First?", "answer": "Yes", "do": "row"}))
    page = browser.page(f"{here}?kept={kept}&row=2")
    assert re.search(r'<button name="do" value="save"[^>]* form="open-row"', page), "Save sends the open row"
    typed = {"kept": kept, "based_on": based_on, "row": "2", "question": "Second?", "answer": "Typed", "do": "save"}
    assert browser.post(here, {**typed, "answer": ""}).status_code == 422, "a row that cannot be kept says why"
    assert len(browser.site.library.find(identity).versions) == 1
    assert browser.post(here, typed).headers["location"] == f"/benchmarks/{identity}"
    cases = browser.site.library.read(identity).cases
    assert [(case.question, case.answer) for case in cases[:2]] == [("First?", "Yes"), ("Second?", "Typed")]


def test_who_opens_another_row_keeps_what_was_typed_in_this_one(browser: Browser) -> None:
    here = f"/benchmarks/{saved(browser, 'faq.csv', GOOD)}/edit"
    assert '<button class="row-line" form="open-row" name="open" value="3"' in browser.page(f"{here}?row=2")
    assert 'form="open-row"' not in browser.page(here) + browser.page(f"{here}?row=99"), "links where no row is open"
    answer = browser.post(here, {"row": "2", "question": "Second?", "answer": "Typed", "open": "3"})
    assert answer.headers["location"].endswith("&row=3#row-3")
    page = browser.page(answer.headers["location"])
    assert "1 row changed" in page
    assert "Typed" in page
    untouched = browser.post(here, {"kept": kept_in(answer), "row": "0", "question": "", "answer": "", "open": "1"})
    assert kept_in(untouched) == kept_in(answer), "an empty new row is none"


def test_changes_are_kept_whatever_is_pressed_beside_a_row_that_cannot_be(browser: Browser) -> None:
    here = f"/benchmarks/{saved(browser, 'faq.csv', GOOD)}/edit"
    kept = kept_in(browser.post(here, {"row": "1", "question": "First?", "answer": "Yes", "do": "row"}))
    page = browser.post(here, {"kept": kept, "row": "2", "question": "", "answer": "", "do": "row"}).text
    cancel = re.search(r'<a data-leave href="([^"]+)"[^>]*>Cancel', page)
    assert cancel is not None
    assert "1 row changed" in browser.page(here + cancel[1].replace("&amp;", "&"))


def kept_in(answer: Any) -> str:
    assert answer.status_code == 303, answer.text[:2000]
    return str(parse_qs(urlsplit(answer.headers["location"]).query)["kept"][0])


def test_a_row_is_held_to_what_an_upload_is_held_to(browser: Browser) -> None:
    here = f"/benchmarks/{saved(browser, 'faq.csv', GOOD)}/edit"
    answer = browser.post(here, {"row": "3", "question": " ", "answer": "x" * 6001, "do": "row"})
    assert answer.status_code == 422
    assert "Question field is required" in answer.text
    assert "Answer exceeds 6000 characters" in answer.text
    assert "x" * 6001 in answer.text, "what was typed is not lost"
    assert browser.post(here, {"row": "99", "question": "A?", "answer": "b", "do": "row"}).status_code == 422
    assert browser.get(f"{here}?kept={'0' * 32}").status_code == 404


def test_who_was_overtaken_is_told_before_anything_is_saved(browser: Browser) -> None:
    identity = saved(browser, "faq.csv", GOOD)
    here, based_on = f"/benchmarks/{identity}/edit", browser.site.library.find(identity).newest.id
    kept = kept_in(browser.post(here, {"row": "1", "question": "Mine?", "answer": "Yes", "do": "row"}))
    assert f'name="based_on" value="{based_on}"' in browser.page(f"{here}?kept={kept}&based_on={based_on}")
    upload(browser, GOOD + '"Theirs?";"Yes"\n', do="save")
    answer = browser.post(here, {"kept": kept, "do": "save", "based_on": based_on})
    assert answer.status_code == 409
    assert "Somebody has saved a newer version in the meantime" in answer.text
    sure = browser.post(here, {"kept": kept, "do": "save", "based_on": based_on, "sure": "1"})
    assert sure.status_code == 303
    assert len(browser.site.library.find(identity).versions) == 3


def test_a_row_is_changed_in_the_version_that_was_opened_whatever_was_removed_since(browser: Browser) -> None:
    identity = saved(browser, "faq.csv", GOOD)
    here, opened = f"/benchmarks/{identity}/edit", browser.site.library.find(identity).newest.id
    upload(browser, GOOD.replace('"Question 1?";"Answer 1"\n', ""), do="save")
    mine = {"row": "2", "question": "Question 2?", "answer": "Edited", "do": "row", "based_on": opened}
    kept = kept_in(browser.post(here, mine))
    assert "1 row changed" in browser.page(f"{here}?kept={kept}&based_on={opened}")
    browser.post(here, {"kept": kept, "do": "save", "based_on": opened, "sure": "1"})
    cases = browser.site.library.read(identity).cases
    assert [case.question for case in cases[:3]] == ["Question 1?", "Question 2?", "Question 3?"]
    assert cases[1].answer == "Edited"
    gone = browser.post(here, {"kept": "0" * 32, "row": "1", "question": "A?", "answer": "b", "do": "row"})
    assert gone.status_code == 404


def test_an_embedded_benchmark_is_saved_under_a_name_of_ones_own_and_a_suite_is_edited_as_text(
    browser: Browser,
) -> None:
    here = "/benchmarks/handbook-30/edit"
    kept = kept_in(browser.post(here, {"row": "1", "question": "Mine?", "answer": "Yes", "do": "row"}))
    based_on = browser.site.library.find("handbook-30").newest.id
    answer = browser.post(here, {"kept": kept, "do": "save", "based_on": based_on})
    assert answer.headers["location"] == "/benchmarks/handbook-30-edited"
    text = browser.get("/benchmarks/library-skills/edit?as_text=1")
    assert text.headers["location"].startswith("/benchmarks/new?kept=")
    assert "cite-own-car" in browser.get(text.headers["location"]).text


# versions -------------------------------------------------------------------------------------------


def test_what_changed_between_two_versions_is_shown_word_by_word(browser: Browser) -> None:
    identity = saved(browser, "faq.csv", GOOD)
    assert browser.get(f"/benchmarks/{identity}/difference").status_code == 404, "there is only one"
    changed = GOOD.replace('"Answer 2"', '"Answer two"').replace('"Question 3?"', '"Question three?"')
    saved(browser, "faq.csv", changed.replace('"Question 12?";"Answer 12"\n', "") + '"New?";"Yes"\n"Newer?";"Yes"\n')
    page = browser.page(f"/benchmarks/{identity}/difference")
    assert "1 case added, 0 removed, 3 changed" in page
    assert "<del>2</del>" in page
    assert "<ins>two</ins>" in page
    assert "What changed in the newest" in browser.page(f"/benchmarks/{identity}")
    assert browser.get(f"/benchmarks/{identity}/difference?a=nonsense").status_code == 404


# failures -------------------------------------------------------------------------------------------


def test_the_failures_of_a_run_become_a_benchmark(browser: Browser, store_path: str) -> None:
    run = examined(store_path, numbered(), right=4)
    assert "Benchmark of the failures" in browser.page(f"/runs/{run.id}")
    page = browser.page(browser.get(f"/runs/{run.id}/failures").headers["location"])
    assert "2 questions" in page
    assert f"failures of {run.name}" in page


def test_what_is_expected_of_the_cases_of_a_suite_stays_expected(browser: Browser, store_path: str) -> None:
    written = "name: kept\npassing_score: 0.5\ncases:\n"
    written += "".join(f"  - {{id: c{n}, question: 'Q{n}?', expect: {{keywords: [k{n}]}}}}\n" for n in range(3))
    read = suite.read_bytes(written.encode(), name="kept.yaml").benchmark
    assert read is not None
    run = evaluate(read, agent=lambda question: "k1", store=store_path).run
    sent = parse_qs(urlsplit(browser.get(f"/runs/{run.id}/failures").headers["location"]).query)
    assert sent["called"] == ["failures.yaml"]
    fields = {name: values[0] for name, values in sent.items()}
    assert browser.post("/benchmarks/new", {**fields, "do": "save", "name": "again"}).status_code == 303
    again = browser.site.library.read("again")
    assert {case.id: case.expect.keywords for case in again.cases} == {"c0": ("k0",), "c2": ("k2",)}
    assert again.passing_score == 0.5


def test_the_failures_of_the_demo_keep_the_checks_that_came_with_it(browser: Browser, store_path: str) -> None:
    skills = browser.site.library.read("library-skills")
    run = evaluate(skills, agent="demo:librarian", store=store_path).run
    sent = parse_qs(urlsplit(browser.get(f"/runs/{run.id}/failures").headers["location"]).query)
    fields = {name: values[0] for name, values in sent.items()}
    assert browser.post("/benchmarks/new", {**fields, "do": "save", "name": "again"}).status_code == 303
    for check in ("python:os:system", "python:proctor.workflows.change:delete_run"):
        suite_of = f"cases:\n  - {{question: 'Who?', expect: {{checks: ['{check}']}}}}\n"
        assert "is code" in upload(browser, suite_of, file="x.yaml", do="save").text


def test_a_benchmark_called_new_has_a_page(browser: Browser) -> None:
    identity = browser.site.library.save(file="a.csv", content=b'"Who?";"Ada"\n', name="new").id
    assert identity == "new-2"
    assert "Who?" in browser.page(f"/benchmarks/{identity}")


def test_where_everything_passed_there_are_no_failures(browser: Browser, store_path: str) -> None:
    cases = [Case(id="a", question="Who?", answer="Ada")]
    run: Run = evaluate(cases, agent=lambda question: "Ada", store=store_path, reviewer="exact").run
    assert "Benchmark of the failures" not in browser.page(f"/runs/{run.id}")
    assert browser.get(f"/runs/{run.id}/failures").status_code == 400


def test_the_columns_of_a_table_are_chosen_by_hand(browser: Browser) -> None:
    table = b"Prompt,Expected,Better,Kind\nWhat is 2 + 2?,4,four,sums\nWho wrote it?,Ada,Ada Lovelace,names\n"
    looked = browser.post("/benchmarks/new", {"name": "FAQ", "do": "look"}, files={"file": ("faq.csv", table)})
    page = browser.page(looked.headers["location"])
    assert '<option value="1" selected>Expected' in page
    hidden = dict(re.findall(r'type="hidden" name="(kept|called|was|was_called)" value="([^"]*)"', page))
    columns = {"column.question": "0", "column.answer": "2", "column.category": "3"}
    changed = browser.post("/benchmarks/new", {**hidden, **columns, "name": "FAQ", "do": "columns"})
    page = browser.page(changed.headers["location"])
    assert '<option value="2" selected>Better' in page
    assert "Ada Lovelace" in page.partition("Preview")[2]
    hidden = dict(re.findall(r'type="hidden" name="(kept|called|was|was_called)" value="([^"]*)"', page))
    saved = browser.post("/benchmarks/new", {**hidden, "name": "FAQ", "do": "save"})
    assert saved.headers["location"] == "/benchmarks/faq"
    assert [case.answer for case in browser.site.library.read("faq").cases] == ["four", "Ada Lovelace"]
    assert [case.categories for case in browser.site.library.read("faq").cases] == [("sums",), ("names",)]


def test_columns_that_nobody_knows_can_be_chosen_and_a_wrong_choice_says_why(browser: Browser) -> None:
    table = b"Frage,Antwort\nWas ist 2 + 2?,4\n"
    looked = browser.post("/benchmarks/new", {"name": "FAQ", "do": "look"}, files={"file": ("faq.csv", table)})
    page = browser.get(looked.headers["location"]).text
    assert "Which column is which?" in page
    hidden = dict(re.findall(r'type="hidden" name="(kept|called|was|was_called)" value="([^"]*)"', page))
    for wrong, said in (
        ({"column.question": "0"}, "no column is chosen for the answer"),
        ({"column.question": "1", "column.answer": "1"}, "chosen for question and answer"),
    ):
        sent = browser.post("/benchmarks/new", {**hidden, **wrong, "do": "columns"})
        assert said in browser.get(sent.headers["location"]).text
    right = browser.post("/benchmarks/new", {**hidden, "column.question": "0", "column.answer": "1", "do": "columns"})
    assert "1 question</b>, no errors" in browser.page(right.headers["location"])


def test_rows_without_a_header_are_not_offered_as_one(browser: Browser) -> None:
    long = "word " * 2000
    page = upload(browser, f'"Who?";"Ada"\n"{long}?";"Bob"\n', do="look").text
    assert "1 error" in page
    assert "Which column is which?" not in page


def test_the_preview_has_the_category_that_was_mapped(browser: Browser) -> None:
    page = upload(browser, "question,answer,category\nWho?,Ada,people\n", do="look").text
    preview = page.partition('class="preview"')[2]
    assert '<th class="optional">category</th>' in preview
    assert ">people</td>" in preview


def test_what_was_typed_of_a_new_benchmark_is_kept_by_the_browser_and_not_left_without_a_word(browser: Browser) -> None:
    page = browser.page("/benchmarks/new")
    assert "data-typed" in page
    assert 'autocomplete="off"' not in page
