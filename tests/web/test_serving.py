"""`proctor serve`: a real server on this machine's own address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proctor.cli import main


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


def test_headers_cannot_say_where_a_request_comes_from(tmp_path: Path) -> None:
    with serving(tmp_path, PROCTOR_TOKEN="correct horse battery") as (address, _):

        def status(number: int) -> int:
            headers = {"authorization": "Bearer wrong", "x-forwarded-for": f"10.0.0.{number}"}
            try:
                urllib.request.urlopen(urllib.request.Request(f"{address}api/runs", headers=headers), timeout=20)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code
            raise AssertionError("the token was wrong")

        assert [status(number) for number in range(6)] == [401] * 5 + [429]


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/app.css/.."],
)
def test_static_files_are_those_and_no_others(tmp_path: Path, path: str) -> None:
    import http.client

    with serving(tmp_path) as (address, _):
        connection = http.client.HTTPConnection(address.split("/")[2], timeout=20)
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
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another with --port" in capsys.readouterr().err
