"""The librarian: answers from the knowledge base, by rules alone."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from proctor.demo.conversation import is_remark, recall, without_remark
from proctor.demo.desk import Desk
from proctor.demo.library import DocumentLibrary, shelf
from proctor.demo.passage import Finding
from proctor.demo.recall import Return
from proctor.demo.research import Research
from proctor.errors import InputError
from proctor.fault_injection import InjectedFault
from proctor.transcript import Reply, Request


class Librarian:
    """Searches, reads, and answers with a sentence that it cites.

    It has no model and no memory: everything it knows of a conversation is in the request. Its weaknesses are those of
    its method. It answers with one sentence of one document, so it neither adds up nor compares; it overlooks a "not";
    it cannot tell a superseded policy from the one in force. Where two sections seem equally good, the trial decides.
    """

    name = "demo:librarian"
    takes_request = True

    def __init__(self, *, library: DocumentLibrary | None = None, delay: float = 0.0) -> None:
        self._library = library
        self._delay = delay

    async def reply(self, request: Request) -> Reply:
        """Answer from the knowledge base."""
        began = time.perf_counter()
        if self._delay:
            await asyncio.sleep(self._delay)
        desk = Desk()
        try:
            finding = await find(self._library or shelf(), request, desk)
        except (InputError, InjectedFault) as error:
            finding = Finding(text=f"I could not look that up: {error}.")
        return Reply(
            text=finding.text,
            tool_calls=tuple(desk.calls),
            citations=finding.citations,
            seconds=time.perf_counter() - began,
        )

    async def forget(self, conversation: str) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Nothing is open."""


async def find(library: DocumentLibrary, request: Request, desk: Desk) -> Finding:
    """The answer: what was said before where the question goes back to it, else what is found."""
    going_back = recall(request.question, request.history)
    if going_back is not None:
        return await Return(library, request, desk, going_back).answer()
    if is_remark(request.question):
        return Finding(text="I have not answered anything yet.")
    return await Research(library, replace(request, question=without_remark(request.question)), desk).answer()
