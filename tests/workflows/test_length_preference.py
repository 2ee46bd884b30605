from __future__ import annotations

from pathlib import Path

from proctor.benchmark import Case
from proctor.config import Config
from proctor.reports.run.json import as_dict
from proctor.run import Key
from proctor.workflows.evaluate import aevaluate
from proctor.workflows.human_labels import put_label
from proctor.workflows.read import read_findings

CASES = [Case(id=f"c{number}", question=f"{number}?", answer="yes") for number in range(24)]


def wordy(question: str) -> str:
    return "word " * (1 + int(question.rstrip("?")))


def by_length(question: str, reply: str) -> float:
    return min(1.0, len(reply) / 130)


async def test_a_labelled_run_tells_whether_its_judge_prefers_longer_replies(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    done = await aevaluate(CASES, agent=wordy, reviewer=by_length, store=store, config=Config())
    assert "length_preference" not in as_dict(done.findings)
    for number in range(24):
        key = Key(run=done.run.id, exam=f"c{number}")
        put_label(key, passed=number % 2 == 0, who="ada", store=str(store))
    found = read_findings(done.run.id, store=str(store))
    told = as_dict(found)["length_preference"]
    assert (told["n"], told["value"] > 0.9) == (24, True)
    assert any(note.startswith("Longer replies get higher scores than people's labels") for note in found.notes)


async def test_that_it_prefers_shorter_ones_is_said_with_a_minus_sign(tmp_path: Path) -> None:
    def briefly(question: str, reply: str) -> float:
        return 1 - by_length(question, reply)

    store = tmp_path / "s.db"
    done = await aevaluate(CASES, agent=wordy, reviewer=briefly, store=store, config=Config())
    for number in range(24):
        put_label(Key(run=done.run.id, exam=f"c{number}"), passed=number % 2 == 0, who="ada", store=str(store))
    [note] = [each for each in read_findings(done.run.id, store=str(store)).notes if each.startswith("Shorter")]
    assert "the label is −" in note
    assert "-0" not in note
