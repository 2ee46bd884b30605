"""pydantic-evals: its own exact-match evaluator, no progress bar. It stores nothing."""

from __future__ import annotations

import asyncio

from bench.peers.measure import CONCURRENCY, Agent, Cases, main
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected


def play(cases: Cases, agent: Agent, trials: int) -> int:
    dataset = Dataset(
        name="bench",
        cases=[Case(name=question, inputs=question, expected_output=answer) for question, answer in cases],
        evaluators=[EqualsExpected()],
    )
    work = dataset.evaluate(agent, max_concurrency=CONCURRENCY, progress=False, repeat=trials)
    report = asyncio.run(work)
    return sum(case.assertions["EqualsExpected"].value for case in report.cases)


if __name__ == "__main__":
    main(play)
