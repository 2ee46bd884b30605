"""What a browser makes of the pages: when the largest part is painted, how far things shift, how much is transferred.

    python bench/page_load.py

Debian's chromium at a real server on the loopback, over a store with the demonstrations: each page is opened with an
empty cache, in a window of 1280 by 860. Shown are the worst of three loads. Goals: largest contentful paint under 1 s,
cumulative layout shift under 0.02, 60 kB transferred.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PROGRAM = [sys.executable, "-m", "proctor"]
LOADS = 3
PORT = 8459
LATEST_PAINT, MOST_SHIFT, MOST_BYTES = 1000.0, 0.02, 60_000
_WATCH = """() => {
  window.seen = { paint: 0, shift: 0 };
  new PerformanceObserver((list) => { for (const each of list.getEntries()) seen.paint = each.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => { for (const each of list.getEntries()) seen.shift += each.value; })
    .observe({ type: "layout-shift", buffered: true });
}"""


class Load(NamedTuple):
    """One load of a page."""

    paint: float
    """Milliseconds to the largest contentful paint."""
    shift: float
    transferred: int
    """Bytes as they came over the wire, with everything that the page asks for."""


def main() -> int:
    path = shutil.which("chromium")
    if path is None:
        print("there is no chromium: apt-get install chromium")
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory(prefix="proctor-bench-") as folder, served(Path(folder)) as site:
        pages = addresses(Path(folder))
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
            worst = {name: worst_of(load(browser, site + address) for _ in range(LOADS)) for name, address in pages}
            browser.close()
    return tell(worst)


def tell(worst: dict[str, Load]) -> int:
    print(f"{'page':<22}{'paint':>8}{'shift':>9}{'transferred':>14}")
    for name, each in worst.items():
        print(f"{name:<22}{each.paint:>5.0f} ms{each.shift:>9.4f}{each.transferred / 1000:>11.1f} kB")
    missed = [name for name, each in worst.items() if misses(each)]
    print(f"\nbeyond the goals: {', '.join(missed)}" if missed else "\nall within the goals")
    return 1 if missed else 0


def misses(load: Load) -> bool:
    return load.paint > LATEST_PAINT or load.shift > MOST_SHIFT or load.transferred > MOST_BYTES


def worst_of(loads: Iterator[Load]) -> Load:
    known = list(loads)
    return Load(
        paint=max(each.paint for each in known),
        shift=max(each.shift for each in known),
        transferred=max(each.transferred for each in known),
    )


def load(browser: Any, address: str) -> Load:
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page = context.new_page()
    wire = context.new_cdp_session(page)
    sizes: list[int] = []
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.add_init_script(f"({_WATCH})()")
    page.goto(address)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 200)))")
    seen = page.evaluate("() => seen")
    context.close()
    return Load(seen["paint"], seen["shift"], sum(sizes))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The demonstrations, played and shown."""
    for options in ([], ["--battle"], ["--orchestrator"]):
        subprocess.run([*PROGRAM, "demo", *options], cwd=folder, check=True, capture_output=True)
    with open(folder / "server.log", "wb") as log:
        process = subprocess.Popen([*PROGRAM, "serve", "--port", str(PORT)], cwd=folder, stderr=log)
    try:
        site = f"http://127.0.0.1:{PORT}"
        until_answering(site)
        yield site
    finally:
        process.terminate()
        process.wait(20)


def until_answering(site: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(f"{site}/health", timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


def addresses(folder: Path) -> list[tuple[str, str]]:
    listed = subprocess.run([*PROGRAM, "list", "--json"], cwd=folder, check=True, capture_output=True).stdout
    runs = [run["run"] for run in json.loads(listed)]
    shown = subprocess.run([*PROGRAM, "show", runs[-1], "--json"], cwd=folder, check=True, capture_output=True).stdout
    case = json.loads(shown)["cases"][0]["id"]
    pages = {
        "home": "/",
        "runs": "/runs",
        "new run": "/runs/new?benchmark=handbook-30",
        "benchmarks": "/benchmarks",
        "benchmark": "/benchmarks/library-skills",
        "create a benchmark": "/benchmarks/new",
        "history": "/history?benchmark=handbook-30",
        "settings": "/settings",
        "compare": f"/compare?a={runs[0]}&b={runs[-1]}&force=1",
        "compare several": f"/compare/several?run={runs[0]}&run={runs[-1]}&force=1",
        "plan": "/plan",
        "import": "/import",
        "harvest": f"/harvest?run={runs[-1]}",
        **{f"run {number}": f"/runs/{run}" for number, run in enumerate(runs, 1)},
        "attempt": f"/runs/{runs[-1]}/attempt?case={case}",
        "what failed": f"/runs/{runs[-1]}/failures",
    }
    return list(pages.items())


if __name__ == "__main__":
    raise SystemExit(main())
