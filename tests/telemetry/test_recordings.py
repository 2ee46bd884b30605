"""Files of recordings: every form, whole documents and lines, found again without keeping the file in memory."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from tests.telemetry.played import EXAM, REPLY, RUN, attempt, recorded_requests
from tests.telemetry.test_messages import OPENAI

from proctor.codec import encode
from proctor.errors import InputError
from proctor.telemetry.otlp import encode as encode_spans
from proctor.telemetry.pieces import pieces
from proctor.telemetry.recordings import Recordings
from proctor.telemetry.trace import spans_of
from proctor.transcript import Reply, ToolCall

OWN = {"case": "c1", "question": "Why?", "reply": {"text": "So.", "tool_calls": [{"name": "t", "result": 1}]}}
PHOENIX = {
    "name": "agent",
    "context": {"trace_id": "1", "span_id": "2"},
    "parent_id": None,
    "span_kind": "AGENT",
    "start_time": "2026-11-15T01:02:30+00:00",
    "attributes": {"input.value": "Why?", "output.value": "So.", "case_id": "c1"},
}
LANGFUSE = {"id": "t", "input": "Why?", "output": "So.", "metadata": {"case_id": "c1"}, "observations": []}


def written(folder: Path, *records: Any, name: str = "r.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def text_of(recordings: Recordings, case: str | None, question: str, trial: int = 1) -> str | None:
    found = recordings.find([(case, question)], trial)
    assert found is None or found.turn.reply is not None
    return found.turn.reply.text if found is not None and found.turn.reply is not None else None


def otlp_record() -> Any:
    return json.loads(encode_spans(spans_of(RUN, EXAM, attempt(REPLY)), "json"))


@pytest.mark.parametrize(
    ("record", "case", "question", "text"),
    [
        (OWN, "c1", "Why?", "So."),
        ({"question": "Why?", "reply": "So."}, None, "Why?", "So."),
        ({"case": "c1", "turns": [{"question": "Why?", "reply": "So."}]}, "c1", "Why?", "So."),
        ({"case": "c1", "transcript": {"turns": [{"question": "Why?", "reply": "So."}]}}, "c1", "Why?", "So."),
        ({"messages": OPENAI, "metadata": {"case_id": "c1"}}, "c1", "Where?", "On the shelf."),
        (OPENAI, None, "Where?", "On the shelf."),
        (otlp_record(), "case-1", EXAM.cases[0].question, "30 days"),
        (PHOENIX, "c1", "Why?", "So."),
        (LANGFUSE, "c1", "Why?", "So."),
        ({"data": [LANGFUSE], "meta": {"page": 1}}, "c1", "Why?", "So."),
    ],
    ids=[
        "own",
        "reply-only",
        "turns",
        "transcript",
        "messages",
        "list",
        "otlp",
        "openinference",
        "langfuse",
        "langfuse-page",
    ],
)
@pytest.mark.parametrize("layout", ["lines", "one line", "document", "list"])
def test_every_form_is_found_by_case_and_by_question(
    tmp_path: Path, record: Any, case: str | None, question: str, text: str, layout: str
) -> None:
    path = tmp_path / "recordings"
    path.write_text(
        {
            "lines": json.dumps(record) + "\n\n" + json.dumps({"case": "other", "reply": "no"}) + "\n",
            "one line": json.dumps(record),
            "document": json.dumps(record, indent=2),
            "list": json.dumps([record, {"case": "other", "reply": "no"}], indent=1),
        }[layout],
        "utf-8",
    )
    recordings = Recordings(path)
    assert text_of(recordings, case, "whatever was asked" if case else question) == text
    assert text_of(recordings, "an id of another file", f"  {question}\n") == text
    assert text_of(recordings, "unknown", "unknown") is None


def test_a_whole_transcript_as_proctor_writes_it_is_read_back(tmp_path: Path) -> None:
    transcript = attempt(REPLY, Reply(text="")).transcript
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"case": "case-1", "transcript": {encode(transcript)}}}\n', "utf-8")
    found = Recordings(path).find([("case-1", EXAM.cases[0].question)], 1)
    assert found is not None
    assert found.turn == transcript.turns[0]


def test_the_nth_recording_of_a_case_is_trial_n(tmp_path: Path) -> None:
    path = written(tmp_path, *({"case": "c1", "question": "Why?", "reply": text} for text in "abc"))
    recordings = Recordings(path)
    assert [text_of(recordings, "c1", "Why?", trial) for trial in (1, 2, 3, 4)] == ["a", "b", "c", None]
    assert recordings.count("c1", "Why?") == 3


def test_a_case_is_found_before_an_equal_question(tmp_path: Path) -> None:
    records = [{"case": "c2", "question": "Why?", "reply": "two"}, {"case": "c1", "question": "Why?", "reply": "one"}]
    assert text_of(Recordings(written(tmp_path, *records)), "c1", "Why?") == "one"


def test_conversations_are_followed_turn_by_turn(tmp_path: Path) -> None:
    def conversation(mark: str) -> dict[str, Any]:
        return {"case": "c1", "turns": [{"question": q, "reply": f"{mark} {q}"} for q in ("a", "again", "again", "b")]}

    recordings = Recordings(written(tmp_path, conversation("first"), conversation("second"), OWN))
    asked = [("c1", "a"), (None, "again"), (None, "again"), (None, "b")]
    for trial, mark in ((1, "first"), (2, "second")):
        found = [recordings.find(asked[:length], trial) for length in range(1, 5)]
        assert [each.turn.reply.text for each in found if each and each.turn.reply] == [
            f"{mark} a",
            f"{mark} again",
            f"{mark} again",
            f"{mark} b",
        ]
        assert [each.turn.number for each in found if each] == [1, 2, 3, 4]
    elsewhere = recordings.find([("c1", "a"), (None, "Why?")], 1)
    assert elsewhere is not None
    assert elsewhere.turn.reply == Reply(text="So.", tool_calls=(ToolCall(name="t", result=1),))
    assert recordings.find([("c1", "a"), (None, "never asked")], 1) is None


def test_spans_of_one_trace_may_stand_in_many_lines(tmp_path: Path) -> None:
    spans = spans_of(RUN, EXAM, attempt(REPLY))
    path = written(tmp_path, *(json.loads(encode_spans([span], "json")) for span in reversed(spans)))
    recordings = Recordings(path)
    assert len(recordings) == 1
    found = recordings.find([("case-1", "")], 1)
    assert found is not None
    assert found.turn.reply == REPLY


def test_traces_of_one_session_are_one_conversation_unless_it_is_everybodys(tmp_path: Path) -> None:
    def trace(number: int, session: str) -> dict[str, Any]:
        known = {"input": f"q{number}", "output": f"a{number}", "sessionId": session, "observations": []}
        return {"id": f"{session}{number}", "timestamp": f"2026-11-15T01:02:{number % 60:02}Z", **known}

    short = Recordings(written(tmp_path, *(trace(number, "short") for number in range(3))))
    assert len(short) == 1
    found = short.find([(None, "q0"), (None, "q1")], 1)
    assert found is not None
    assert found.turn.number == 2
    assert len(Recordings(written(tmp_path, *(trace(number, "run") for number in range(60))))) == 60


def test_the_recording_of_langfuses_sdk_is_found_by_its_cases(tmp_path: Path) -> None:
    recordings = Recordings(written(tmp_path, recorded_requests()[8]["body"]))
    assert recordings.cases == ["case-1", "case-2", "case-3"]
    assert text_of(recordings, "case-3", "") == "don't know"


def test_a_recorded_failure_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, {"case": "c1", "question": "Why?", "error": "it fell over"})
    found = Recordings(path).find([("c1", "Why?")], 1)
    assert found is not None
    assert (found.turn.reply, found.failure, found.where) == (None, "it fell over", f"{path}:1")


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    for name, text in (("a", json.dumps(OWN) + "\n" + json.dumps(OWN)), ("b", json.dumps(OWN, indent=1))):
        path = tmp_path / name
        path.write_text(text, "utf-8-sig")
        assert text_of(Recordings(path), "c1", "") == "So."


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"case": "a", "reply": "x"}\n{"case": "b", "reply": \n', 2, "not valid JSON"),
        ('{"case": "a", "reply": "x"}\n\n{"case": "b", "nothing": 1}\n', 3, "'nothing'"),
        ('{"case": "a", "reply": "x"}\n3\n', 2, "a number"),
        ('{"case": "a", "reply": 3}\n', 1, "expected a str, a dict"),
        ('{"case": "a", "turns": []}\n', 1, "not a list of turns"),
        ('{"case": "a", "turns": [{"question": "q"}]}\n', 1, "neither a reply nor an error"),
        ('{"reply": "x"}\n', 1, "neither a case nor a question"),
        ('{"case": "a", "question": 3, "reply": "x"}\n', 1, "turn 1 cannot be read"),
        ('[\n{"case": "a", "reply": "x"},\n{"case": "b"}\n]\n', 3, "the keys"),
        ('[\n{"case": "a", "reply": "x"},\n{"case": "b", "reply"\n]\n', 4, "not valid JSON"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [\n{"name": "n", "spanId": ""}]}]}]}\n', 2, "no traceId"),
        ('{"messages": [{"role": "system", "content": "x"}]}\n', 1, "no message of a user"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        Recordings(path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert words in str(raised.value)


@pytest.mark.parametrize("text", ["", "\n", "[]"])
def test_a_file_without_recordings_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"holds no recordings|not valid JSON"):
        Recordings(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the recordings .*none\.jsonl"):
        Recordings(tmp_path / "none.jsonl")


def test_a_file_that_changes_under_the_run_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, OWN)
    recordings = Recordings(path)
    written(tmp_path, {**OWN, "reply": "another answer"})
    os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match="has changed"):
        recordings.find([("c1", "Why?")], 1)


@pytest.mark.parametrize("layout", ["lines", "document"])
def test_the_file_stays_on_the_disk(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "large"
    long = "word " * 2000
    records = [json.dumps({"case": f"c{n}", "question": f"Why {n}?", "reply": f"{n} {long}"}) for n in range(1500)]
    path.write_text("\n".join(records) if layout == "lines" else f"[{','.join(records)}]", "utf-8")
    del records
    tracemalloc.start()
    try:
        recordings = Recordings(path)
        _, peak = tracemalloc.get_traced_memory()
        for number in range(0, 1500, 10):
            assert (text_of(recordings, None, f"Why {number}?") or "").startswith(f"{number} ")
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 15_000_000
    assert peak < 3_000_000
    assert kept < 3_000_000


def test_a_table_of_langfuse_traces_is_read_without_their_observations(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text('{"id": "t1", "timestamp": "2026-11-16T10:00:00Z", "input": "Open?", "output": "Yes."}\n')
    found = Recordings(path).find([(None, "Open?")], 1)
    assert found is not None
    assert found.turn.reply is not None
    assert (found.turn.reply.text, found.turn.reply.tools_known) == ("Yes.", False)


def test_observations_of_one_session_are_one_conversation(tmp_path: Path) -> None:
    observations = [
        {"id": f"o{n}", "traceId": f"t{n}", "type": "AGENT", "sessionId": "s", "input": f"q{n}", "output": f"a{n}",
         "startTime": f"2026-11-16T10:00:0{n}Z", "providedModelName": "m"}
        for n in (1, 2)
    ]  # fmt: skip
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"data": observations, "meta": {}}))
    recordings = Recordings(path)
    assert len(recordings) == 1
    found = recordings.find([(None, "q1"), (None, "q2")], 1)
    assert found is not None
    assert found.turn.number == 2


def test_where_one_record_cannot_be_read_the_others_are_if_that_is_wished(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text('{"question": "a", "reply": "b"}\n{"x": 1}\n{"question": "c", "reply": "d"}\n{"que')
    told: list[str] = []
    found = [piece.line for piece in pieces(path, unreadable=lambda error: told.append(str(error)))]
    assert found == [1, 3]
    assert [text.split(": ")[0] for text in told] == [f"{path}:2", f"{path}:4"]
    with pytest.raises(InputError, match=":2: "):
        list(pieces(path))
