"""A mind as a program: a request as JSON on standard input, a reply as JSON on standard output."""

from __future__ import annotations

import asyncio
import sys

from tests.agents.minded import librarian

from proctor.codec import decode, encode
from proctor.testing import minds
from proctor.transcript import Request


async def main(name: str) -> str:
    heard = minds.heard_in(decode(sys.stdin.read(), Request))
    if name == "librarian":
        body = minds.Body(mind=librarian.librarian, tools=librarian.TOOLS)
    else:
        body = minds.Body(mind=getattr(minds, name))
    return encode(await body.answer(heard))


if __name__ == "__main__":
    print(asyncio.run(main(sys.argv[1])))
