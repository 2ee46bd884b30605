"""Render templates to pages. All output is escaped, and control characters are removed."""

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
"""Cache policy for pages with a form: the browser may keep typed input, so that Back does not lose it."""
THEMES = ("light", "dark")
THEME_COOKIE = "proctor_theme"
KEYS_COOKIE = "proctor_keys"
"""Cookie for single-key shortcuts: `off`, or not set."""
TYPE_NAMES: dict[ExamType, str] = {
    "standard": "Standard",
    "abm-static": "ABM Static",
    "abm-dynamic": "ABM Dynamic",
}
"""Names of examination types in pages."""
_REPORTS = "reports/"


def render(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page from `values` and the context common to all pages."""
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
    """Return this page's URL, relative to it, with changed query parameters; None removes one."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in changed]
    given = [(name, str(value)) for name, value in changed.items() if value is not None]
    return f"?{urlencode(kept + given)}"


def config_problem(request: Request) -> str:
    """Return why the configuration cannot be read, for users allowed to see it; empty if it can."""
    site, session = site_of(request), request.state.session
    return site.config_problem if session.known or site.settings.token is None else ""


def spoken(text: str, limit: int = 1000) -> Markup:
    """Format an internal message as HTML, with text in backticks as code."""
    pieces = one_line(text, limit).split("`")
    if len(pieces) % 2 == 0:  # an unclosed backtick
        pieces[-2:] = ["`".join(pieces[-2:])]
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else Markup("{}").format(piece)
        for place, piece in enumerate(pieces)
    )


def breakable(name: str) -> Markup:
    """Format a name that may wrap after `:` and `/`, in preference to the middle of a word."""
    return Markup("<wbr>").join(re.findall(r"[^:/]*[:/]+|[^:/]+$", name))


class _Templates(BaseLoader):
    """Template loader: those of pages and, under `reports/`, those of reports."""

    def __init__(self) -> None:
        self._pages, self._reports = PackageLoader("proctor.web"), PackageLoader("proctor.reports")

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        if template.startswith(_REPORTS):
            return self._reports.get_source(environment, template.removeprefix(_REPORTS))
        return self._pages.get_source(environment, template)


class _Environment(Environment):
    """Environment in which `reports/NAME` is a template of the HTML report, and so is what it includes."""

    def join_path(self, template: str, parent: str) -> str:
        inside = parent.startswith(_REPORTS) and not template.startswith(_REPORTS)
        return f"{_REPORTS}{template}" if inside else template


@cache
def environment() -> Environment:
    """Create the environment of page templates, including the report's macros."""
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
    """A static asset of pages."""

    name: str
    """Fingerprinted name: `app.0123456789ab.css`."""
    kind: str
    content: bytes


def asset_address(name: str) -> str:
    """Return the URL of an asset given its plain name, such as `app.css`."""
    return f"/static/{_by_plain_name()[name].name}"


def find_asset(name: str) -> Asset | None:
    """Return the asset with this fingerprinted or plain name, or None."""
    plain = _by_plain_name()
    return next((asset for asset in plain.values() if asset.name == name), plain.get(name))


@cache
def _by_plain_name() -> Mapping[str, Asset]:
    """Return all assets by plain name, including the style rules that pages share with reports."""
    reports = files("proctor.reports") / "templates"
    look = "\n".join([*((reports / name).read_text(encoding="utf-8") for name in _REPORT), RULES])
    found = [each for each in (files("proctor.web") / "static").iterdir() if PurePath(each.name).suffix in _KINDS]
    contents = {_LOOK: look.encode(), **{each.name: each.read_bytes() for each in found}}
    return {name: _asset(PurePath(name), content) for name, content in contents.items()}


def _asset(path: PurePath, content: bytes) -> Asset:
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Asset(name=f"{path.stem}.{digest}{path.suffix}", kind=_KINDS[path.suffix], content=content)
