"""Endpoints that take a job and answer later: ask after it until it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from yarl import URL

from proctor.agents.http.options import Poll
from proctor.agents.http.template import Template, quote_for_url
from proctor.errors import AgentFault, Misconfigured
from proctor.net import addresses
from proctor.net.addresses import shown
from proctor.transcript import Request


async def wait_for(poll: Poll, body: Any, *, ask: Callable[[], Awaitable[Any]]) -> Any:
    """The reply of the finished job. The time limit of the call is the only end."""
    while not poll.done.find(body):
        if poll.failed is not None and poll.failed.find(body):
            raise AgentFault(f"the job failed: {poll.failed.option} = {poll.failed.source!r} holds")
        await asyncio.sleep(poll.every)
        body = await ask()
    return body


def job_address(poll: Poll, body: Any, request: Request, *, session: Any, origin: URL, credentials: bool) -> str:
    """Where to ask after the job that the first reply tells of; only where the question itself may go."""
    if isinstance(poll.url, Template):
        values = poll.url.values(request, session)
        values["id"] = poll.id.must_find(body) if poll.id is not None else None
        written = poll.url.text(values, quoting=quote_for_url)
    else:
        written = str(poll.url.must_find(body))
    try:
        target = addresses.parse(str(origin.join(URL(written))))
    except ValueError as error:
        raise AgentFault(f"the job has no address that can be asked: {error}", kind="wrong_type") from None
    if not addresses.may_follow(origin, target, credentials=credentials):
        raise Misconfigured(
            f"the job of {shown(origin)} is to be asked after at {shown(target)}: "
            "what was meant for one is not sent to the other"
        )
    return str(target)
