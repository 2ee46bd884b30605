from __future__ import annotations

import pytest

from proctor.findings.run.model_families import family_of, plain_model, sentences
from proctor.run import Run, Settings, Spec


def run(agent: str, *judges: str, examiner: str = "", **labels: str) -> Run:
    panel = judges if len(judges) > 1 else ()
    names = [f"judge_{place}" for place in range(1, len(judges) + 1)] if panel else ["reviewer"]
    built = {"agent": Spec(spec=agent), **{name: Spec(spec=spec) for name, spec in zip(names, judges, strict=True)}}
    if examiner:
        built["examiner"] = Spec(spec=examiner)
    settings = Settings(reviewer=" + ".join(judges), panel=panel, built=built)
    return Run(id="r", name="r", benchmark="b", digest="d", agent=agent, settings=settings, labels=labels)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-5-mini", "gpt-5-mini-2025-08-07"),
        ("gpt-5-mini", "openai/gpt-5-mini"),
        ("gpt-4", "gpt-4-0613"),
        ("claude-haiku-4-5", "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("claude-haiku-4-5", "anthropic/claude-haiku-4.5"),
        ("gemini-2.5-pro", "models/gemini-2.5-pro-preview-05-06"),
        ("qwen2.5:7b", "qwen2.5:7b-instruct-q4_K_M"),
        ("mistral-large", "mistral-large-latest"),
        ("gpt-oss-20b", "gpt-oss-20b@http://127.0.0.1:8000/v1"),
    ],
)
def test_a_model_is_known_under_any_name(one: str, other: str) -> None:
    assert plain_model(one) == plain_model(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("gpt-5", "gpt-5-mini"), ("deepseek-v2", "deepseek-v3"), ("claude-opus-4-1", "claude-opus-4-5"), ("o1", "o3")],
)
def test_other_models_are_told_apart(one: str, other: str) -> None:
    assert plain_model(one) != plain_model(other)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5", "GPT"),
        ("o3-mini", "GPT"),
        ("claude-opus-4", "Claude"),
        ("llama3-1-8b", "Llama"),
        ("olmo-2", None),
        ("phi-4", "Phi"),
        ("philosopher", None),
    ],
)
def test_families(model: str, family: str | None) -> None:
    assert family_of(model) == family


def test_the_same_model_as_agent_and_judge_is_noted_under_whatever_name() -> None:
    [said] = sentences(run("openai:gpt-5-mini", "openai-compatible:openai/gpt-5-mini-2025-08-07@http://gateway/v1"))
    assert said.startswith("Agent and judge are the same model (gpt-5-mini, here openai/gpt-5-mini-2025-08-07")


def test_separators_that_servers_write_differently_hide_nothing() -> None:
    judge = "openai-compatible:meta-llama/Llama-3.1-8B-Instruct@http://127.0.0.1:8000"
    [said] = sentences(run("ollama:llama3.1:8b", judge))
    assert "the same model" in said


def test_the_same_model_as_examiner_is_noted_and_a_kin_as_judge() -> None:
    examined, judged = sentences(
        run("openai:gpt-5", "embedded,x", "model:openai:gpt-4o", examiner="model:openai:gpt-5-2025-08-07")
    )
    assert examined.startswith("Agent and examiner are the same model (gpt-5, here gpt-5-2025-08-07)")
    assert judged.startswith("The judge gpt-4o is of the agent's own model family, GPT")


def test_an_agent_of_ones_own_code_says_by_a_label_which_model_it_is() -> None:
    assert list(sentences(run("python:my:agent", "openai:gpt-5"))) == []
    [said] = sentences(run("python:my:agent", "openai:gpt-5", model="gpt-5"))
    assert "the same model (gpt-5)" in said


def test_a_panel_of_one_family_is_noted() -> None:
    [said] = sentences(run("python:my:agent", "openai:gpt-5", "openai:o3"))
    assert said == "All judges of the panel are of one model family, GPT: they make the same mistakes."
    assert list(sentences(run("python:my:agent", "openai:gpt-5", "anthropic:claude-opus-4-5"))) == []


def test_judges_by_rules_and_models_of_other_families_are_not_noted() -> None:
    assert list(sentences(run("openai:gpt-5", "embedded"))) == []
    assert list(sentences(run("openai:gpt-5", "anthropic:claude-opus-4-5"))) == []
