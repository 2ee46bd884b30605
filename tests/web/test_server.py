"""`proctor serve`: a real server on this machine's own address."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.web.browsing import TOKEN

from proctor.cli import main
from proctor.web import server as answering
from proctor.web.server import create_app
from proctor.web.site.settings import WebSettings


@contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "proctor", "serve", "--port", "0", *options],
        cwd=folder,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert "Proctor is at http://127.0.0.1:" in line, line + process.stderr.read()
        yield line.split()[3], process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        process.stderr.close()


def test_it_says_where_it_is_and_answers_there(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _):
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert "Nothing has been examined yet" in answer.read().decode()
            assert "server" not in answer.headers
        with urllib.request.urlopen(f"{address}health", timeout=20) as answer:
            assert answer.read() == b'{"status":"ok"}'


def test_it_ends_on_ctrl_c_although_a_page_is_still_watching(tmp_path: Path) -> None:
    from proctor import evaluate

    evaluate([("Why?", "because")], agent=lambda question: "because", store=tmp_path / ".proctor" / "proctor.db")
    with serving(tmp_path) as (address, process):
        watching = urllib.request.urlopen(f"{address}runs/last/events", timeout=20)
        assert watching.readline() == b"event: progress\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        watching.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_logging_out_ends_what_that_browser_still_watches(tmp_path: Path) -> None:
    from proctor import evaluate

    evaluate([("Why?", "because")], agent=lambda question: "because", store=tmp_path / ".proctor" / "proctor.db")
    with serving(tmp_path, PROCTOR_TOKEN=TOKEN) as (address, _), httpx.Client(base_url=address, timeout=20) as browser:

        def post(path: str, **fields: str) -> int:
            [token] = re.findall(r'name="form-token" content="(\w+)"', browser.get("/", follow_redirects=True).text)
            return browser.post(path, data={"form_token": token, **fields}).status_code

        assert post("/login", token=TOKEN) == 303
        with browser.stream("GET", "/runs/last/events") as watching:
            lines = watching.iter_lines()
            assert next(lines) == "event: progress"
            assert post("/logout") == 303
            assert not any(line.startswith("event:") for line in lines), "it ends, and says nothing more"
        assert browser.get("/runs/last/events").status_code == 303


def test_headers_cannot_say_where_a_request_comes_from(tmp_path: Path) -> None:
    with serving(tmp_path, PROCTOR_TOKEN="correct horse battery") as (address, _):

        def status(number: int) -> int:
            headers = {"authorization": f"Bearer wrong {number}", "x-forwarded-for": f"10.0.0.{number}"}
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}api/runs", headers=headers), timeout=20)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code
            raise AssertionError("the token was wrong")

        assert [status(number) for number in range(6)] == [401] * 5 + [429]


@contextmanager
def serving_here(folder: Path) -> Iterator[tuple[str, int]]:
    """A server in a thread of this process, and where it listens."""
    settings = WebSettings(store=str(folder / "proctor.db"), folder=folder, processes=0)
    with answering.listening("127.0.0.1", 0) as listener:
        server = answering.server(create_app(settings))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join(20)


def stalled(at: tuple[str, int], said: bytes) -> socket.socket:
    """Somebody who says no more than this."""
    client = socket.create_connection(at, timeout=20)
    client.sendall(said)
    return client


def heard(client: socket.socket) -> bytes:
    """All that it hears until the server hangs up."""
    with client.makefile("rb") as answer:
        return answer.read()


def healthy(at: tuple[str, int]) -> bool:
    with urllib.request.urlopen(f"http://{at[0]}:{at[1]}/health", timeout=20) as answer:
        return bool(answer.status == 200)


def test_who_stalls_blocks_nobody_and_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "HEADERS_WITHIN", 0.5)
    half = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    upload = b"POST /benchmarks/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"
    with serving_here(tmp_path) as at, ExitStack() as stack:
        slow = [stack.enter_context(stalled(at, said)) for said in (b"", b"G", half, half + b"\r\n") for _ in range(5)]
        uploading = stack.enter_context(stalled(at, upload))
        assert healthy(at)
        for client in slow[15:]:
            assert client.recv(4096).startswith(b"HTTP/1.1 200 OK")
            client.sendall(half)  # of a further request
        assert [heard(client).count(b"200 OK") for client in slow] == [0] * 20
        assert healthy(at)
        uploading.close()


def trickle(client: socket.socket) -> None:
    """Go on with a byte now and then, until the server hangs up."""
    client.settimeout(0.05)
    while True:
        try:
            client.sendall(b"x")
            if client.recv(4096) == b"":
                return
        except TimeoutError:
            continue
        except OSError:
            return


def test_slow_forms_keep_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than there is room for, standing still or sending byte by byte: each is let go."""
    monkeypatch.setattr(answering, "MOST_CONNECTIONS", 4)
    monkeypatch.setattr(answering, "BODY_WITHIN", 0.5)
    form = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\ntoken="
    with serving_here(tmp_path) as at, ExitStack() as stack:
        slow = [stack.enter_context(stalled(at, form)) for _ in range(4)]
        trickle(slow.pop())
        for client in slow:
            assert b"200 OK" not in heard(client)
        assert healthy(at)


def test_what_comes_quickly_enough_may_take_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "BODY_WITHIN", 0.5)
    monkeypatch.setattr(answering, "SLOWEST", 400)
    head = b"POST /api/benchmarks/check?file=a.csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    with serving_here(tmp_path) as at, stalled(at, head + b"Content-Length: 6000\r\n\r\n") as client:
        client.sendall(b'"a";"b"\n' * 625)
        threading.Event().wait(0.7)
        client.sendall(b'"a";"b"\n' * 125)
        assert heard(client).startswith(b"HTTP/1.1 200")


def test_more_connections_than_there_is_room_for_are_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "MOST_CONNECTIONS", 3)
    with serving_here(tmp_path) as at, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(stalled(at, b"GET /health HTTP/1.1\r\n"))
        with pytest.raises(urllib.error.HTTPError) as refused:
            healthy(at)
        refused.value.close()
        assert refused.value.code == 503


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/app.css/.."],
)
def test_static_files_are_those_and_no_others(tmp_path: Path, path: str) -> None:
    with serving_here(tmp_path) as at:
        connection = http.client.HTTPConnection(*at, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status in (404, 307), answer.read()
        connection.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "no token is set"),
        (["--token", "short"], "can be guessed"),
        (["--store", "mysql://x"], "not supported"),
        (["--config", "nothing.toml"], "no configuration file"),
    ],
)
def test_what_cannot_be_served_is_told_in_a_sentence(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROCTOR_TOKEN", raising=False)
    assert main(["serve", "--port", "0", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another with --port" in capsys.readouterr().err
