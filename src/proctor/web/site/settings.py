"""Server settings (WebSettings), and what the configuration declares, for the settings page."""

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
    """Return the sections of the settings page, each a list of rows."""
    return {
        "models": [{"name": name, "spec": without_secrets(model.spec)} for name, model in config.models.items()],
        "judges": [_judge(each.name, config.reviewers.get(each.name)) for each in choices.reviewers(config)],
        "prices": [{"model": model, **price} for model, price in config.prices.items()],
        "limits": [{"host": without_secrets(host), **limit} for host, limit in config.limits.items()],
        "workers": {"workers": config.run.workers, "ray": _scrub_value(config.run.ray)},
        "defaults": _defaults(config),
    }


def _judge(name: str, part: PartConfig | None) -> dict[str, Any]:
    """Describe a judge with the names of its criteria, without its other options."""
    if part is None:
        return {"name": name, "spec": name, "criteria": []}
    criteria = part.options.get("criteria")
    named = list(criteria) if isinstance(criteria, Mapping) else ["own"] if criteria else []
    return {"name": name, "spec": without_secrets(part.spec), "criteria": named}


def _defaults(config: Config) -> dict[str, Any]:
    """Return the defaults that `[run]` sets."""
    run_options = config.run.model_dump(exclude_defaults=True, exclude={"workers", "ray"})
    return {name: _scrub_value(value) for name, value in run_options.items()}


def _scrub_value(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, Mapping):
        return {name: _scrub_value(each) for name, each in value.items()}
    return [_scrub_value(each) for each in value] if isinstance(value, list | tuple) else value


FOLDER = Path(".proctor")
"""Default folder for the server's own files: uploaded benchmarks, jobs, session key."""
SHORTEST_TOKEN = 12
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, kw_only=True, slots=True)
class WebSettings:
    """Settings of the server: its address, its data, and access to it."""

    store: str = field(repr=False)
    """Path or URL from `workflows.store_url`; may contain a password."""
    config: Path | None = None
    """Path of the configuration, or None for `proctor.toml` in the current folder, if it exists."""
    host: str = "127.0.0.1"
    """Address to listen at."""
    token: str | None = field(default=None, repr=False)
    """Token for logins and Bearer authentication, or None for no authentication."""
    names: tuple[str, ...] = ()
    """Additional host names under which the server may be accessed."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of trusted proxies, whose forwarding headers are used."""
    folder: Path = FOLDER
    """Folder for the server's own files."""
    processes: int = 2
    """Maximum number of runs played at the same time."""

    @property
    def local(self) -> bool:
        """Whether the server only listens on a loopback address."""
        return is_loopback(self.host)

    def check(self) -> None:
        """Raise an error for settings that would give access to strangers."""
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
        """Whether the server may be accessed under this host name (without port).

        This prevents DNS rebinding: a site can point its own name at this machine's address, but the browser still
        sends that name. A bare IP address is accepted if the server listens for other machines.
        """
        known = {self.host.lower(), *_LOCAL_NAMES, *(each.lower() for each in self.names)}
        return name.lower() in known or (not self.local and _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether this is a loopback address."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ipaddress.ip_address(host).is_loopback


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
