"""Objects made in a test, loaded by the same door as a user's."""

from __future__ import annotations

import sys
import types
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from proctor.roles import Agent

Load = Callable[[str, Mapping[str, Any]], Agent]


def loaded(load: Load, target: object, **options: Any) -> Agent:
    """The agent that a spec for this very object gives."""
    return load(spec_of(target), options)


def spec_of(target: object) -> str:
    """A spec for an object: the attribute of a module that has nothing else."""
    module = types.ModuleType(f"minded_{uuid.uuid4().hex}")
    module.target = target  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    return f"{module.__name__}:target"
