"""Write the tables of docs/reference that stand between `<!-- table: NAME -->` and `<!-- end -->`, as declared in src.

python tools/reference_tables.py    writes them; `make reference` does the same
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from proctor.cli import COMMANDS, cli
from proctor.cli.schema import config_schema
from proctor.formats.suites import declaration
from proctor.formats.suites.structures import Record
from proctor.settings import BOUNDS, settings_of

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
_BLOCK = re.compile(r"(<!-- table: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_DEFAULT = re.compile(r" ?\[default: (?P<value>(?:[^\[\]]|\[[^\]]*\])*)\]")
_CODE = re.compile(
    r"\b[a-z]+://[\w@/]+"
    r"|(?<![\w-])--[a-z][\w-]*"
    r"|\$?\b[A-Z]+_[A-Z_]+\b"
    r"|\[run\]"
    r"|(?<![\w/])\.?[\w-]+(?:/[\w.-]*|\.(?:toml|csv|html|jsonl))(?![\w/])"
    r"|(?<!\w)\.(?:csv|yaml|yml|jsonl|zip|svg|png)\b"
    r"|\b[a-z][\w,-]*:[A-Za-z][\w:]*"
)
_PLACEHOLDERS = {"INTEGER": "N", "INTEGER RANGE": "N", "FLOAT": "X", "PATH": "FILE"}
_SHARED = ("--store", "--config", "--json")
_GATES = ("--gate", "--look", "--force")

Rows = Iterator[tuple[str, ...]]


def table(*header: str, rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [header, ("---",) * len(header), *rows]
    first, rule, *others = (f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)
    return "\n".join([first, rule.replace(" ", ""), *others]) + "\n"


def in_markdown(text: str) -> str:
    """A sentence of the program, its names in code."""
    pieces = text.replace("|", "\\|").split("`")
    pieces[::2] = [_CODE.sub(lambda found: f"`{found[0]}`", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def code(text: str) -> str:
    """As code in a cell."""
    return "`" + text.replace("|", "\\|") + "`"


# --- commands ----------------------------------------------------------------------------------


def loaded(name: str) -> click.Command:
    """A command, or one below it: `agents test`."""
    first, _, inner = name.partition(" ")
    command = cli.get_command(click.Context(cli), first)
    assert command is not None, name
    return command.commands[inner] if inner and isinstance(command, click.Group) else command


def all_commands() -> Iterator[str]:
    """Every command, those below others too."""
    for name in COMMANDS:
        yield name
        command = loaded(name)
        if isinstance(command, click.Group):
            yield from (f"{name} {inner}" for inner in command.commands)


def _options(name: str) -> dict[str, click.Option]:
    found = (parameter for parameter in loaded(name).params if isinstance(parameter, click.Option))
    return {max(option.opts, key=len): option for option in found}


def _is_gated(name: str) -> bool:
    return {*_GATES} <= _options(name).keys()


def own_options(name: str) -> dict[str, click.Option]:
    """The options of a command that are not told elsewhere."""
    elsewhere = {*_SHARED, *(_GATES if _is_gated(name) else ())}
    return {spelled: option for spelled, option in _options(name).items() if spelled not in elsewhere}


def _spelled(option: click.Option) -> str:
    *short, last = [*option.opts, *option.secondary_opts]
    if option.is_flag:
        return ", ".join(map(code, [*short, last]))
    metavar = option.make_metavar(click.Context(cli)).strip("[]")
    return ", ".join([*map(code, short), code(f"{last} {_PLACEHOLDERS.get(metavar.split(' x')[0], metavar)}")])


def _default(option: click.Option) -> str:
    if told := _DEFAULT.search(option.help or ""):
        return in_markdown(told["value"])
    if option.is_flag or option.required:
        return "required" if option.required else "off"
    default = option.to_info_dict()["default"]
    return "" if default is None else f"{default:g}" if isinstance(default, float) else str(default)


def _meaning(option: click.Option) -> str:
    return in_markdown(_DEFAULT.sub("", option.help or ""))


def _option_row(option: click.Option) -> tuple[str, ...]:
    return _spelled(option), _default(option), _meaning(option)


def options(name: str) -> str:
    """The options of a command."""
    rows = [_option_row(option) for option in own_options(name).values()]
    if _is_gated(name):
        rows.append((", ".join(map(code, _GATES)), "", "See [gates](#gates)."))
    return table("option", "default", "meaning", rows=rows)


def gate_options() -> str:
    """The options of every command that can decide."""
    return table("option", "default", "meaning", rows=(_option_row(_options("run")[name]) for name in _GATES))


def shared_options() -> str:
    """The options that many commands have, and which."""
    rows = ((*_option_row(_options("run")[name]), _who_has(name)) for name in _SHARED)
    return table("option", "default", "meaning", "commands", rows=rows)


def _who_has(option: str) -> str:
    others = [name for name in COMMANDS if option not in _options(name)]
    return f"all but {', '.join(map(code, others))}"


def commands() -> str:
    """What the program can do."""
    return table(
        "command", "does", rows=((f"[`{name}`](#proctor-{name})", in_markdown(does)) for name, does in COMMANDS.items())
    )


# --- configuration -----------------------------------------------------------------------------


def run_keys() -> str:
    """`[run]` of the configuration: each key with its option."""
    return table("key", "is", "option", rows=_run_keys())


def _run_keys() -> Rows:
    known = _options("run")
    for name, shape in config_schema()["$defs"]["RunConfig"]["properties"].items():
        option = f"--{name.replace('_', '-')}"
        assert option in known, f"[run] {name} has no option"
        yield code(name), BOUNDS[name].requirement if name in BOUNDS else _kind(shape), code(option)


_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "array": "a list",
    "object": "a table",
}


def _kind(shape: Mapping[str, Any]) -> str:
    """What a value is, in words."""
    if "anyOf" in shape:
        return " or ".join(map(_kind, shape["anyOf"]))
    return ", ".join(map(code, shape["enum"])) if "enum" in shape else _KINDS[shape["type"]]


def bounds() -> str:
    """What each number may be."""
    return table("setting", "may be", rows=((code(name), each.requirement) for name, each in BOUNDS.items()))


def settings_of_a_run() -> str:
    """What `evaluate()` takes of the one table."""
    return table("option", "default", "comparable", "meaning", rows=_settings_of_a_run())


def _settings_of_a_run() -> Rows:
    for name, each in settings_of("python").items():
        yield code(name), in_markdown(each.default or "none"), "" if each.comparable else "no", in_markdown(each.help)


# --- REST --------------------------------------------------------------------------------------


@cache
def _schema() -> Any:
    from proctor.web.server import create_app
    from proctor.web.site.openapi import schema
    from proctor.web.site.settings import WebSettings

    with tempfile.TemporaryDirectory() as folder:
        return schema(create_app(WebSettings(store=f"{folder}/store.db", folder=Path(folder))))


def operations() -> str:
    """Every operation, with what it takes."""
    rows = (
        (code(f"{method.upper()} {path}"), " ".join(_operation(operation)))
        for path, methods in _schema()["paths"].items()
        for method, operation in methods.items()
    )
    return table("operation", "what it does", rows=rows)


def _operation(operation: Mapping[str, Any]) -> Iterator[str]:
    yield in_markdown(" ".join(operation["description"].split()))
    told = [_named(each["name"], each, each["schema"]) for each in operation.get("parameters", []) if _is_own(each)]
    if told:
        yield f"Takes {'; '.join(told)}."
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        name = _reference(body["schema"])
        keys = _schema()["components"]["schemas"][name]["properties"]
        below = name == "NewRun"
        yield (
            "Keys: [below](#start-a-run)."
            if below
            else (f"Keys: {'; '.join(_named(key, shape, shape) for key, shape in keys.items())}.")
        )


def _reference(shape: Mapping[str, Any]) -> str:
    one = next(each for each in shape.get("anyOf", [shape]) if "$ref" in each)
    return str(one["$ref"]).rpartition("/")[2]


def _is_own(parameter: Mapping[str, Any]) -> bool:
    """Whether it says more than the address itself."""
    return parameter["in"] == "query" or "enum" in parameter["schema"]


def _named(name: str, told: Mapping[str, Any], shape: Mapping[str, Any]) -> str:
    about = told.get("description") or ""
    if not about and "enum" in shape:
        about = ", ".join(shape["enum"])
    return code(name) + (f" ({in_markdown(about[:1].lower() + about[1:])})" if about else "")


def new_run_keys() -> str:
    """What a request for a run may say."""
    shape = _schema()["components"]["schemas"]["NewRun"]
    rows = (
        (code(name), ("Required. " if name in shape["required"] else "") + in_markdown(each.get("description", "")))
        for name, each in shape["properties"].items()
    )
    return table("key", "what it is", rows=rows)


# --- suites ------------------------------------------------------------------------------------


def suite_keys(record: Record) -> str:
    """The keys of a record of a suite."""
    return table("key", "meaning", rows=_suite_keys(record))


def _suite_keys(record: Record) -> Rows:
    for name, field in record.fields.items():
        others = [other for other, own in record.synonyms.items() if own == name]
        alike = f" The same: {', '.join(map(code, others))}." if others else ""
        yield code(name), ("Required. " if field.required else "") + in_markdown(field.about) + alike


# --- the pages ---------------------------------------------------------------------------------

_RECORDS = ("SUITE", "CASE", "CRITERION", "EXPECT", "CALL", "MATCH", "CITATIONS", "LIMITS", "STEP", "CONDITION")
TABLES: dict[str, Callable[[], str]] = {
    "commands": commands,
    "shared options": shared_options,
    "gate options": gate_options,
    **{f"options of {name}": partial(options, name) for name in all_commands() if own_options(name)},
    "run keys": run_keys,
    "bounds": bounds,
    "settings of a run": settings_of_a_run,
    "operations": operations,
    "keys of a new run": new_run_keys,
    **{f"keys of {name.lower()}": partial(suite_keys, getattr(declaration, name)) for name in _RECORDS},
}
"""Name → what stands between its comments."""


def named_in(page: str) -> list[str]:
    """The tables that a page has a place for."""
    return [found["name"] for found in _BLOCK.finditer(page)]


def written(page: str) -> str:
    """The page with its tables as they are declared."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{TABLES[found['name']]()}\n{found[3]}", page)


def main() -> None:
    """Write every page of the reference that is not as declared."""
    for path in sorted(REFERENCE.glob("*.md")):
        before = path.read_text("utf-8")
        after = written(before)
        if after != before:
            path.write_text(after, "utf-8")
            print(f"wrote {path.name}")  # noqa: T201


if __name__ == "__main__":
    main()
