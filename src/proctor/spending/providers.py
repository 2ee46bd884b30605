"""Model providers, and the hosts that calls go to: Provider, Source."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from proctor.errors import InputError

COMPATIBLE_KEY = "OPENAI_COMPATIBLE_API_KEY"
"""API key for `openai-compatible:` servers; OPENAI_API_KEY is never sent to other hosts."""
_OWN_HOSTS = {
    "openai": ("api.openai.com",),
    "anthropic": ("api.anthropic.com",),
    "google": ("generativelanguage.googleapis.com",),
    "ollama": ("127.0.0.1:11434", "localhost:11434"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """Model provider, named by the prefix of a model's name."""

    package: str
    """LangChain package for it."""
    kind: str = ""
    """Name of the chat model class in that package; empty if judges use the OpenAI protocol, without the package."""
    install: str = ""
    """Requirement for pip to install the package."""
    keys: tuple[str, ...] = ()
    """Environment variables for the API key, of which one has to be set."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments for the class; they disable its retries, as the run itself retries and counts tries."""
    output_limit: str = "max_tokens"
    """Name of the class's argument for the maximum number of output tokens."""

    @property
    def speaks_openai(self) -> bool:
        """Whether its models are called by the OpenAI protocol instead of LangChain's class."""
        return not self.kind


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Provider and host of a model, to which rate limits apply."""

    provider: str
    """Prefix of the model's name, such as `openai`."""
    host: str = ""
    """Host and port; empty for the provider's own host."""


PROVIDERS = {
    "openai": Provider(package="langchain_openai", keys=("OPENAI_API_KEY",)),
    "openai-compatible": Provider(package="langchain_openai"),
    "anthropic": Provider(
        package="langchain_anthropic",
        kind="ChatAnthropic",
        install="proctor[anthropic]",
        keys=("ANTHROPIC_API_KEY",),
        options={"max_retries": 0},
    ),
    "google": Provider(
        package="langchain_google_genai",
        kind="ChatGoogleGenerativeAI",
        install="proctor[google]",
        keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        output_limit="max_output_tokens",
        options={"max_retries": 1},  # includes the first try; 0 would select Google's default of five
    ),
    "ollama": Provider(package="langchain_ollama"),
}


def source_in(spec: str, options: Mapping[str, Any]) -> Source | None:
    """Return the source for the spec of an agent, reviewer or examiner, or None if it names no provider's model."""
    scheme, _, rest = spec.removeprefix("model:").removeprefix("agent:").partition(":")
    if scheme not in PROVIDERS:
        return None
    if scheme == "openai-compatible":
        return source_at(scheme, model_at(rest)[1])
    return source_at(scheme, options.get("base_url") or (ollama_address() if scheme == "ollama" else ""))


def is_loopback(source: Source) -> bool:
    """Whether a model is served on this machine."""
    if not source.host:
        return source.provider == "ollama"
    name = urlsplit(f"//{source.host}").hostname or ""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def names_of(source: Source) -> tuple[str, ...]:
    """Return the names under which its limits may be set, most specific first: host, then provider."""
    hosts = (source.host,) if source.host else _OWN_HOSTS.get(source.provider, ())
    return (*hosts, source.provider)


def source_at(provider: str, url: str) -> Source:
    """Return the source for a provider and base URL; OpenAI's protocol elsewhere is `openai-compatible`."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    if not host or host in _OWN_HOSTS.get(provider, ()):
        return Source(provider=provider)
    return Source(provider="openai-compatible" if provider == "openai" else provider, host=host)


def ollama_address() -> str:
    """Return Ollama's URL from OLLAMA_HOST, or its default on this machine; raises InputError."""
    named = os.environ.get("OLLAMA_HOST", "").strip().rstrip("/")
    if "://" in named:
        return named
    parts = urlsplit(f"//{named}")
    try:
        port = parts.port
    except ValueError:
        raise InputError(f"OLLAMA_HOST={named!r} is not an address; expected HOST, HOST:PORT or a URL") from None
    return f"http://{parts.netloc.removesuffix(f':{port}') or '127.0.0.1'}:{port or 11434}{parts.path}"


def model_at(rest: str) -> tuple[str, str]:
    """Split `MODEL@URL`; raises InputError."""
    found = re.fullmatch(r"(?P<model>.+?)@(?P<url>https?://.+)", rest)
    if not found:
        raise InputError(
            f"the model 'openai-compatible:{rest}' has no address; "
            "expected openai-compatible:MODEL@URL, such as openai-compatible:llama3@http://127.0.0.1:8000/v1"
        )
    must_be_plain(found["url"], found["model"])
    return found["model"], found["url"]


def must_be_plain(url: str, model: str) -> None:
    """Reject a base URL that could contain a secret, because it is stored with the run."""
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query or parts.fragment or not parts.hostname:
        # not quoted in the message, as it may be a secret
        raise InputError(
            f"the address of the model {model!r} has to be a plain base URL, without user, password, query "
            f"or fragment; a key belongs into the environment variable {COMPATIBLE_KEY}"
        )
