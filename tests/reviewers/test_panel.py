"""Several judges of the same replies: the majority of the verdicts given decides."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.desk import Desk
from tests.models.openai_api import Refused, Said, api

from proctor.benchmark import Case, Exam
from proctor.config import Config, load_config
from proctor.errors import EnvironmentFault, InputError, UsageError
from proctor.findings.comparison.comparability import unlike
from proctor.reports.run import markdown, text
from proctor.reports.run.csv import write_csv
from proctor.reports.run.html import write_html
from proctor.reports.run.json import as_dict
from proctor.run import Attempt, Settings
from proctor.score import Contradiction, Part, Review
from proctor.transcript import Turn
from proctor.usage import Usage
from proctor.workflows.evaluate import Evaluation, aevaluate
from proctor.workflows.parts import choose_reviewer, specs_of
from proctor.workflows.read import read_findings
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume

CASES = [Case(id=name, question=f"{name}?", answer="yes") for name in ("one", "two", "three", "four")]


def answer(question: str) -> str:
    return f"the reply to {question}"


class Judge:
    """Gives each question the mark it was told to, or what else was told."""

    rubric = "told-1"

    def __init__(self, name: str, **marks: float | Exception | str) -> None:
        self.name = name
        self._marks = marks
        self.asked = 0

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        self.asked += 1
        assert case is not None
        told = self._marks.get(case.id, 1.0)
        used = Usage(input_tokens=10, output_tokens=1, calls=1, cost=0.25)
        if isinstance(told, Exception):
            raise told
        if isinstance(told, str):
            return Review(unscored=told, usage=used)
        return Review(parts=(Part(name="correctness", value=told),), usage=used)

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


def strict(question: str, reply: str) -> float:
    return 0.0


def kind(question: str, reply: str) -> float:
    return 1.0


def fair(question: str, reply: str) -> float:
    return 1.0 if "one" in question or "two" in question else 0.2


NAMED = [f"python:{__name__}:{name}" for name in ("strict", "kind", "fair")]


async def run(panel: Sequence[object], store: Path, **settings: Any) -> Evaluation:
    given: dict[str, Any] = {"agent": answer, "store": store, "config": Config(), "retries": 0, **settings}
    return await aevaluate(CASES, reviewer=list(panel), **given)


def verdicts(done: Evaluation) -> dict[str, bool | None]:
    return {attempt.key.exam: attempt.passed for attempt in done.attempts()}


def attempts(done: Evaluation) -> dict[str, Attempt]:
    return {attempt.key.exam: attempt for attempt in done.attempts()}


async def test_the_majority_decides_and_the_mean_of_the_marks_is_shown(tmp_path: Path) -> None:
    panel = [Judge("a", one=0.9, two=0.1), Judge("b", one=0.8, two=0.3), Judge("c", one=0.1, two=1.0)]
    done = await run(panel, tmp_path / "s.db")
    assert verdicts(done) == {"one": True, "two": False, "three": True, "four": True}
    assert attempts(done)["one"].value == pytest.approx(0.6)
    assert {score.by for score in attempts(done)["one"].scores} == {"object:a", "object:b", "object:c"}
    assert done.run.settings.reviewer == "object:a + object:b + object:c"


async def test_a_tie_is_undecided_and_says_so(tmp_path: Path) -> None:
    done = await run([Judge("a", one=0.9), Judge("b", one=0.1)], tmp_path / "s.db")
    tied = attempts(done)["one"]
    assert (tied.passed, tied.outcome) == (None, "unscored")
    [missing] = tied.unscored
    assert missing.reason == "the panel is divided: 1 judge passes the reply and 1 does not"
    assert (done.findings.counts.unscored, done.findings.pass_rate.n) == (1, 3)
    [trouble] = done.findings.troubles  # it has marks, and no verdict: that no mark could be given would not be so
    assert (trouble.owner, trouble.count, done.findings.mean_score.n) == ("undecided", 1, 4)
    assert "a tie is undecided" in done.findings.notes[0]


async def test_each_judge_has_its_own_numbers_beside_the_panels(tmp_path: Path) -> None:
    panel = [Judge("a", one=0.0), Judge("b", one=0.5, two="no JSON"), Judge("c")]
    done = await run(panel, tmp_path / "s.db")
    told = {judge["name"]: judge for judge in as_dict(done.findings)["judges"]}
    assert told["object:a"]["pass_rate"]["value"] == pytest.approx(0.75)
    assert (told["object:b"]["judged"], told["object:b"]["missing"], told["object:b"]["passed"]) == (3, 1, 2)
    assert told["object:c"]["agreement"]["value"] == pytest.approx(0.75)
    assert told["object:a"]["usage"]["cost"] == pytest.approx(1.0)
    assert told["object:a"]["pass_rate"]["low"] < 0.75 < told["object:a"]["pass_rate"]["high"]
    assert done.findings.usage.cost == pytest.approx(3.0)
    assert read_findings(done.run.id, store=str(tmp_path / "s.db")).judges == done.findings.judges


async def test_reports_have_a_line_or_a_column_for_each_judge(tmp_path: Path) -> None:
    done = await run([Judge("a", one=0.0), Judge("b"), Judge("c")], tmp_path / "s.db")
    exams = {case.id: Exam(id=case.id, cases=(case,)) for case in CASES}
    sheet, page = io.StringIO(), io.StringIO()
    write_csv(done.findings, exams, done.attempts(), sheet)
    rows = list(csv.DictReader(io.StringIO(sheet.getvalue().lstrip("\ufeff"))))
    assert [row["judge: object:a"] for row in rows if row["case"] == "one"] == ["0.0"]
    write_html(done.findings, exams, done.attempts(), page)
    assert "<h2>By judge</h2>" in page.getvalue()
    assert "| judge | pass rate |" in markdown.render(done.findings)
    assert "By judge" in printed(done)


def printed(done: Evaluation) -> str:
    from rich.console import Console

    console = Console(width=120, file=io.StringIO())
    console.print(text.render(done.findings))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


# Outages


async def test_a_judge_that_is_away_leaves_its_vote_out_and_the_report_says_so(tmp_path: Path) -> None:
    away = EnvironmentFault("the server is down")
    done = await run([Judge("a", one=0.1), Judge("b", one=0.2), Judge("c", one=away, two=away)], tmp_path / "s.db")
    assert verdicts(done) == {"one": False, "two": True, "three": True, "four": True}
    assert done.run.status == "completed"
    assert [missing.reason for missing in attempts(done)["one"].unscored] == [
        "object:c gave no verdict: the server is down"
    ]
    assert "object:c gave no score for 2 of 4 replies: its vote is left out there." in done.findings.notes


async def test_a_panel_of_which_nobody_answers_is_a_failure_of_the_environment_that_resume_mends(
    tmp_path: Path,
) -> None:
    away = EnvironmentFault("the server is down")
    broken = await run([Judge("a", one=away), Judge("b", one=away)], tmp_path / "s.db")
    assert (broken.findings.counts.failed_by_environment, verdicts(broken)["one"]) == (1, None)
    back = [Judge("a"), Judge("b")]
    done = await aresume(broken.run.id, agent=answer, reviewer=back, store=tmp_path / "s.db", config=Config())
    assert (done.findings.complete, verdicts(done)["one"]) == (True, True)
    assert [judge.asked for judge in back] == [1, 1]


# Who is meant


def test_a_list_is_a_panel_and_is_built_again_from_the_settings() -> None:
    chosen = choose_reviewer(["embedded,openai:a", "openai:b"], Config())
    assert (chosen.name, [judge.name for judge in chosen.panel]) == (
        "embedded,openai:a + openai:b",
        ["embedded,openai:a", "openai:b"],
    )
    assert {role: spec.spec for role, spec in specs_of("reviewer", chosen).items()} == {
        "judge_1": "embedded",
        "judge_1_second": "openai:a",
        "judge_2": "openai:b",
    }


@pytest.mark.parametrize(
    ("panel", "said"),
    [
        (["embedded", "none"], "none of them 'none' or a list"),
        (["embedded", ["exact", "embedded"]], "none of them 'none' or a list"),
        (["embedded", "exact", "embedded"], "names 'embedded' twice"),
    ],
)
def test_panels_that_could_not_vote_are_refused(panel: list[Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        choose_reviewer(panel, Config())


def test_one_name_in_a_list_is_one_judge() -> None:
    assert choose_reviewer(["exact"], Config()).name == "exact"


def test_the_configuration_takes_one_name_or_a_list(tmp_path: Path) -> None:
    file = tmp_path / "proctor.toml"
    file.write_text('[run]\nreviewer = ["embedded", "exact"]\n')
    assert load_config(file).run.reviewer == ["embedded", "exact"]
    file.write_text('[run]\nreviewer = ["exact"]\n')
    assert load_config(file).run.reviewer == "exact"
    file.write_text("[run]\nreviewer = [1]\n")
    with pytest.raises(InputError, match="a text, or a list"):
        load_config(file)


# Stored runs


async def test_a_panel_by_name_is_built_again_by_resume_and_in_workers(tmp_path: Path) -> None:
    done = await run(NAMED, tmp_path / "s.db", agent=f"python:{__name__}:answer", workers=2)
    assert verdicts(done) == {"one": True, "two": True, "three": False, "four": False}
    again = await aresume(done.run.id, store=tmp_path / "s.db", config=Config())
    assert again.findings.judges == done.findings.judges


async def test_stored_replies_are_judged_anew_by_a_panel_and_then_weighed_without_asking(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = await aevaluate(CASES, agent=answer, reviewer="exact", store=store, config=Config())
    panel = [Judge("a", one=0.75, two=0.2), Judge("b", one=0.8), Judge("c", one=0.9, two=0.75)]
    done = await arescore(first.run.id, reviewer=list(panel), store=store, config=Config())
    assert verdicts(done)["one"] is True
    kept = await arescore(done.run.id, passing_score=0.85, store=store, config=Config())
    assert [judge.asked for judge in panel] == [4, 4, 4]
    assert (verdicts(kept)["one"], verdicts(kept)["two"]) == (False, False)
    assert {score.by: score.value for score in attempts(kept)["one"].scores} == {
        "object:a": 0.75,
        "object:b": 0.8,
        "object:c": 0.9,
    }
    assert [judge.usage.calls for judge in kept.findings.judges] == [0, 0, 0]


async def test_a_tie_is_told_once_where_stored_marks_are_weighed_again(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    done = await run([Judge("a", one=0.9), Judge("b", one=0.5)], store)
    decided = await arescore(done.run.id, passing_score=0.4, store=store, config=Config())
    assert (verdicts(decided)["one"], attempts(decided)["one"].unscored) == (True, ())
    again = await arescore(decided.run.id, passing_score=0.7, store=store, config=Config())
    assert [missing.by for missing in attempts(again)["one"].unscored] == ["object:a + object:b"]


async def test_comparability_follows_the_members_and_not_their_order(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    one = await run(NAMED, store)
    two = await run([NAMED[2], NAMED[0], NAMED[1]], store)
    other = await run(NAMED[:2], store)
    assert unlike(one.run, two.run) == []
    apart = {each.what: each for each in unlike(one.run, other.run)}
    assert set(apart) == {"reviewer", "rubric"}
    assert apart["reviewer"].option == f"--reviewer {NAMED[0]} --reviewer {NAMED[1]}"


# Battles


class Finder(Judge):
    """A judge that names a contradiction between the first two turns."""

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        quotes = tuple(turn.reply.text for turn in turns[:2] if turn.reply is not None)
        found = Contradiction(turns=(1, 2), quotes=(quotes[0], quotes[1]), kind="model", reason="so")
        return Review(contradictions=(found,), usage=Usage(calls=1))


@pytest.mark.parametrize(("finders", "held"), [(1, True), (2, False)])
async def test_in_a_battle_a_contradiction_counts_where_the_majority_names_it(
    finders: int, held: bool, tmp_path: Path
) -> None:
    panel = [Finder(name) if place < finders else Judge(name) for place, name in enumerate("abc")]
    done = await run(panel, tmp_path / "s.db", type="abm-static")
    [attempt] = done.attempts()
    assert (attempt.passed, len(attempt.contradictions)) == (held, 0 if held else 1)
    assert done.findings.judges[0].usage.calls == 5
    assert done.findings.battle is not None


# At the terminal, with judges over a socket


@asynccontextmanager
async def judges_over_sockets(*plays: Any) -> AsyncIterator[list[str]]:
    """The specs of models that answer so."""
    async with AsyncExitStack() as servers:
        yield [f"openai-compatible:m@{(await servers.enter_async_context(api(plays=each))).url}" for each in plays]


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A folder with a benchmark of one question."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchmark.csv").write_text('"What is the capital of France?";"Paris";"";""\n')
    return Desk(tmp_path, capsys)


def panel_options(*names: str) -> list[str]:
    return [word for name in names for word in ("--reviewer", name)]


def test_the_option_is_given_several_times_and_the_table_names_every_judge(desk: Desk) -> None:
    said = desk.run(f"python:{__name__}:answer", *panel_options(*NAMED), "--json")
    assert (said.code, [judge["name"] for judge in said.json["judges"]]) == (0, NAMED)
    assert said.json["reviewer"] == " + ".join(NAMED)
    again = desk("rescore", "last", *panel_options("embedded", *NAMED[:2]), "--json")
    assert (again.code, again.json["reviewer"]) == (0, f"embedded + {NAMED[0]} + {NAMED[1]}")


def test_a_dry_run_counts_the_calls_of_every_judge(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    models = ["openai:gpt-5-mini", "openai-compatible:m@http://127.0.0.1:9"]
    said = desk.run(f"python:{__name__}:answer", *panel_options("embedded", *models), "--dry-run", "--json")
    assert said.json["calls"]["likely"] == said.json["callers"]["reviewer"]["calls"]["likely"] == 2


async def test_calls_of_every_judge_are_counted_and_one_server_may_be_down(tmp_path: Path) -> None:
    marks = json.dumps({"correctness": 0.9, "correctness_explanation": "fine"})
    async with judges_over_sockets(lambda _: Said(text=marks), lambda _: Refused(status=503)) as panel:
        done = await run(panel, tmp_path / "s.db", max_tokens=10_000)
    assert done.findings.judges[0].usage.calls == 4
    assert (done.findings.judges[1].missing, done.run.status) == (4, "completed")
    assert verdicts(done) == {case.id: True for case in CASES}


def test_a_settings_of_a_panel_knows_how_each_judge_is_built() -> None:
    chosen = choose_reviewer(["embedded,openai:a", "openai:b"], Config())
    settings = replace(
        Settings(), panel=tuple(judge.name for judge in chosen.panel), built=specs_of("reviewer", chosen)
    )
    assert [[spec.spec for spec in judge] for judge in settings.judges] == [["embedded", "openai:a"], ["openai:b"]]
    assert settings.paid_reviewer is None
