"""Outages in whole runs: out of n, exit 4, resumable; and the agent's own failures, which are not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.failures import servers

AGENTS = """
import os, threading
URL = os.environ["AGENT_URL"]

class MyError(Exception):
    pass

def by_httpx(question):
    import httpx
    return httpx.get(URL).text

async def by_httpx_async(question):
    import httpx
    async with httpx.AsyncClient() as client:
        return (await client.get(URL)).text

def by_requests(question):
    import requests
    return requests.get(URL).text

def by_urllib(question):
    import urllib.request
    return urllib.request.urlopen(URL).read().decode()

def by_openai(question):
    import openai
    client = openai.OpenAI(base_url=URL, api_key="k", max_retries=0)
    return client.chat.completions.create(model="m", messages=[{"role": "user", "content": question}])

def wrapped(question):
    try:
        return by_requests(question)
    except Exception:
        raise MyError("no answer")

def wrapped_from_none(question):
    try:
        return by_httpx(question)
    except Exception:
        raise MyError("no answer") from None

def in_a_thread(question):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(wrapped, question).result()

def exhausted(question):
    raise RuntimeError("can't start new thread")

def broken(question):
    return {}["no such key"]
"""


def command(folder: Path, *words: str, **environment: str) -> tuple[list[str], dict[str, Any]]:
    settings = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    store = {"PROCTOR_STORE": str(folder / "store.db"), "PYTHONPATH": str(folder), **environment}
    return [sys.executable, "-m", "proctor", *words, "--json"], {"cwd": folder, "env": {**settings, **store}}


def told(folder: Path, *words: str, **environment: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the findings."""
    line, options = command(folder, *words, **environment)
    ended = subprocess.run(line, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outage_agents.py").write_text(AGENTS)
    (tmp_path / "b.csv").write_text("".join(f'"say {number}";"{number}"\n' for number in range(8)))
    return tmp_path


@pytest.mark.parametrize(
    "agent",
    ["by_httpx", "by_httpx_async", "by_requests", "by_urllib", "by_openai", "wrapped", "wrapped_from_none",
     "in_a_thread", "exhausted"],
)  # fmt: skip
def test_an_outage_is_out_of_n_and_the_run_is_not_completed(agent: str, folder: Path) -> None:
    with servers.closed(folder) as url:
        code, run = told(
            folder, "run", "b.csv", "--agent", f"python:outage_agents:{agent}", "--retries", "0", AGENT_URL=url
        )
    assert code == 4
    assert run["status"] != "completed"
    assert (run["pass_rate"] or {}).get("value") is None
    assert run["attempts"]["failed_by"]["agent"] == 0


@pytest.mark.parametrize("agent", ["broken", "by_requests"])
def test_an_agents_own_failure_counts(agent: str, folder: Path) -> None:
    with servers.dropping(folder) as url:
        code, run = told(
            folder, "run", "b.csv", "--agent", f"python:outage_agents:{agent}", "--retries", "0", AGENT_URL=url
        )
    assert code == 0
    assert run["pass_rate"]["value"] == 0
    assert run["attempts"]["failed_by"] == {"agent": 8, "environment": 0}


# --- a model's server that is killed in the middle of a run ----------------------------------------

SERVER = """
import itertools, json, re, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

answered = itertools.count(1)

class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if next(answered) > int(sys.argv[2]):
            sys.stdout.write("held\\n"); sys.stdout.flush()
            threading.Event().wait()
        number = re.findall(r"say (\\d+)", json.dumps(asked["messages"]))[-1]
        body = json.dumps({"choices": [{"message": {"content": number}, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def model(port: int = 0, *, answers: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A model in a process of its own, which gives so many answers and no more."""
    words = [sys.executable, "-c", SERVER, str(port), str(answers)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


@pytest.mark.parametrize("agent", ["openai-compatible:m@{url}", "python:outage_agents:answering_openai"])
def test_calls_under_way_when_a_models_server_is_killed_are_tried_again_by_resume(agent: str, folder: Path) -> None:
    with (folder / "outage_agents.py").open("a") as file:
        file.write("\ndef answering_openai(question):\n    return by_openai(question).choices[0].message.content\n")
    with model(answers=3) as (process, port):
        url = f"http://127.0.0.1:{port}/v1"
        spec = agent.format(url=url)
        line, options = command(folder, "run", "b.csv", "--agent", spec, "--retries", "0", AGENT_URL=url)
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, **options) as run:
            assert process.stdout is not None
            for _ in range(2):
                assert process.stdout.readline() == "held\n"
            process.kill()
            output, _ = run.communicate()
    found = json.loads(output)
    assert run.returncode == 4
    assert found["attempts"]["failed_by"]["agent"] == 0
    assert found["attempts"]["scored"] <= 3  # an answer that is on its way dies with the server
    with model(port, answers=99):
        code, found = told(folder, "resume", "last", AGENT_URL=url)
    assert code == 0
    assert found["pass_rate"]["value"] == 1
