"""How a server is set up: WebSettings; and what its configuration declares, as the settings page shows it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.config import Config, PartConfig
from proctor.errors import UsageError
from proctor.redaction import without_secrets
from proctor.web.site import choices
from proctor.web.site.clients import networks


def describe_config(config: Config) -> dict[str, Any]:
    """Sections of the settings, each a list of rows."""
    return {
        "models": [{"name": name, "spec": without_secrets(model.spec)} for name, model in config.models.items()],
        "judges": [_judge(each.name, config.reviewers.get(each.name)) for each in choices.reviewers(config)],
        "prices": [{"model": model, **price} for model, price in config.prices.items()],
        "limits": [{"host": without_secrets(host), **limit} for host, limit in config.limits.items()],
        "workers": {"workers": config.run.workers, "ray": _shown(config.run.ray)},
        "defaults": _defaults(config),
    }


def _judge(name: str, part: PartConfig | None) -> dict[str, Any]:
    """A judge with the names of its criteria; of its other options not even the names."""
    if part is None:
        return {"name": name, "spec": name, "criteria": []}
    criteria = part.options.get("criteria")
    named = list(criteria) if isinstance(criteria, Mapping) else ["own"] if criteria else []
    return {"name": name, "spec": without_secrets(part.spec), "criteria": named}


def _defaults(config: Config) -> dict[str, Any]:
    """What `[run]` says of runs that say nothing else."""
    said = config.run.model_dump(exclude_defaults=True, exclude={"workers", "ray"})
    return {name: _shown(value) for name, value in said.items()}


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list | tuple) else value


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
    """Runs that are executed at the same time."""

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
