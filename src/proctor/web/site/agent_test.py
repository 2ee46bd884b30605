"""Test question to an agent in a separate process, so that its code is current and cannot harm the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

from proctor.errors import InputError, RunBusy
from proctor.redaction import without_secrets
from proctor.settings import unfit
from proctor.web.site import choices
from proctor.web.site.site import Site

_AT_ONCE = threading.BoundedSemaphore(4)
_STARTING = 30.0
"""Seconds that the process may take in addition to the agent."""


def ask(site: Site, agent: str, question: str, *, patience: float = 60.0) -> dict[str, Any]:
    """Return the output of `proctor agents test --json`: the reply, or the error and whose fault it was."""
    choices.must_be_offered("agent", agent, choices.agents(site.config))
    if (wrong := unfit(question)) is not None:
        raise InputError(f"the question holds {wrong}; remove it")
    if not _AT_ONCE.acquire(timeout=1.0):
        raise RunBusy("other questions are being asked already; try again in a moment")
    try:
        return _ask_agent(site, agent, question, patience)
    finally:
        _AT_ONCE.release()


def _ask_agent(site: Site, agent: str, question: str, patience: float) -> dict[str, Any]:
    config = ["--config", str(site.settings.config)] if site.settings.config is not None else []
    command = [sys.executable, "-m", "proctor", "agents", "test", *config, "--timeout", str(patience), "--json"]
    environment = {name: value for name, value in os.environ.items() if name != "PROCTOR_TOKEN"}
    try:
        done = subprocess.run(
            [*command, f"--question={question}", "--", agent],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=patience + _STARTING,
            check=False,
        )
        result: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return _trouble(agent, f"no answer within {patience:g} s", seconds=patience)
    except ValueError:
        words = without_secrets(done.stderr.decode("utf-8", "replace")).strip().splitlines()
        return _trouble(agent, words[-1] if words else f"its process ended with exit code {done.returncode}")
    return result


def _trouble(agent: str, what: str, *, seconds: float = 0.0) -> dict[str, Any]:
    return {"agent": agent, "reply": None, "seconds": seconds, "trouble": what, "owner": "agent"}
