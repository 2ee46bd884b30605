"""Minds as a program that stays: a request a line on standard input, a reply a line on standard output."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.agents.minded import librarian

from proctor.codec import decode, encode
from proctor.testing import minds
from proctor.transcript import Request


async def answer(body: minds.Body, line: str) -> None:
    number = json.loads(line)["id"]
    try:
        said = await body.answer(minds.heard_in(decode(line, Request)))
    except Exception as error:
        said = {"error": str(error)}
    print(encode({"id": number, **said}), flush=True)


async def main(name: str) -> None:
    body = minds.Body(mind=getattr(minds, name)) if name != "librarian" else librarian_body()
    tasks = set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        tasks.add(asyncio.create_task(answer(body, line)))


def librarian_body() -> minds.Body:
    return minds.Body(mind=librarian.librarian, tools=librarian.TOOLS)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
