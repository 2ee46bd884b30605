"""Templates → pages. Everything printed is escaped, and control characters never reach a page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from proctor.reports.run.environment import equip, harmless
from proctor.reports.words import one_line
from proctor.run import ExamType
from proctor.web.site import assets
from proctor.web.site.site import site_of

if TYPE_CHECKING:
    from proctor.web.site.sessions import Session

FORM_CACHE = "private, no-cache"
"""For pages with a form: a browser may keep what was typed, so that Back does not lose it."""
THEMES = ("light", "dark")
THEME_COOKIE = "proctor_theme"
KEYS_COOKIE = "proctor_keys"
"""Whether single keys do something: `off`, or not set."""
TYPE_NAMES: dict[ExamType, str] = {
    "standard": "Standard",
    "abm-static": "ABM Static",
    "abm-dynamic": "ABM Dynamic",
}
"""What pages call the types of an examination."""
_REPORTS = "reports/"


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; templates find what every page needs beside `values`."""
    theme = request.cookies.get(THEME_COOKIE, "")
    session: Session = request.state.session
    page = environment().get_template(template)
    return HTMLResponse(
        page.render(
            request=request,
            path=request.url.path,
            theme=theme if theme in THEMES else "",
            keys=request.cookies.get(KEYS_COOKIE) != "off",
            form_token=site_of(request).sessions.form_token(session),
            log_out=session.known,
            shared=request.state.shared,
            now=time.time(),
            **values,
        ),
        status_code=status,
    )


def with_query(request: Request, **changed: object) -> str:
    """This page's address with other values in its query, seen from the page; what is None goes."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in changed]
    given = [(name, str(value)) for name, value in changed.items() if value is not None]
    return f"?{urlencode(kept + given)}"


def config_problem(request: Request) -> str:
    """Why the configuration cannot be read, for everybody who may know; empty: it can."""
    site, session = site_of(request), request.state.session
    return site.config_problem if session.known or site.settings.token is None else ""


def spoken(said: str, limit: int = 1000) -> Markup:
    """A sentence of ours on a page, with what stood between backticks as code."""
    pieces = one_line(said, limit).split("`")
    if len(pieces) % 2 == 0:  # one that is not closed
        pieces[-2:] = ["`".join(pieces[-2:])]
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else Markup("{}").format(piece)
        for place, piece in enumerate(pieces)
    )


def breakable(name: str) -> Markup:
    """A name that is broken after `:` and `/` where it has no room, before it is broken inside a word."""
    return Markup("<wbr>").join(re.findall(r"[^:/]*[:/]+|[^:/]+$", name))


class _Templates(BaseLoader):
    """Those of pages, and under `reports/` those of the report."""

    def __init__(self) -> None:
        self._pages, self._reports = PackageLoader("proctor.web"), PackageLoader("proctor.reports")

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        if template.startswith(_REPORTS):
            return self._reports.get_source(environment, template.removeprefix(_REPORTS))
        return self._pages.get_source(environment, template)


class _Environment(Environment):
    """`reports/NAME` is a template of the HTML report; what such a one includes is looked for there too."""

    def join_path(self, template: str, parent: str) -> str:
        inside = parent.startswith(_REPORTS) and not template.startswith(_REPORTS)
        return f"{_REPORTS}{template}" if inside else template


@cache
def environment() -> Environment:
    """The templates of pages, with the macros of the report beside them."""
    made = _Environment(
        loader=_Templates(),
        autoescape=True,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    equip(made)
    made.filters["with_query"] = with_query
    made.filters["spoken"] = spoken
    made.filters["breakable"] = breakable
    made.globals["type_names"] = TYPE_NAMES
    made.globals["config_problem"] = config_problem
    made.globals["asset"] = assets.address
    made.globals["version"] = version("proctor")
    return made
