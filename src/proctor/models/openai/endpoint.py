"""Where OpenAI's protocol is spoken, and with which key: base URLs, keys, ModelEndpoint."""

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
    """One address, and what is sent along with every request to it."""

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
        """`key_env` is the variable that holds the key, or would; `judging`: no agent is asked, but a judge."""
        authorization = {} if key is None else {"Authorization": f"Bearer {key}"}
        self.url = url
        self.headers = {"Content-Type": JSON, "Accept": accept, **authorization, **headers}
        self._key_env = key_env
        self._judging = judging
        self._host = host_in(url)
        self._secrets = addresses.credentials_in(self.headers)

    def fault(self, response: Response, sent: Container[str]) -> CallError | None:
        """The fault that a status means; None: it is a success. `sent` are the fields of the request."""
        return fault_of_status(response, sent=sent, key=self._key_env, judging=self._judging)

    def mark(self, error: CallError) -> None:
        """Complete what was raised: no secrets, the host, and that it is a model's server."""
        error.args = (addresses.scrub_secrets(str(error), self._secrets),)
        error.host = error.host or self._host
        if isinstance(error, AgentFault):
            error.by_model = True


def must_be(headers: Mapping[str, str], expected: str) -> None:
    """Refuse a reply of another content type."""
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != expected:
        raise AgentFault(f"the reply is {kind!r}; expected {expected}", kind="wrong_type")


def check_base_url(url: str, model: str) -> str:
    """A base URL that can be called and holds no secret, without a slash at its end; raises InputError."""
    must_be_plain(url, model)
    try:
        addresses.parse(url)
    except ValueError as error:
        raise InputError(f"the base_url of the model {model!r} cannot be used: {error}") from None
    return url.rstrip("/")


def read_key(variables: tuple[str, ...], whose: str) -> tuple[str, str | None]:
    """The variable that holds the key, and the key; raises InputError where one of these `variables` has to.

    A provider's key is sent to nobody else unless that is asked for.
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
