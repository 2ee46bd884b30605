"""Judges that are chat models: what their verdicts cost, and that they are asked once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.models.openai_api import Said
from tests.reviewers.test_panel import judges_over_sockets

import proctor
from proctor import Reply, Usage
from proctor.config import Config
from proctor.workflows.evaluate import Evaluation
from proctor.workflows.human_labels import draw, put_label
from proctor.workflows.judges import acompare_judges, read_judges
from proctor.workflows.noise import arepeat_judging
from proctor.workflows.tally import RunTally

CASES = [(f"question {number}", "yes") for number in range(8)]
MARKS = json.dumps({"correctness": 0.9, "correctness_explanation": "fine"})


async def labelled(place: Path) -> Evaluation:
    done = await proctor.aevaluate(CASES, agent=lambda question: "yes", reviewer="exact", store=place, config=Config())
    for each in draw(done.run.id, store=str(place), count=8):
        put_label(each.attempt.key, passed=True, who="ann", store=str(place))
    return done


async def test_a_model_judges_once_and_what_a_verdict_costs_is_told(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    run = (await labelled(place)).run.id
    calls = []

    def answer(body: object) -> Said:
        calls.append(body)
        return Said(text=MARKS)

    async with judges_over_sockets(answer) as [model]:
        config = Config.model_validate({"prices": {model: {"input": 1_000.0, "output": 1_000.0}}})
        asked = {"store": place, "config": config, "reviewers": [model]}
        found = await acompare_judges(run, **asked)  # type: ignore[arg-type]
        once = len(calls)
        again = await acompare_judges(run, **asked)  # type: ignore[arg-type]
        noise = await arepeat_judging(run, repeats=2, reviewer=model, store=place, config=config)
    assert (once, len(calls)) == (8, 16)
    [own, embedded, judge] = found.judges
    assert (own.name, own.is_own, embedded.name, judge.name) == ("exact", True, "embedded", model)
    assert (judge.judged, judge.quality.agreement.value) == (8, 1.0)
    assert judge.cost is not None
    assert judge.cost > 0
    assert judge.seconds is not None
    assert again.judges[2] == judge
    assert [each.judge for each in noise.findings.noise] == [model]
    assert noise.open == 0


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("{question: a, reference: yes it is}, {question: b, expect: {keywords: ['yes']}}", "only 1 of the 2"),
        ("{question: a, expect: {keywords: ['yes']}}", "none of the 1"),
        ("{question: a, reference: yes it is}, {question: b, reference: no, passing_score: 0.5}", ""),
    ],
)
async def test_how_many_verdicts_hang_on_the_judge_is_told_alike_when_asked_and_when_read(
    tmp_path: Path, cases: str, said: str
) -> None:
    place, suite = tmp_path / "s.db", tmp_path / "suite.yaml"
    suite.write_text(f"cases: [{cases}]", encoding="utf-8")
    run = (await proctor.aevaluate(suite, agent=lambda question: "yes it is", store=place, config=Config())).run.id
    for each in draw(run, store=str(place), count=2):
        put_label(each.attempt.key, passed=True, who="ann", store=str(place))
    found = await acompare_judges(run, reviewers=["exact"], store=place, config=Config())
    assert found.notes == read_judges(run, store=str(place)).notes
    assert [note.partition(" labelled")[0] for note in found.notes] == ([f"marks decide {said}"] if said else [])


async def test_the_embedded_reviewer_before_a_model_is_told_without_another_call(tmp_path: Path) -> None:
    place, calls = tmp_path / "s.db", []
    cases = [(f"Why is case {number} so?", "Because the tide lifts the boats at noon.") for number in range(6)]

    def reply(question: str) -> str:
        return "The boats go up and down with the water." if "3" in question or "4" in question else "No idea."

    run = await proctor.aevaluate(cases, agent=reply, reviewer="exact", store=place, config=Config())
    for each in draw(run.run.id, store=str(place), count=6):
        put_label(each.attempt.key, passed="boats" in each.reply(), who="ann", store=str(place))

    def answer(body: object) -> Said:
        calls.append(body)
        return Said(text=MARKS)

    async with judges_over_sockets(answer) as [model]:
        asked = {"store": place, "config": Config(), "reviewers": [model]}
        found = await acompare_judges(run.run.id, **asked)  # type: ignore[arg-type]
        alone = len(calls)
        named = {**asked, "reviewers": [model, f"embedded,{model}"]}
        really = await acompare_judges(run.run.id, **named)  # type: ignore[arg-type]
    assert alone == 6
    [*_, derived] = found.judges
    [*_, real] = really.judges
    assert derived.name == real.name == f"embedded,{model}"
    assert (derived.judged, derived.quality.agreement.value) == (real.judged, real.quality.agreement.value)
    assert [each.name for each in read_judges(run.run.id, store=str(place)).judges].count(derived.name) == 1


async def test_the_progress_of_judging_again_counts_what_the_judge_uses_and_not_the_replies(tmp_path: Path) -> None:
    place = tmp_path / "store.db"

    def agent(question: str) -> Reply:
        return Reply(text="yes", usage=Usage(input_tokens=100, output_tokens=10, calls=1, cost=0.5))

    done = await proctor.aevaluate(CASES, agent=agent, reviewer="exact", store=place, config=Config())
    assert done.findings.usage.cost == 4.0
    seen = {}

    def watch(tally: RunTally) -> None:
        seen[tally.done] = tally.usage

    await arepeat_judging(done.run.id, repeats=2, store=place, config=Config(), watch=watch)
    assert seen[16].input_tokens == seen[16].output_tokens == 0
    assert not seen[16].cost
