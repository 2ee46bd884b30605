"""Google Agent Development Kit (ADK) agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.agents.framework import answer_of, plain
from proctor.agents.fresh import PerConversationAgent, find_maker, import_framework, with_history
from proctor.agents.notes import Notes, Work
from proctor.agents.options import must_be_none
from proctor.errors import AgentFault, CallError
from proctor.failures import classify
from proctor.roles import Agent
from proctor.transcript import Reply, Request
from proctor.usage import Usage

_APP, _USER = "proctor", "examiner"
_TRANSFER = "transfer_to_agent"


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent at `package.module:attribute`, or the one that the function there returns."""
    must_be_none(options, whose="a google-adk: agent", instead="configure it in its own code")
    agents = import_framework("google.adk.agents", scheme="google-adk", install="google-adk")
    make, _ = find_maker(rest, agents.BaseAgent, expected="an agent of google.adk.agents")
    return PerConversationAgent(lambda: _AdkSession(make()), name=f"google-adk:{rest}")


def adapt(target: Any, *, name: str) -> Agent:
    """Wrap an ADK agent. It is stateless: each conversation has its own session."""
    return PerConversationAgent(lambda: _AdkSession(target), name=name)


class _AdkSession:
    """One conversation, kept in an in-memory ADK session."""

    def __init__(self, target: Any) -> None:
        runners = import_framework("google.adk.runners", scheme="google-adk", install="google-adk")
        self._root, self._unseen = target.name, frozenset(_unseen(target))
        self._causes: dict[int, CallError] = {}
        self._runner = runners.InMemoryRunner(agent=target, app_name=_APP, plugins=[_plugin(self._model_failed)])
        self._session: str | None = None

    async def reply(self, request: Request, notes: Notes) -> Reply:
        """Send the question to the session; a new session also gets the earlier conversation."""
        prompt = request.question
        if self._session is None:
            made = await self._runner.session_service.create_session(app_name=_APP, user_id=_USER)
            self._session, prompt = made.id, with_history(request)
        types = import_framework("google.genai.types", scheme="google-adk", install="google-adk")
        message = types.Content(role="user", parts=[types.Part(text=prompt)])
        hearing = _AdkListener(notes, self._root, self._unseen)
        try:
            async for event in self._runner.run_async(user_id=_USER, session_id=self._session, new_message=message):
                hearing.handle_event(event)
        except Exception as error:
            if id(error) not in self._causes:
                raise
            raise self._causes[id(error)] from error
        if hearing.problem or not hearing.answer:
            raise AgentFault(hearing.problem or "the agent ended without an answer")
        reply = notes.reply(answer_of(hearing.answer))
        return replace(reply, usage=None) if hearing.missed else reply

    def _model_failed(self, error: Exception) -> None:
        """Classify a model failure now, because ADK drops the exception's cause on the way up."""
        fault = classify(error)
        fault.__cause__ = error  # keep a reference, so that the id is not reused
        self._causes[id(error)] = fault


def _plugin(heed: Callable[[Exception], None]) -> Any:
    """Return an ADK plug-in that reports failed model calls and does not handle them."""
    kit = import_framework("google.adk.plugins.base_plugin", scheme="google-adk", install="google-adk")
    base: Any = kit.BasePlugin

    class ModelErrors(base):  # type: ignore[misc]
        async def on_model_error_callback(self, *, error: Exception, **_: Any) -> None:
            heed(error)

    return ModelErrors(name="proctor")


def _unseen(agent: Any) -> Iterator[str]:
    """Yield the names of agent tools and remote agents, whose own tool calls appear in no event."""
    if type(agent).__name__ == "RemoteA2aAgent":
        yield agent.name
    yield from (tool.name for tool in getattr(agent, "tools", ()) if getattr(tool, "agent", None) is not None)
    for helper in agent.sub_agents:
        yield from _unseen(helper)


class _AdkListener:
    """Notes what the events of a turn report."""

    def __init__(self, notes: Notes, root: str, unseen: frozenset[str] = frozenset()) -> None:
        self.answer = ""
        self.missed = False
        """Whether an agent took part whose tool calls and tokens appear in no event."""
        self.problem = ""
        """Error returned by the model; an exception behind it follows later and says who is at fault."""
        self._unseen = unseen
        self._notes = notes
        self._root = root
        self._helpers: dict[str, Work] = {}

    def handle_event(self, event: Any) -> None:
        """Process one event."""
        if event.error_code and not event.content:
            self.problem = f"the model answered {event.error_code}: {event.error_message}"
            return
        by = self._helper(event.author)
        if event.usage_metadata is not None and not event.partial:
            self._notes.spend(_usage(event.usage_metadata), by=by)
        calls = [call for call in event.get_function_calls() if call.name != _TRANSFER]
        self._notes.asked(call.id for call in calls)
        if not self._unseen.isdisjoint({event.author, *(call.name for call in calls)}):
            self.missed = True
            self._notes.hide()
        for call in calls:
            self._notes.begin("tool", call.name, parent=by, call=call.id, arguments=dict(call.args or {}))
        for answer in event.get_function_responses():
            self._finish(answer)
        text = _text(event)
        if text and event.partial:  # without streaming, the whole text comes at the end
            self._notes.token()
        if event.is_final_response() and text and not event.partial:
            self.answer = text

    def _helper(self, author: str) -> Work | None:
        """Return the sub-agent that an event belongs to, or None for the main agent."""
        if author in (self._root, "user"):
            return None
        if author not in self._helpers:
            self._helpers[author] = self._notes.begin("delegate", author)
        self._notes.end(self._helpers[author])
        return self._helpers[author]

    def _finish(self, answer: Any) -> None:
        work = self._notes.call(answer.id)
        if work is None:
            return
        given = answer.response or {}
        if "error" in given:
            work.error = str(given["error"])
        else:
            work.result = plain(given["result"] if given.keys() == {"result"} else given)
        self._notes.end(work)


def _text(event: Any) -> str:
    parts = (event.content.parts or []) if event.content is not None else []
    return "".join(part.text for part in parts if part.text and not part.thought)


def _usage(metadata: Any) -> Usage:
    received = (metadata.candidates_token_count or 0) + (metadata.thoughts_token_count or 0)
    return Usage(input_tokens=metadata.prompt_token_count or 0, output_tokens=received, calls=1)
