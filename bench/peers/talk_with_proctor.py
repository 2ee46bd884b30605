"""Proctor: the prober asks, the embedded reviewer judges and looks for contradictions, every turn is stored durably."""

from __future__ import annotations

import asyncio
import tempfile

from bench.peers.talk import CONCURRENCY, Topic, main, topic_of

import proctor
from proctor.config import Config, PartConfig

MOST_PROBES = 49


async def battle(topics: list[Topic], turns: int, words: str, store: str) -> proctor.Evaluation:
    """All the conversations, as `proctor run --type abm-dynamic` holds them."""

    async def agent(request: proctor.Request) -> str:
        opening = request.history[0].question if request.history else request.question
        return topic_of(opening).reply(request.turn - 1, words)

    return await proctor.aevaluate(
        [(topic.question, topic.answer) for topic in topics],
        agent=agent,
        type="abm-dynamic",
        examiner="endless",
        max_turns=turns,
        concurrency=CONCURRENCY,
        store=store,
        config=Config(examiners={"endless": PartConfig.model_validate({"spec": "prober", "probes": MOST_PROBES})}),
    )


def hold(topics: list[Topic], turns: int, words: str) -> int:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        found = asyncio.run(battle(topics, turns, words, f"{folder}/store.db")).findings.battle
    if found is None or found.held_rate.value != 1.0 or found.contradictions:
        raise RuntimeError(f"a steady agent did not hold: {found}")
    return found.turns


if __name__ == "__main__":
    main(hold)
