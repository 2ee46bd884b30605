"""Processes that this server starts, which go on when it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from proctor.web.site.settings import WebSettings


def start_child(settings: WebSettings, arguments: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """`proctor` with these arguments, on the same store; what it says goes into the log."""
    config = ["--config", str(settings.config)] if settings.config is not None else []
    environment = {name: value for name, value in os.environ.items() if name != "PROCTOR_TOKEN"}
    return subprocess.Popen(
        [sys.executable, "-m", "proctor", *arguments, *config],
        env={**environment, "PROCTOR_STORE": settings.store},  # not an argument: it may hold a password
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,  # neither Ctrl-C nor the end of the server reaches it
    )
