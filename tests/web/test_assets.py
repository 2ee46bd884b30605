"""What pages load beside themselves: kept for good by browsers, sent compressed."""

from __future__ import annotations

import gzip
import re
import threading
import urllib.request
from pathlib import Path

import pytest
from tests.web.browsing import Browser
from tests.web.test_server import serving_here


def loaded(page: str) -> list[str]:
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', page)


def test_files_of_a_page_have_names_that_change_with_them_and_are_kept_for_good(browser: Browser) -> None:
    names = loaded(browser.page("/"))
    assert len(names) == 8
    for name in names:
        assert re.fullmatch(r"/static/\w+\.[0-9a-f]{12}\.(css|js|svg)", name)
        answer = browser.get(name)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    plain = browser.get("/static/app.css")
    assert plain.content == browser.get(next(name for name in names if "/app." in name and "css" in name)).content
    assert "immutable" not in plain.headers["cache-control"]


def test_a_name_of_yesterday_is_no_file(browser: Browser) -> None:
    for name in ("app.000000000000.css", "app.py", "..%2fapp.py", "app"):
        assert browser.get(f"/static/{name}").status_code == 404


def test_pages_and_files_are_compressed_and_events_are_not(tmp_path: Path) -> None:
    from proctor import evaluate

    evaluate([("Why?", "because")], agent=lambda question: "because", store=tmp_path / "proctor.db")
    with serving_here(tmp_path) as (host, port):

        def asked(path: str) -> urllib.request.Request:
            return urllib.request.Request(f"http://{host}:{port}{path}", headers={"accept-encoding": "gzip"})

        for path in ("/", "/static/app.css", "/runs/last", "/api/openapi.json"):
            with urllib.request.urlopen(asked(path), timeout=20) as answer:
                assert answer.headers["content-encoding"] == "gzip", path
                sent = answer.read()
                assert len(sent) < len(gzip.decompress(sent)) / 2
                assert "Accept-Encoding" in answer.headers["vary"]
        with urllib.request.urlopen(asked("/runs/last/events"), timeout=20) as answer:
            assert answer.headers["content-encoding"] is None
            assert answer.readline() == b"event: progress\n"


def test_a_whole_page_with_all_that_it_loads_is_small(tmp_path: Path) -> None:
    """Under 60 kB, which the first look at a page costs; the next ones cost the page alone."""
    with serving_here(tmp_path) as (host, port):

        def size(path: str) -> tuple[int, str]:
            request = urllib.request.Request(f"http://{host}:{port}{path}", headers={"accept-encoding": "gzip"})
            with urllib.request.urlopen(request, timeout=20) as answer:
                sent = answer.read()
            whole = gzip.decompress(sent) if answer.headers["content-encoding"] == "gzip" else sent
            return len(sent), whole.decode()

        own, page = size("/agents")
        assert own + sum(size(each)[0] for each in loaded(page)) < 60_000


def test_a_form_token_is_another_one_each_time_and_each_is_good(browser: Browser) -> None:
    tokens = [browser.form_token() for _ in range(3)]
    assert len(set(tokens)) == 3
    for token in tokens:
        answer = browser.client.post("/settings/theme", data={"form_token": token, "theme": "dark"})
        assert answer.status_code == 303
    forged = tokens[0][:16] + tokens[1][16:]
    assert browser.client.post("/settings/theme", data={"form_token": forged, "theme": "dark"}).status_code == 403


def test_the_first_bytes_of_a_large_file_come_before_all_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from proctor import evaluate
    from proctor.workflows.export import ExportedRun

    evaluate([("Why?", "because")], agent=lambda question: "because", store=tmp_path / "proctor.db")
    counted, real = threading.Event(), ExportedRun.findings
    monkeypatch.setattr(ExportedRun, "findings", property(lambda self: counted.wait(20) and real.__get__(self)))
    with serving_here(tmp_path) as (host, port):
        request = urllib.request.Request(
            f"http://{host}:{port}/runs/last/export/csv", headers={"accept-encoding": "gzip"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            sent = answer.read1(1000)
            counted.set()
            sent += answer.read()
        assert gzip.decompress(sent).decode("utf-8-sig").startswith("run,")
