"""Pages opened in a browser, and everything that it complains about."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.browser.chromium import PATIENCE

PHONE = {"width": 390, "height": 812}
WIDE = {"width": 1280, "height": 860}
_HERE = Path(__file__).parent


class Opening:
    """Opens pages of one site, and notes scripts that failed, what the console says, and dialogs."""

    def __init__(self, browser: Any, site: str) -> None:
        self.browser = browser
        self.site = site
        self.complaints: list[str] = []
        self.contexts: list[Any] = []

    def __call__(self, address: str, **context: Any) -> Any:
        opened = self.browser.new_context(**context)
        opened.set_default_timeout(PATIENCE)
        opened.set_default_navigation_timeout(PATIENCE)
        self.contexts.append(opened)
        page = opened.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{address}: {error}"))
        page.on("console", self._hear)
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.goto(self.site + address)
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def _hear(self, said: Any) -> None:
        if said.type in ("error", "warning") and "status of 4" not in said.text:  # a form with faults, or no such page
            self.complaints.append(said.text)


def follow(page: Any, link: Any) -> None:
    """Press what leads to another page, and wait until all of that one is there, its scripts too."""
    with page.expect_navigation():
        link.click()


def found_by(page: Any, *scripts: str) -> list[str]:
    """What these scripts find wrong with a page."""
    return [each for name in scripts for each in page.evaluate((_HERE / name).read_text(encoding="utf-8"))]


_AXE = """only => axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}},
    ...(only.length ? {runOnly: only} : {})}).then(said => said.violations.flatMap(rule =>
        rule.nodes.map(node => `${rule.id}: ${node.target.join(" ")}: ${node.html.slice(0, 120)}`)))"""


@cache
def _axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def found_by_axe(page: Any, *only: str) -> list[str]:
    """What axe-core finds wrong with a page by these rules; without any, by all of its own."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_axe())
    found: list[str] = page.evaluate(_AXE, only)
    return found
