"""Probe whether a model's server is still running after it dropped a connection."""

from __future__ import annotations

import asyncio
import urllib.request

from proctor.errors import AgentFault, CallError, EnvironmentFault

_CONNECT = 1.5
"""Timeout of the connection in seconds; a running server answers faster."""
_LOOK = 0.3
"""Seconds within which a server that is shutting down drops a new connection."""


async def reclassify_drop(fault: CallError) -> CallError:
    """Return the fault, or an environment fault if the model's server that dropped the connection accepts no other.

    Calls in flight when a server goes down are not failures of the agent.
    """
    if not isinstance(fault, AgentFault) or not fault.by_model or fault.kind != "dropped" or not fault.host:
        return fault
    host, _, port = fault.host.rpartition(":")
    host = host.strip("[]")
    if urllib.request.getproxies() and not urllib.request.proxy_bypass(host):
        return fault  # the model is reached through a proxy
    if await _is_there(host, int(port)):
        return fault
    gone = EnvironmentFault(f"{fault}, and takes no other: is it down?", kind="dropped", host=fault.host)
    vars(gone).update({name: value for name, value in vars(fault).items() if name == "spent"})
    return gone


async def _is_there(host: str, port: int) -> bool:
    """Whether connections are accepted, checked twice if the first is dropped, as by a server shutting down."""
    try:
        async with asyncio.timeout(_CONNECT):
            if await _drops(host, port):
                await _drops(host, port)
    except OSError:  # includes timeouts
        return False
    return True


async def _drops(host: str, port: int) -> bool:
    """Whether a connection is dropped immediately; raise OSError if none can be established."""
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
