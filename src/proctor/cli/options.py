"""Options shared by several commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from proctor import workflows
from proctor.cli import completion
from proctor.reports.words import cut
from proctor.settings import RUN_SETTINGS, Bounds, RunSetting, option_of, shown

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.run import Status
    from proctor.workflows.run_filter import RunFilter


_SPAN = re.compile(r"(?P<number>[0-9.]+) ?(?P<unit>ms|s|m|h|d|%)")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "ms": 0.001}
_ENDLESS = 10**9
"""Bounds from here up only prevent overflow in the store and are not mentioned in the help."""


class NumberType(click.ParamType[float]):
    """An integer or float parameter within bounds."""

    def __init__(self, bounds: Bounds | None = None, *, whole: bool = False) -> None:
        self.bounds = bounds
        self.whole = whole or (bounds is not None and bounds.whole)
        self.name = "N" if self.whole else "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse and validate the number."""
        named = "the value" if param is None else max(param.opts, key=len)
        try:
            number: float = int(value) if self.whole else float(value)
        except (ValueError, OverflowError):
            raise click.UsageError(
                f"{named} {shown(value)} is {self._kind(no=True)}; {self._hint(value)}", ctx
            ) from None
        if self.bounds is not None and not self.bounds.holds(number):
            raise click.UsageError(f"{named} {cut(str(value), 40)} is not usable; {self._hint(value)}", ctx)
        return number

    def _kind(self, *, no: bool) -> str:
        return f"{'not ' if no else ''}a{' whole' if self.whole else ''} number"

    def _hint(self, value: object) -> str:
        wanted = self._kind(no=False) if self.bounds is None else self.bounds.requirement
        meant = self._meant(str(value))
        return f"expected {wanted}" if meant is None else f"expected {wanted}: did you mean {meant:.15g}?"

    def _meant(self, text: str) -> float | None:
        """Return the number that `5m` or `90%` stands for, or None if such a unit does not apply."""
        found, bounds = _SPAN.fullmatch(text.strip()), self.bounds
        if found is None or bounds is None or found["number"].count(".") > 1 or found["number"] == ".":
            return None
        timed = found["unit"] in _SECONDS and bounds.unit == "seconds"
        share = found["unit"] == "%" and bounds.most == 1
        number = float(found["number"]) * (_SECONDS[found["unit"]] if timed else 0.01)
        return number if (timed or share) and bounds.holds(number) else None


def number(*names: str, bounds: Bounds | None = None, whole: bool = False, **attributes: Any) -> Callable[[F], F]:
    """Add a number option, with its bounds in the help."""
    help_text = in_words(attributes.pop("help"), bounds)
    if attributes.pop("show_default", False):
        help_text = f"{help_text.removesuffix('.')} [default: {attributes['default']:,}]."
    return click.option(*names, type=NumberType(bounds, whole=whole), help=help_text, **attributes)


def in_words(help_text: str, bounds: Bounds | None) -> str:
    """Add the bounds to a help text, unless it mentions them already."""
    if bounds is None or f"{bounds.most:,.0f}" in help_text or " from 0 to 1" in help_text:
        return help_text
    low = f"above {bounds.above:g}" if bounds.above is not None else f"{bounds.least or 0:g}"
    if bounds.most >= _ENDLESS:
        span = low if bounds.above is not None else f"at least {low}"
    else:
        span = f"{low}{', up to' if bounds.above is not None else ' to'} {bounds.most:,.0f}"
    sentence, default, value = help_text.removesuffix(".").partition(" [default")
    return f"{sentence.removesuffix('.')} ({span}){default}{value}."


F = TypeVar("F", bound=Callable[..., Any])
_FROM_FILE = "from [run] in proctor.toml"


def store(command: F) -> F:
    """Add `--store` and `--config`."""
    command = click.option(
        "--store",
        metavar="PATH|URL",
        help="Where results are stored: a file for SQLite, or postgresql://USER@HOST/DATABASE [default: "
        "PROCTOR_STORE, then store in proctor.toml, then .proctor/proctor.db].",
    )(command)
    return config(command)


def config(command: F) -> F:
    """Add `--config`."""
    return click.option(
        "--config",
        "config_path",
        type=click.Path(path_type=Path),
        help="Configuration file [default: proctor.toml in this folder].",
    )(command)


def load_config(path: Path | None) -> Config:
    """Load proctor.toml; imported lazily to keep `--help` fast."""
    from proctor.config import load_config

    return load_config(path)


def as_json(command: F) -> F:
    """Add `--json`: machine-readable output."""
    return click.option("--json", "as_json", is_flag=True, help="Print only JSON to standard output.")(command)


def form(command: F) -> F:
    """Add `--format`: text for a terminal, or Markdown for a pull request."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "markdown"]),
        default="text",
        help="The output format; markdown is for a pull request [default: text].",
    )(command)


def settings(*names: str, default: str | None = None, **about: str) -> Callable[[F], F]:
    """Add the options for these run settings, as declared in the settings table.

    `default` replaces the description of the default, `about` the help of single settings.
    """

    def add(command: F) -> F:
        for name in reversed(names):
            command = _setting(name, RUN_SETTINGS[name], default, about.get(name))(command)
        return command

    return add


def _setting(name: str, each: RunSetting, default: str | None, about: str | None) -> Callable[[F], F]:
    usual = each.default if default is None else default
    help_text = f"{each.help if about is None else about}{usual and f' [default: {usual}]'}."
    if each.bounds is not None:
        return number(option_of(name), bounds=each.bounds, metavar=each.metavar or None, help=help_text)
    kind = click.Choice(each.words) if each.words else each.kind
    return click.option(option_of(name), type=kind, metavar=each.metavar or None, help=help_text)


def pace(command: F) -> F:
    """Add `--concurrency`, `--timeout` and `--retries` for continuing a stored run."""
    return settings("concurrency", "timeout", "retries", default=f"{_FROM_FILE}, else as RUN was run")(command)


def judging_pace(*, of: str = "RUN", units: str = "replies") -> Callable[[F], F]:
    """Add the same options for scoring stored replies; an empty `of` means several runs."""
    return settings(
        "concurrency", "timeout", "retries",
        default=f"{_FROM_FILE}, else {f'as {of} was run' if of else 'as for `proctor run`'}",
        concurrency=f"Maximum {units} judged at the same time",
        timeout="Time limit for one call to a judge, in seconds",
        retries="Retries of a call to a judge that failed",
    )  # fmt: skip


def judge(command: F) -> F:
    """Add `--reviewer`: the intended judge, so that cases it cannot score are reported."""
    return click.option(
        "--reviewer",
        metavar="NAME|SPEC",
        shell_complete=completion.reviewers,
        help="Who will score the replies: reports cases that nobody will judge; none: the checks alone "
        "[default: reviewer under [run] in proctor.toml, else that of `proctor run`].",
    )(command)


def reviewer_in_force(given: str | None, path: Path | None) -> str | None:
    """Return the given reviewer, else that of `proctor.toml` (of a panel, preferably a model), else None."""
    if given is not None or not (path or Path("proctor.toml").is_file()):
        return given
    named = load_config(path).run.reviewer
    if isinstance(named, list):
        return next((name for name in named if name not in ("embedded", "exact")), named[0])
    return named


def reviewers(help_text: str) -> Callable[[F], F]:
    """Add a repeatable `--reviewer`: several form a panel that decides by majority."""
    return click.option(
        "--reviewer",
        multiple=True,
        metavar="NAME|SPEC",
        callback=_panel,
        shell_complete=completion.reviewers,
        help=help_text,
    )


def _panel(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> str | list[str] | None:
    return list(given) if len(given) > 1 else next(iter(given), None)


def run_argument(command: F) -> F:
    """Add the argument RUN: a stored run."""
    return click.argument("run", metavar="RUN", shell_complete=completion.runs)(command)


class Pairs(click.ParamType[dict[str, float]]):
    """`a=1,b=2` as a dict of numbers."""

    name = "NAME=NUMBER,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, float]:
        """Parse the pairs."""
        if isinstance(value, dict):
            return value
        pairs: dict[str, float] = {}
        for piece in str(value).split(","):
            key, equals, number = piece.partition("=")
            if key.strip() in pairs:
                self.fail(f"{key.strip()!r} is given twice; give each part one weight", param, ctx)
            try:
                pairs[key.strip()] = float(number)
            except ValueError:
                equals = ""
            if not equals:
                self.fail(
                    f"{piece!r} is not NAME=NUMBER; expected something like correctness=.5,reasoning=.3", param, ctx
                )
        return pairs


def run_filter(command: F) -> F:
    """Add `--agent`, `--label`, `--status` and `--since`: filters for stored runs."""
    command = click.option(
        "--since",
        metavar="DATE|AGE",
        help="Only runs since then, such as 2026-11-01, 2026-11-01T08:30, 90m, 12h, 7d or 2w.",
    )(command)
    statuses = ["queued", "running", "paused", "completed", "failed", "cancelled"]
    command = click.option("--status", type=click.Choice(statuses), help="Only runs with this status.")(command)
    command = click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="KEY=VALUE",
        help="Only runs with this label; repeatable, and all must hold.",
    )(command)
    return click.option(
        "--agent", metavar="NAME", shell_complete=completion.stored_agents, help="Only runs of this agent."
    )(command)


def chosen_runs(
    *,
    agent: str | None,
    labels: tuple[str, ...],
    status: Status | None,
    since: str | None,
    benchmark: str | None = None,
) -> RunFilter:
    """Build a filter from the options of `run_filter`."""
    return workflows.run_filter.RunFilter(
        agent=agent,
        benchmark=benchmark,
        labels=label_pairs(labels),
        status=status,
        since=None if since is None else workflows.run_filter.moment(since),
    )


def filter_words(**which: Any) -> str:
    """Return the given options of `run_filter` as command line text."""
    given = {"label" if name == "labels" else name: value for name, value in which.items() if value}
    pairs = [(name, each) for name, value in given.items() for each in ((value,) if isinstance(value, str) else value)]
    return " ".join(f"--{name} {shlex.quote(each)}" for name, each in pairs)


def label_pairs(given: tuple[str, ...], *, option: str = "--label") -> dict[str, str]:
    """Parse `--label k=v` options into a dict."""
    pairs: dict[str, str] = {}
    for item in given:
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise click.UsageError(f"{option} {item!r} is not KEY=VALUE")
        if key in pairs:
            raise click.UsageError(f"{option} {key}= is given twice; give it one value")
        pairs[key] = value
    return pairs
