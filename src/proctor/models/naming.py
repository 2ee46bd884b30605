"""A model's name → the model.

    openai:MODEL    anthropic:MODEL    google:MODEL    ollama:MODEL
    openai-compatible:MODEL@URL         any server that speaks OpenAI's protocol
    python:module:attribute             a chat model of your own, or a function that makes one

Keys are read from the environment by the provider's own package; none is stored or printed here.
"""

from __future__ import annotations

import difflib
import importlib
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from proctor.errors import InputError
from proctor.failures import said
from proctor.importing import import_attribute

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

COMPATIBLE_KEY = "OPENAI_COMPATIBLE_API_KEY"
"""The key for `openai-compatible:` servers: OPENAI_API_KEY is never sent to anybody else's address."""
_OWN_HOSTS = {
    "openai": ("api.openai.com",),
    "anthropic": ("api.anthropic.com",),
    "google": ("generativelanguage.googleapis.com",),
    "ollama": ("127.0.0.1:11434", "localhost:11434"),
}
_ADDRESSES = ("openai_api_base", "anthropic_api_url", "base_url")
"""Where the providers' classes keep the address they call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """Whose models a name's first word stands for."""

    package: str
    """The LangChain package that speaks to it."""
    kind: str
    """The chat model's class in that package."""
    install: str
    """What pip installs to get the package."""
    keys: tuple[str, ...] = ()
    """Environment variables, one of which has to hold the key."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What the class is given: no retries of its own, because the run retries and counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a model's answers come from: whose limits a call counts against."""

    provider: str
    """The first word of its name, such as `openai`."""
    host: str = ""
    """Host and port of its address; empty: the provider's own."""


PROVIDERS = {
    "openai": Provider(
        package="langchain_openai",
        kind="ChatOpenAI",
        install="proctor[openai]",
        keys=("OPENAI_API_KEY",),
        options={"max_retries": 0},
    ),
    "openai-compatible": Provider(
        package="langchain_openai", kind="ChatOpenAI", install="proctor[openai]", options={"max_retries": 0}
    ),
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
        options={"max_retries": 1},  # counts the first try too; 0 would mean Google's own default of five
    ),
    "ollama": Provider(package="langchain_ollama", kind="ChatOllama", install="proctor[ollama]"),
}


def load_model(model: str | BaseChatModel) -> BaseChatModel:
    """The chat model that a name stands for; one that is there already is handed back. Raises InputError."""
    scheme, _, rest = model.partition(":") if isinstance(model, str) else ("", "", "")
    if scheme not in PROVIDERS:
        _imported("langchain_core", "proctor[langchain]")
    if not isinstance(model, str):
        return _checked(model, type(model).__name__)
    if scheme == "python":
        return _from_python(model, rest)
    provider = PROVIDERS.get(scheme)
    if provider is None or not rest:
        raise InputError(_unknown(model, scheme, known=provider is not None))
    options = _compatible(rest) if scheme == "openai-compatible" else {"model": rest}
    kind = getattr(_imported(provider.package, provider.install), provider.kind)
    if provider.keys and not any(os.environ.get(key) for key in provider.keys):
        raise InputError(f"the model {model!r} needs a key: set the environment variable {' or '.join(provider.keys)}")
    return _checked(_made(kind, model, {**provider.options, **options}), model)


def source_of(model: BaseChatModel) -> Source:
    """Where a chat model's answers come from, told by its package and its address."""
    package = type(model).__module__.partition(".")[0]
    known = (name for name, provider in PROVIDERS.items() if provider.package == package)
    provider, told = next(known, package), map(partial(_text_of, model), _ADDRESSES)
    return source_at(provider, next((url for url in told if url), _ollama_host() if provider == "ollama" else ""))


def _ollama_host() -> str:
    """Where Ollama's own package looks for a server when nothing else is said."""
    named = os.environ.get("OLLAMA_HOST", "")
    return named if "://" in named else f"http://{named}" if named else ""


def source_in(spec: str, options: Mapping[str, Any]) -> Source | None:
    """The same for the spec of an agent, reviewer or examiner; None: it names no provider's model."""
    scheme, _, rest = spec.removeprefix("model:").removeprefix("agent:").partition(":")
    if scheme not in PROVIDERS:
        return None
    return source_at(scheme, model_at(rest)[1] if scheme == "openai-compatible" else options.get("base_url") or "")


def is_loopback(source: Source) -> bool:
    """Whether a model is served by this very machine."""
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
    """What its limits may stand under, the nearest first: the host, then the provider."""
    hosts = (source.host,) if source.host else _OWN_HOSTS.get(source.provider, ())
    return (*hosts, source.provider)


def source_at(provider: str, url: str) -> Source:
    """The same by provider and base URL: OpenAI's protocol at anybody else's address is not OpenAI."""
    host = urlsplit(url).netloc.rpartition("@")[2]
    if not host or host in _OWN_HOSTS.get(provider, ()):
        return Source(provider=provider)
    return Source(provider="openai-compatible" if provider == "openai" else provider, host=host)


def _text_of(model: BaseChatModel, name: str) -> str:
    value = getattr(model, name, None)
    return value if isinstance(value, str) else ""


def _unknown(model: str, scheme: str, *, known: bool) -> str:
    if known:
        return f"the model {model!r} has no name after {scheme + ':'!r}; expected such as {scheme}:MODEL"
    names = [*PROVIDERS, "python"]
    near = difflib.get_close_matches(scheme, names, n=1)
    hint = f"did you mean {near[0] + ':'!r}? " if near else ""
    return f"there is no model {model!r}: {hint}a name starts with {', '.join(name + ':' for name in names)}"


def _imported(package: str, install: str) -> Any:
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in (package, "langchain_core"):
            raise
        raise InputError(f'this model needs a package that is not installed: pip install "{install}"') from error


def _compatible(rest: str) -> dict[str, Any]:
    """What the class for OpenAI is given to speak to another server."""
    model, url = model_at(rest)
    # the class insists on a key, servers without one ignore it
    return {"model": model, "base_url": url, "api_key": os.environ.get(COMPATIBLE_KEY) or "none"}


def model_at(rest: str) -> tuple[str, str]:
    """Model and address in `MODEL@URL`; raises InputError."""
    found = re.fullmatch(r"(?P<model>.+?)@(?P<url>https?://.+)", rest)
    if not found:
        raise InputError(
            f"the model 'openai-compatible:{rest}' has no address; "
            "expected openai-compatible:MODEL@URL, such as openai-compatible:llama3@http://127.0.0.1:8000/v1"
        )
    must_be_plain(found["url"], found["model"])
    return found["model"], found["url"]


def must_be_plain(url: str, model: str) -> None:
    """Refuse a base URL that could hold a secret, because it is stored with the run."""
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query or parts.fragment or not parts.hostname:
        # not repeated in the message: whatever stands there may be a secret
        raise InputError(
            f"the address of the model {model!r} has to be a plain base URL, without user, password, query "
            f"or fragment; a key belongs into the environment variable {COMPATIBLE_KEY}"
        )


def _from_python(name: str, spec: str) -> BaseChatModel:
    """A chat model by its Python name, or made by the class or function of that name."""
    from langchain_core.language_models import BaseChatModel

    found = import_attribute(spec, what="model")
    if isinstance(found, BaseChatModel) or not callable(found):
        return _checked(found, name)
    return _checked(_made(found, name, {}), name)


def _made(make: Any, name: str, options: Mapping[str, Any]) -> object:
    try:
        return make(**options)
    except Exception as error:
        raise InputError(f"cannot make the model {name!r}: {type(error).__name__}: {said(error)}") from error


def _checked(model: object, name: str) -> BaseChatModel:
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise InputError(f"the model {name!r} is of type {type(model).__name__}; expected a LangChain chat model")
    return model
