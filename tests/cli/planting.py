"""Secrets that are planted wherever a run can meet them, and whoever tells them on."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

SECRETS = {
    "CRM_API_KEY": "crm/key+4f9a81c2d7",
    "DB_URL": "db-pass-71aa0c55",
    "FRONT_DOOR": "header-5d1e77b0aa",
    "ERRAND": "errand-99ab12cd77",
    "OPENAI_COMPATIBLE_API_KEY": "judge-key-3b2c1d0e",
    "PROCTOR_STORE": "store-pass-60fe12",
}
"""By the variable that tells it."""
ENVIRONMENT = SECRETS | {"DB_URL": f"postgresql://app:{SECRETS['DB_URL']}@127.0.0.1:1/crm?sslmode=require"}
CASES = "".join(f'"q {number}";"yes"\n' for number in range(1, 6))

LEAKY = """\
import base64, logging, os, sys
from urllib.parse import quote

KEY, URL = os.environ.pop("CRM_API_KEY"), os.environ["DB_URL"]

def answer(question):
    print("printed", KEY)
    print("printed", KEY, file=sys.stderr)
    print("printed", KEY, file=sys.__stdout__)
    print("printed", KEY, file=sys.__stderr__)
    logging.warning("logged %s", URL)
    if question == "q 1":
        basic = base64.b64encode(f"user:{KEY}".encode()).decode()
        call = {"name": "login", "arguments": {"key": KEY, "deep": [{"url": URL}]}, "result": {KEY: KEY}, "id": KEY}
        return {"text": f"yes: {KEY}, {basic}, {quote(KEY, safe='')}, {KEY!r}", "tool_calls": [call],
                "citations": [{"source": URL, "quote": KEY}]}
    if question == "q 2":
        raise RuntimeError(f"cannot reach {URL} with {KEY}")
    if question == "q 3":
        try:
            open(f"/nowhere/{KEY}")
        except OSError as error:
            raise ValueError(URL) from error
    if question == "q 4":
        return {"text": "yes", "tool_calls": [{"name": "login", "arguments": {}, "error": f"refused {KEY}"}],
                "steps": [{"id": "s", "kind": "plan", "name": KEY, "detail": URL}]}
    return f"yes, or {KEY}?"
"""
JUDGE = """\
import os
from proctor import Part, Review

KEY = os.environ["OPENAI_COMPATIBLE_API_KEY"]

def review(case, turns):
    if turns[-1].question == "q 5":
        raise RuntimeError(f"the judge broke with {KEY}")
    return Review(parts=(Part(name="correctness", value=1.0, explanation=KEY),), explanation=f"judged with {KEY}")
"""
PROGRAM = """\
import sys

question, token = sys.stdin.read(), sys.argv[2]
print("said", token, file=sys.stderr)
if "q 2" in question:
    sys.exit(f"cannot log in with {token}")
print("yes", token)
"""
CONFIG = """\
[agents.leaky]
spec = "python:leaky:answer"

[agents.remote]
spec = "{url}/ask"
headers = {{Authorization = "Bearer ${{FRONT_DOOR}}"}}

[agents.errand]
spec = "command:{python} program.py --token ${{ERRAND}}"

[reviewers.judge]
spec = "python:judge:review"
"""


@dataclass(kw_only=True)
class Echo:
    """A server that tells everybody what it was sent, also in its errors, and keeps what it was sent."""

    bodies: list[bytes] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """A reply or an error with the headers of the request; traces are taken in silence."""
        body = await request.read()
        if request.path.endswith("/traces"):
            self.bodies.append(body)
            return web.Response(body=b"")
        told = f"{dict(request.headers)} {body.decode()}"
        if request.path.endswith("/completions") or b"q 2" in body:
            return web.json_response({"error": {"message": told}}, status=400)
        return web.json_response({"text": f"yes {told}"})


def forms(secret: str) -> set[bytes]:
    """How a secret may look."""
    basic = base64.b64encode(f"user:{secret}".encode()).decode().rstrip("=")[8:-2]
    plain = base64.b64encode(secret.encode()).decode().rstrip("=")[:-1]
    return {form.encode() for form in (secret, quote(secret, safe=""), basic, plain)}


def found_in(texts: Iterable[tuple[str, bytes]]) -> list[str]:
    """Where which secret stands."""
    looked_for = [(name, form) for name, secret in SECRETS.items() for form in forms(secret)]
    return [f"{name} in {where}" for where, text in texts for name, form in looked_for if form in text]


def files_in(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Every file below a folder, with what is in it."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield os.path.relpath(path, folder), path.read_bytes()
