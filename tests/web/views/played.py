"""A store with runs of every kind, played by the embedded agents: what the reading pages are tried on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proctor import evaluate
from proctor.benchmark import Benchmark, Case
from proctor.threads import run_anywhere
from proctor.transcript import Citation, Reply, ToolCall
from proctor.workflows import demo
from proctor.workflows.evaluate import Evaluation, start

ATTACK = "<script>window.attacked = true</script><img src=x onerror='window.attacked = true'>"
LONG = "A".ljust(2_000, "a") + ATTACK + "\u202e" + "\x1b[31m" + "]]>{{ 7*7 }} " + "word " * 9_500
"""Some 50 KB that try everything: markup, templates, control signs, and a word that does not end."""


@dataclass(frozen=True, kw_only=True)
class Played:
    """The store, and its runs by name."""

    store: str
    runs: Mapping[str, Evaluation]

    def __getitem__(self, name: str) -> Evaluation:
        return self.runs[name]

    def id(self, name: str) -> str:
        return self.runs[name].run.id


def play(store: str) -> Played:
    """Everything, in a few seconds."""
    runs = {
        "handbook": _started(demo.questions(trials=2)[""], store),
        "suite": _started(demo.questions(trials=2)["suite"], store),
        "many": evaluate(_numbered(120), agent=_counts, store=store, name="many", reviewer="exact"),
        "better": evaluate(_numbered(120), agent=_counts_better, store=store, name="better", reviewer="exact"),
        "hostile": evaluate(_hostile(), agent=_attacks, store=store, name=f"hostile {ATTACK}", reviewer="exact"),
    }
    battles = demo.battles()
    runs |= {name: _started(each, store) for name, each in battles.items()}
    runs["orchestrator"] = _started(demo.orchestrator()[""], store)
    return Played(store=store, runs=runs)


def _started(prepared: Any, store: str) -> Evaluation:
    return run_anywhere(lambda: start(prepared, store=store))


def _numbered(number: int) -> Benchmark:
    cases = tuple(
        Case(id=f"n-{place}", question=f"What comes after {place}?", answer=str(place + 1), categories=(_kind(place),))
        for place in range(number)
    )
    return Benchmark(name="numbers", digest="numbers-1", cases=cases)


def _kind(place: int) -> str:
    return "even" if place % 2 == 0 else "odd"


def _counts(question: str) -> str:
    """Right up to 89; what it says beside that can be searched for."""
    place = int("".join(filter(str.isdigit, question)))
    return str(place + 1) if place < 90 else f"more than {place}, a heron told me"


def _counts_better(question: str) -> str:
    place = int("".join(filter(str.isdigit, question)))
    return "one" if place == 0 else str(place + 1)


_counts_better.__name__ = _counts.__name__  # another version of the same agent


def _hostile() -> Benchmark:
    attacked = Case(id=f"../{ATTACK}", question=f"{ATTACK} ?", answer=ATTACK, categories=(ATTACK,))
    plain = Case(id="quiet", question="Anything?", answer="no", categories=(ATTACK,))
    return Benchmark(name=f"attack {ATTACK}", digest="hostile-1", cases=(attacked, plain))


def _attacks(question: str) -> Reply:
    call = ToolCall(name=ATTACK, arguments={ATTACK: ATTACK}, result={"text": f"before {ATTACK} after"})
    return Reply(text=LONG, tool_calls=(call,), citations=(Citation(source=ATTACK, quote=ATTACK),))
