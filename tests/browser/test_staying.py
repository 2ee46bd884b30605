"""What stays and what is kept out, in a real browser: runs that outlive their server; tokens; pages of another site."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.browser.chromium import PATIENCE, serving

from proctor.storage import open_store

_TOKEN = "correct horse battery"
_CONFIG = '[agents.waiting]\nspec = "python:waiting:answer"\n'
_AGENT = '''
import asyncio
import itertools
from pathlib import Path

asked = itertools.count()


async def answer(question: str) -> str:
    """Three questions at once; the others when there is a file."""
    if next(asked) >= 3:
        while not Path("go-on").exists():
            await asyncio.sleep(0.02)
    return "I see."
'''
_WAITING = "/runs/new?benchmark=handbook-30&agent=waiting"


@pytest.fixture
def page(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proctor.toml").write_text(_CONFIG)
    (tmp_path / "waiting.py").write_text(_AGENT)
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / ".proctor" / "proctor.db")


def start(page: Any, site: str) -> None:
    """A run that goes on until it may go on, as far as its first results."""
    page.goto(site + _WAITING)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile(r"/runs/\d{6}-"))
    page.wait_for_selector("[data-now=done]:not(:text-is('0'))")


def ends(store: str) -> dict[str, float | None]:
    """Case → when it was over, of the one run there is."""
    with open_store(store) as opened:
        run = opened.archive.find("last").id
        return {attempt.key.exam: attempt.ended for attempt in opened.archive.attempts(run)}


def test_a_run_is_cancelled_and_resumed_by_its_buttons(page: Any, store: str) -> None:
    with serving(store, processes=1) as site:
        start(page, site)
        page.get_by_role("button", name="Cancel").click()
        page.wait_for_selector(".state:has-text('cancelled')")
        page.wait_for_selector("text=Cancelled: on request")
        before = ends(store)
        assert 0 < len(before) < 30
        Path("go-on").touch()
        page.get_by_role("button", name="Resume").click()
        page.wait_for_selector(".state:has-text('completed')")
    after = ends(store)
    assert len(after) == 30
    assert {exam: after[exam] for exam in before} == before, "nothing was played twice"


@contextmanager
def served(port: int = 0) -> Iterator[str]:
    """`proctor serve` as people start it; killed at the end, with everything that it has started."""
    command = [sys.executable, "-m", "proctor", "serve", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield process.stderr.readline().split()[3].rstrip("/")
        finally:
            for thread in Path(f"/proc/{process.pid}/task").glob("*/children"):
                for child in thread.read_text().split():
                    kill(int(child))
            process.kill()


def kill(process: int) -> None:
    """End a process of somebody else's, and wait until it has let go of everything."""
    ending = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(ending, signal.SIGKILL)
        assert select.select([ending], [], [], PATIENCE / 1000)[0]
    finally:
        os.close(ending)


def test_a_run_outlives_a_server_that_is_killed_and_the_page_goes_on_showing_it(page: Any, store: str) -> None:
    with served() as site:
        start(page, site)
        page.wait_for_selector("[data-spent]")
    page.get_by_text("Connection lost; trying again").wait_for()
    spent = page.inner_text("[data-spent]")
    with open_store(store) as opened:
        assert opened.archive.find("last").status == "paused", "its process was killed too"
    page.evaluate("() => new Promise((over) => setTimeout(over, 1200))")
    assert page.inner_text("[data-spent]") == spent, "nobody knows whether it goes on"
    Path("go-on").touch()
    with served(int(site.rpartition(":")[2])):
        page.wait_for_selector(".state:has-text('completed')")
    assert len(ends(store)) == 30


def test_a_token_opens_the_pages_until_somebody_logs_out(page: Any, store: str) -> None:
    with serving(store, token=_TOKEN) as site:
        page.goto(f"{site}/runs")
        page.fill("[name=token]", "a guess, and a wrong one")
        page.keyboard.press("Enter")
        page.get_by_text("This is not the token of this server").wait_for()
        page.fill("[name=token]", _TOKEN)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{site}/runs")
        assert "proctor_" not in page.evaluate("document.cookie"), "no script reads the session"
        [session] = [cookie for cookie in page.context.cookies() if cookie["name"].startswith("proctor_")]
        assert (session["httpOnly"], session["sameSite"]) == (True, "Lax")
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url(f"{site}/login")
        page.context.add_cookies([session])
        page.goto(f"{site}/runs")
        assert "/login" in page.url, "a session that was kept is worth nothing"


_EVIL = """<!doctype html><title>elsewhere</title>
<form id="plain" method="post" enctype="text/plain" action="{site}/api/runs" target="one">
<input name='{{"benchmark": "handbook-30", "agent": "demo:librarian", "name": "' value='"}}'></form>
<form id="demo" method="post" action="{site}/demo" target="two"></form>
<iframe name="one"></iframe><iframe name="two"></iframe>
<script>
plain.submit(); demo.submit();
const body = JSON.stringify({{benchmark: "handbook-30", agent: "demo:librarian"}});
const sent = ["text/plain", "application/json"].map((kind) => fetch("{site}/api/runs",
  {{method: "POST", mode: kind === "text/plain" ? "no-cors" : "cors", credentials: "include", body,
    headers: {{"content-type": kind}}}}));
const read = fetch("{site}/api/runs", {{credentials: "include"}}).then((answer) => answer.text());
const seen = new Promise((told) => {{ const image = new Image();
  image.onload = image.onerror = (event) => told(event.type); image.src = "{site}/runs"; }});
Promise.allSettled([...sent, read, seen]).then((all) => {{ window.outcome = all.map((each) => each.status); }});
</script>"""


@contextmanager
def elsewhere(content: str) -> Iterator[str]:
    """A page of another site."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as answering:
        thread = threading.Thread(target=answering.serve_forever)
        thread.start()
        yield f"http://localhost:{answering.server_port}/"
        answering.shutdown()
        thread.join()


def test_the_page_of_another_site_starts_nothing_reads_nothing_and_shows_nothing(page: Any, store: str) -> None:
    with serving(store) as site, elsewhere(_EVIL.format(site=site)) as evil:
        page.goto(f"{site}/runs")  # so that there is a session to ride on
        posted: list[int] = []
        page.on("response", lambda answer: posted.append(answer.status) if answer.request.method == "POST" else None)
        page.goto(evil)
        page.wait_for_function("window.outcome")
        assert page.evaluate("window.outcome")[1:3] == ["rejected", "rejected"], "neither sent as JSON nor read"
        while len(posted) < 2:
            page.wait_for_event("response")
        page.wait_for_load_state("networkidle")
        assert posted == [403, 403], "both forms"
        with open_store(store) as opened:
            assert opened.archive.runs() == []
        assert all("Proctor" not in frame.content() for frame in page.frames)
