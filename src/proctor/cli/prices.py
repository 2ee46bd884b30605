"""proctor prices: show model prices, and update them from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import reports
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.output import console, echo, print_json, tell
from proctor.config import PRICE_FILE, load_config, load_price_file
from proctor.settings import unwritable
from proctor.spending.prices import price_of, read_price_list, written

if TYPE_CHECKING:
    from proctor.spending.prices import Price

_SHOWN = 5


@click.command("prices", cls=Command)
@click.option(
    "--update",
    "source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take prices from FILE (JSON, TOML or CSV, or LiteLLM's list) into prices.toml.",
)
@options.config
@options.as_json
def command(source: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Show what models cost per million tokens, from [prices] and prices.toml.

    With --update, prices of FILE are added to prices.toml beside the configuration file, or replace those there; prices
    of other models stay. [prices] in proctor.toml comes before both.
    """
    if source is not None:
        tell(_update(source, (config_path or Path(PRICE_FILE)).with_name(PRICE_FILE)))
    found = load_config(config_path).prices
    prices = {model: price for model in sorted(found) if (price := price_of(model, found)) is not None}
    if as_json:
        print_json({"prices": {model: _as_dict(price) for model, price in prices.items()}})
    elif source is None:
        _show(prices)


def _update(source: Path, table: Path) -> str:
    kept = load_price_file(table)
    before = {model: price for model in kept if (price := price_of(model, kept)) is not None}
    given = read_price_list(source)
    try:
        table.write_text(written({**before, **given}), encoding="utf-8")
    except OSError as error:
        raise unwritable(table, error) from error
    changed = [model for model, price in given.items() if model in before and before[model] != price]
    added = len(given.keys() - before.keys())
    message = f"wrote {table}: {reports.numbers.plural(added, 'model')} added, {len(changed)} changed"
    return message + (f" ({_list_models(changed)})" if changed else "")


def _list_models(models: list[str]) -> str:
    rest = len(models) - _SHOWN
    return ", ".join(models[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _as_dict(price: Price) -> dict[str, Any]:
    return {"input": price.input, "output": price.output, "cached_input": price.cached_input}


def _show(prices: dict[str, Price]) -> None:
    from rich.table import Table

    if not prices:
        echo("No prices are known. Give [prices] in proctor.toml, or a list: proctor prices --update FILE")
        return
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("per million tokens", overflow="fold")
    for heading in ("input", "output", "cached input"):
        table.add_column(heading, justify="right")
    for model, price in prices.items():
        cached = "" if price.cached_input is None else f"{price.cached_input:g}"
        table.add_row(reports.words.one_line(model), f"{price.input:g}", f"{price.output:g}", cached)
    console().print(table)
