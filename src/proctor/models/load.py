"""Load a chat model by name.

    openai:MODEL    ollama:MODEL        called by our own client, as is
    openai-compatible:MODEL@URL         any server that speaks OpenAI's protocol
    anthropic:MODEL    google:MODEL     called by LangChain's classes
    python:module:attribute             a chat model of your own, or a function that creates one

Keys are read from the environment; none is stored or printed here.
"""

from __future__ import annotations

from proctor.errors import InputError
from proctor.models import langchain
from proctor.models.contract import ChatModel, ModelClient
from proctor.settings import nearest
from proctor.spending.providers import PROVIDERS


def load_model(
    model: str | ChatModel, *, temperature: float | None = None, max_output_tokens: int | None = None
) -> ChatModel:
    """Return the chat model with this name, or the given model if it is one already. Raises InputError.

    If `temperature` or `max_output_tokens` is None, the model's default applies.
    """
    if isinstance(model, ModelClient):
        return model
    if not isinstance(model, str):
        return langchain.check_model(model, type(model).__name__)
    scheme, _, rest = model.partition(":")
    if scheme == "python":
        if temperature is not None or max_output_tokens is not None:
            raise InputError(f"{model!r} is made by your own code: set its temperature and its output limit there")
        return langchain.from_python(model, rest)
    provider = PROVIDERS.get(scheme)
    if provider is None or not rest:
        raise InputError(_unknown_model_message(model, scheme, known=provider is not None))
    if not provider.speaks_openai:
        return langchain.from_provider(scheme, rest, temperature=temperature, max_output_tokens=max_output_tokens)
    from proctor.models.openai_model import load_openai  # imported lazily, since it imports aiohttp

    return load_openai(scheme, rest, temperature=temperature, max_output_tokens=max_output_tokens)


def _unknown_model_message(model: str, scheme: str, *, known: bool) -> str:
    if known:
        return f"the model {model!r} has no name after {scheme + ':'!r}; expected something like {scheme}:MODEL"
    names = [*PROVIDERS, "python"]
    near = nearest(scheme, names)
    hint = f"did you mean {near + ':'!r}? " if near else ""
    return f"there is no model {model!r}: {hint}a name starts with {', '.join(name + ':' for name in names)}"
