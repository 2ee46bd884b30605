"""The page on the REST API tells of every operation, and of no other."""

from __future__ import annotations

import re
from pathlib import Path

from proctor.web.api.run_requests import NewRun
from proctor.web.app import create_app
from proctor.web.site.openapi import schema
from proctor.web.site.settings import WebSettings

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "rest.md").read_text(encoding="utf-8")


def test_every_operation_is_in_the_table(tmp_path: Path) -> None:
    paths = schema(create_app(WebSettings(store=str(tmp_path / "store.db"), folder=tmp_path)))["paths"]
    there = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(re.findall(r"^\| `((?:GET|POST|PATCH|DELETE) /api/[^`]*)`", PAGE, re.MULTILINE)) == there


def test_every_key_of_a_new_run_is_on_the_page() -> None:
    assert [name for name in NewRun.model_fields if f"`{name}`" not in PAGE] == []
