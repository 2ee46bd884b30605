"""Where a destination is: as given, else as the environment says."""

from __future__ import annotations

import os

from proctor.errors import UsageError
from proctor.net.addresses import parse


class NoAddress(UsageError):
    """Nobody says where a destination is."""


def base_address(endpoint: str | None, *variables: str, such_as: str) -> str:
    """The address without a slash at its end, from `--endpoint` or the first variable that is set."""
    source = "--endpoint" if endpoint else next((name for name in variables if os.environ.get(name)), None)
    if source is None:
        raise NoAddress(f"no address to send to; set {variables[0]} in the environment, such as {such_as}")
    address = check_address(endpoint or os.environ[source], source, such_as=such_as)
    if parse(address).query_string:
        raise UsageError(f"{source} holds a query, to which no path can be added; expected something like {such_as}")
    return address.rstrip("/")


def check_address(address: str, source: str, *, such_as: str) -> str:
    """An address that can be called; raises UsageError that never repeats it, for it may hold a password."""
    try:
        url = parse(address)
    except ValueError as error:
        raise UsageError(f"{source} cannot be used: {error}; expected something like {such_as}") from error
    if url.user or url.password:
        raise UsageError(f"{source} holds a name or password; keys belong in the environment, see the documentation")
    return address
