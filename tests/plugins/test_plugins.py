"""A name in a file → a part."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from proctor import plugins
from proctor.errors import InputError
from proctor.redaction import without_secrets


def remember(spec: str, options: Any) -> tuple[str, Any]:
    """A part that is only what it was built with."""
    return spec, options


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents that some other package brings along, one of which lacks a dependency."""
    group = "proctor.agents"
    points = {
        "remember": EntryPoint(name="remember", value="tests.plugins.test_plugins:remember", group=group),
        "broken": EntryPoint(name="broken", value="no_such_package.module:load", group=group),
    }
    monkeypatch.setattr(plugins, "known", lambda family: points)


@pytest.mark.parametrize(
    ("family", "names"),
    [("agents", {"python", "command", "demo"}), ("reviewers", {"embedded", "exact", "model", "python"})],
)
def test_the_built_in_parts_come_in_by_the_same_door(family: plugins.Family, names: set[str]) -> None:
    assert names <= set(plugins.known(family))


@pytest.mark.usefixtures("installed")
def test_a_part_gets_what_stands_after_the_first_colon_and_its_options() -> None:
    assert plugins.build("agents", "remember:a:b", {"n": 1}) == ("a:b", {"n": 1})
    assert plugins.build("agents", "remember", {}) == ("", {})


@pytest.mark.usefixtures("installed")
def test_options_are_filled_in_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush")
    options = {"key": "${SOME_KEY}", "deep": {"list": ["Bearer ${SOME_KEY}", 3]}, "plain": "$SOME_KEY"}
    _, seen = plugins.build("agents", "remember:x", options)
    assert seen == {"key": "hush-hush", "deep": {"list": ["Bearer hush-hush", 3]}, "plain": "$SOME_KEY"}
    assert options["key"] == "${SOME_KEY}", "what is stored keeps the name alone"


@pytest.mark.usefixtures("installed")
def test_a_variable_that_an_option_names_is_a_secret_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_DOOR", "open-sesame")
    plugins.build("agents", "remember:x", {"password": "${SOME_DOOR}"})
    assert without_secrets("say open-sesame") == "say $SOME_DOOR"


@pytest.mark.usefixtures("installed")
def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(InputError, match=r"names \$\{SOME_KEY\}, but the environment has no SOME_KEY"):
        plugins.build("agents", "remember:x", {"key": "${SOME_KEY}"})


@pytest.mark.usefixtures("installed")
def test_a_part_whose_package_does_not_import_says_so() -> None:
    with pytest.raises(InputError, match=r"cannot load 'broken:x'.*No module named 'no_such_package'"):
        plugins.build("agents", "broken:x", {})


@pytest.mark.usefixtures("installed")
def test_an_unknown_part_names_the_nearest_and_all_others() -> None:
    with pytest.raises(InputError, match="there is no agent 'remembr:x': did you mean 'remember'"):
        plugins.build("agents", "remembr:x", {})
    with pytest.raises(InputError, match="expected one of broken, remember"):
        plugins.build("agents", "zzz", {})
