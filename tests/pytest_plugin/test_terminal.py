"""What pytest shows of suites and agents holds nothing that a terminal obeys."""

from __future__ import annotations

import json

from tests.pytest_plugin.folder import Folder

pytest_plugins = ["pytester"]

PLANTED = "\x1b]0;pwned\x07\x1b[2J\u202e"
SUITE = {
    "name": f"bad{PLANTED}",
    "cases": [
        {
            "id": f"{word}{PLANTED}",
            "question": f"{word} {PLANTED}?",
            "category": f"kind{PLANTED}",
            "reference": f"{word} {PLANTED}",
            "expect": {"keywords": [f"never{PLANTED}"], "tools_used": [f"tool{PLANTED}"]},
        }
        for word in ("plain", "broken", "unreachable")
    ],
}
AGENT = f"""
def answer(question):
    if "broken" in question:
        raise ValueError("it broke {PLANTED}")
    if "unreachable" in question:
        raise ConnectionError("nobody there {PLANTED}")
    return "a reply {PLANTED}"
"""


def test_no_escape_reaches_the_terminal(folder: Folder) -> None:
    folder.write("bad.yaml", json.dumps(SUITE))
    folder.write("agent.py", AGENT)
    shown = folder.elsewhere("bad.yaml", "--proctor-agent", "python:agent:answer", "-v", "--color=no", "-rA")
    text = shown.stdout.str() + shown.stderr.str()
    assert "plain" in text
    assert "it broke" in text
    assert "nobody there" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_a_suite_that_is_wrong_is_told_without_its_escapes(folder: Folder) -> None:
    folder.write("bad.yaml", json.dumps({"cases": [{"question": "a", PLANTED: 1}]}))
    shown = folder.elsewhere("bad.yaml", "--proctor-agent", "python:agent:answer", "--color=no")
    assert not {"\x1b", "\x07", "\u202e"} & set(shown.stdout.str() + shown.stderr.str())
