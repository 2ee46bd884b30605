"""Nothing that came from a file, an agent, a model or a store is obeyed by a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest
from tests.cli.desk import Desk, Said

TITLE, CLEAR, REVERSED, BACK = "\x1b]0;pwned\x07", "\x1b[2J", "\u202e", "\r"
PLANTED = f"{TITLE}{CLEAR}{REVERSED}\x9b2J{BACK}"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys; lines and tabs are ours to write."""

AGENT = f"""
import proctor
BAD = {PLANTED!r}

def answer(request: proctor.Request):
    if "break" in request.question:
        raise ValueError(f"it broke {{BAD}}")
    if "none" in request.question:
        return {{BAD: 3}}
    return proctor.Reply(
        text=f"yes {{BAD}}",
        tool_calls=(
            proctor.ToolCall(name=f"tool{{BAD}}", arguments={{BAD: BAD}}, result=BAD),
            proctor.ToolCall(name="other", arguments={{}}, error=BAD),
        ),
        citations=(proctor.Citation(source=f"a{{BAD}}", quote=BAD),),
        steps=(proctor.Step(id="1", kind="plan", name=f"step{{BAD}}", text=BAD),),
    )
"""
SUITE = {
    "name": f"suite{PLANTED.replace(BACK, '')}",
    "description": f"for {PLANTED}",
    "conditions": {f"slow{PLANTED}": {"tool": f"tool{PLANTED.replace(BACK, '')}", "delay": 0.001}},
    "expect": {"exclusions": [f"never{PLANTED}"]},
    "cases": [
        {
            "id": f"{word}{PLANTED.replace(BACK, '')}",
            "category": f"kind{PLANTED.replace(BACK, '')}",
            "question": f"{word} yes {PLANTED}?",
            "reference": f"yes {PLANTED}",
            "reasoning": f"because {PLANTED}",
            "context": f"before {PLANTED}",
            "expect": {
                "keywords": [f"yes{PLANTED}", f"re:{re.escape(PLANTED)}x"],
                "tools_used": [f"tool{PLANTED.replace(BACK, '')}"],
                "sub_agents": [f"helper{PLANTED.replace(BACK, '')}"],
                "tool_calls": [{"name": f"tool{PLANTED.replace(BACK, '')}", "arguments": {PLANTED: PLANTED}}],
                "citations": {"sources": [f"b{PLANTED.replace(BACK, '')}"]},
            },
        }
        for word in ("plain", "break", "none")
    ],
}
NAME = f"name{TITLE}{CLEAR}{REVERSED}"


def harmless(said: Said) -> Said:
    """What was said, once it is known that no terminal obeys it."""
    for text in (said.out.replace("\r\n", "\n"), said.err):
        found = OBEYED.search(text)
        assert found is None, text[max(0, found.start() - 100) : found.end() + 60]
    return said


@pytest.fixture
def planted(desk: Desk) -> Desk:
    """A desk on which everything that can hold text holds escapes, and two runs."""
    desk.write("suite.yaml", json.dumps(SUITE))
    agent = desk.agent(AGENT)
    spec = json.dumps(agent)
    desk.write("proctor.toml", f'[agents."bad\\u001B]0;pwned\\u0007"]\nspec = {spec}\nkind = "orchestrator"\n')
    for number in "12":
        said = desk(
            "run", "suite.yaml", "--agent", "bad\x1b]0;pwned\x07", "--condition", "all", "--name", NAME + number,
            "--label", f"label{TITLE}={CLEAR}", "--reviewer", "embedded",
        )  # fmt: skip
        assert harmless(said).code == 0
    return desk


RUN = NAME + "1"
COMMANDS = [
    ("check", "suite.yaml"), ("check", "suite.yaml", "--json"), ("doctor", "suite.yaml"),
    ("doctor", "suite.yaml", "--json"), ("doctor", "suite.yaml", "--tool", f"tool{TITLE}"),
    ("list",), ("list", "--json"), ("show", RUN), ("show", RUN, "--json"), ("show", RUN, "--format", "markdown"),
    ("show", RUN, "--case", "plain"), ("show", RUN, "--case", "break"), ("show", RUN, "--case", "plain", "--json"),
    ("show", RUN, "--case", f"nothing{TITLE}"), ("show", RUN, "--gate", "pass_rate>=0.9"),
    ("compare", RUN, NAME + "2"), ("compare", RUN, NAME + "2", "--json"),
    ("compare", RUN, NAME + "2", "--format", "markdown"),
    ("history",), ("history", "--json"), ("history", "--by", f"label{TITLE}"), ("history", "--by", TITLE),
    ("agents",), ("agents", "--json"), ("agents", "test", "bad\x1b]0;pwned\x07"),
    ("agents", "test", "bad\x1b]0;pwned\x07", "--json"), ("agents", "test", f"python:{TITLE}:a"),
    ("export", RUN, "--format", "json", "-o", "-"), ("export", RUN, "--format", "junit", "-o", "-"),
    ("export", RUN, "--format", "markdown", "-o", "-"), ("export", RUN, "--format", "annotations", "-o", "-"),
    ("export", RUN, "--format", "html", "-o", "-"), ("export", RUN, "--format", "csv", "-o", "-"),
    ("export", RUN, "--format", "html", "-o", f"out{TITLE}"),
    ("run", "suite.yaml", "--agent", "bad\x1b]0;pwned\x07", "--dry-run"),
    ("run", "suite.yaml", "--agent", "bad\x1b]0;pwned\x07", "--condition", TITLE),
    ("run", "suite.yaml", "--agent", "bad\x1b]0;pwned\x07", "--json", "--annotations"),
    ("rescore", RUN, "--reviewer", "embedded", "--passing-score", "0.9"), ("resume", RUN), ("cancel", RUN),
    ("show", f"no such {TITLE}"), ("show", RUN, f"--{TITLE}"), (TITLE,), ("check", f"{TITLE}.csv"),
    ("run", f"{TITLE}.yaml", "--agent", "x"), ("run", "suite.yaml", "--agent", TITLE), ("list", "--store", TITLE),
    ("list", "--config", f"{TITLE}.toml"), ("convert", f"{TITLE}.csv", "out.csv"), ("list", "--limit", TITLE),
    ("delete", RUN, "--yes"),
]  # fmt: skip


def test_no_command_hands_on_what_a_terminal_obeys(planted: Desk) -> None:
    for command in COMMANDS:
        said = harmless(planted(*command))
        assert "Proctor itself failed" not in said.err, command
        assert "Traceback" not in said.err, command


def test_json_still_says_the_very_same(planted: Desk) -> None:
    said = planted("show", RUN, "--json")
    assert said.json["name"] == RUN
    assert planted("list", "--json").json[0]["labels"][f"label{TITLE}"] == CLEAR


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("bad.csv", f'"a{TITLE}";"b";"c";"d";"e"\n{TITLE}\n'),
        ("bad.yaml", f"cases:\n - questoin: {TITLE!r}\n   {json.dumps(TITLE)}: 3\n"),
        ("bad.yaml", json.dumps({"cases": [{"question": "a", "id": TITLE}, {"question": "b", "id": TITLE}]})),
        ("bad.jsonl", json.dumps({"question": "a", TITLE: 1})),
        ("proctor.toml", f"[run]\n{json.dumps(TITLE)} = 1\n"),
        ("proctor.toml", f"[run]\nagent = {json.dumps(TITLE)}\ntrials = {json.dumps(TITLE)}\n"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_without_its_escapes(desk: Desk, file: str, content: str) -> None:
    desk.write(file, content)
    for command in (("check", file), ("doctor", file), ("run", file, "--agent", "demo:librarian"), ("list",)):
        said = harmless(desk(*command))
        assert said.code in (0, 1, 2), said


LINK = "\x1b]8;;x\x07\x1b]0;pwned\x07\x1b\\"
PRINTS = f"""
import logging, sys
BAD = {(PLANTED + LINK)!r}
print(BAD, "imported")

def answer(question):
    print(BAD, "asked")
    sys.stderr.write(f"{{BAD}} told\\n")
    sys.stdout.buffer.write(f"{{BAD}} as bytes\\n".encode())
    print(BAD, "on the first stream", file=sys.__stdout__)
    print(BAD, "on the first stream", file=sys.__stderr__)
    logging.getLogger("own").warning("%s logged", BAD)
    return "yes"
"""


def on_a_terminal(desk: Desk, *arguments: str, term: str) -> str:
    """What a terminal is sent."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": term, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    with subprocess.Popen(
        [sys.executable, "-m", "proctor", *arguments],
        cwd=desk.folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=env,
    ) as process:
        os.close(theirs)
        sent = b""
        with suppress(OSError):  # how a terminal says that nobody writes any more
            while piece := os.read(ours, 65536):
                sent += piece
        os.close(ours)
    assert process.returncode == 0, sent
    return sent.decode(errors="backslashreplace")


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_what_a_python_agent_prints_is_shown_and_not_obeyed(desk: Desk, term: str) -> None:
    agent = desk.agent(PRINTS)
    for command in (("run", "benchmark.csv", "--agent", agent), ("agents", "test", agent)):
        sent = on_a_terminal(desk, *command, term=term)
        assert "imported" in sent
        assert "logged" in sent
        for obeyed in (TITLE, "\x1b]0;", CLEAR, REVERSED, "\x9b", "\\x9b2J"):
            assert obeyed not in sent, (command, obeyed)


@pytest.mark.parametrize(
    "taken",
    [
        "io.TextIOWrapper(sys.stdout.detach(), encoding='utf-8')",
        "codecs.getwriter('utf-8')(sys.stdout.detach())",
        "io.TextIOWrapper(sys.stdout.buffer)",
        "io.TextIOWrapper(sys.__stdout__.detach(), encoding='utf-8')",
    ],
)
def test_a_stream_that_an_agent_takes_apart_is_whole_again_for_the_report(desk: Desk, taken: str) -> None:
    """Of a module that wants UTF-8, whatever the terminal says."""
    code = f"import codecs, io, sys\nsys.stdout = {taken}\nprint('imported')\ndef answer(question):\n    {{}}\n"
    for body in ("return 'yes'", f"sys.stdout = {taken}; print('asked'); return 'yes'"):
        agent = desk.agent(code.format(body))
        done = subprocess.run(
            [sys.executable, "-m", "proctor", "run", "benchmark.csv", "--agent", agent, "--json", "--concurrency", "1"],
            cwd=desk.folder, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["status"] == "completed"
