"""A chat model as an agent: call it, run the tools it requests, call it again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from proctor import fault_injection as conditions
from proctor.agents.openai.chat import Chat
from proctor.agents.openai.options import OpenAIOptions
from proctor.agents.openai.responses import Responses
from proctor.agents.openai.service import Dialect, Service, ServiceAnswer
from proctor.agents.openai.tools import run
from proctor.errors import AgentFault, CallError
from proctor.failures import with_spending
from proctor.models.openai.completion import Completion
from proctor.transcript import Reply, Request, ToolCall
from proctor.usage import Usage


class OpenAIAgent:
    """A model called over OpenAI's API. It is stateless: every request carries the whole conversation."""

    takes_request = True
    settles = True
    """Each of its model calls is charged to the run's budget individually."""

    def __init__(self, options: OpenAIOptions) -> None:
        self.name = options.name
        self._tools = options.functions
        self._rounds = options.max_tool_rounds
        self._dialect: Dialect = Responses(options) if options.api == "responses" else Chat(options)
        self._service = Service(options, self._dialect)

    async def reply(self, request: Request) -> Reply:
        """Call the model and run the tools it requests, until it answers."""
        progress = _ReplyProgress()
        try:
            return await self._converse(request, progress)
        except conditions.BudgetExhausted as error:
            raise with_spending(AgentFault(str(error)), progress.usage) from error
        except CallError as error:
            with_spending(error, progress.usage)
            raise

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Close the connections."""
        await self._service.close()

    async def _converse(self, request: Request, progress: _ReplyProgress) -> Reply:
        items = self._dialect.opening(request)
        for number in range(1, self._rounds + 2):
            completion = progress.take(await self._service.ask(items, request))
            if not completion.wanted:
                return progress.reply(completion)
            if number > self._rounds:
                break
            made = await asyncio.gather(*(run(wanted, self._tools, step=number) for wanted in completion.wanted))
            progress.calls += made
            items += [*completion.echo, *self._dialect.results(made)]
        raise AgentFault(f"still called tools after {self._rounds} rounds of them; max_tool_rounds allows no more")


@dataclass(slots=True)
class _ReplyProgress:
    """Progress of one reply."""

    started: float = field(default_factory=time.perf_counter)
    usage: Usage = Usage()
    calls: list[ToolCall] = field(default_factory=list)
    aside: float = 0.0
    """Seconds that do not count as agent time."""

    def take(self, answered: ServiceAnswer) -> Completion:
        """Add the usage, time and tool calls of one model answer."""
        self.usage += answered.usage
        self.aside += answered.aside
        self.calls += answered.completion.made
        if (tokens := answered.completion.tokens) is not None:
            conditions.spend(tokens.sent + tokens.received)
        return answered.completion

    def reply(self, last: Completion) -> Reply:
        """Return the last answer with the total usage, time and tool calls."""
        seconds = time.perf_counter() - self.started - self.aside
        first = None if last.first_token is None else seconds - last.seconds + last.first_token
        return Reply(
            text=last.text,
            tool_calls=tuple(self.calls),
            citations=last.citations,
            usage=self.usage,
            seconds=seconds,
            first_token=first,
            cut_off=last.cut_off,
        )
