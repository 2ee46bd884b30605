"""Options `--gate`, `--look` and `--force` of run, resume, show and rescore."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from proctor.cli.options import number
from proctor.settings import Bounds

F = TypeVar("F", bound=Callable[..., Any])


def gate_options(command: F) -> F:
    """Add `--gate`, `--look` and `--force` to a command."""
    command = click.option(
        "--force",
        is_flag=True,
        help="Evaluate gates that cannot be met, and gates against runs that are not comparable.",
    )(command)
    command = number(
        "--look",
        bounds=Bounds(least=1, most=50, whole=True),
        default=1,
        metavar="J",
        help="Which check of the gates this is, 1 to 50, where a run was extended and is checked again; each further "
        "check is held to half the error of the one before.",
    )(command)
    return click.option(
        "--gate",
        "gates",
        multiple=True,
        metavar="TEXT",
        help='A condition to meet, such as "pass_rate>=0.9" or "not worse than RUN by 0.02"; repeatable, and all must '
        "be met. Exit 0: met, 1: not met, 3: inconclusive, 4: the run did not complete.",
    )(command)
