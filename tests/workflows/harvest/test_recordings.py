"""Recorded conversations and traces become drafts; what cannot be used is told, and nothing leaks."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.telemetry.played import EXAM, REPLY, RUN, attempt, recorded_requests
from tests.workflows.harvest.gathering import gather, lines, said, trace

from proctor.errors import InputError, UsageError
from proctor.redaction import remember_secrets
from proctor.run import Key
from proctor.telemetry.otlp_json import encode_json
from proctor.telemetry.trace import spans_of
from proctor.workflows.harvest.candidate import Candidate
from proctor.workflows.harvest.harvest import Sample


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_recording_becomes_a_draft_that_says_where_it_comes_from(tmp_path: Path) -> None:
    source = lines(tmp_path / "said.jsonl", said("How long is leave?", "30 days"), said("Which form?", "E-2"))
    report, [first, second] = gather(source)
    assert (report.cases, report.read, report.merged) == (2, {str(source): 2}, 0)
    assert (first.question, first.review, first.answer) == ("How long is leave?", "needed", None)
    assert first.metadata == {"source": str(source), "line": 1, "reply": "30 days"}
    assert second.metadata["line"] == 2


def test_a_trace_tells_its_id_and_time_and_nothing_is_expected_that_nobody_judged(tmp_path: Path) -> None:
    _, [draft] = gather(lines(tmp_path / "t.jsonl", trace(7, "How long is leave?")))
    assert (draft.metadata["trace"], draft.metadata["time"]) == (f"{7:032x}", "2026-11-16T10:00:07Z")
    assert draft.expect == type(draft.expect)()
    assert "drafted_from" not in draft.metadata


def test_with_from_replies_what_was_answered_is_drafted_and_said_to_be_judged_by_nobody(tmp_path: Path) -> None:
    traces = [
        trace(n, "How long is leave?", f"It is {answer} in the handbook") for n, answer in enumerate(["30", "30"])
    ]
    _, [draft] = gather(lines(tmp_path / "t.jsonl", *traces), from_replies=True)
    assert draft.answer == "It is 30 in the handbook"
    assert (draft.expect.tools_used, draft.expect.keywords) == (("search",), ("30", "handbook"))
    assert draft.metadata["drafted_from"] == "2 replies that nobody judged"


def test_what_people_said_of_a_trace_stands_beside_the_draft(tmp_path: Path) -> None:
    scores = [{"id": "s1", "name": "user-feedback", "value": 0, "dataType": "BOOLEAN"}, {"id": "s2"}]
    _, [draft] = gather(lines(tmp_path / "t.jsonl", trace(1, "How long is leave?", scores=scores)))
    assert draft.metadata["scores"] == {"user-feedback": 0}


def test_a_file_without_a_conversation_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputError, match="holds no recordings"):
        gather(tmp_path / "empty.jsonl")


def test_traces_of_a_session_are_one_conversation_with_what_was_said_before(tmp_path: Path) -> None:
    turns = [trace(1, "How long is leave?", "30 days", sessionId="s"), trace(2, "And for me?", "31", sessionId="s")]
    report, drafts = gather(lines(tmp_path / "t.jsonl", *turns))
    assert [*report.read.values()] == [1]
    assert [draft.context for draft in drafts] == [None, "user: How long is leave?\nagent: 30 days"]
    assert [draft.metadata["turn"] for draft in drafts] == [1, 2]


def test_a_page_of_langfuse_observations_is_read(tmp_path: Path) -> None:
    whole = trace(3, "How long is leave?")
    root = {"id": "r", "traceId": whole["id"], "type": "AGENT", "input": "How long is leave?", "output": "30 days"}
    tool = {**whole["observations"][1], "parentObservationId": "r"}
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"data": [root, tool], "meta": {"cursor": None}}))
    _, [draft] = gather(path)
    assert (draft.question, draft.metadata["reply"]) == ("How long is leave?", "30 days")


def test_opentelemetry_spans_are_read_whichever_lines_they_stand_on(tmp_path: Path) -> None:
    plays = [replace(attempt(REPLY), key=Key(run=RUN.id, exam="case-1", trial=trial)) for trial in (1, 2)]
    spans = [span for each in plays for span in spans_of(RUN, EXAM, each)]
    path = tmp_path / "otlp.jsonl"
    path.write_bytes(b"\n".join(encode_json([span]) for span in spans[::-1]))
    report, [draft] = gather(path, from_replies=True)
    assert (report.merged, draft.question) == (1, EXAM.cases[0].question)
    assert draft.expect.tools_used == ("search_knowledge",)
    assert (draft.expect.citations, draft.expect.sources) == (1, ("c1",))


def test_what_langfuses_own_sdk_sent_is_read(tmp_path: Path) -> None:
    bodies = [each["body"] for each in recorded_requests() if each["path"].endswith("/otel/v1/traces")]
    report, drafts = gather(lines(tmp_path / "sdk.jsonl", *bodies))
    assert not report.unread
    assert "What is the data retention policy?" in [draft.question for draft in drafts]


def test_questions_that_say_the_same_are_merged_whoever_asks(tmp_path: Path) -> None:
    asked = ["Where is my parcel, a@example.org?", "Where is my parcel b@example.org", "Is the shop open?"]
    report, drafts = gather(lines(tmp_path / "s.jsonl", *map(said, asked)))
    assert (report.merged, len(drafts)) == (1, 2)
    assert (drafts[0].question, drafts[0].metadata["asked"]) == ("Where is my parcel, [email-1]?", 2)


def test_a_record_without_a_question_is_told_and_counted(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", said("", case="c1"), trace(5, ""), said("Open?"), said("x" * 6001))
    report, drafts = gather(path)
    assert [draft.question for draft in drafts] == ["Open?"]
    assert report.left_out == {
        "no question was found in what it says": 2,
        "its question has more than 6,000 characters": 1,
    }
    assert f"{path}:1: no question was found in what it says" in report.problems
    assert f"{path}:2 (trace {5:032x}): no question was found in what it says" in report.problems


def test_of_a_file_that_was_cut_off_everything_before_is_taken(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", said("Open?"), said("Closed?"))
    path.write_text(path.read_text() + '{"question": "Half a que')
    report, drafts = gather(path)
    assert len(drafts) == 2
    assert report.unread == 1
    assert "s.jsonl:3" in report.incomplete[0]
    assert "ends in the middle of a record" in report.incomplete[0]


def test_a_newer_format_is_told_and_the_rest_is_taken(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "s.jsonl", said("Open?"), {"format": 9, "spans": []}, {"resourceSpans": [{"scopeSpans": 3}]}
    )
    report, drafts = gather(path)
    assert (len(drafts), report.unread) == (1, 2)
    assert "a record has the keys ['format', 'spans']" in report.incomplete[0]


@pytest.mark.parametrize("content", ['[{"que', "hello", '{"format": 9}'])
def test_where_nothing_can_be_read_nothing_is_written(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"s\.json:1"):
        gather(path)
    assert not Path("drafts.yaml").exists()


def test_neither_the_suite_nor_what_is_told_holds_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_TOKEN", "correct-horse-battery")
    remember_secrets()
    secrets = ["correct-horse-battery", "sk-abcdefghijklmnop1234", "jane@example.org", "4242 4242 4242 4242"]
    text = f"My key is {secrets[0]} or {secrets[1]}, mail {secrets[2]}, card {secrets[3]}"
    tool = {"name": "pay", "arguments": {"card": 4242424242424242, "to": secrets[2]}}
    records = [
        said(text, {"text": f"I have noted: {text}", "tool_calls": [tool]}),
        {"turns": [text]},
        said(text, error=1),
    ]
    report, [draft] = gather(lines(tmp_path / "s.jsonl", *records), from_replies=True)
    told = Path("drafts.yaml").read_text() + repr(report)
    assert not [secret for secret in (*secrets, "4242424242424242") if secret in told]
    assert draft.question == "My key is $SHOP_API_TOKEN or [key-1], mail [email-1], card [card-1]"
    assert report.masked.keys() == {"key", "email", "card"}


def test_a_list_of_ones_own_is_masked_too(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("# people\nJane Doe\nre:K-\\d{6}\n\n")
    path = lines(tmp_path / "s.jsonl", said("Is jane doe K-123456 or K-654321, not Jane Doering?"))
    report, [draft] = gather(path, mask=tmp_path / "mine.txt")
    assert draft.question == "Is [masked-1] [masked-2] or [masked-3], not Jane Doering?"
    assert report.masked == {"masked": 3}


@pytest.mark.parametrize(("text", "told"), [("re:(", "mine.txt:1"), ("a\nre:\n", "mine.txt:2")])
def test_a_list_that_cannot_be_used_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "mine.txt").write_text(text)
    with pytest.raises(InputError, match=told):
        gather(lines(tmp_path / "s.jsonl", said("Open?")), mask=tmp_path / "mine.txt")


def test_only_failed_conversations_are_taken_where_that_is_wished(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", said("Open?"), {"question": "Closed?", "error": "it broke"})
    report, [draft] = gather(path, only="failed")
    assert (draft.question, draft.metadata["failure"], draft.metadata["verdict"]) == ("Closed?", "it broke", "failed")
    assert report.left_out == {"nothing says that it failed": 1}
    with pytest.raises(UsageError, match="needs verdicts"):
        gather(path, only="flaky")


def test_a_suite_that_exists_is_not_replaced_unless_forced(tmp_path: Path) -> None:
    path = lines(tmp_path / "s.jsonl", said("Open?"))
    gather(path)
    with pytest.raises(InputError, match="may have been reviewed"):
        gather(path, force=False)


def test_beyond_the_limit_a_sample_is_kept_with_exact_counts(tmp_path: Path) -> None:
    asked = [said(f"What is rule {number % 40} of the house?") for number in range(120)]
    report, drafts = gather(lines(tmp_path / "s.jsonl", *asked), limit=10)
    assert len(drafts) == 10
    assert [draft.metadata["asked"] for draft in drafts] == [3] * 10
    assert (report.merged, report.beyond) == (20, 90)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 30), max_size=80), st.randoms())
def test_a_sample_is_the_same_in_any_order(numbers: list[int], random: Any) -> None:
    def kept(order: list[int]) -> dict[str, int]:
        sample = Sample(7, lambda text: text)
        for number in order:
            sample.add(Candidate(question=f"What is rule {number}?"))
        assert sample.beyond + sum(each.met for each in sample.candidates()) == len(order)
        return {each.question: each.met for each in sample.candidates()}

    shuffled = random.sample(numbers, len(numbers))
    assert kept(numbers) == kept(shuffled)


def test_a_larger_file_takes_no_more_memory(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for number in range(count):
                file.write(json.dumps(said(f"What is rule {number} of the house?", "word " * 400)) + "\n")
        tracemalloc.start()
        gather(path, limit=5)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(20)
    assert peak(400) < peak(50) + 200_000  # of 0.7 MB more


def test_a_trace_that_was_given_its_history_keeps_it_and_other_conversations_are_not_merged(tmp_path: Path) -> None:
    def given(number: int, first: str) -> dict[str, Any]:
        said_before = [{"role": "user", "content": first}, {"role": "assistant", "content": "Done."}]
        messages = [*said_before, {"role": "user", "content": "And the second one?"}]
        return trace(number, "And the second one?", input={"messages": messages})

    source = lines(tmp_path / "t.jsonl", given(1, "Book Paris"), given(2, "Cancel Rome"), given(3, "Cancel Rome"))
    report, drafts = gather(source)

    assert [(draft.question, draft.context) for draft in drafts] == [
        ("And the second one?", "user: Book Paris\nagent: Done."),
        ("And the second one?", "user: Cancel Rome\nagent: Done."),
    ]
    assert report.merged == 1


def test_a_page_of_traces_does_not_pass_for_all_of_them(tmp_path: Path) -> None:
    meta = {"page": 1, "limit": 50, "totalItems": 900, "totalPages": 18}
    source = tmp_path / "page.json"
    source.write_text(json.dumps({"data": [trace(1, "How long is leave?")], "meta": meta}), encoding="utf-8")

    assert gather(source)[0].problems == (f"{source} is not all there is: page 1 of 18, 1 of 900 records",)


def test_of_a_list_that_was_cut_off_all_that_is_whole_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('[\n{"question": "Open?", "reply": "[yes] \\"}"},\n{"question": "Clo')

    report, [draft] = gather(path)

    assert (draft.question, report.unread) == ("Open?", 1)
    assert "s.json:3" in report.incomplete[0]
    assert "ends in the middle of a record" in report.incomplete[0]


def test_a_large_list_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.json"
        path.write_text(json.dumps([said("Open? " + "x" * 3_000, n=n) for n in range(count)]))
        tracemalloc.start()
        gather(path)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    peak(10)
    assert peak(2_000) < peak(200) + 2_000_000
