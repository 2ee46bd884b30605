"""Detect whether agent, examiner and judges are the same model or of one family, whatever the name's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from proctor.run import Run, Spec
from proctor.spending.providers import PROVIDERS

_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[134](?=-|$)|davinci|codex",
    "Claude": r"claude",
    "Gemini": r"gemini|gemma|palm",
    "Llama": r"llama|codellama|meta-llama",
    "Mistral": r"mistral|mixtral|ministral|codestral|magistral|devstral|pixtral",
    "Qwen": r"qwen|qwq|qvq",
    "DeepSeek": r"deepseek",
    "Phi": r"phi(?=-|\d)",
    "Grok": r"grok",
    "Command": r"command|c4ai|aya",
    "Nova": r"nova|titan",
    "Granite": r"granite",
    "GLM": r"glm|chatglm",
    "Kimi": r"kimi|moonshot",
}
"""Family → pattern for the beginning of its models' plain names."""
_BEFORE = re.compile(r"^(?:(?:us|eu|apac|global|anthropic|meta|amazon|mistral|cohere|deepseek|qwen|ai21|openai)\.)+")
"""Prefixes that cloud providers put before a model's name."""
_AFTER = re.compile(
    r"(?:[-@:](?:latest|preview|exp|experimental|instruct|chat|it|hf|gguf|free|online|beta"
    r"|\d{4}-?\d{2}-?\d{2}|\d{2}-\d{2}|\d{2}-\d{4}|\d{4}|v\d+:\d+|q\d\w*|fp16|fp8|awq|gptq))+$"
)
"""Suffixes that denote a version, date or packaging rather than another model."""


class _Played(NamedTuple):
    """A role played by a model."""

    part: str
    name: str
    """The model's name as configured."""
    model: str
    """The model's plain name."""

    @property
    def family(self) -> str | None:
        """The model family, or None if unknown."""
        return family_of(self.model)


def plain_model(name: str) -> str:
    """Strip provider, address, path, date and packaging from a model's name: `gpt-5-mini`, `claude-haiku-4-5`."""
    plain = name.strip().lower().partition("@http")[0]
    plain = _BEFORE.sub("", plain.rpartition("/")[2])
    while (shorter := _AFTER.sub("", plain)) != plain:
        plain = shorter
    return re.sub(r"[\s._:]+", "-", plain).strip("-")


def _squeeze(model: str) -> str:
    """Remove separators, which differ between servers: llama-3.1 and llama3.1."""
    return model.replace("-", "")


def family_of(model: str) -> str | None:
    """Return the model family of a plain name, or None if unknown."""
    return next((family for family, names in _FAMILIES.items() if re.match(names, model)), None)


def sentences(run: Run) -> Iterator[str]:
    """Yield notes if a model examines or judges itself or a related model."""
    agent, others = _agent(run), list(_other_models(run))
    for other in others if agent is not None else ():
        assert agent is not None
        named = "" if other.name.endswith(other.model) else f", here {other.name}"
        if _squeeze(other.model) == _squeeze(agent.model):
            yield f"Agent and {other.part} are the same model ({agent.model}{named}): {_SELF[other.part]}"
        elif other.part == "judge" and other.family is not None and other.family == agent.family:
            yield (
                f"The judge {other.model} is of the agent's own model family, {other.family}: judges tend to prefer "
                "replies of related models. A judge of another family would show whether it does."
            )
    judges = [other.family for other in others if other.part == "judge"]
    if len(run.settings.panel) == len(judges) > 1 and None not in judges and len(set(judges)) == 1:
        yield f"All judges of the panel are of one model family, {judges[0]}: they make the same mistakes."


_SELF = {
    "judge": "a model tends to prefer its own replies. Have another one judge.",
    "examiner": "it hardly thinks of what it overlooks itself. Have another one ask.",
}


def _agent(run: Run) -> _Played | None:
    """Return the agent's model from its spec or from the label `model`, or None."""
    model = _model_in(run.settings.built.get("agent")) or run.labels.get("model", "")
    return _Played("agent", run.agent, plain_model(model)) if model else None


def _other_models(run: Run) -> Iterator[_Played]:
    if model := _model_in(run.settings.built.get("examiner")):
        yield _Played("examiner", model, plain_model(model))
    for judge in run.settings.judges:
        if model := _model_in(judge[-1]):
            yield _Played("judge", model, plain_model(model))


def _model_in(spec: Spec | None) -> str:
    """Return the model that a spec names, or an empty string."""
    if spec is None:
        return ""
    scheme, _, model = spec.spec.removeprefix("model:").removeprefix("agent:").partition(":")
    return model if scheme in PROVIDERS else ""
