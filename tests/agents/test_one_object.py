"""`per_worker = true`: one object of a class for every conversation in its process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from proctor.agents.function import load
from proctor.errors import InputError
from proctor.transcript import Request

made: list[Heavy] = []


class Heavy:
    def __init__(self) -> None:
        self.closed = False
        made.append(self)

    def reply(self, question: str) -> str:
        return f"object {made.index(self)}"

    def close(self) -> None:
        self.closed = True


class Broken:
    tries = 0

    def __init__(self) -> None:
        Broken.tries += 1
        raise RuntimeError("no weights here")

    def reply(self, question: str) -> str:
        return "never"


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    Broken.tries = 0
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))


def loaded(name: str, **options: Any) -> Any:
    return load(f"{__name__}:{name}", {"per_worker": True, **options})


def asked(conversation: str) -> Request:
    return Request(question="?", conversation=conversation, turn=1, trial=1)


async def test_whoever_only_describes_it_makes_no_object() -> None:
    assert not loaded("Heavy").takes_request
    assert made == []


async def test_one_object_answers_in_every_conversation_and_is_closed_at_the_end() -> None:
    agent = loaded("Heavy")
    replies = await asyncio.gather(*(agent.reply(asked(f"run/c{number}")) for number in range(5)))
    assert {reply.text for reply in replies} == {"object 0"}
    await agent.forget("run/c1")
    await agent.close()
    assert [each.closed for each in made] == [True]


async def test_what_cannot_be_made_is_tried_once_and_says_why_each_time() -> None:
    agent = loaded("Broken")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no weights here"):
            await agent.reply(asked("run/c1"))
    assert Broken.tries == 1
    await agent.close()


async def test_an_object_that_nobody_needed_is_not_made_to_be_closed() -> None:
    await loaded("Heavy").close()
    assert made == []


def test_what_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(InputError, match="per_worker='yes' is not usable; expected true or false"):
        loaded("Heavy", per_worker="yes")
