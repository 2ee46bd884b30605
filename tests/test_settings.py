"""The one table of run settings: every door takes what it declares, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
import pytest

from proctor.cli.run import command
from proctor.config import RunConfig
from proctor.errors import InputError, UsageError
from proctor.run import Settings
from proctor.settings import RUN_SETTINGS, Door, check_labels, check_path, given, nearest, settings_of
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


def test_what_the_form_shows_has_a_label_and_is_a_number_or_one_of_some_words() -> None:
    for name, each in settings_of("form").items():
        assert each.label, name
        assert each.bounds is not None or each.words, name


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


@pytest.mark.parametrize(("wrong", "known"), [("store", "order"), ("force", "order"), ("name", "agent")])
def test_a_name_that_begins_otherwise_is_meant_only_where_it_is_much_alike(wrong: str, known: str) -> None:
    assert nearest(wrong, [known]) == ""


def test_a_slip_in_the_first_letter_is_still_understood() -> None:
    assert nearest("qgent", ["agent", "order"]) == "agent"
    assert nearest("retry", ["retries"]) == "retries"


@pytest.mark.parametrize(
    ("name", "value", "typed", "labelled"),
    [
        ("passing_score", 7.0, "--passing-score 7 is wrong", "“Passing score” 7 is wrong"),
        ("examiner", "foo", "--examiner foo is wrong", "“Examiner” foo is wrong"),
        ("kind", "a b", "--agent-kind 'a b' is wrong", "“Kind” 'a b' is wrong"),
    ],
)
def test_each_reader_knows_a_setting_by_a_name_of_their_own(
    name: str, value: object, typed: str, labelled: str
) -> None:
    error = UsageError(given(name, value), " is wrong", terminal=" (here)", page=" (there)")
    assert str(error) == f"{name}={value!r} is wrong (here)"
    assert error.in_terminal == f"{typed} (here)"
    assert error.on_page == f"{labelled} (there)"
    assert error.by_key == f"{name}={value!r} is wrong (there)"


def test_an_error_from_which_a_secret_was_taken_shows_it_to_nobody() -> None:
    error = UsageError("the key sk-123 was refused")
    error.args = ("the key … was refused",)
    assert {str(error), error.in_terminal, error.on_page, error.by_key} == {"the key … was refused"}
