"""Shell completion of names from proctor.toml and the store.

Errors are ignored: they only mean that nothing is suggested.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from proctor import workflows
from proctor.redaction import without_credentials
from proctor.settings import BY_RULES, NOBODY

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.storage.run_name import RunName

Items = list[CompletionItem[str]]
Complete = Callable[[click.Context, click.Parameter, str], Items]

_MOST = 100
_LONGEST = 80
_TYPABLE = re.compile(r"[\w.:/@%+=-]+")
"""Values that shells accept unquoted as one word."""
_OF_REVIEWERS = (*BY_RULES, NOBODY)
_OF_EXAMINERS = ("prober",)


def _without_noise(complete: Complete) -> Complete:
    @functools.wraps(complete)
    def complete_quietly(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
        with suppress(Exception):
            return complete(ctx, param, incomplete)
        return []

    return complete_quietly


@_without_noise
def runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest run ids, unambiguous run names and `last`; newest first, without those already given."""
    known = _stored_runs(ctx)
    owners = Counter(run.name for run in known)
    named = ctx.params[param.name] or () if param.nargs == -1 and param.name in ctx.params else ()
    items = [CompletionItem("last", help="the newest run")] if known else []
    for run in known:
        help_text = _one_line(f"{run.agent} on {run.benchmark}")
        names = [run.name, run.id] if owners[run.name] == 1 and run.name != run.id else [run.id]
        items += [CompletionItem(name, help=help_text) for name in names]
    return _offer([item for item in items if item.value not in named], incomplete)


@_without_noise
def runs_or_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest runs, or files if no run matches."""
    return runs(ctx, param, incomplete) or [CompletionItem(incomplete, type="file")]


@_without_noise
def agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the agents of proctor.toml."""
    declared = _config(ctx).agents
    return _offer((CompletionItem(name, help=_spec(part)) for name, part in declared.items()), incomplete)


@_without_noise
def reviewers(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the reviewers of proctor.toml and the built-in ones."""
    declared = [CompletionItem(name, help=_spec(part)) for name, part in _config(ctx).reviewers.items()]
    return _offer([*declared, *map(CompletionItem, _OF_REVIEWERS)], incomplete)


@_without_noise
def declared_reviewers(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest only the reviewers of proctor.toml, for options that need a chat model."""
    return [item for item in reviewers(ctx, param, incomplete) if item.value not in _OF_REVIEWERS]


@_without_noise
def examiners(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the examiners of proctor.toml and the built-in one."""
    declared = [CompletionItem(name, help=_spec(part)) for name, part in _config(ctx).examiners.items()]
    return _offer([*declared, *map(CompletionItem, _OF_EXAMINERS)], incomplete)


@_without_noise
def stored_agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the agents of stored runs."""
    return _offer((CompletionItem(run.agent) for run in _stored_runs(ctx)), incomplete)


@_without_noise
def stored_benchmarks(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the benchmarks of stored runs."""
    return _offer((CompletionItem(run.benchmark) for run in _stored_runs(ctx)), incomplete)


@_without_noise
def destinations(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Suggest the destinations for `proctor sync`."""
    from proctor.config import DESTINATIONS

    return _offer(map(CompletionItem, DESTINATIONS), incomplete)


def _offer(items: Iterable[CompletionItem[str]], incomplete: str) -> Items:
    """Return the items that start with the typed text and need no quotes."""
    fitting = {item.value: item for item in items if item.value.startswith(incomplete)}
    return [item for value, item in fitting.items() if _TYPABLE.fullmatch(value)][:_MOST]


def _config(ctx: click.Context) -> Config:
    from proctor.config import load_config

    return load_config(_option_value(ctx, "config_path"))


def _stored_runs(ctx: click.Context) -> list[RunName]:
    from proctor.storage.run_name import newest_run_names

    return newest_run_names(workflows.store_url.store_url(_option_value(ctx, "store"), _config(ctx)))


def _option_value(ctx: click.Context, option: str) -> Any:
    """Return the value of an option, given here or before the subcommand."""
    value = ctx.params.get(option)
    return value if value is not None or ctx.parent is None else _option_value(ctx.parent, option)


def _spec(part: Any) -> str:
    return _one_line(without_credentials(part.spec))


def _one_line(text: str) -> str:
    """Return the text on one line, since shells read suggestions line by line and print them unfiltered."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:_LONGEST]
