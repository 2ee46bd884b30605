"""The one table of run settings: every door takes what it declares, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
import pytest

from proctor.cli.run import command
from proctor.config import RunConfig
from proctor.errors import InputError
from proctor.run import Settings
from proctor.settings import RUN_SETTINGS, Door, check_labels, check_path, settings_of
from proctor.web.api.run_requests import NewRun
from proctor.web.site.new_run import FIELDS

_NOT_STORED = {"k", "workers", "ray"}
"""How a run is shown and by how many it is played is no part of it."""


def test_every_setting_is_a_field_of_the_stored_settings() -> None:
    assert RUN_SETTINGS.keys() - _NOT_STORED <= {each.name for each in fields(Settings)}


def test_the_default_that_people_read_is_the_one_that_holds() -> None:
    usual = Settings()
    for name in RUN_SETTINGS.keys() - _NOT_STORED:
        value, told = getattr(usual, name), RUN_SETTINGS[name].default
        assert told.split(";")[0] == (f"{value:g}" if isinstance(value, float) else str(value)) or value is None, name


@pytest.mark.parametrize(
    ("door", "taken"),
    [
        ("command", {name for each in command.params if isinstance(each, click.Option) for name in [each.name or ""]}),
        ("config", set(RunConfig.model_fields)),
        ("api", set(NewRun.model_fields)),
        ("form", set(FIELDS)),
    ],
)
def test_a_door_takes_all_settings_that_it_has_and_no_other(door: Door, taken: set[str]) -> None:
    assert taken & RUN_SETTINGS.keys() == settings_of(door).keys() or door == "form"
    assert settings_of(door).keys() <= taken


def test_whatever_a_command_takes_its_configuration_takes_too() -> None:
    assert settings_of("command").keys() == settings_of("config").keys()


def test_what_the_form_shows_has_a_label_and_is_a_number() -> None:
    for name, each in settings_of("form").items():
        assert each.label, name
        assert each.bounds is not None, name


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"api_key": "hunter2-hunter2"}, "the label api_key holds a secret"),
        ({"note": "sk-abcdefghijklmnopqrst"}, "the label note holds a secret"),
        ({"build": 5}, "the label build is 5; expected a text"),
    ],
)
def test_a_label_is_a_text_and_no_secret(labels: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        check_labels(labels)
    assert "hunter2" not in str(raised.value)
    check_labels({"key_of_somebody": "a-long-value-without-a-break-0123456789"})
    check_labels({"commit": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "author": "Ada Lovelace", "auth": "oauth"})
    check_labels({"topic": "basic authentication", "branch": "fix/basic questions", "cookie": "consent-banner"})


def test_a_path_of_blanks_is_none() -> None:
    with pytest.raises(InputError, match="the store is empty"):
        check_path("the store", "   ")
