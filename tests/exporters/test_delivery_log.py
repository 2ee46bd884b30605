"""What was sent is remembered, as far as a file can be relied on."""

from __future__ import annotations

from pathlib import Path

from proctor.exporters.delivery_log import DeliveryMemory, digest


def test_what_is_noted_is_known_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "sync" / "run.jsonl"
    DeliveryMemory(path).note({"a": "1"}, errand={"to": "otlp"})
    again = DeliveryMemory(path)
    assert again.knows("a", "1")
    assert not again.knows("a", "2")
    assert again.fact("errand") == {"to": "otlp"}


def test_the_last_word_holds(tmp_path: Path) -> None:
    memory = DeliveryMemory(tmp_path / "m")
    memory.note({"a": "1"})
    memory.note({"a": "2"})
    assert DeliveryMemory(tmp_path / "m").knows("a", "2")


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "m"
    DeliveryMemory(path).note({"a": "1"})
    path.write_bytes(path.read_bytes() + b'{"sent": {"b": "2')
    memory = DeliveryMemory(path)
    assert memory.knows("a", "1")
    assert not memory.knows("b", "2")


def test_forgetting_is_of_what_was_sent_and_not_of_facts(tmp_path: Path) -> None:
    memory = DeliveryMemory(tmp_path / "m")
    memory.note({"a": "1"}, errand=1)
    memory.forget()
    assert not memory.knows("a", "1")
    assert memory.fact("errand") == 1


def test_a_file_that_cannot_be_written_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "sync").write_text("in the way")
    memory = DeliveryMemory(tmp_path / "sync" / "run.jsonl")
    memory.note({"a": "1"})
    assert memory.knows("a", "1")
    assert memory.trouble.startswith("cannot remember in ")


def test_a_digest_tells_contents_apart() -> None:
    assert digest("a", "b") == digest("a", "b")
    assert len({digest("a", "b"), digest("ab"), digest("b", "a"), digest(["a", "b"])}) == 4
