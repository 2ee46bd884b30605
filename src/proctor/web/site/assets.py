"""Styles, scripts and the icon. The name of each changes with what is in it, so that browsers keep it for good."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from proctor.reports.history.svg import RULES

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


def address(name: str) -> str:
    """Where the file of this plain name is, such as `app.css`."""
    return f"/static/{_by_plain_name()[name].name}"


def find(name: str) -> Asset | None:
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
