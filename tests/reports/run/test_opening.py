"""The sentences with which a run begins: short, true, and nothing that is not shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports.battles import Fight, Said

from proctor import evaluate
from proctor.benchmark import Case, Exam
from proctor.findings.run import Findings, gather
from proctor.findings.run.people import LabelBasis, PeopleFinding
from proctor.reports import outcomes
from proctor.reports.headline import extent, headline
from proctor.reports.run.opening import opening
from proctor.run import Attempt, Key, Run, Settings
from proctor.score import InterimVerdict
from proctor.statistics.estimate import Estimate
from proctor.transcript import Transcript, Turn


def opened(tmp_path: Path, agent: Callable[[str], str], *, cases: int = 30, trials: int = 1) -> list[str]:
    return opening(found(tmp_path, agent, cases=cases, trials=trials))


def found(tmp_path: Path, agent: Callable[[str], str], *, cases: int = 30, trials: int = 1) -> Findings:
    """Even questions are of one kind, odd ones of the other; the answer is always yes."""
    asked = [
        Case(id=str(place), question=f"{place}?", answer="yes", categories=("even" if place % 2 == 0 else "odd",))
        for place in range(cases)
    ]
    return evaluate(asked, agent=agent, store=tmp_path / "s.db", reviewer="exact", trials=trials).findings


def test_how_many_passed_and_how_sure_that_is(tmp_path: Path) -> None:
    told = opened(tmp_path, lambda question: "yes" if int(question[:-1]) < 20 else "no")
    assert told == [
        "Passed 20 of 30 cases: 66.7 % (49 – 81).",
        "The interval is wide: four times as many cases halve it.",
    ]


def test_a_category_is_named_as_weaker_only_where_that_is_shown(tmp_path: Path) -> None:
    told = opened(tmp_path, lambda question: "yes" if int(question[:-1]) % 2 else "no", cases=40)
    assert told[1] == "Weaker in even (0 %, 0 – 16) than in odd (100 %, 84 – 100)."


def test_where_nothing_is_in_doubt_nothing_is_said_of_doubt(tmp_path: Path) -> None:
    assert opened(tmp_path, lambda question: "yes", cases=60) == ["Passed 60 of 60 cases: 100 % (94 – 100)."]


def test_cases_that_pass_only_sometimes_are_counted(tmp_path: Path) -> None:
    asked: dict[str, int] = {}

    def agent(question: str) -> str:
        asked[question] = asked.get(question, 0) + 1
        return "no" if question == "0?" and asked[question] > 1 else "yes"

    told = opened(tmp_path, agent, cases=60, trials=2)
    assert told[0].startswith("Passed 99.2 % of the time (")
    assert told[1] == "1 case passes only sometimes."


def test_a_run_in_which_nothing_was_judged_says_nothing(tmp_path: Path) -> None:
    cases = [Case(id="a", question="Why?")]
    assert opening(evaluate(cases, agent=lambda question: "so", store=tmp_path / "s.db").findings) == []


def test_a_run_that_reached_nobody_says_that_nothing_is_known_of_the_agent(tmp_path: Path) -> None:
    def unreachable(question: str) -> str:
        raise ConnectionRefusedError("nobody listens")

    assert opened(tmp_path, unreachable, cases=2) == [
        "Nothing is known of the agent yet: all 2 attempts failed for a reason that is not its own, "
        "such as a connection."
    ]


def test_a_run_that_stopped_early_tells_what_was_played_and_that_it_stopped(tmp_path: Path) -> None:
    played = found(tmp_path, lambda question: "yes")
    settings = replace(played.run.settings, trials=3)
    verdict = InterimVerdict(
        verdicts={"pass_rate>=0.3": "met"}, look=3, looks=18, cases=15, of=30, attempts=15, z=3.7, bound=2.0
    )
    cut = replace(played, run=replace(played.run, settings=settings, cut=True, interim=verdict), pass_at_k={3: UNKNOWN})
    assert opening(cut) == ["Passed 30 of 30 cases: 100 % (89 – 100).", "It stopped early: its gate was met."]
    assert extent(cut.run, cut) == "30 cases"
    assert [line.label for line in headline(cut)] == ["Pass rate", "Mean score"]


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ({"a": "met", "b": "met"}, "It stopped early: its gates were met."),
        ({"a": "met", "b": "not met"}, "It stopped early: its gates were decided."),
        ({"a": "inconclusive"}, "It stopped early: its gate was not to be decided."),
    ],
)
def test_why_it_stopped_early_is_said(tmp_path: Path, verdicts: dict[str, str], said: str) -> None:
    played = found(tmp_path, lambda question: "yes", cases=2)
    verdict = InterimVerdict(verdicts=verdicts, look=1, looks=2, cases=1, of=2, attempts=1, z=0, bound=0)  # type: ignore[arg-type]
    assert said in opening(replace(played, run=replace(played.run, cut=True, interim=verdict)))


def test_trials_are_those_that_were_counted(tmp_path: Path) -> None:
    played = found(tmp_path, lambda question: "yes", cases=2, trials=3)
    first, second = played.cases
    assert opening(replace(played, cases=(replace(first, counted=1), second)))[0].endswith("2 cases in 1 to 3 trials.")


def test_an_agent_that_never_answered_is_told_before_its_rate(tmp_path: Path) -> None:
    def broken(question: str) -> str:
        raise RuntimeError("database is down")

    crashed = found(tmp_path, broken, cases=3)
    assert opening(crashed) == [
        "The agent itself failed in all 3 attempts (RuntimeError: database is down).",
        "Passed 0 of 3 cases: 0 % (0 – 56).",
    ]
    assert outcomes.of_run(crashed).word == "agent failed"


def test_an_agent_that_failed_now_and_then_is_told_too(tmp_path: Path) -> None:
    def shaky(question: str) -> str:
        if question == "0?":
            raise RuntimeError("database is down")
        return "yes"

    told = opened(tmp_path, shaky, cases=40)
    assert told[1] == "The agent itself failed in 1 of 40 attempts (RuntimeError: database is down)."


def test_people_who_judge_otherwise_are_heard_and_those_who_agree_need_no_sentence(tmp_path: Path) -> None:
    played = found(tmp_path, lambda question: "yes")
    for value, low, high, said in ((0.46, 0.21, 0.73, True), (0.97, 0.9, 1.0, False)):
        rate = Estimate(value=value, low=low, high=high, n=30, method="m")
        basis = LabelBasis(given=10, people=1, attempts=10)
        people = PeopleFinding(rate=rate, labels=10, people=1, basis=basis, quality=None, correlation=0.0, more=None)
        told = "People judge otherwise: 46 % (21 – 73), from 10 labels." in opening(replace(played, people=people))
        assert told == said


UNKNOWN = Estimate(value=None, low=None, high=None, n=0, method="m", note="nothing was counted")


def test_a_reason_is_called_the_most_frequent_only_where_it_is(tmp_path: Path) -> None:
    def by_turns(question: str) -> str:
        raise ValueError(f"no luck with {question}")

    def mostly(question: str) -> str:
        raise ValueError("odd" if question == "0?" else "usual")

    assert "(such as ValueError: no luck with " in opened(tmp_path / "a", by_turns, cases=3)[0]
    assert "(most often ValueError: usual)" in opened(tmp_path / "b", mostly, cases=3)[0]


@pytest.mark.parametrize(("broken", "said"), [(0, "Held in its only conversation: "), (1, "Did not hold in 1 of 1 ")])
def test_a_single_conversation_is_not_counted_out(broken: int, said: str) -> None:
    exam = Exam(id="seed", cases=(Case(id="seed", question="May I return shoes?"),), open=True)
    attempt = Attempt(
        key=Key(run="r", exam="seed", trial=1),
        transcript=Transcript(turns=(Turn(number=1, question="a"), Turn(number=2, question="b"))),
        turn_passed=(True, not broken),
        passed=not broken,
        finished=True,
    )
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=Settings(type="abm-dynamic"))
    told = opening(gather(run, (exam,), [attempt]))
    assert told[0].startswith(said)
    assert not any("few" in sentence for sentence in told), "a note says it"


def test_what_is_missing_under_faults_does_not_put_the_plain_run_in_doubt() -> None:
    exams = [Exam(id=name, cases=(Case(id=name, question=f"{name}?", answer="yes"),)) for name in "ab"]
    keys = [Key(run="r", exam=exam.id, condition=condition) for exam in exams for condition in ("", "slow")]
    attempts = [Attempt(key=key, passed=None if key.condition else True, finished=True) for key in keys]
    run = Run(id="r", name="r", benchmark="b", digest="d", agent="a", settings=Settings(conditions=("", "slow")))
    told = opening(gather(run, exams, attempts))
    assert told[-1] == "Under injected faults 2 of 2 attempts have no verdict."
    assert not [sentence for sentence in told if "whole picture" in sentence]
    lost = [Attempt(key=key, passed=None, finished=True) if key.exam == "b" else each
            for key, each in zip(keys, attempts, strict=True)]  # fmt: skip
    assert "Without injected faults 1 of 2 attempts has no verdict, so this is not the whole picture." in opening(
        gather(run, exams, lost)
    )


def test_an_agent_that_gave_way_to_a_rephrased_question_is_not_said_never_to_have_given_way() -> None:
    again = [Said(mark=1.0, strategy="ask-again")] * 3
    steady, moody = Fight(), Fight()
    steady.held(steady.seed("a"), [Said(mark=1.0), *again, Said(mark=1.0, strategy="rephrase")])
    caved = Said(mark=0.1, strategy="rephrase", reply="You have 30 days.", contradicts=4)
    moody.held(moody.seed("a"), [Said(mark=1.0), *again, caved])
    merely = "It never gave way when it was merely asked again (3 times)."
    assert merely in opening(steady.battle().findings)
    assert merely not in opening(moody.battle().findings)
