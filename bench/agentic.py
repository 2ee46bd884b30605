"""The Agentic metric beside the reference implementation, in one run, with the same scripted judge.

    python bench/agentic.py [--largest 10000]

The reference (gaussia 1.2) is installed into its own environment, bench/.envs/gaussia, and measured in its own
process.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import selectors
import subprocess
import time
import venv
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

VERSION = "1.2.0"
HOME = Path(__file__).parent / ".envs" / "gaussia"
INTERACTIONS = 5
MARKS = {"correctness_score": 0.9, "reasoning": "It says the same as the expected answer."}


class ScriptedJudge(BaseChatModel):
    """Gives every answer 0.9, by a tool call where tools are bound and as JSON otherwise."""

    delay: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(self, messages: list[BaseMessage], *others: Any, **options: Any) -> ChatResult:
        time.sleep(self.delay)
        return _said(options)

    async def _agenerate(self, messages: list[BaseMessage], *others: Any, **options: Any) -> ChatResult:
        if self.delay:
            await asyncio.sleep(self.delay)
        return _said(options)


def _said(options: dict[str, Any]) -> ChatResult:
    if options.get("tools"):
        name = options["tools"][0]["function"]["name"]
        message = AIMessage(content="", tool_calls=[{"name": name, "args": MARKS, "id": "1"}])
    else:
        message = AIMessage(f"```json\n{json.dumps(MARKS)}\n```")
    return ChatResult(generations=[ChatGeneration(message=message)])


def conversations(batch: Any, dataset: Any, count: int) -> list[Any]:
    """So many conversations of five interactions, each with one tool call."""
    return [
        dataset(
            session_id=f"conversation-{i}",
            assistant_id="agent",
            context="arithmetic",
            conversation=[_interaction(batch, i, j) for j in range(INTERACTIONS)],
        )
        for i in range(count)
    ]


def _interaction(batch: Any, i: int, j: int) -> Any:
    call = {"tool_name": "calculator", "parameters": {"a": i, "b": j}, "step": 1}
    return batch(
        qa_id=f"q{j}",
        query=f"What is {i} + {j}?",
        assistant=f"The result is {i + j}.",
        ground_truth_assistant=str(i + j),
        agentic={"tools_used": [{**call, "result": i + j}], "final_answer_uses_tools": True},
        ground_truth_agentic={"expected_tools": [call], "tool_sequence_matters": False},
    )


def measured(library: str, count: int, mode: str, structured: bool) -> float:
    """CPU seconds that the library takes for so many conversations; its import and the first call are not counted."""
    if library == "gaussia":
        metric, schemas, home = "gaussia.metrics.agentic", "gaussia.schemas.common", "gaussia.core.retriever"
        modes = importlib.import_module("gaussia.statistical")
    else:
        metric, schemas, home = "proctor.metrics.agentic", "proctor.metrics.schemas", "proctor.metrics.agentic"
        modes = importlib.import_module("proctor.metrics.statistical")
    agentic = importlib.import_module(metric).Agentic
    given = importlib.import_module(schemas)
    retriever: Any = importlib.import_module(home).Retriever

    def run(number: int) -> float:
        data = conversations(given.Batch, given.Dataset, number)
        source = type("Source", (retriever,), {"load_dataset": lambda self: data})
        start = time.process_time()
        judge = ScriptedJudge()
        found = agentic.run(
            source, model=judge, k=3, statistical_mode=getattr(modes, mode)(), use_structured_output=structured
        )
        spent = time.process_time() - start
        assert len(found) == number
        assert all(metric.correct_interactions == INTERACTIONS for metric in found)
        return spent

    run(2)
    return run(count)


def reference(count: int, mode: str, structured: bool) -> float:
    """The same for gaussia, in its own process."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", f"gaussia=={VERSION}"], check=True)
    asked = [str(python), __file__, "--measure", "gaussia", str(count), mode, str(int(structured))]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def side_by_side() -> None:
    print("CPU for 300 conversations of 5 interactions, scripted judge without delay")
    print(f"{'':34} {'gaussia':>9} {'proctor':>9} {'times less':>11}")
    for mode in ("FrequentistMode", "BayesianMode"):
        for structured in (True, False):
            theirs = reference(300, mode, structured)
            ours = min(measured("proctor", 300, mode, structured) for _ in range(3))
            way = "structured output" if structured else "JSON from text"
            print(f"{mode + ', ' + way:34} {theirs:7.2f} s {ours:7.2f} s {theirs / ours:11.1f}")


def growth(largest: int) -> None:
    print("\nCPU for each conversation as they grow in number (proctor, structured output)")
    for count in (100, 1_000, largest):
        spent = measured("proctor", count, "BayesianMode", True)
        print(f"{count:7} conversations {spent / count * 1000:8.2f} ms each")
    theirs = [reference(count, "BayesianMode", True) / count * 1000 for count in (100, 300)]
    print(f"gaussia at 100 and 300: {theirs[0]:.2f} and {theirs[1]:.2f} ms each")


class _Skipping(selectors.DefaultSelector):
    """Counts the time that it should wait for, and does not wait."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout > 0:
            self.skipped += timeout
            timeout = 0
        return super().select(timeout)


class IdleMachine(asyncio.SelectorEventLoop):
    """A loop whose clock is CPU time plus waiting: what a machine with nothing else to do would show."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return time.process_time() + self._skipping.skipped


def timed(work: Callable[[], Coroutine[Any, Any, object]], *, idle: bool) -> float:
    """Seconds that it takes, by the clock on the wall or by that of an idle machine."""

    async def measure() -> float:
        clock = asyncio.get_running_loop().time
        start = clock()
        await work()
        return clock() - start

    with asyncio.Runner(loop_factory=IdleMachine if idle else asyncio.SelectorEventLoop) as runner:
        return runner.run(measure())


async def bare() -> None:
    """The same model under nothing but asyncio."""
    judge, slots = ScriptedJudge(delay=0.1), asyncio.Semaphore(100)

    async def one(number: int) -> None:
        async with slots:
            await judge.ainvoke([HumanMessage(f"What is {number}?")])

    await asyncio.gather(*(one(number) for number in range(1_000)))


async def whole() -> None:
    from proctor.metrics.agentic import Agentic, Batch, Dataset, Retriever

    class Source(Retriever):
        def load_dataset(self) -> list[Dataset]:
            return conversations(Batch, Dataset, 200)

    await Agentic.arun(Source, model=ScriptedJudge(delay=0.1), k=3, concurrency=100)


def concurrency() -> None:
    print("\n1,000 judge calls of 100 ms, 100 at once: seconds (ideal 1.0), medians of nine turns, one after the other")
    print(f"{'':34} {'bare gather':>12} {'proctor':>9} {'ratio (target 1.15)':>21}")
    timed(whole, idle=True)
    for idle in (False, True):
        pairs = [(timed(bare, idle=idle), timed(whole, idle=idle)) for _ in range(9)]
        theirs, ours = (median(side) for side in zip(*pairs, strict=True))
        clock = "CPU time and waiting only" if idle else "wall clock"
        print(f"{clock:34} {theirs:12.3f} {ours:9.3f} {ours / theirs:21.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=10_000, help="conversations in the largest run")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        library, count, mode, structured = given.measure
        print(measured(library, int(count), mode, structured == "1"))
        return
    side_by_side()
    concurrency()
    growth(given.largest)


if __name__ == "__main__":
    main()
