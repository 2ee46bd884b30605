from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ConfigDict
from tests.models.scripted import Prose

from proctor.errors import InputError
from proctor.models.langchain import source_of
from proctor.models.load import load_model
from proctor.spending.providers import COMPATIBLE_KEY, PROVIDERS, Source, source_at


class Recorded(Prose):
    """Stands in for a provider's class and keeps what it was made with."""

    model_config = ConfigDict(extra="allow")
    script: Any = None


BY_CLASS = {name: provider for name, provider in PROVIDERS.items() if not provider.speaks_openai}
"""Those whose models are of a class of LangChain's."""


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for key in provider.keys:
            monkeypatch.delenv(key, raising=False)
    monkeypatch.delenv(COMPATIBLE_KEY, raising=False)


@pytest.fixture
def _providers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Provider packages whose classes only record; the real ones are tried in test_native_providers.py."""
    for provider in BY_CLASS.values():
        package = ModuleType(provider.package)
        setattr(package, provider.kind, Recorded)
        monkeypatch.setitem(sys.modules, provider.package, package)


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        for key in provider.keys:
            monkeypatch.setenv(key, "sk-secret-of-the-test")


def made_with(name: str) -> dict[str, Any]:
    model = load_model(name)
    assert isinstance(model, Recorded)
    return model.model_extra or {}


@pytest.mark.usefixtures("_providers", "_keys")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("anthropic:claude-small", {"model": "claude-small", "max_retries": 0}),
        ("google:gemini-small", {"model": "gemini-small", "max_retries": 1}),
    ],
)
def test_a_name_gives_the_providers_model_without_retries_of_its_own(name: str, options: dict[str, Any]) -> None:
    assert made_with(name) == options


@pytest.mark.parametrize("rest", ["llama3", "llama3@127.0.0.1:8000", "@http://127.0.0.1"])
def test_a_compatible_server_without_an_address_is_refused(rest: str) -> None:
    with pytest.raises(InputError, match="openai-compatible:MODEL@URL"):
        load_model(f"openai-compatible:{rest}")


@pytest.mark.parametrize("url", ["http://me:hunter22@host/v1", "http://host/v1?key=hunter22", "http://host#hunter22"])
def test_an_address_with_a_secret_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InputError, match=COMPATIBLE_KEY) as caught:
        load_model(f"openai-compatible:m@{url}")
    assert "hunter22" not in str(caught.value)


@pytest.mark.usefixtures("_providers")
@pytest.mark.parametrize(
    ("name", "key"),
    [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("google:x", "GOOGLE_API_KEY")],
)
def test_a_missing_key_is_named_before_the_run(name: str, key: str) -> None:
    with pytest.raises(InputError, match=key):
        load_model(name)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("anthropic:x", 'pip install "proctor[anthropic]"'),
        ("google:x", 'pip install "proctor[google]"'),
    ],
)
def test_a_missing_package_gives_the_line_that_installs_it(
    name: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for provider in BY_CLASS.values():
        monkeypatch.setitem(sys.modules, provider.package, None)
    with pytest.raises(InputError) as caught:
        load_model(name)
    assert str(caught.value).endswith(line)


_BLOCKED = """
import sys
for name in ("langchain_core", "langchain_openai", "langchain_anthropic", "langchain_google_genai", "langchain_ollama"):
    sys.modules[name] = None
from proctor.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("role", ["--reviewer", "--examiner"])
def test_in_an_environment_without_any_of_them_the_command_says_which_one_to_install(role: str, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text('"1 + 1?";"2"\n')
    for name, provider in BY_CLASS.items():
        arguments = ["run", "b.csv", "--agent", "demo:librarian", role, f"{name}:m"]
        arguments += ["--type", "abm-dynamic"] if role == "--examiner" else []
        done = subprocess.run(
            [sys.executable, "-c", _BLOCKED, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert done.returncode == 2, done.stderr
        assert f'not installed: pip install "{provider.install}"' in done.stderr
        assert "Traceback" not in done.stderr


def test_without_langchain_itself_the_line_is_that_of_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    with pytest.raises(InputError, match=r'pip install "proctor\[langchain\]"$'):
        load_model("python:any:thing")


@pytest.mark.usefixtures("_providers", "_keys")
def test_what_the_provider_says_when_it_is_made_is_passed_on_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise ValueError("bad key sk-secret-of-the-test")

    monkeypatch.setattr(sys.modules["langchain_anthropic"], "ChatAnthropic", refuse)
    with pytest.raises(InputError, match="cannot make the model 'anthropic:x'") as caught:
        load_model("anthropic:x")
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opneai:gpt", "did you mean 'openai:'?"),
        ("gpt-small", "a name starts with openai:"),
        ("", "a name starts with openai:"),
        ("openai:", "has no name after 'openai:'"),
        ("python:nowhere", "expected package.module:attribute"),
    ],
)
def test_a_name_that_means_nothing_is_explained(name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(name)
    assert said in str(caught.value)


MODULE = """
from tests.models.scripted import Prose

model = Prose(script=[])
number = 3

class Own(Prose):
    script: list = []

def make():
    return Prose(script=[])

def make_text():
    return "no model"

def fail():
    raise RuntimeError("no connection")
"""


@pytest.fixture
def _own_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_models.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_models", raising=False)


@pytest.mark.usefixtures("_own_models")
@pytest.mark.parametrize("attribute", ["model", "Own", "make"])
def test_a_model_of_ones_own_is_an_object_a_class_or_a_function(attribute: str) -> None:
    assert isinstance(load_model(f"python:own_models:{attribute}"), Prose)


@pytest.mark.usefixtures("_own_models")
@pytest.mark.parametrize(
    ("attribute", "said"),
    [
        ("number", "is of type int; expected a LangChain chat model"),
        ("make_text", "is of type str; expected a LangChain chat model"),
        ("fail", "RuntimeError: no connection"),
        ("modle", "did you mean 'model'?"),
    ],
)
def test_anything_else_under_that_name_is_explained(attribute: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load_model(f"python:own_models:{attribute}")
    assert said in str(caught.value)


def test_a_live_model_is_handed_back() -> None:
    model = Prose(script=[])
    assert load_model(model) is model


def test_a_live_object_that_is_no_model_is_refused() -> None:
    almost: Any = object()
    with pytest.raises(InputError, match="expected a LangChain chat model"):
        load_model(almost)


def test_importing_the_room_imports_no_langchain() -> None:
    modules = ", ".join(
        f"proctor.models.{name}" for name in ("load", "structured", "fence", "langchain", "openai_model")
    )
    program = f"import sys; import {modules}; sys.exit('langchain_core' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("provider", "url", "source"),
    [
        ("openai", "", Source(provider="openai")),
        ("openai", "https://api.openai.com/v1", Source(provider="openai")),
        ("openai", "http://127.0.0.1:8000/v1", Source(provider="openai-compatible", host="127.0.0.1:8000")),
        ("ollama", "http://127.0.0.1:11434/v1", Source(provider="ollama")),
        ("ollama", "http://big:11434/v1", Source(provider="ollama", host="big:11434")),
        ("anthropic", "https://api.anthropic.com", Source(provider="anthropic")),
    ],
)
def test_whose_limits_count_is_told_by_provider_and_host(provider: str, url: str, source: Source) -> None:
    assert source_at(provider, url) == source


def test_a_models_source_is_told_by_its_package_and_address(monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("langchain_openai", reason='not installed: pip install "proctor[openai]"')
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    compatible = openai.ChatOpenAI(model="m", base_url="http://127.0.0.1:8000/v1")
    assert source_of(compatible) == Source(provider="openai-compatible", host="127.0.0.1:8000")
    assert source_of(openai.ChatOpenAI(model="m")) == Source(provider="openai")
    assert source_of(Prose(script=[])) == Source(provider="tests")
