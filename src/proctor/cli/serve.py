"""proctor serve: run the web app."""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from proctor import workflows
from proctor.cli import options
from proctor.cli.command import Command
from proctor.cli.options import number
from proctor.errors import UsageError
from proctor.settings import BOUNDS, Bounds


@click.command("serve", cls=Command)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at; any other than this machine's own (127.0.0.1) needs a token.",
)
@number(
    "--port",
    bounds=Bounds(least=0, most=65_535, whole=True),
    default=8321,
    help="The port; 0 picks a free one [default: 8321].",
)
@click.option(
    "--token",
    envvar="PROCTOR_TOKEN",
    help="The token for people to log in and programs to send [default: $PROCTOR_TOKEN].",
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another host name that browsers may use; repeatable [default: the address itself].",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, by its address or network, whose X-Forwarded-For header names the client: wrong tokens are then "
    "counted per client; repeatable.",
)
@number(
    "--processes",
    bounds=BOUNDS["processes"],
    default=2,
    show_default=True,
    help="Maximum runs at the same time.",
)
@options.store
def command(
    host: str,
    port: int,
    token: str | None,
    names: tuple[str, ...],
    proxies: tuple[str, ...],
    processes: int,
    store: str | None,
    config_path: Path | None,
) -> int:
    """Open the web app: create benchmarks, start runs, watch, read and compare them."""
    if not all(map(find_spec, ("fastapi", "python_multipart", "uvicorn"))):
        raise UsageError('the web app needs more packages: pip install "proctor[web]"')
    _server()(
        store=workflows.store_url.store_url(store, options.load_config(config_path)),
        config=config_path,
        host=host,
        port=port,
        token=token or None,
        names=names,
        proxies=proxies,
        processes=processes,
    )
    return 0


def _server() -> Callable[..., None]:
    """Load the web server by entry point, since interfaces do not import each other.

    Imported objects are never freed, so garbage collection stays off until the server is ready; it would take a tenth
    of the startup time.
    """
    gc.disable()
    serve: Callable[..., None] = import_module("proctor.web.server").serve
    return serve
