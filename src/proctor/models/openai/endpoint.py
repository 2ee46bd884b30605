"""Endpoints that speak OpenAI's protocol: base URLs, keys, ModelEndpoint."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping

from proctor.errors import AgentFault, CallError, InputError
from proctor.failures import host_in
from proctor.models.openai.errors import fault_of_status
from proctor.net import addresses
from proctor.net.exchange import Response
from proctor.redaction import keep_secret
from proctor.spending.providers import COMPATIBLE_KEY, must_be_plain, ollama_address

_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai",
}
JSON = "application/json"


def address_of(provider: str) -> str:
    """Where a provider speaks OpenAI's protocol; raises InputError where the environment names no address."""
    return f"{ollama_address()}/v1" if provider == "ollama" else _ADDRESSES[provider]


class ModelEndpoint:
    """An endpoint URL with the headers sent with every request."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        key_env: str,
        headers: Mapping[str, str],
        accept: str = JSON,
        judging: bool = False,
    ) -> None:
        """`key_env` names the variable for the key, even if unset; `judging`: the model is a judge, not an agent."""
        authorization = {} if key is None else {"Authorization": f"Bearer {key}"}
        self.url = url
        self.headers = {"Content-Type": JSON, "Accept": accept, **authorization, **headers}
        self._key_env = key_env
        self._judging = judging
        self._host = host_in(url)
        self._secrets = addresses.credentials_in(self.headers)

    def fault(self, response: Response, sent: Container[str]) -> CallError | None:
        """Return the fault for a response's status, or None on success; `sent` are the fields of the request."""
        return fault_of_status(response, sent=sent, key=self._key_env, judging=self._judging)

    def mark(self, error: CallError) -> None:
        """Complete a fault: remove secrets, add the host, and mark it as a model server's."""
        error.args = (addresses.scrub_secrets(str(error), self._secrets),)
        error.host = error.host or self._host
        if isinstance(error, AgentFault):
            error.by_model = True


def must_be(headers: Mapping[str, str], expected: str) -> None:
    """Refuse a response with another content type."""
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != expected:
        raise AgentFault(f"the reply is {kind!r}; expected {expected}", kind="wrong_type")


def check_base_url(url: str, model: str) -> str:
    """Validate a base URL, which must not contain secrets, and strip its trailing slash; raise InputError."""
    must_be_plain(url, model)
    try:
        addresses.parse(url)
    except ValueError as error:
        raise InputError(f"the base_url of the model {model!r} cannot be used: {error}") from None
    return url.rstrip("/")


def read_key(variables: tuple[str, ...], whose: str) -> tuple[str, str | None]:
    """Return the name of the key's variable and the key; raise InputError if `variables` are given but none is set.

    A provider's key is never sent to another server unless explicitly configured.
    """
    wanted = variables or (COMPATIBLE_KEY,)
    found = next((variable for variable in wanted if os.environ.get(variable, "").strip()), None)
    if found is not None:
        keep_secret(found)
        key = os.environ[found].strip()  # a file with a key in it ends in a line break
        if not key.isprintable():
            raise InputError(f"{whose} cannot use the key in {found}: it holds a line break or another control sign")
        return found, key
    if variables:
        raise InputError(f"{whose} needs a key: set the environment variable {' or '.join(variables)}")
    return COMPATIBLE_KEY, None
