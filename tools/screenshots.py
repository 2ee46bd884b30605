"""Every page as a picture, taken from a real `proctor serve`: light, dark, and as wide as a phone.

All go to `build/screenshots/`, to be looked at; those in KEPT also to `docs/images/`, where the documentation shows
them. `--only NAME …` takes a few. Needs Debian's chromium.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sample import SLOW, STORE, furnish

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "screenshots"
IMAGES = ROOT / "docs" / "images"
TOKEN = "a token for pictures"
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 860}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 860}},
    "phone": {"color_scheme": "light", "viewport": {"width": 375, "height": 812}, "has_touch": True},
}
KEPT = {
    ("run", "light"): "web-run.png",
    ("battle", "dark"): "web-battle.png",
    ("compare", "light"): "web-compare.png",
    ("several", "light"): "web-several.png",
    ("home", "light"): "web-home.png",
    ("new-battle", "dark"): "web-new-run.png",
    ("create-errors", "light"): "web-create.png",
}
"""(page, look) → the picture's name in the documentation, where only the first screen is shown."""
_PATIENCE = 60_000
_BAD = '"What is the capital of France?";"Paris"\n"What is the capital of Italy?"\n"Of Spain?";"Madrid" or so\n'


def main() -> None:
    """Furnish a store, serve it, go through the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="these pages")
    wanted = set(parser.parse_args().only)
    with tempfile.TemporaryDirectory(prefix="proctor-screenshots-") as kept:
        full, bare = Path(kept) / "full", Path(kept) / "bare"
        full.mkdir()
        bare.mkdir()
        furnish(full)
        with _browser() as browser, _serving(full) as site, _serving(bare, token=TOKEN) as empty:
            try:
                for look, settings in LOOKS.items():
                    _take(browser, look, settings, site, empty, wanted)
            finally:
                _stop(browser, site)


def _take(browser: Any, look: str, settings: Mapping[str, Any], site: str, empty: str, wanted: set[str]) -> None:
    context = browser.new_context(reduced_motion="reduce", **settings)
    context.set_default_timeout(_PATIENCE)
    page = context.new_page()
    for name, address in (_addresses(page, site) | _bare(empty)).items():
        if wanted and name not in wanted:
            continue
        page.goto(address)
        _prepare(page, name)
        _picture(page, look, name)
    context.close()


def _picture(page: Any, look: str, name: str) -> None:
    path = OUT / look / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.wait_for_load_state("load")
    page.screenshot(path=path, full_page=True)
    if kept := KEPT.get((name, look)):
        IMAGES.mkdir(exist_ok=True)
        if name == "battle":
            page.evaluate("document.querySelector('.spoken:has(.wire)').scrollIntoView()")
        page.screenshot(path=IMAGES / kept)


def _addresses(page: Any, site: str) -> dict[str, str]:
    """Page → where it is; the runs are found by what they are called."""
    runs: list[dict[str, Any]] = page.request.get(f"{site}/api/runs?limit=100").json()["runs"]
    if not any(run["agent"] == SLOW and run["status"] == "running" for run in runs):
        _start(page, site)
        runs = page.request.get(f"{site}/api/runs?limit=100").json()["runs"]

    def the(**wanted: str) -> str:
        return next(str(run["run"]) for run in runs if all(run[name] == value for name, value in wanted.items()))

    librarian = the(agent="demo:librarian", benchmark="handbook-30", type="standard")
    suite, battle = the(benchmark="library skills"), the(agent="demo:pushover")
    orchestrator, newest = the(agent="demo:orchestrator"), the(name="clerk, prompt 7")
    pair = {"a": the(name="clerk, prompt 3"), "b": newest}
    several = urlencode([("run", the(name=f"clerk, prompt {number}")) for number in (1, 4, 7)])
    case = page.request.get(f"{site}/api/compare?{urlencode(pair)}").json()["cases"][0]["case"]
    chosen = {"benchmark": "capitals", "agent": "clerk", "trials": "3"}
    paths = {
        "home": "/",
        "runs": "/runs",
        "new": f"/runs/new?{urlencode(chosen)}",
        "new-battle": f"/runs/new?{urlencode({**chosen, 'benchmark': 'handbook-30', 'type': 'abm-dynamic'})}",
        "benchmarks": "/benchmarks",
        "benchmark": "/benchmarks/capitals",
        "benchmark-suite": "/benchmarks/library-skills",
        "benchmark-edit": "/benchmarks/capitals/edit",
        "create": "/benchmarks/new",
        "create-errors": "/benchmarks/new",
        "agents": "/agents",
        "agents-tried": "/agents?agent=demo%3Alibrarian",
        "run": f"/runs/{librarian}",
        "run-attempts": f"/runs/{librarian}?by=attempt&verdict=not_passed",
        "run-suite": f"/runs/{suite}",
        "run-battle": f"/runs/{battle}",
        "run-orchestrator": f"/runs/{orchestrator}",
        "run-live": f"/runs/{the(agent=SLOW)}",
        "attempt": f"/runs/{suite}/attempt?case=cite-own-car",
        "attempt-orchestrator": _first_row(page, f"{site}/runs/{orchestrator}"),
        "battle": _contradiction(page, f"{site}/runs/{battle}"),
        "compare": f"/compare?{urlencode(pair)}",
        "compare-case": f"/compare/case?{urlencode({**pair, 'case': case})}",
        "compare-choose": "/compare",
        "several": f"/compare/several?{several}",
        "tournament": f"/tournament?{several}",
        "compare-unlike": f"/compare?{urlencode({'a': librarian, 'b': newest})}",
        "history": "/history?benchmark=Capitals",
        "settings": "/settings",
        "docs": "/docs",
        "error": "/runs/nothing",
    }
    return {name: site + path for name, path in paths.items()}


def _first_row(page: Any, address: str) -> str:
    """The address of the worst case of a run."""
    page.goto(address)
    return str(page.get_attribute(".results tr[data-row] a", "href"))


def _contradiction(page: Any, address: str) -> str:
    """The address of a conversation whose turns contradict each other."""
    page.goto(address)
    rows = [row.get_attribute("href") for row in page.query_selector_all(".results tr[data-row] a")]
    for path in rows:
        page.goto(address.partition("/runs/")[0] + path)
        if page.locator(".wire").count():
            return str(path)
    raise LookupError(f"no conversation of {address} contradicts itself")


def _bare(site: str) -> dict[str, str]:
    paths = {"login": "/login", "empty-home": "/", "empty-agents": "/agents", "empty-history": "/history"}
    return {name: site + path for name, path in (paths | {"empty-compare": "/compare", "empty-runs": "/runs"}).items()}


def _start(page: Any, site: str) -> None:
    """A run that takes its time, so that one is going on while pictures are taken."""
    page.goto(site)
    token = page.get_attribute('meta[name="form-token"]', "content")
    wanted = {
        "benchmark": "handbook-30",
        "agent": SLOW,
        "trials": 20,
        "concurrency": 2,
        "name": "thoughtful, twenty times",
    }
    answer = page.request.post(f"{site}/api/runs", data=wanted, headers={"x-form-token": token})
    assert answer.ok, answer.text()
    page.goto(f"{site}/runs/{answer.json()['run']}")
    page.wait_for_selector("[data-now=done]:text-matches('^1[0-9]')")


def _stop(browser: Any, site: str) -> None:
    """End that run: its process would outlive the server."""
    page = browser.new_page()
    page.goto(f"{site}/runs?status=running")
    if page.locator("tr[data-row]").count():
        page.click("tr[data-row] a")
        page.click("button:text('Cancel')")
        page.wait_for_selector(".state:has-text('cancelled')")


def _prepare(page: Any, name: str) -> None:
    """What has to be done on a page before it shows what it is for."""
    if name == "create-errors":
        page.fill("#name", "Capitals of Europe")
        with page.expect_navigation():
            page.set_input_files("#file", {"name": "capitals.csv", "mimeType": "text/csv", "buffer": _BAD.encode()})
    elif name == "agents-tried":
        page.click("button:text('Ask')")
        page.wait_for_selector(".tried")
    elif name.startswith("new"):
        page.wait_for_selector(".taken")
    elif name == "run-live":
        page.wait_for_selector("[data-now=pace]:not(:empty)")
    elif name.startswith("empty") and page.url.startswith(f"{page.url.split('/login')[0]}/login"):
        page.fill("#token", TOKEN)
        page.click("main button")
        page.wait_for_url(re.compile("^(?!.*login)"))


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or sys.exit("There is no chromium; on Debian or Ubuntu: apt install chromium")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox", "--hide-scrollbars"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def _serving(folder: Path, *, token: str = "") -> Iterator[str]:
    """`proctor serve` in a folder, at a free port of this machine."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
    command = [sys.executable, "-m", "proctor", "serve", "--port", "0", "--processes", "1", "--store", STORE]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment | ({"PROCTOR_TOKEN": token} if token else {}),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        found = re.search(r"http://[\w.:]+", said := process.stderr.readline())
        assert found is not None, said
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=20)


if __name__ == "__main__":
    main()
