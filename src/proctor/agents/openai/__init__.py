"""Chat models as agents over OpenAI's API, which many other servers implement too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.agents.openai.agent import OpenAIAgent
from proctor.agents.openai.options import read_options
from proctor.roles import Agent
from proctor.spending.providers import model_at


def load(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent `openai:MODEL`, at OpenAI or at the `base_url` of its options."""
    return OpenAIAgent(read_options(rest, options))


def load_compatible(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent `openai-compatible:MODEL@URL`."""
    model, url = model_at(rest)
    return OpenAIAgent(read_options(model, {**options, "base_url": url}, scheme="openai-compatible", name=rest))


def load_anthropic(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent `anthropic:MODEL`, at Anthropic's OpenAI-compatible endpoint."""
    return OpenAIAgent(read_options(rest, options, scheme="anthropic"))


def load_google(rest: str, options: Mapping[str, Any]) -> Agent:
    """Return the agent `google:MODEL`, at Google's OpenAI-compatible endpoint."""
    return OpenAIAgent(read_options(rest, options, scheme="google"))


def load_ollama(rest: str, options: Mapping[str, Any]) -> Agent:
    """The agent `ollama:MODEL`, at the `base_url` of its options, where OLLAMA_HOST says, or on this machine."""
    return OpenAIAgent(read_options(rest, options, scheme="ollama"))
