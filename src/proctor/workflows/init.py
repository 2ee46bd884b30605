"""Starter files of `proctor init`: a configuration, a benchmark and an agent."""

from __future__ import annotations

from pathlib import Path

from proctor.errors import InputError
from proctor.settings import unwritable

_CONFIG = """\
#:schema proctor.schema.json
# Editors that read this schema complete and check the file; write it with: proctor schema config > proctor.schema.json

# What Proctor should know about your agents. Every key is optional.
# Never put secrets here: write "${NAME}" and set NAME in the environment.

# Where results are kept: a file, or postgresql://user@host/database.
# store = ".proctor/proctor.db"

[run]                        # defaults for `proctor run`
# agent = "sample"
# reviewer = "embedded"      # or exact, or a model such as "openai:gpt-4o-mini"
# trials = 3                 # ask every question three times
# concurrency = 10
# timeout = 60               # seconds for one call
# retries = 2                # after an environment failure, never after the agent's own
# passing_score = 0.7
# weights = {correctness = 0.5, reasoning = 0.3, context = 0.2}

[agents.sample]
spec = "python:agent:answer"  # the function `answer` in agent.py

# [agents.program]
# spec = "command:./my_agent.sh"   # question on standard input, reply on standard output
"""

_BENCHMARK = """\
"What is the capital of France?";"Paris"
"How many minutes are three hours?";"180";"3 hours times 60 minutes is 180 minutes."
"Which of the two is larger?";"Jupiter";"Jupiter is eleven times as wide.";"We were comparing the Earth and Jupiter."
"""

_AGENT = '''\
"""A sample agent: replace the body with a call to yours."""

from proctor import Request


def answer(request: Request) -> str:
    """Answer one question. `request` also carries the context, earlier turns and the trial's number."""
    known = {"capital of france": "The capital is Paris.", "three hours": "Three hours are 180 minutes."}
    for words, reply in known.items():
        if words in request.question.lower():
            return reply
    return "I do not know."
'''

_FILES = {"proctor.toml": _CONFIG, "benchmark.csv": _BENCHMARK, "agent.py": _AGENT}


def write_starter(folder: Path, *, force: bool) -> list[Path]:
    """Write the files, or none if any of them exists, unless forced."""
    paths = [folder / name for name in _FILES]
    there = [str(path) for path in paths if path.exists()]
    if there and not force:
        exist = "exists" if len(there) == 1 else "exist"
        raise InputError(f"{', '.join(there)} {exist} already; choose another folder, or overwrite with --force")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, _FILES.values(), strict=True):
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error) from error
    return paths
