"""People label attempts, and the run is told as they judge."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import proctor
from proctor import demo
from proctor.config import Config
from proctor.errors import InputError, NoSuchRun, UsageError
from proctor.findings.gates import GateVerdict, judge, parse
from proctor.reports.gates import sentence
from proctor.reports.run.json import as_dict
from proctor.run import Key
from proctor.storage import open_store
from proctor.workflows.change import delete_run
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.export import export_run
from proctor.workflows.gates import read_gates
from proctor.workflows.human_labels import Drawn, draw, put_label, read_sheet, store_sheet, take_back, write_sheet
from proctor.workflows.read import read_findings

CASES = [(f"question {number}", "yes") for number in range(40)]


def answer(question: str) -> str:
    """Right in three of four cases."""
    return "no" if int(question.split()[1]) % 4 == 0 else "yes"


def examined(store: Path, *, trials: int = 1) -> Evaluation:
    return proctor.evaluate(CASES, agent=answer, reviewer="exact", trials=trials, store=store)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


def agree(drawn: list[Drawn], store: Path, *, who: str = "ann") -> None:
    for each in drawn:
        put_label(each.attempt.key, passed=bool(each.attempt.passed), who=who, store=str(store))


def test_what_is_drawn_is_random_repeatable_and_at_most_one_attempt_of_a_case(place: Path) -> None:
    run = examined(place, trials=3).run.id
    first, again, other = (
        [each.name for each in draw(run, store=str(place), count=20, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len({name.split("/")[1] for name in first}) == 20


def test_at_least_five_that_the_judge_failed_are_among_them(place: Path) -> None:
    run = examined(place).run.id
    for seed in range(5):
        drawn = draw(run, store=str(place), count=8, seed=seed)
        assert len(drawn) == 8
        assert sum(not each.attempt.passed for each in drawn) >= 5


def test_what_somebody_has_labelled_is_not_shown_to_them_again(place: Path) -> None:
    run = examined(place).run.id
    agree(draw(run, store=str(place), count=30, who="ann"), place)
    assert len(draw(run, store=str(place), count=40, who="ann")) == 10
    assert len(draw(run, store=str(place), count=40, who="bob")) == 40


def test_people_who_agree_with_the_judge_confirm_its_rate(place: Path) -> None:
    run = examined(place).run.id
    agree(draw(run, store=str(place), count=40), place)
    findings = read_findings(run, store=str(place))
    assert findings.people is not None
    assert findings.people.rate.value == findings.pass_rate.value == 0.75
    assert findings.people.quality is not None
    assert findings.people.quality.kappa == 1.0
    told = as_dict(findings)["pass_rate_people"]
    assert (told["value"], told["labels"], told["people"]) == (0.75, 40, 1)
    assert "as people judge, from 40 labels" in findings.notes[-1]


def test_people_who_see_more_errors_than_the_judge_lower_the_rate(place: Path) -> None:
    run = examined(place).run.id
    for each in draw(run, store=str(place), count=40):
        passed = bool(each.attempt.passed) and each.attempt.key.exam[0] > "7"
        put_label(each.attempt.key, passed=passed, who="ann", store=str(place))
    findings = read_findings(run, store=str(place))
    assert findings.people is not None
    assert findings.people.rate.value is not None
    assert findings.people.rate.value < 0.75


def test_of_several_people_the_majority_counts_and_a_tie_does_not(place: Path) -> None:
    run = examined(place).run.id
    drawn = draw(run, store=str(place), count=20)
    agree(drawn, place)
    put_label(drawn[0].attempt.key, passed=not drawn[0].attempt.passed, who="bob", store=str(place))
    people = read_findings(run, store=str(place)).people
    assert people is not None
    assert (people.labels, people.people) == (19, 2)


def test_a_label_can_be_taken_back_or_changed_and_goes_with_the_run(place: Path) -> None:
    run = examined(place).run.id
    [each] = draw(run, store=str(place), count=1)
    put_label(each.attempt.key, passed=True, who="ann", store=str(place))
    label = put_label(each.attempt.key, passed=False, who="ann", store=str(place))
    with open_store(place) as store:
        assert [(kept.passed, kept.who) for kept in store.human_labels.of_run(run)] == [(False, "ann")]
    take_back(label, store=str(place))
    with open_store(place) as store:
        assert store.human_labels.of_run(run) == []
    put_label(each.attempt.key, passed=True, who="ann", store=str(place))
    delete_run(run, store=str(place))
    with open_store(place) as store, pytest.raises(NoSuchRun):
        store.human_labels.of_run(run)


def test_only_passes_labelled_tells_what_is_missing_and_no_rate(place: Path) -> None:
    run = examined(place).run.id
    agree([each for each in draw(run, store=str(place), count=40) if each.attempt.passed], place)
    findings = read_findings(run, store=str(place))
    assert findings.people is not None
    assert findings.people.rate.value is None
    assert "label at least one attempt that the judge failed" in findings.notes[-1]


def filled(path: Path, **verdicts: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["verdict"] = verdicts.get(row["reply"], "")
    return rows


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.DictWriter(file, rows[0].keys())
        sheet.writeheader()
        sheet.writerows(rows)
    return path


def test_a_sheet_goes_out_and_comes_back(place: Path, tmp_path: Path) -> None:
    run, sheet = examined(place).run.id, tmp_path / "sheet.csv"
    write_sheet(draw(run, store=str(place), count=12), sheet)
    rows = filled(sheet, yes="pass", no="FAIL")
    rows[0]["verdict"] = ""
    assert read_sheet(run, written(sheet, rows), store=str(place), who="ann") == 11
    people = read_findings(run, store=str(place)).people
    assert people is not None
    assert people.labels == 11


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "maybe"}, "line 2: the verdict is 'maybe'; expected pass, fail or nothing"),
        ({"attempt": "other/x//1"}, "a sheet of another run"),
        ({"attempt": "RUN/x"}, "expected RUN/CASE/CONDITION/TRIAL"),
        ({"attempt": "RUN/no such case//1"}, "has no attempt at case 'no such case'"),
    ],
)
def test_a_sheet_that_cannot_be_meant_is_refused_whole(
    place: Path, tmp_path: Path, change: dict[str, str], said: str
) -> None:
    run, sheet = examined(place).run.id, tmp_path / "sheet.csv"
    write_sheet(draw(run, store=str(place), count=6), sheet)
    rows = filled(sheet, yes="pass", no="fail")
    rows[0] = {**rows[0], "verdict": "pass", **{name: text.replace("RUN", run) for name, text in change.items()}}
    with pytest.raises(InputError, match=said):
        read_sheet(run, written(sheet, rows), store=str(place), who="ann")
    assert read_findings(run, store=str(place)).people is None


def test_two_verdicts_of_one_person_on_one_attempt_are_refused(place: Path, tmp_path: Path) -> None:
    run, sheet = examined(place).run.id, tmp_path / "sheet.csv"
    write_sheet(draw(run, store=str(place), count=6), sheet)
    rows = filled(sheet, yes="pass", no="fail")
    with pytest.raises(InputError, match="has labelled this attempt in line 2 already"):
        read_sheet(run, written(sheet, [*rows, rows[0]]), store=str(place), who="ann")


@pytest.mark.parametrize(
    ("header", "row", "said"),
    [
        ("attempt,verdict,note", "RUN/x//1,pass,fine,fail", "line 2 has more cells than the header"),
        ("attempt,verdict,verdict", "RUN/x//1,pass,fail", "has the column verdict twice"),
        ("attempt,verdict", "RUN/x//1,pass fail", "the verdict is 'pass fail'"),
        ("attempt,verdict", "RUN/x//1,", "no row of .* has a verdict, so no label was stored"),
        ("attempt,verdict", "", "no row of .* has a verdict"),
    ],
)
def test_two_verdicts_in_a_row_or_none_in_any_are_a_sentence_and_nothing_is_lost(
    place: Path, tmp_path: Path, header: str, row: str, said: str
) -> None:
    run, sheet = examined(place).run.id, tmp_path / "sheet.csv"
    agree(draw(run, store=str(place), count=6), place)
    sheet.write_text(f"{header}\n{row.replace('RUN', run)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_sheet(run, sheet, store=str(place), who="ann")
    with open_store(str(place)) as store:
        assert len(store.human_labels.of_run(run)) == 6


def test_all_labelled_is_a_rate_with_the_doubt_of_the_cases_alone(place: Path) -> None:
    run = examined(place).run.id
    agree(draw(run, store=str(place), count=40), place)
    findings = read_findings(run, store=str(place))
    assert findings.people is not None
    assert findings.people.more is None
    assert findings.people.short_of_cases
    assert "takes more cases, not more labels" in findings.notes[-1]
    assert draw(run, store=str(place), count=5, who="ann") == []


def test_a_label_on_an_attempt_without_a_reply_is_refused_by_hand_and_in_a_sheet(place: Path, tmp_path: Path) -> None:
    run = proctor.evaluate(CASES, agent=sometimes_failing, reviewer="exact", retries=0, store=place).run.id
    with open_store(str(place)) as store:
        failed = next(each.key for each in store.archive.attempts(run) if each.failure is not None)
    with pytest.raises(InputError, match="has no reply that could pass or fail"):
        put_label(failed, passed=True, who="ann", store=str(place))
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(f"attempt,verdict\n{run}/{failed.exam}//1,pass\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no reply that could pass or fail"):
        read_sheet(run, sheet, store=str(place), who="ann")
    assert read_findings(run, store=str(place)).people is None


def test_a_sheet_in_which_somebody_has_written_is_not_overwritten(place: Path, tmp_path: Path) -> None:
    run, sheet = examined(place).run.id, tmp_path / "sheet.csv"
    drawn = draw(run, store=str(place), count=3)
    write_sheet(drawn, sheet)
    write_sheet(drawn, sheet)
    rows = list(csv.DictReader(sheet.read_text("utf-8-sig").splitlines()))
    for delimiter, verdict, note in ((",", "pass", ""), (",", "", "odd"), (";", "fail", "")):
        with sheet.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0], delimiter=delimiter)
            table.writeheader()
            table.writerows([rows[0] | {"verdict": verdict, "note": note}, *rows[1:]])
        before = sheet.read_bytes()
        with pytest.raises(UsageError, match="something filled in in 1 row, which would be lost"):
            write_sheet(drawn, sheet)
        assert sheet.read_bytes() == before
    assert read_sheet(run, sheet, store=str(place), who="ann") == 1, "semicolons, as many spreadsheets save it"
    sheet.write_text("a letter")
    with pytest.raises(UsageError, match="is not a sheet of labels"):
        write_sheet(drawn, sheet)


def test_going_on_continues_the_same_sample_and_everybody_has_the_same(place: Path) -> None:
    run = examined(place).run.id
    whole = [each.name for each in draw(run, store=str(place), count=8, who="ann")]
    agree(draw(run, store=str(place), count=8, who="ann")[:3], place)
    assert [each.name for each in draw(run, store=str(place), count=8, who="ann")] == whole[3:]
    assert [each.name for each in draw(run, store=str(place), count=8, who="bob")] == whole


def test_no_more_labels_are_advised_than_there_are_cases(place: Path) -> None:
    run = examined(place).run.id
    agree(draw(run, store=str(place), count=20), place)
    people = read_findings(run, store=str(place)).people
    assert people is not None
    assert people.more is None or people.labels + people.more <= len(CASES) + 9
    assert people.more is not None or people.short_of_cases
    assert (verdict_of("pass_rate>=0.76 by people", run, place).further_labels or 0) <= len(CASES)


def test_in_a_battle_people_tell_the_held_rate_and_no_pass_rate(place: Path) -> None:
    limits: dict[str, Any] = {"type": "abm-dynamic", "seeds": 8, "max_turns": 5}
    run = proctor.evaluate(demo.benchmark_path(), agent="demo:pushover", store=place, **limits).run.id
    agree(draw(run, store=str(place), count=8), place)
    with pytest.raises(UsageError, match=r"use 'held_rate>=0\.8 by people'"):
        verdict_of("pass_rate>=0.8 by people", run, place)
    assert "held rate" in sentence(verdict_of("held_rate>=0.8 by people", run, place))
    notes = " ".join(read_findings(run, store=str(place)).notes)
    assert "Conversations held: " in notes or "a held rate as they judge" in notes


def sometimes_failing(question: str) -> str:
    if int(question.split()[1]) % 8 == 1:
        raise ValueError("it broke")
    return answer(question)


def test_a_file_that_is_no_sheet_is_told_by_what_it_lacks(place: Path, tmp_path: Path) -> None:
    run, other = examined(place).run.id, tmp_path / "other.csv"
    other.write_text("question,answer\na,b\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no column attempt and no column verdict"):
        read_sheet(run, other, store=str(place), who="ann")


def test_a_run_without_verdicts_has_nothing_to_label(place: Path) -> None:
    run = proctor.evaluate([("q", "a")], agent=failing, retries=0, store=place).run.id
    with pytest.raises(InputError, match="nothing to label"):
        draw(run, store=str(place), count=5)
    with pytest.raises(UsageError, match="at least 1"):
        draw(run, store=str(place), count=0)


def failing(question: str) -> str:
    raise ValueError(question)


def test_a_label_for_an_attempt_that_does_not_exist_is_refused(place: Path) -> None:
    run = examined(place).run.id
    with pytest.raises(InputError, match="no attempt at case"):
        put_label(Key(run=run, exam="nowhere"), passed=True, who="ann", store=str(place))


def test_a_note_is_kept_as_every_store_can_keep_it(place: Path) -> None:
    run = examined(place).run.id
    [drawn] = draw(run, store=str(place), count=1)
    label = put_label(drawn.attempt.key, passed=True, who="ann", note="a\0b\ud800c", store=str(place))
    assert label.note == "ab?c"


def test_a_trial_that_no_run_has_is_refused_with_its_line(place: Path) -> None:
    run = examined(place).run.id
    sheet = f"attempt,verdict\n{run}/case-1//{'9' * 30},pass\n".encode()
    with pytest.raises(InputError, match=r"the sheet, line 2: the attempt .* cannot be read"):
        store_sheet(run, sheet, source="the sheet", store=str(place), who="ann")


def verdict_of(gate: str, run: str, store: Path) -> GateVerdict:
    findings = read_findings(run, store=str(store))
    [verdict] = judge([parse(gate)], findings, lambda _: findings)
    return verdict


def test_a_gate_by_people_is_decided_on_their_rate(place: Path) -> None:
    run = examined(place).run.id
    before = verdict_of("pass_rate>=0.5 by people", run, place)
    assert (before.verdict, before.obstacle) == ("inconclusive", "labels")
    assert before.further_labels is not None
    assert "nobody has labelled any of it. About" in sentence(before)
    agree(draw(run, store=str(place), count=40), place)
    assert verdict_of("pass_rate>=0.5 by people", run, place).verdict == "met"
    assert verdict_of("pass_rate>=0.95 by people", run, place).verdict == "not met"
    assert "The pass rate as people judge is 75" in sentence(verdict_of("pass_rate>=75% by people", run, place))


def test_only_rates_that_labels_tell_can_be_gated_by_people() -> None:
    with pytest.raises(UsageError, match="people's labels tell pass_rate and held_rate alone"):
        parse("mean_score>=0.8 by people")


def test_exports_tell_it_too_and_their_gates_are_decided_by_it(place: Path, tmp_path: Path) -> None:
    run = examined(place).run.id
    agree(draw(run, store=str(place), count=40), place)
    report, page, gating = tmp_path / "report.json", tmp_path / "report.md", read_gates(["pass_rate>=0.5 by people"])
    export_run(run, form="json", output=report, store=str(place))
    assert json.loads(report.read_text("utf-8"))["pass_rate_people"]["labels"] == 40
    _, verdicts = export_run(run, form="markdown", output=page, store=str(place), gating=gating)
    assert [each.verdict for each in verdicts] == ["met"]
    assert "as people judge" in page.read_text("utf-8")


def test_under_conditions_the_plain_run_is_labelled_whose_rate_is_told(place: Path) -> None:
    conditions = {"slow": {"tool": "search", "delay": 0.01}}
    config = Config.model_validate({"conditions": conditions})
    run = proctor.evaluate(CASES, agent=answer, reviewer="exact", conditions="all", config=config, store=place).run.id
    drawn = draw(run, store=str(place), count=40)
    assert {each.attempt.key.condition for each in drawn} == {""}
    agree(drawn, place)
    put_label(replace(drawn[0].attempt.key, condition="slow"), passed=False, who="ann", store=str(place))
    people = read_findings(run, store=str(place)).people
    assert people is not None
    assert (people.labels, people.rate.value) == (40, 0.75)
