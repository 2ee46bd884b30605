"""Events of an A2A task → the reply, or the fault that it failed with."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proctor import codec
from proctor.agents.a2a.wire import Kind, RemoteThread, state_of
from proctor.agents.http.options import PARTS
from proctor.agents.http.response import made_of
from proctor.agents.rpc import shorten
from proctor.errors import AgentFault, Misconfigured
from proctor.transcript import Reply

_GOES_ON = frozenset({"submitted", "working"})
_EXACT = 2.0**53
_FAILED = {"failed": "failed", "rejected": "was rejected by the agent", "canceled": "was cancelled by the agent"}


@dataclass(slots=True)
class Content:
    """Text and data in the parts of a message or an artifact."""

    text: str | None = None
    """None if no part is text."""
    data: list[Any] = field(default_factory=list)

    def extend(self, more: Content) -> None:
        """Append more content, without a line break: appended chunks may continue mid-line."""
        if more.text is not None:
            self.text = (self.text or "") + more.text
        self.data += more.data


def content_of(holder: Any) -> Content:
    """Return the text and data of a message or an artifact; files are ignored."""
    parts = holder.get("parts") if isinstance(holder, dict) else None
    found = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    texts = [part["text"] for part in found if isinstance(part.get("text"), str)]
    return Content(
        "\n".join(texts) if texts else None, [_restore_integers(part["data"]) for part in found if "data" in part]
    )


def _restore_integers(value: Any) -> Any:
    """Turn integral floats back into ints: protocol buffers turn each 3 into 3.0."""
    if isinstance(value, dict):
        return {name: _restore_integers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_restore_integers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value


class TaskProgress:
    """Progress of the task behind one question, built up from its events."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._artifacts: dict[str, Content] = {}
        self._said: Content | None = None
        """The agent's last message; the answer if the task ends without artifacts."""
        self._first: float | None = None
        self.thread = RemoteThread()
        self.state: str | None = None
        """None if there is no task or its state is not known yet."""
        self.over = False

    def take(self, kind: Kind, body: Mapping[str, Any]) -> None:
        """Record one event."""
        self._note(body.get("contextId"), body.get("id" if kind == "task" else "taskId"))
        if kind == "message":
            self._take_message(body)
            self.over = True
        elif kind == "artifact":
            self._add(body.get("artifact"), append=body.get("append") is True)
        else:
            if kind == "task":
                self._take_task(body)
            self._take_status(body.get("status"))

    def _note(self, context: Any, task: Any) -> None:
        self.thread = RemoteThread(
            context=context if isinstance(context, str) else self.thread.context,
            task=task if isinstance(task, str) else self.thread.task,
        )

    def _take_task(self, task: Mapping[str, Any]) -> None:
        history = task.get("history")
        self._take_message(_last_word(history) if isinstance(history, list) else None)
        artifacts = task.get("artifacts")
        for artifact in artifacts if isinstance(artifacts, list) else ():
            self._add(artifact, append=False)

    def _take_status(self, status: Any) -> None:
        if not isinstance(status, dict):
            raise AgentFault("the agent sent a task without a status", kind="wrong_type")
        self.state = state_of(status)
        self.over = self.state not in _GOES_ON
        self._take_message(status.get("message"), streamed=self.over)

    def _take_message(self, message: Any, *, streamed: bool = True) -> None:
        if isinstance(message, dict):
            self._said = content_of(message)
            if streamed and self._said.text:
                self._note_first_output()

    def _add(self, artifact: Any, *, append: bool) -> None:
        if not isinstance(artifact, dict):
            raise AgentFault("the agent sent an artifact that is not valid", kind="wrong_type")
        name, content = str(artifact.get("artifactId", "")), content_of(artifact)
        if append and name in self._artifacts:
            self._artifacts[name].extend(content)
        else:
            self._artifacts[name] = content
        if content.text:
            self._note_first_output()

    def _note_first_output(self) -> None:
        if self._first is None:
            self._first = time.perf_counter() - self._started

    def reply(self, *, streamed: bool) -> Reply:
        """Return the reply; raise the fault that the state of the task stands for."""
        words = (self._said.text if self._said is not None else None) or ""
        if self.state in _FAILED:
            raise AgentFault(_with_reason(f"the task {_FAILED[self.state]}", words))
        if self.state == "auth-required":
            raise Misconfigured(
                _with_reason("the agent asks for credentials in the middle of a task", words)
                + "; give it what it needs by headers"
            )
        if self.state == "input-required" and not words:
            raise AgentFault("the task is input-required, but the agent does not say what it needs")
        if self.state not in (None, "completed", "input-required"):
            raise AgentFault(f"the task ended in the state {self.state!r}, which A2A does not know")
        reply = _build_reply(self._contents())
        return replace(reply, first_token=self._first) if streamed else reply

    def _contents(self) -> list[Content]:
        messages = [self._said] if self._said is not None else []
        made = list(self._artifacts.values())
        if self.state == "input-required" or not any(each.text is not None or each.data for each in made):
            return messages + made  # the agent's question is its answer; partial artifacts may follow
        return made

    def next(self) -> RemoteThread:
        """Return the thread for the next turn: in the same task only if that waits for input."""
        task = self.thread.task if self.state == "input-required" else None
        return RemoteThread(context=self.thread.context, task=task)


def _last_word(history: Iterable[Any]) -> Any:
    """Return the last message of the history if the agent sent it, else None."""
    messages = [message for message in history if isinstance(message, dict)]
    last = messages[-1] if messages else {}
    return last if str(last.get("role", "")).lower().endswith("agent") else None


def _build_reply(contents: Iterable[Content]) -> Reply:
    contents = list(contents)
    texts = [each.text for each in contents if each.text is not None]
    data_values = [value for each in contents for value in each.data]
    found: dict[str, Any] = {}
    rest = []
    for value in data_values:
        parts = {part: value[part] for part in PARTS if value.get(part) is not None} if isinstance(value, dict) else {}
        found |= parts
        if not parts:
            rest.append(value)
    if not texts:
        texts = [codec.encode(value) for value in rest]
    return made_of({**found, "text": "\n".join(texts)})


def _with_reason(what: str, words: str) -> str:
    return f"{what}: {shorten(words)}" if words else f"{what}, and gave no reason"
