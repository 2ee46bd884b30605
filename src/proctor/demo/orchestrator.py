"""`demo:orchestrator`: a planner whose team looks at a question from three sides in parallel and checks the answer."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, ParamSpec, TypeVar

from proctor import fault_injection as conditions
from proctor.demo.conversation import Recall, is_remark, recall, without_remark
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary, shelf
from proctor.demo.passage import Finding
from proctor.demo.question import understand
from proctor.demo.recall import Return
from proctor.demo.research import UNKNOWN, Research
from proctor.errors import InputError
from proctor.fault_injection import InjectedFault, ToolFailed
from proctor.transcript import Reply, Request, Step, ToolCall
from proctor.usage import Usage

Kind = Literal["plan", "delegate", "tool", "re-plan", "error"]


@dataclass(slots=True)
class OpenStep:
    """A step in progress; call, usage and detail are set before its end."""

    id: str
    call: str | None = None
    usage: Usage | None = None
    detail: str = ""


class Logbook:
    """Records steps in order of their start."""

    def __init__(self) -> None:
        self._steps: dict[str, Step | None] = {}

    @property
    def steps(self) -> tuple[Step, ...]:
        """All finished steps."""
        return tuple(step for step in self._steps.values() if step is not None)

    @contextmanager
    def step(self, kind: Kind, name: str, *, parent: str | None = None, agent: str | None = None) -> Iterator[OpenStep]:
        """Record a step that lasts as long as the `with` block; an exception ends it with status "error"."""
        entry = OpenStep(id=f"step-{len(self._steps) + 1}")
        self._steps[entry.id] = None
        started, clock = time.time(), time.perf_counter()
        status = "error" if kind == "error" else "ok"
        try:
            yield entry
        except BaseException as error:
            status, entry.detail = "error", str(error) or type(error).__name__
            raise
        finally:
            self._steps[entry.id] = Step(
                id=entry.id,
                kind=kind,
                name=name,
                parent=parent,
                agent=agent,
                call=entry.call,
                start=started,
                end=started + time.perf_counter() - clock,
                status=status,
                usage=entry.usage,
                detail=entry.detail,
            )


P = ParamSpec("P")
_REPLACES = re.compile(r"\breplaces (?P<source>[\w-]+/[\w-]+\.md)")


class Bench(Desk):
    """A desk whose tool calls become steps of a delegation and are charged by the words read.

    No model is involved, so words stand for tokens.
    """

    def __init__(self, *, agent: str, step: str, log: Logbook, calls: list[ToolCall], delay: float) -> None:
        super().__init__(calls=calls, delay=delay)
        self._agent, self._step, self._log = agent, step, log
        self.read = 0

    async def use(self, tool: Callable[P, T], *none: P.args, **arguments: P.kwargs) -> T:
        """Call a tool as a step, and charge the words of its result."""
        with self._log.step("tool", tool.__name__, parent=self._step, agent=self._agent) as step:
            step.call = f"call-{len(self.calls) + 1}"
            result = await super().use(tool, *none, **arguments)
        words = len(str(result).split())
        self.read += words
        conditions.spend(words)
        return result

    def usage(self, text: str) -> Usage:
        """Return the words read and returned, as tokens."""
        return Usage(input_tokens=self.read, output_tokens=len(text.split()))


@conditions.sub_agent
async def researcher(work: Callable[[], Awaitable[T]]) -> T:
    """Sub-agent that searches by meaning."""
    return await work()


@conditions.sub_agent
async def reader(work: Callable[[], Awaitable[T]]) -> T:
    """Sub-agent that looks up what a question names: a folder, document, phrase or earlier answer."""
    return await work()


@conditions.sub_agent
async def checker(work: Callable[[], Awaitable[T]]) -> T:
    """Sub-agent that knows which documents are outdated, and verifies quotes."""
    return await work()


async def find_outdated(library: DocumentLibrary, desk: Desk) -> dict[str, str]:
    """Return outdated document → the one that replaces it, according to the documents themselves."""
    hits = await desk.use(library.search_keyword, phrase="replaces")
    return {found["source"]: hit["source"] for hit in hits for found in _REPLACES.finditer(hit["text"])}


async def verify_finding(research: Research, finding: Finding, replaced: dict[str, str]) -> Finding:
    """Verify that the quote exists in its source; if the source is superseded, answer from the current one."""
    current = replaced.get(finding.citations[0].source)
    if current is not None:
        notice = f"{finding.text} It has been replaced by {current}."
        return await research.best_in(current) or replace(finding, text=notice)
    if finding.passage is None or await research.find_again(finding.citations) is not None:
        return finding
    return replace(finding, text=f"{finding.text} I could not find these words again.")


T = TypeVar("T")
PLANNER = "planner"
TRIES = 3
"""Number of attempts at a task whose tool fails."""
_SIDES = "researcher: search by meaning; reader: look up names and words; checker: what is out of date, then verify"


class Orchestrator:
    """Plans, delegates to a researcher, a reader and a checker in parallel, and replans on failures.

    Unlike the librarian it recognises outdated documents, thanks to the checker.
    """

    name = "demo:orchestrator"
    takes_request = True

    def __init__(self, *, library: DocumentLibrary | None = None, delay: float = 0.0) -> None:
        self._library = library
        self._delay = delay

    async def reply(self, request: Request) -> Reply:
        """Answer from the knowledge base and record every step."""
        return await Orchestration(self._library or shelf(), request, self._delay).carry_out()

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""


class Orchestration:
    """The work on one request; nothing is kept afterwards."""

    def __init__(self, library: DocumentLibrary, request: Request, delay: float) -> None:
        self._library = library
        self._request = request
        self._research = partial(Research, library, replace(request, question=without_remark(request.question)))
        self._pointed = understand(request.question).shape != "open"
        self._delay = delay
        self._log = Logbook()
        self._calls: list[ToolCall] = []
        self._usage = Usage()
        self._trouble = ""

    async def carry_out(self) -> Reply:
        """Produce the reply."""
        clock = time.perf_counter()
        going_back = recall(self._request.question, self._request.history)
        finding = await (self._investigate() if going_back is None else self._go_back(going_back))
        return Reply(
            text=finding.text,
            tool_calls=tuple(self._calls),
            citations=finding.citations,
            steps=self._log.steps,
            usage=self._usage,
            seconds=time.perf_counter() - clock,
        )

    async def _go_back(self, going_back: Recall) -> Finding:
        """Have the reader answer a question that goes back to an earlier one."""
        plan = self._plan("go back to an earlier answer", f"reader: the answer of turn {going_back.origin.number}")

        async def return_to_it(desk: Desk) -> Finding:
            return await reader(Return(self._library, self._request, desk, going_back).answer)

        found = await self._delegate("reader", "look at the earlier answer again", return_to_it, plan)
        return _as_finding(found) or self._nothing()

    async def _investigate(self) -> Finding:
        """Ask all three sub-agents in parallel, then have the best finding checked."""
        if is_remark(self._request.question):
            return Finding(text="I have not answered anything yet.")
        plan = self._plan("look from three sides, then check", _SIDES)
        async with asyncio.TaskGroup() as team:
            searched = team.create_task(self._delegate("researcher", "search by meaning", self._search, plan))
            looked_up = team.create_task(self._delegate("reader", "look up names and words", self._look_up, plan))
            surveyed = team.create_task(self._delegate("checker", "see what is out of date", self._survey, plan))
        in_order = (looked_up, searched) if self._pointed else (searched, looked_up)
        found = [finding for task in in_order if (finding := _as_finding(task.result())) is not None]
        best = next((finding for finding in found if finding.text != UNKNOWN), found[0] if found else self._nothing())
        return await self._check(best, surveyed.result(), plan)

    async def _check(self, finding: Finding, replaced: object, plan: str) -> Finding:
        """Return the finding as verified by the checker; unchanged if there is no checker or no citation."""
        if not isinstance(replaced, dict) or not finding.citations:
            return finding

        async def verify(desk: Desk) -> Finding:
            return await checker(partial(verify_finding, self._research(desk), finding, replaced))

        return _as_finding(await self._delegate("checker", "verify the finding", verify, plan)) or finding

    async def _search(self, desk: Desk) -> Finding | None:
        return await researcher(self._research(desk).search)

    async def _look_up(self, desk: Desk) -> Finding | None:
        research = self._research(desk)
        return await reader(research.look_up if self._pointed else research.by_keywords)

    async def _survey(self, desk: Desk) -> dict[str, str]:
        return await checker(partial(find_outdated, self._library, desk))

    def _plan(self, name: str, detail: str) -> str:
        with self._log.step("plan", name, agent=PLANNER) as step:
            step.detail = detail
        return step.id

    async def _delegate(self, agent: str, name: str, work: Callable[[Bench], Awaitable[T]], plan: str) -> T | None:
        """Run a task, retrying when a tool fails; return None if it cannot be done, and continue without it."""
        parent = plan
        for tries in range(1, TRIES + 1):
            try:
                return await self._attempt(agent, name, work, parent)
            except (InjectedFault, InputError) as error:
                again = isinstance(error, ToolFailed) and tries < TRIES
                parent = self._replan(f"{agent} tries again" if again else f"go on without: {name}", error, plan)
                if not again:
                    break
        return None

    async def _attempt(self, agent: str, name: str, work: Callable[[Bench], Awaitable[T]], parent: str) -> T:
        with self._log.step("delegate", name, parent=parent, agent=agent) as step:
            bench = Bench(agent=agent, step=step.id, log=self._log, calls=self._calls, delay=self._delay)
            text = ""
            try:
                result = await work(bench)
                text = result.text if isinstance(result, Finding) else str(result)
                return result
            except (InjectedFault, InputError) as error:
                self._note(error, step.id, agent)
                raise
            finally:
                step.usage = bench.usage(text)
                self._usage += step.usage

    def _note(self, error: Exception, parent: str, agent: str) -> None:
        self._trouble = str(error)
        with self._log.step("error", type(error).__name__, parent=parent, agent=agent) as step:
            step.detail = self._trouble

    def _replan(self, name: str, error: Exception, plan: str) -> str:
        with self._log.step("re-plan", name, parent=plan, agent=PLANNER) as step:
            step.detail = f"because {error}"
        return step.id

    def _nothing(self) -> Finding:
        return Finding(text=f"I could not look that up: {self._trouble}." if self._trouble else UNKNOWN)


def _as_finding(result: object) -> Finding | None:
    """Convert a sub-agent's result, which may be an injected one of another type, to a Finding."""
    return result if isinstance(result, Finding) or result is None else Finding(text=str(result))
