"""Replies whose verdict is known, put to the judge of a run beside what it judges."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor.benchmark import Case, Exam
from proctor.config import Config
from proctor.errors import EnvironmentFault, InputError, UsageError
from proctor.findings.comparison.comparability import unlike
from proctor.findings.run.canaries import CanaryFinding, canary_finding
from proctor.reports.numbers import canaries as said_of
from proctor.reports.run import markdown
from proctor.reports.run.html import write_html
from proctor.reports.run.json import as_dict
from proctor.running.plan import exams_of
from proctor.score import Part, Review
from proctor.transcript import Turn
from proctor.usage import Usage
from proctor.workflows.canaries import STANDARD, load_canaries
from proctor.workflows.evaluate import Evaluation, aevaluate
from proctor.workflows.prepare import prepare
from proctor.workflows.read import read_findings
from proctor.workflows.request import RunRequest
from proctor.workflows.rescore import arescore
from proctor.workflows.resume import aresume
from proctor.workflows.run_limits import estimate_cost

CASES = [Case(id="one", question="one?", answer="yes")]
RIGHT = {each.case.id: each.passes for each in load_canaries(STANDARD)}
FILE = """\
cases:
  - {id: good, question: What is 2 + 2?, reference: "4", reply: "4", verdict: pass}
  - {id: bad, question: What is 2 + 2?, reference: "4", reply: "5", verdict: fail}
"""


def answer(question: str) -> str:
    return "yes"


class Judge:
    """Gives canaries the verdict that they must get, but for those it was told otherwise."""

    name, rubric = "judge", "told-1"

    def __init__(self, **otherwise: bool | Exception) -> None:
        self._otherwise = otherwise
        self.asked: list[str] = []

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        assert case is not None
        self.asked.append(case.id)
        told = self._otherwise.get(case.id.replace("-", "_"), RIGHT.get(case.id, True))
        if isinstance(told, Exception):
            raise told
        return Review(parts=(Part(name="correctness", value=float(told)),), usage=Usage(calls=1, cost=0.5))

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        return None


async def run(judge: object, store: Path, **settings: Any) -> Evaluation:
    given = {"canaries": STANDARD, "store": store, "config": Config(), "retries": 0, **settings}
    return await aevaluate(CASES, agent=answer, reviewer=judge, **given)


def found(done: Evaluation) -> CanaryFinding:
    finding = canary_finding(done.findings.run)
    assert finding is not None
    return finding


def test_the_standard_set_has_thirty_of_every_kind() -> None:
    canaries = load_canaries(STANDARD)
    kinds = {each.case.id.partition("-")[0] for each in canaries}
    assert (len(canaries), len({each.case.id for each in canaries})) == (30, 30)
    assert kinds == {"right", "terse", "verbose", "wrong", "hedged", "refused", "partly", "flattering", "injected"}


async def test_a_judge_that_gets_all_right_is_bounded_and_the_run_is_as_without_them(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    judge = Judge()
    done = await run(judge, store)
    plain = await run(Judge(), store, canaries="none")
    assert len(judge.asked) == 31
    told = as_dict(done.findings)["canaries"]
    assert (told["judged"], told["right"], told["changed"], told["wrong"]) == (30, 30, None, [])
    assert told["bound"] == pytest.approx(1 - 0.05 ** (1 / 30))
    assert said_of(done.findings.run) == "30 of 30 right: an error rate of at most 9.5 % (95 %)"
    assert (done.run.planned, done.findings.pass_rate.n, done.run.digest) == (1, 1, plain.run.digest)
    assert unlike(done.run, plain.run) == []
    assert "canaries" not in as_dict(plain.findings)
    assert not any("canar" in note for note in done.findings.notes)


async def test_one_wrong_is_a_warning(tmp_path: Path) -> None:
    done = await run(Judge(injected_full_marks=True), tmp_path / "s.db")
    assert (found(done).right, found(done).wrong) == (29, ("injected-full-marks",))
    [said] = [note for note in done.findings.notes if "canaries" in note]
    assert said == (
        "Warning: the judge got 1 of 30 canaries wrong (injected-full-marks): "
        "it may err in up to 15 % of replies like these."
    )


async def test_a_verdict_that_changed_since_the_last_run_of_the_same_judge_is_drift(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first = await run(Judge(), store)
    same = await run(Judge(), store)
    later = await run(Judge(terse_yes=False), store)
    other = await run("embedded", store)
    assert (found(same).changed, found(same).since) == (0, first.run.id)
    assert (found(later).changed, found(later).drifted, found(later).since) == (1, ("terse-yes",), same.run.id)
    assert any(note.startswith("Drift: the judge gave 1 of 30 canaries another") for note in later.findings.notes)
    assert found(other).changed is None


async def test_what_they_cost_counts_and_is_not_paid_again_by_resume(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    done = await run(Judge(), store)
    assert (found(done).usage.cost, done.findings.usage.cost) == (15.0, 15.5)
    again = Judge()
    resumed = await aresume(done.run.id, agent=answer, reviewer=again, store=store, config=Config())
    assert (again.asked, resumed.findings.usage.cost) == ([], 15.5)
    assert read_findings(done.run.id, store=str(store)).usage.cost == 15.5


async def test_an_outage_leaves_them_unjudged_and_says_so(tmp_path: Path) -> None:
    away = {name.replace("-", "_"): EnvironmentFault("the server is down") for name in RIGHT}
    done = await run(Judge(**away), tmp_path / "s.db")
    assert done.run.status == "completed"
    assert (found(done).judged, found(done).bound) == (0, None)
    assert said_of(done.findings.run) == "none of 30 judged"
    [said] = [note for note in done.findings.notes if "canaries" in note]
    assert said.startswith("30 of 30 canaries got no verdict: ")
    assert "the server is down" in said


async def test_a_run_that_broke_off_is_tried_on_them_when_it_is_resumed(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    broken = await run(Judge(one=EnvironmentFault("down"), terse_yes=EnvironmentFault("down")), store)
    assert (broken.run.status, found(broken).judged) == ("failed", 29)
    back = Judge()
    mended = await aresume(broken.run.id, agent=answer, reviewer=back, store=store, config=Config())
    assert (found(mended).right, back.asked) == (30, ["one", "terse-yes"])


async def test_a_spent_budget_leaves_them_unjudged(tmp_path: Path) -> None:
    done = await run(f"python:{__name__}:paid", tmp_path / "s.db", max_tokens=300)
    assert found(done).judged < 30
    assert found(done).reason


def paid(question: str, reply: str) -> Review:
    return Review(parts=(Part(name="correctness", value=1.0),), usage=Usage(input_tokens=100, calls=1))


async def test_a_file_of_ones_own_is_judged_and_a_rescored_run_tries_its_own_judge(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(FILE)
    done = await run("exact", tmp_path / "s.db", canaries=str(file))
    assert (found(done).judged, found(done).right, found(done).source) == (2, 2, str(file))
    other = await arescore(done.run.id, reviewer="embedded", store=tmp_path / "s.db", config=Config())
    assert (found(other).judged, found(other).changed) == (2, None)
    weighed = await arescore(done.run.id, passing_score=0.9, store=tmp_path / "s.db", config=Config())
    assert weighed.run.canaries is None


async def test_a_panel_and_a_battle_are_tried_as_they_judge(tmp_path: Path) -> None:
    panel = await run([Judge(), "embedded", f"python:{__name__}:kind"], tmp_path / "s.db")
    assert found(panel).wrong == ("hedged-either", "partly-wrong-half")  # the embedded reviewer and the kind one agree
    battle = await run("embedded", tmp_path / "b.db", type="abm-static")
    assert found(battle).judged == 30


def kind(question: str, reply: str) -> float:
    return 1.0


async def test_reports_have_a_line_on_them(tmp_path: Path) -> None:
    done = await run(Judge(), tmp_path / "s.db")
    page = io.StringIO()
    write_html(done.findings, {"one": Exam(id="one", cases=(CASES[0],))}, done.attempts(), page)
    line = "Canaries: 30 of 30 right: an error rate of at most 9.5 % (95 %)"
    assert line in page.getvalue()
    assert line in markdown.render(done.findings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cases:\n  - {question: q, reply: r}\n", "verdict"),
        ("cases:\n  - {question: q, reply: r, verdict: maybe}\n", "the verdict is 'maybe'; expected pass or fail"),
        ("cases:\n  - {question: q, verdict: pass}\n", "reply"),
        ("cases: []\n", "at least one"),
        ("cases:\n" + 2 * "  - {id: a, question: q, reply: r, verdict: pass}\n", "unique"),
    ],
)  # fmt: skip
async def test_a_file_that_is_wrong_is_refused_before_the_first_call(text: str, said: str, tmp_path: Path) -> None:
    file, judge = tmp_path / "mine.yaml", Judge()
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        await run(judge, tmp_path / "s.db", canaries=str(file))
    assert judge.asked == []


async def test_canaries_without_a_judge_or_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the reviewer is none"):
        await run("none", tmp_path / "s.db")
    with pytest.raises(InputError, match="is not a suite file"):
        await run("embedded", tmp_path / "s.db", canaries="canary.txt")
    with pytest.raises(InputError, match=r"nowhere\.yaml"):
        await run("embedded", tmp_path / "s.db", canaries="nowhere.yaml")


async def test_workers_leave_the_canaries_to_their_driver(tmp_path: Path) -> None:
    module = "tests.workflows.test_canaries"
    done = await aevaluate(
        CASES,
        agent=f"python:{module}:answer",
        reviewer=f"python:{module}:kind",
        canaries=STANDARD,
        workers=1,
        store=tmp_path / "s.db",
        config=Config(),
    )
    assert (found(done).judged, len(found(done).wrong)) == (30, 20)


def test_an_estimate_counts_them_once_whatever_the_trials() -> None:
    judge = "openai-compatible:m@http://127.0.0.1:9/v1"
    settings = {"canaries": STANDARD, "trials": 3}
    prepared = prepare(RunRequest(benchmark=CASES, agent=answer, reviewer=judge, settings=settings), Config())
    found = estimate_cost(prepared.run, exams_of(prepared.benchmark, prepared.run.settings), Config())
    assert (found.calls.likely, found.callers["reviewer"].calls.likely) == (33, 33)


def test_criteria_of_ones_own_and_the_standard_set_do_not_go_together_and_are_told() -> None:
    config = Config.model_validate(
        {"reviewers": {"tone": {"spec": "openai-compatible:m@http://127.0.0.1:9/v1", "criteria": "Is it polite?"}}}
    )
    prepared = prepare(
        RunRequest(benchmark=CASES, agent=answer, reviewer="tone", settings={"canaries": STANDARD}), config
    )
    assert any("criteria of its own" in warning for warning in prepared.warnings)
