"""Load agents, reviewers, examiners and checks by name through entry points, the built-in ones included."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from proctor.errors import InputError
from proctor.plugins.exits import ExitRefused, refuse_exits
from proctor.redaction import keep_secret

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

Family = Literal["agents", "reviewers", "examiners", "checks"]
Factory = Callable[[str, Mapping[str, Any]], Any]
_VARIABLE = re.compile(r"\$\{(\w+)\}")


def files_of(room: str) -> Callable[[str], ModuleType]:
    """Return a `__getattr__` for a package that imports its modules on first use, so that commands start quickly."""

    def find(name: str) -> ModuleType:
        try:
            return importlib.import_module(f"{room}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{room}.{name}":
                raise
            raise AttributeError(f"module {room!r} has no attribute {name!r}") from None

    return find


@cache
def known(family: Family) -> dict[str, EntryPoint]:
    """Return every installed member of a family by its scheme, the word before the colon."""
    from importlib.metadata import entry_points  # faster to skip if nothing is built

    return {point.name: point for point in entry_points(group=f"proctor.{family}")}


def build(family: Family, spec: str, options: Mapping[str, Any]) -> Any:
    """Build the object that a spec such as `python:module:attribute` names. Options may contain `${NAME}`."""
    scheme, _, rest = spec.partition(":")
    point = known(family).get(scheme)
    if point is None:
        raise InputError(unknown_name_message(family, spec, sorted(known(family))))
    given = {name: filled_in(value) for name, value in options.items()}
    try:
        with refuse_exits():
            factory: Factory = point.load()
            return factory(rest, given)
    except ImportError as error:
        raise InputError(f"cannot load {spec!r}: {point.value} does not import ({error})") from error
    except ExitRefused as error:
        raise InputError(f"cannot build {spec!r}: it {error}") from error


def filled_in(value: Any) -> Any:
    """Replace every `${NAME}` in an option from the environment, the only place for secrets."""
    if isinstance(value, str):
        return _VARIABLE.sub(_variable, value)
    if isinstance(value, Mapping):
        return {name: filled_in(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled_in(inner) for inner in value]
    return value


def filled_in_address(address: str) -> str:
    """Replace every `${NAME}` in a URL; values are percent-encoded unless they are the whole URL."""
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


def _nearest(name: str, names: Iterable[str]) -> str | None:
    from proctor.settings import nearest  # avoid importing the settings at startup

    return nearest(name, names)


def unknown_name_message(family: Family, name: str, names: list[str]) -> str:
    """Return the error message for an unknown name."""
    singular = family.removesuffix("s")
    near = _as_python(name, names) or _nearest(name.partition(":")[0], names)
    named = "name a function as python:MODULE:FUNCTION, or declare it in proctor.toml; " if family == "agents" else ""
    hint = f"did you mean {near!r}? " if near else named
    there = f"expected one of {', '.join(names)}" if names else "there are none here"
    return f"there is no {singular} {name!r}: {hint}{there}"


def _as_python(name: str, names: list[str]) -> str | None:
    """`python:my_agent:answer` for `my_agent:answer` and `my_agent.py:answer`; None: it names nothing in Python."""
    module, colon, attribute = name.partition(":")
    module = module.removesuffix(".py")
    named = colon and attribute.isidentifier() and all(part.isidentifier() for part in module.split("."))
    return f"python:{module}:{attribute}" if named and {"python", "python:…"} & set(names) else None


def import_attribute(spec: str, *, what: str) -> Any:
    """Import the object that `package.module:attribute` names; the current folder is importable."""
    module_name, attribute = _split_spec(spec, what)
    target: Any = _module(module_name, what)
    for name in attribute.split("."):
        target = _attribute(target, name, spec, what)
    return target


def why_missing(spec: str, *, what: str) -> str | None:
    """Return why `import_attribute` would fail, as far as is known without executing code; None if it may work."""
    try:
        module_name, attribute = _split_spec(spec, what)
        _make_folder_importable()
        found, source = _source_of(module_name)
    except InputError as error:
        return str(error)
    except Exception:  # a custom import finder failed
        return None
    if not found:
        return _no_module(module_name, what)
    name = attribute.partition(".")[0]
    if source is None or re.search(rf"\b(?:{re.escape(name)}|__getattr__|globals|setattr)\b|import \*", source):
        return None
    near = _nearest(name, set(re.findall(r"(?m)^(?:(?:async )?def |class )?([A-Za-z]\w*)(?= *[(:=])", source)))
    return _no_attribute(spec, name, near, what)


def _source_of(module: str) -> tuple[bool, str | None]:
    """Return whether the module exists, and its source code or None if that is not available."""
    top, *inner = module.split(".")
    if module in sys.modules:
        return True, None
    spec, name = importlib.util.find_spec(top), top
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            return False, None
        name = f"{name}.{part}"
        spec = importlib.machinery.PathFinder.find_spec(name, spec.submodule_search_locations)
    if spec is None:
        return False, None
    if not (spec.origin or "").endswith(".py"):
        return True, None
    return True, Path(spec.origin or "").read_text(encoding="utf-8", errors="replace")


def _split_spec(spec: str, what: str) -> tuple[str, str]:
    module_name, colon, attribute = spec.partition(":")
    if not colon or not module_name or not attribute:
        raise InputError(f"cannot find the {what} {spec!r}: expected package.module:attribute, such as my_agent:answer")
    if module_name.endswith(".py"):
        meant = f"{module_of(module_name)}:{attribute}"
        raise InputError(f"cannot find the {what} {spec!r}: name the module, not its file: {meant}")
    return module_name, attribute


def _no_module(name: str, what: str) -> str:
    return f"cannot find the {what}: there is no module {name!r} in this folder or the environment"


def _no_attribute(spec: str, name: str, near: str | None, what: str) -> str:
    hint = f"; did you mean {near!r}?" if near else ""
    place = spec.partition(":")[0]
    return f"cannot find the {what} {spec!r}: there is no {name!r} in {place}{hint}"


def _make_folder_importable() -> None:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)


def module_of(file: str) -> str:
    """Return the module name of a file path such as `bots/mine.py`."""
    return ".".join(Path(file).with_suffix("").parts)


def _module(name: str, what: str) -> object:
    from proctor.threads import call_in_main  # whose asyncio commands that build nothing do not need

    _make_folder_importable()
    try:
        return call_in_main(partial(_import, name))
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise InputError(_no_module(name, what)) from error
        raise InputError(f"cannot import the {what}: {name!r} needs the missing module {error.name!r}") from error
    except ExitRefused as error:
        raise InputError(f"cannot import the {what}: {name!r} {error}") from error
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"cannot import the {what}: {name!r} raised {type(error).__name__}: {reason}") from error


def _import(name: str) -> object:
    with refuse_exits():
        return importlib.import_module(name)


def _attribute(target: object, name: str, spec: str, what: str) -> object:
    try:
        return getattr(target, name)
    except AttributeError as error:
        near = _nearest(name, (known for known in dir(target) if not known.startswith("_")))
        raise InputError(_no_attribute(spec, name, near, what)) from error
