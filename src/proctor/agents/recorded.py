"""Replay of recorded conversations from a file: transcripts, message lists, spans or traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.agents.options import must_be_none
from proctor.codec.replies import to_reply
from proctor.errors import AgentFault, EnvironmentFault, InputError, Misconfigured
from proctor.roles import Agent
from proctor.telemetry.recordings import RecordedTurn, Recordings
from proctor.transcript import Reply, Request

_ENOUGH = 10
"""Number of failed lookups without any match after which the file is assumed to belong to another benchmark."""
_SHOWN = 60


def load(spec: str, options: Mapping[str, Any]) -> Agent:
    """Return an agent that replays a file: by case id, else by exact question; the n-th recording is trial n."""
    must_be_none(options, whose="a recorded: agent", instead="it reads what the file says")
    if not spec:
        raise InputError("recorded: names no file; expected something like recorded:transcripts.jsonl")
    return Recorded(Recordings(spec), name=f"recorded:{spec}")


class Recorded:
    """Replays recorded replies. A missing recording is an environment fault, not a wrong answer."""

    takes_request = True

    def __init__(self, recordings: Recordings, *, name: str) -> None:
        self.name = name
        self._recordings = recordings
        self._matched = False
        self._missed: set[tuple[str | None, str, int]] = set()

    async def reply(self, request: Request) -> Reply:
        """Return the recorded reply with its recorded duration."""
        asked = [(turn.case, turn.question) for turn in request.history] + [(request.case, request.question)]
        try:
            found = self._recordings.find(asked, request.trial)
        except InputError as error:  # the file changed during the run
            raise Misconfigured(str(error)) from error
        if found is None:
            raise self._missing(request)
        self._matched = True
        if found.failure is not None:
            raise AgentFault(f"failed when it was recorded ({found.where}): {found.failure}")
        if found.turn.reply is None:
            raise EnvironmentFault(
                f"the recording at {found.where} has no answer; was it made without the content of messages?",
                lasts=True,
            )
        try:
            return to_reply(_with_recorded_time(found, found.turn.reply))
        except AgentFault as error:  # an invalid recording is not the agent's fault
            raise EnvironmentFault(f"the recording at {found.where} cannot be used: {error}", lasts=True) from error

    def _missing(self, request: Request) -> EnvironmentFault | Misconfigured:
        """Return the fault for a missing recording; Misconfigured if no question so far was found in the file."""
        which = f"case {request.case!r}" if request.case is not None else "an improvised question"
        recorded = self._recordings.count(request.case, request.question)
        if recorded:
            number = f"{recorded} recording{'s' if recorded > 1 else ''}"
            return EnvironmentFault(
                f"no recording for trial {request.trial} of {which}: there is {number} of it", lasts=True
            )
        self._missed.add((request.case, request.question, request.trial))
        if not self._matched and len(self._missed) >= _ENOUGH:
            return Misconfigured(
                f"none of {len(self._missed)} questions is in {self._recordings.path}, which holds "
                f"{len(self._recordings)} conversations{self._examples()}; expected recordings of this benchmark"
            )
        return EnvironmentFault(
            f"no recording for {which} in {self._recordings.path}: {_cut(request.question)!r}", lasts=True
        )

    def _examples(self) -> str:
        cases = self._recordings.cases[:3]
        return f", such as case {cases[0]!r}" if cases else ""

    async def forget(self, conversation: str) -> None:
        """Do nothing: no conversation is kept."""

    async def close(self) -> None:
        """Do nothing: nothing is open."""


def _with_recorded_time(found: RecordedTurn, reply: Reply) -> Reply:
    """Add the recorded duration to the reply, if it has none."""
    took = found.turn.ended - found.turn.started
    return replace(reply, seconds=took) if reply.seconds is None and took > 0 else reply


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
