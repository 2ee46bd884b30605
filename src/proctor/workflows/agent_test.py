"""Test question to an agent, to check that it is connected: `proctor agents test`."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor.codec.replies import to_reply
from proctor.config import Config
from proctor.errors import AgentFault, CallError, EnvironmentFault, Misconfigured, ProctorError
from proctor.failures import classify
from proctor.net.probe import reclassify_drop
from proctor.redaction import remember_secrets, without_credentials, without_secrets
from proctor.redaction.nouns import scrub_noun
from proctor.settings import check_setting
from proctor.transcript import Reply, Request
from proctor.workflows.parts import build_agent, choose

QUESTION = "Hello! What can you help me with?"
_FAREWELL = 5.0
_OWNERS: dict[type[CallError], str] = {AgentFault: "agent", EnvironmentFault: "environment", Misconfigured: "setting"}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTestResult:
    """Result of a test question."""

    agent: str
    spec: str
    takes_request: bool | None
    """Whether it accepts context and history; None if it could not be built."""
    reply: Reply | None
    """The reply, or None if there was none, with the reason in `trouble`."""
    seconds: float
    trouble: str = ""
    owner: str = ""
    """Whose fault the error is: agent, environment, or setting if the agent could not be built."""


def reply_in(fields: Mapping[str, Any]) -> Reply | None:
    """Return the reply in a printed result, or None if there was none."""
    return None if fields["reply"] is None else to_reply(fields["reply"])


async def atry(agent: str, *, question: str = QUESTION, patience: float = 60.0, config: Config) -> AgentTestResult:
    """Ask one question; errors are returned, not raised."""
    check_setting("timeout", patience)
    remember_secrets()
    named, declared = without_credentials(agent), config.agents.get(agent)
    spec = without_credentials(agent if declared is None else declared.spec)
    try:
        built = build_agent(choose(agent, config.agents, default="standard"), config)
    except ProctorError as error:
        trouble = without_secrets(str(error))
        return AgentTestResult(
            agent=named, spec=spec, takes_request=None, reply=None, seconds=0.0, trouble=trouble, owner="setting"
        )
    started = time.perf_counter()
    reply, trouble, owner = None, "", ""
    try:
        async with asyncio.timeout(patience):
            reply = scrub_noun(to_reply(await built.reply(Request(question=question, conversation="try"))))
    except TimeoutError:
        trouble, owner = f"no answer within {patience:g} s", "agent"
    except (Exception, SystemExit) as error:
        fault = await reclassify_drop(classify(error))
        trouble, owner = without_secrets(str(fault)), _OWNERS.get(type(fault), "environment")
    seconds = time.perf_counter() - started
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_FAREWELL):
            await built.close()
    return AgentTestResult(
        agent=named, spec=spec, takes_request=built.takes_request, reply=reply, seconds=seconds,
        trouble=trouble, owner=owner,
    )  # fmt: skip
