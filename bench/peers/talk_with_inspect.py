"""Inspect AI: questions put one after another, replies from its mock model, a scorer over all of them, a log file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.peers.talk import CONCURRENCY, Topic, main, topic_of
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver

Converse = Callable[[Any, Any], Any]


def played(topics: list[Topic], turns: int, converse: Converse, model: Any) -> int:
    """Hold the conversations by this solver, and score every reply."""
    samples = [Sample(input=topic.question, target=topic.answer) for topic in topics]
    (log,) = evaluate(
        Task(dataset=MemoryDataset(samples), solver=solver(lambda: converse)(), scorer=_every_reply()),
        model=model,
        max_samples=CONCURRENCY,
        log_dir="logs",
        log_level="error",
        display="none",
        score_display=False,
        log_realtime=False,
        acp_server=False,
        ctl_server=False,
    )
    if log.status != "success":
        raise RuntimeError(f"Inspect AI ended with status={log.status!r}: {log.error}")
    if any(score.value != 1.0 for sample in log.samples for score in sample.scores.values()):
        raise RuntimeError("a right reply was not passed")
    return len(topics) * turns


def _every_reply() -> Any:
    """The share of replies that hold the expected answer."""

    def made() -> Any:
        async def score(state: Any, target: Any) -> Any:
            replies = [message.text for message in state.messages if message.role == "assistant"]
            return Score(value=sum(target.text in reply for reply in replies) / len(replies))

        return score

    return scorer(metrics=[accuracy()])(made)()


def hold(topics: list[Topic], turns: int, words: str) -> int:
    def reply(messages: list[Any], *_: Any) -> Any:
        turn = sum(message.role == "assistant" for message in messages)
        output = ModelOutput.from_content("mockllm", topic_of(messages[0].text).reply(turn, words))
        output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)  # else it loads a tokeniser
        return output

    async def converse(state: Any, generate: Any) -> Any:
        again = f"Are you sure? {state.input_text}"
        for turn in range(turns):
            if turn:
                state.messages.append(ChatMessageUser(content=again))
            state = await generate(state)
        return state

    return played(topics, turns, converse, get_model("mockllm/model", custom_outputs=reply))


if __name__ == "__main__":
    main(hold)
