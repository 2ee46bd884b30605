"""A model's name → the model.

    openai:MODEL    anthropic:MODEL    google:MODEL    ollama:MODEL
    openai-compatible:MODEL@URL         any server that speaks OpenAI's protocol
    python:module:attribute             a chat model of your own, or a function that makes one

Keys are read from the environment by the provider's own package; none is stored or printed here.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from proctor.errors import InputError
from proctor.failures import said
from proctor.plugins import import_attribute
from proctor.settings import nearest
from proctor.spending.providers import COMPATIBLE_KEY, PROVIDERS, Source, model_at, source_at

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_ADDRESSES = ("openai_api_base", "anthropic_api_url", "base_url")
"""Where the providers' classes keep the address they call."""


def load_model(
    model: str | BaseChatModel, *, temperature: float | None = None, max_output_tokens: int | None = None
) -> BaseChatModel:
    """The chat model that a name stands for; one that is there already is handed back. Raises InputError.

    Where `temperature` or `max_output_tokens` is None, the model has its own.
    """
    scheme, _, rest = model.partition(":") if isinstance(model, str) else ("", "", "")
    if scheme not in PROVIDERS:
        _import_package("langchain_core", "proctor[langchain]")
    if not isinstance(model, str):
        return _check_model(model, type(model).__name__)
    if scheme == "python":
        if temperature is not None or max_output_tokens is not None:
            raise InputError(f"{model!r} is made by your own code: set its temperature and its output limit there")
        return _from_python(model, rest)
    provider = PROVIDERS.get(scheme)
    if provider is None or not rest:
        raise InputError(_unknown_model_message(model, scheme, known=provider is not None))
    options: dict[str, Any] = _compatible(rest) if scheme == "openai-compatible" else {"model": rest}
    if temperature is not None:
        options["temperature"] = temperature
    if max_output_tokens is not None:
        options[provider.output_limit] = max_output_tokens
    kind = getattr(_import_package(provider.package, provider.install), provider.kind)
    if provider.keys and not any(os.environ.get(key) for key in provider.keys):
        raise InputError(f"the model {model!r} needs a key: set the environment variable {' or '.join(provider.keys)}")
    return _check_model(_made(kind, model, {**provider.options, **options}), model)


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


def _text_of(model: BaseChatModel, name: str) -> str:
    value = getattr(model, name, None)
    return value if isinstance(value, str) else ""


def _unknown_model_message(model: str, scheme: str, *, known: bool) -> str:
    if known:
        return f"the model {model!r} has no name after {scheme + ':'!r}; expected something like {scheme}:MODEL"
    names = [*PROVIDERS, "python"]
    near = nearest(scheme, names)
    hint = f"did you mean {near + ':'!r}? " if near else ""
    return f"there is no model {model!r}: {hint}a name starts with {', '.join(name + ':' for name in names)}"


def _import_package(package: str, install: str) -> Any:
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


def _from_python(name: str, spec: str) -> BaseChatModel:
    """A chat model by its Python name, or made by the class or function of that name."""
    from langchain_core.language_models import BaseChatModel

    found = import_attribute(spec, what="model")
    if isinstance(found, BaseChatModel) or not callable(found):
        return _check_model(found, name)
    return _check_model(_made(found, name, {}), name)


def _made(make: Any, name: str, options: Mapping[str, Any]) -> object:
    try:
        return make(**options)
    except Exception as error:
        raise InputError(f"cannot make the model {name!r}: {type(error).__name__}: {said(error)}") from error


def _check_model(model: object, name: str) -> BaseChatModel:
    from langchain_core.language_models import BaseChatModel

    if not isinstance(model, BaseChatModel):
        raise InputError(f"the model {name!r} is of type {type(model).__name__}; expected a LangChain chat model")
    return model
