"""Proctor: every attempt stored durably in a new SQLite file, findings gathered at the end."""

from __future__ import annotations

import asyncio
import tempfile

from bench.peers.measure import CONCURRENCY, Agent, Cases, main

import proctor


def play(cases: Cases, agent: Agent, trials: int) -> int:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = f"{folder}/store.db"
        work = proctor.aevaluate(
            cases, agent=agent, reviewer="exact", concurrency=CONCURRENCY, trials=trials, store=store
        )
        return sum(case.passed for case in asyncio.run(work).findings.cases)


if __name__ == "__main__":
    main(play)
