"""A folder with everything a page can show: runs of every kind, a benchmark with versions, a run that goes on."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from functools import partial
from pathlib import Path

from proctor.config import load_config
from proctor.threads import run_anywhere
from proctor.workflows import demo
from proctor.workflows.evaluate import start
from proctor.workflows.library import Library
from proctor.workflows.prepare import PreparedRun, prepare
from proctor.workflows.request import RunRequest

STORE = ".proctor/proctor.db"
DAY = 86_400.0
SLOW = "thoughtful"
_CAPITALS = """\
Albania Tirana|Armenia Yerevan|Austria Vienna|Belgium Brussels|Bulgaria Sofia|Canada Ottawa|Chile Santiago|
Croatia Zagreb|Cuba Havana|Denmark Copenhagen|Ecuador Quito|Egypt Cairo|Estonia Tallinn|Fiji Suva|Finland Helsinki|
France Paris|Georgia Tbilisi|Germany Berlin|Ghana Accra|Greece Athens|Hungary Budapest|Iceland Reykjavik|
Ireland Dublin|Italy Rome|Jamaica Kingston|Japan Tokyo|Kenya Nairobi|Latvia Riga|Lithuania Vilnius|Malta Valletta|
Morocco Rabat|Nepal Kathmandu|Norway Oslo|Peru Lima|Poland Warsaw|Portugal Lisbon|Senegal Dakar|Slovenia Ljubljana|
Spain Madrid|Turkey Ankara"""
_AGENT = '''\
"""A clerk who knows more capitals with every version, and forgets some on the way."""

import json
import zlib
from pathlib import Path

KNOWN = json.loads((Path(__file__).parent / "capitals.json").read_text())


def _knows(country: str, share: int) -> bool:
    return zlib.crc32(country.encode()) % 100 < share


def _answer(question: str, share: int) -> str:
    country = question.removeprefix("What is the capital of ").rstrip("?")
    if _knows(country, share):
        return f"The capital of {country} is {KNOWN[country]}."
    return f"I am not sure about {country}. Its largest city may well be its capital."


def first(question: str) -> str:
    return _answer(question, 55)


def second(question: str) -> str:
    return _answer(question, 60)


def third(question: str) -> str:
    return _answer(question, 88)


def answer(question: str) -> str:
    return _answer(question, 94)
'''
_CONFIG = f"""\
[agents.clerk]
spec = "python:clerk:answer"

[agents.clerk-first]
spec = "python:clerk:first"

[agents.clerk-second]
spec = "python:clerk:second"

[agents.clerk-third]
spec = "python:clerk:third"

[agents.{SLOW}]
spec = "demo:librarian"
delay = 1.5
"""
_VERSIONS = ("first", "first", "second", "second", "third", "third", "")


def furnish(folder: Path) -> None:
    """Write the files, play the runs, and set their times as if somebody had come by every few days."""
    pairs = dict(piece.strip().rsplit(" ", 1) for piece in _CAPITALS.replace("\n", "").split("|"))
    (folder / "clerk.py").write_text(_AGENT, "utf-8")
    (folder / "capitals.json").write_text(json.dumps(pairs), "utf-8")
    (folder / "proctor.toml").write_text(_CONFIG, "utf-8")
    os.chdir(folder)
    library = Library(folder / ".proctor" / "benchmarks")
    rows = [f'"What is the capital of {country}?";"{capital}"\n' for country, capital in pairs.items()]
    described = "Forty countries, for every change of the clerk's prompt."
    for kept in (rows[:30], rows):
        library.save(file="capitals.csv", content="".join(kept).encode(), name="Capitals", description=described)
    for ready in _runs(library):
        run_anywhere(partial(start, ready, store=STORE))
    _spread(folder / STORE)


def _runs(library: Library) -> list[PreparedRun]:
    """Oldest first."""
    config = load_config(None)
    capitals = library.playable("capitals")
    clerks = [
        prepare(
            RunRequest(
                benchmark=capitals,
                agent=f"clerk-{version}" if version else "clerk",
                name=f"clerk, prompt {number}",
                labels={"prompt": f"v{number}"},
                settings={"trials": 2},
            ),
            config,
        )
        for number, version in enumerate(_VERSIONS, 1)
    ]
    played = demo.questions()
    again = demo.questions()
    return [
        *clerks[:3],
        played[""],
        *clerks[3:5],
        demo.orchestrator()[""],
        *demo.battles().values(),
        *clerks[5:],
        again["suite"],
        again[""],
    ]


def _spread(store: Path) -> None:
    """The last run an hour ago, each before it some days earlier."""
    with sqlite3.connect(store) as opened:
        numbers = [number for (number,) in opened.execute("SELECT no FROM runs ORDER BY no DESC")]
        for place, number in enumerate(numbers):
            moment = time.time() - 3_600 - place * 1.7 * DAY
            opened.execute("UPDATE runs SET created = ?, started = ? WHERE no = ?", (moment, moment, number))
