"""A Python name in a file or on the command line → the object, or one clear sentence."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from proctor.errors import InputError


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
        near = difflib.get_close_matches(name, [known for known in dir(target) if not known.startswith("_")], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"cannot find the {what} {spec!r}: it has no attribute {name!r}{hint}") from error
