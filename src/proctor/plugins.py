"""A name in a file → a part, by entry points. The built-in parts come in by the same door."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from proctor.errors import InputError
from proctor.redaction import keep_secret
from proctor.settings import nearest

Family = Literal["agents", "reviewers", "examiners", "checks"]
Factory = Callable[[str, Mapping[str, Any]], Any]
_VARIABLE = re.compile(r"\$\{(\w+)\}")


@cache
def known(family: Family) -> dict[str, EntryPoint]:
    """Every installed member of a family, by the word before the colon."""
    return {point.name: point for point in entry_points(group=f"proctor.{family}")}


def build(family: Family, spec: str, options: Mapping[str, Any]) -> Any:
    """The part that a spec such as `python:module:attribute` names. Its options may hold `${NAME}`."""
    scheme, _, rest = spec.partition(":")
    point = known(family).get(scheme)
    if point is None:
        raise InputError(unknown_name_message(family, spec, sorted(known(family))))
    try:
        factory: Factory = point.load()
    except ImportError as error:
        raise InputError(f"cannot load {spec!r}: {point.value} does not import ({error})") from error
    return factory(rest, {name: filled_in(value) for name, value in options.items()})


def filled_in(value: Any) -> Any:
    """An option with every `${NAME}` replaced from the environment: secrets are only ever there."""
    if isinstance(value, str):
        return _VARIABLE.sub(_variable, value)
    if isinstance(value, Mapping):
        return {name: filled_in(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled_in(inner) for inner in value]
    return value


def filled_in_address(address: str) -> str:
    """The same for an address, in which a value is quoted unless it is the whole of it."""
    if _VARIABLE.fullmatch(address):
        return str(filled_in(address))
    return _VARIABLE.sub(lambda match: quote(_variable(match), safe=""), address)


def _variable(match: re.Match[str]) -> str:
    name = match[1]
    if name not in os.environ:
        raise InputError(
            f"an option names ${{{name}}}, but the environment has no {name}; set it, or remove the option"
        )
    keep_secret(name)
    return os.environ[name]


def unknown_name_message(family: Family, name: str, names: list[str]) -> str:
    """The sentence for a name that nothing answers to."""
    singular = family.removesuffix("s")
    near = nearest(name.partition(":")[0], names)
    hint = f"did you mean {near!r}? " if near else ""
    return f"there is no {singular} {name!r}: {hint}known are {', '.join(names) or 'none'}"


def import_attribute(spec: str, *, what: str) -> Any:
    """The object that `package.module:attribute` names; the current folder is importable."""
    module_name, colon, attribute = spec.partition(":")
    if not colon or not module_name or not attribute:
        raise InputError(f"cannot find the {what} {spec!r}: expected package.module:attribute, such as my_agent:answer")
    if module_name.endswith(".py"):
        meant = f"{module_of(module_name)}:{attribute}"
        raise InputError(f"cannot find the {what} {spec!r}: name the module, not its file: {meant}")
    target: Any = _module(module_name, what)
    for name in attribute.split("."):
        target = _attribute(target, name, spec, what)
    return target


def module_of(file: str) -> str:
    """How a file that was named, such as `bots/mine.py`, is imported."""
    return ".".join(Path(file).with_suffix("").parts)


def _module(name: str, what: str) -> object:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise InputError(
                f"cannot find the {what}: there is no module {name!r} in this folder or the environment"
            ) from error
        raise InputError(f"cannot import the {what}: {name!r} needs the missing module {error.name!r}") from error
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"cannot import the {what}: {name!r} raised {type(error).__name__}: {reason}") from error


def _attribute(target: object, name: str, spec: str, what: str) -> object:
    try:
        return getattr(target, name)
    except AttributeError as error:
        near = nearest(name, (known for known in dir(target) if not known.startswith("_")))
        hint = f"; did you mean {near!r}?" if near else ""
        raise InputError(f"cannot find the {what} {spec!r}: it has no attribute {name!r}{hint}") from error
