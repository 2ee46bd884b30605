"""Templates → pages. Everything printed is escaped, and control characters never reach a page."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from proctor.reports.history.svg import RULES
from proctor.reports.run.environment import equip, harmless
from proctor.reports.words import one_line
from proctor.run import ExamType
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
    made.globals["asset"] = asset_address
    made.globals["version"] = version("proctor")
    return made


_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_LOOK = "look.css"
_REPORT = ("style.css", "checks.css", "battle.css")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """One file that pages load."""

    name: str
    """By which it lasts: `app.0123456789ab.css`."""
    kind: str
    content: bytes


def asset_address(name: str) -> str:
    """Where the file of this plain name is, such as `app.css`."""
    return f"/static/{_by_plain_name()[name].name}"


def find_asset(name: str) -> Asset | None:
    """The file that is called so, by its lasting name or its plain one; None: there is none."""
    plain = _by_plain_name()
    return next((asset for asset in plain.values() if asset.name == name), plain.get(name))


@cache
def _by_plain_name() -> Mapping[str, Asset]:
    """All of them; the rules that pages share with reports are one more, so that both look alike."""
    reports = files("proctor.reports") / "templates"
    look = "\n".join([*((reports / name).read_text(encoding="utf-8") for name in _REPORT), RULES])
    found = [each for each in (files("proctor.web") / "static").iterdir() if PurePath(each.name).suffix in _KINDS]
    contents = {_LOOK: look.encode(), **{each.name: each.read_bytes() for each in found}}
    return {name: _asset(PurePath(name), content) for name, content in contents.items()}


def _asset(path: PurePath, content: bytes) -> Asset:
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Asset(name=f"{path.stem}.{digest}{path.suffix}", kind=_KINDS[path.suffix], content=content)
