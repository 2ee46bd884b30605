"""An option that takes one value is given once."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from tests.cli.desk import Desk

from proctor.cli import COMMANDS, cli


def _every() -> Iterator[tuple[list[str], click.Option]]:
    """Every option of every command that takes one value."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        below = [([name, each], one) for each, one in getattr(command, "commands", {}).items()]
        for path, one in [([name], command), *below]:
            for option in one.params:
                if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
                    yield path, option


@pytest.mark.parametrize(("path", "option"), [pytest.param(*one, id=f"{one[0]}-{one[1].name}") for one in _every()])
def test_an_option_that_takes_one_value_is_refused_when_it_is_given_twice(
    desk: Desk, path: list[str], option: click.Option
) -> None:
    said = desk(*path, option.opts[0], "1", option.opts[-1], "2")
    assert (said.code, said.out) == (2, "")
    name = max(option.opts, key=len)
    assert said.err.startswith(f"Error: {name} is given twice and takes one value; give it once\n")


def test_the_same_value_three_times_is_refused_as_well(desk: Desk) -> None:
    said = desk("run", "questions.csv", "--trials", "2", "--trials=2", "--trials", "2")
    assert (said.code, said.out) == (2, "")
    assert "--trials is given 3 times and takes one value" in said.err


def test_flags_and_options_to_be_repeated_may_come_twice(desk: Desk) -> None:
    said = desk("list", "--json", "--json")
    assert "given twice" not in said.err
    said = desk(
        "run", "nothing.csv", "--agent", "demo", "--label", "a=1", "--label", "b=2", "--gate", "x", "--gate", "y"
    )
    assert "given twice" not in said.err
