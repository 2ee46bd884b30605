"""proctor schema: print the JSON Schema of suite files or proctor.toml."""

from __future__ import annotations

from typing import Any

import click

from proctor.cli.command import Command
from proctor.cli.output import print_json
from proctor.cli.run import command as run
from proctor.config import DESTINATIONS, Config
from proctor.formats.suites.suite import suite_schema
from proctor.settings import BOUNDS


@click.command("schema", cls=Command)
@click.argument("which", metavar="[suite|config]", type=click.Choice(["suite", "config"]), default="suite")
def command(which: str) -> None:
    """Print the JSON Schema of suite files or of proctor.toml, for editors that complete and check as you type."""
    print_json(config_schema() if which == "config" else suite_schema())


def config_schema() -> dict[str, Any]:
    """Return the JSON Schema of proctor.toml, without the options of parts; keys of `[run]` have the option's help."""
    schema: dict[str, Any] = _plain(Config.model_json_schema())
    run = schema["$defs"]["RunConfig"]["properties"]
    helps, bounds = _helps(), _bounds(run)
    for name, shape in run.items():
        shape.update(bounds.get(name, {}))
        if name in helps:
            shape["description"] = helps[name]
    for name in ("condition", "gate", "sync"):
        several = run[name].pop("items")
        if name == "sync":
            several = {"type": "string", "enum": [*DESTINATIONS]}
        run[name].pop("type")
        run[name]["anyOf"] = [several, {"type": "array", "items": several}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "proctor.toml", **schema}


def _helps() -> dict[str, str]:
    """Return config key → help text of the `proctor run` option."""
    options = (option for option in run.params if isinstance(option, click.Option) and option.help)
    return {name.lstrip("-").replace("-", "_"): str(option.help) for option in options for name in option.opts}


def _bounds(properties: dict[str, Any]) -> dict[str, dict[str, Any]]:
    words = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum"}
    return {
        name: {words[word]: value for word, value in BOUNDS[name].as_json.items()}
        for name in properties
        if name in BOUNDS and properties[name].get("type") in ("integer", "number")
    }


def _plain(shape: Any) -> Any:
    """Strip titles and defaults, and null, which TOML does not have."""
    if isinstance(shape, list):
        return [_plain(each) for each in shape]
    if not isinstance(shape, dict):
        return shape
    kept = {
        name: {key: _plain(each) for key, each in value.items()} if name in ("properties", "$defs") else _plain(value)
        for name, value in shape.items()
        if name not in ("title", "default")
    }
    options = [each for each in kept.pop("anyOf", []) if each != {"type": "null"}]
    if len(options) == 1:
        return {**kept, **options[0]}
    return {**kept, "anyOf": options} if options else kept
