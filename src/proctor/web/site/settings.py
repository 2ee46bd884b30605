"""How a server is set up: WebSettings."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from proctor.errors import UsageError
from proctor.web.site.clients import networks

FOLDER = Path(".proctor")
"""Where a server keeps what is its own: uploaded benchmarks, its jobs, the key of its sessions."""
SHORTEST_TOKEN = 12
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSettings:
    """Where it listens, what it reads, and who may come in."""

    store: str = field(repr=False)
    """A path or URL, as `workflows.store_url` gives it; may hold a password."""
    config: Path | None = None
    """The configuration that was named; None: `proctor.toml` here, where there is one."""
    host: str = "127.0.0.1"
    """The address it listens at."""
    token: str | None = field(default=None, repr=False)
    """What people log in with and programs send as a Bearer token; None: nobody is asked."""
    names: tuple[str, ...] = ()
    """Further names by which browsers may call this server."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies that are believed when they say whom they speak for."""
    folder: Path = FOLDER
    """Where the server keeps what is its own."""
    processes: int = 2
    """Runs that are played at the same time."""

    @property
    def local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        return is_loopback(self.host)

    def check(self) -> None:
        """Refuse what would let strangers in."""
        networks(self.proxies)
        if self.token is None and not self.local:
            raise UsageError(
                f"host={self.host!r} can be reached from other machines, and no token is set: "
                "set one in PROCTOR_TOKEN (or --token), or leave --host out"
            )
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise UsageError(
                f"the token has {len(self.token)} characters, which can be guessed; "
                f"expected at least {SHORTEST_TOKEN}, such as `openssl rand -hex 16` gives"
            )

    def allows(self, name: str) -> bool:
        """Whether a browser may call the server by this name, as its Host header has it without the port.

        A page from elsewhere can point its own name at this machine's address, but it cannot drop the name: so names
        must be known. A bare address needs no name; it is taken where the server is meant for other machines.
        """
        known = {self.host.lower(), *_LOCAL_NAMES, *(each.lower() for each in self.names)}
        return name.lower() in known or (not self.local and _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether an address to listen at is this machine's own."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ipaddress.ip_address(host).is_loopback


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
