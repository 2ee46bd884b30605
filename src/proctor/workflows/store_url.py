"""Location of the store."""

from __future__ import annotations

import os
from pathlib import Path

from proctor import plugins
from proctor.config import DEFAULT_STORE, Config
from proctor.errors import UsageError
from proctor.settings import check_path
from proctor.settings import given as setting


def store_url(given: str | Path | None, config: Config) -> str:
    """Return the store's URL: as given, else PROCTOR_STORE, else from the configuration, else `.proctor/`."""
    if given is not None and not isinstance(given, (str, Path)):
        raise UsageError(
            setting("store", given),
            " is not a place to store results; expected a path or an address, or nothing for .proctor/",
        )
    declared = plugins.filled_in_address(config.store) if config.store else DEFAULT_STORE
    where = str(os.environ.get("PROCTOR_STORE") or declared if given is None else given)
    check_path("the store", where)
    return where if "://" in where else os.path.abspath(where)
