"""Inspect AI: the agent as a solver, its exact scorer, a log file; no display, live log and servers off."""

from __future__ import annotations

from typing import Any

from bench.peers.measure import CONCURRENCY, Agent, Cases, main
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import exact
from inspect_ai.solver import solver


def solving(agent: Agent) -> Any:
    """The agent as their solver; no model is called."""

    def asked() -> Any:
        async def solve(state: Any, _generate: Any) -> Any:
            state.output.completion = await agent(state.input_text)
            return state

        return solve

    return solver(asked)()


def play(cases: Cases, agent: Agent, trials: int) -> int:
    samples = [Sample(input=question, target=answer) for question, answer in cases]
    task = Task(dataset=MemoryDataset(samples), solver=solving(agent), scorer=exact(), epochs=trials)
    (log,) = evaluate(
        task,
        model="mockllm/model",
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
    return sum(sample.scores["exact"].value == "C" for sample in log.samples)


if __name__ == "__main__":
    main(play)
