"""A model's server dropped a connection: is it still there?"""

from __future__ import annotations

import asyncio
import urllib.request

from proctor.errors import AgentFault, CallError, EnvironmentFault

_CONNECT = 1.5
"""Seconds for a connection; nobody who is there takes longer."""
_LOOK = 0.3
"""Seconds in which a server that is about to end drops whoever has just come."""


async def settle(fault: CallError) -> CallError:
    """The fault, or that of the environment, where a model's server that dropped the connection takes no other.

    Calls that were under way when it went down are no failures of the agent: those that follow are refused.
    """
    if not isinstance(fault, AgentFault) or not fault.by_model or fault.kind != "dropped" or not fault.host:
        return fault
    host, _, port = fault.host.rpartition(":")
    host = host.strip("[]")
    if urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return fault  # whoever is asked is asked on another way than this
    if await _is_there(host, int(port)):
        return fault
    gone = EnvironmentFault(f"{fault}, and takes no other: is it down?", kind="dropped", host=fault.host)
    vars(gone).update({name: value for name, value in vars(fault).items() if name == "spent"})
    return gone


async def _is_there(host: str, port: int) -> bool:
    """Whether connections are taken, also a moment later, when a server that was just ending has ended."""
    try:
        async with asyncio.timeout(_CONNECT):
            if await _drops(host, port):
                await _drops(host, port)
    except OSError:  # a time-out is one, too
        return False
    return True


async def _drops(host: str, port: int) -> bool:
    """Whether a connection is dropped at once; raises OSError where there is none."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        async with asyncio.timeout(_LOOK):
            await reader.read(1)
    except TimeoutError:
        return False
    except OSError:
        return True
    finally:
        writer.close()
    return True
