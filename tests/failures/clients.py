"""The real clients, each making one call to an address and giving up soon: whatever it raises is judged."""

from __future__ import annotations

import asyncio
import http.client
import importlib.util
import inspect
import socket
import ssl
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

PATIENCE = 0.5
"""Seconds that a client waits."""
ASKED: Any = [{"role": "user", "content": "hello"}]
KEY = "key-of-nobody"


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """One way to make a call."""

    name: str
    package: str
    call: Callable[[str], Any]
    """Of an address; a coroutine function where the client is asynchronous."""
    to_model: bool
    """Whether it calls nothing but models."""

    def error_at(self, url: str) -> BaseException:
        """What it raises."""
        if importlib.util.find_spec(self.package) is None:
            pytest.skip(f"{self.package} is not installed")
        try:
            asyncio.run(self.call(url)) if inspect.iscoroutinefunction(self.call) else self.call(url)
        except BaseException as error:
            return error
        raise AssertionError(f"{self.name} got an answer")


CLIENTS: list[Client] = []


def client(package: str, *, to_model: bool = False) -> Callable[[Callable[[str], Any]], Callable[[str], Any]]:
    """Enter a function into the list."""

    def enter(call: Callable[[str], Any]) -> Callable[[str], Any]:
        CLIENTS.append(Client(name=call.__name__, package=package, call=call, to_model=to_model))
        return call

    return enter


@client("httpx")
def httpx_blocking(url: str) -> None:
    import httpx

    httpx.post(url, json={}, timeout=PATIENCE).raise_for_status()


@client("httpx")
async def httpx_async(url: str) -> None:
    import httpx

    async with httpx.AsyncClient(timeout=PATIENCE) as made:
        (await made.post(url, json={})).raise_for_status()


@client("httpx2")
def httpx2_blocking(url: str) -> None:
    import httpx2

    httpx2.post(url, json={}, timeout=PATIENCE).raise_for_status()


@client("httpx2")
async def httpx2_async(url: str) -> None:
    import httpx2

    async with httpx2.AsyncClient(timeout=PATIENCE) as made:
        (await made.post(url, json={})).raise_for_status()


@client("requests")
def requests_post(url: str) -> None:
    import requests

    requests.post(url, json={}, timeout=PATIENCE).raise_for_status()


@client("requests")
def requests_session(url: str) -> None:
    import requests

    with requests.Session() as session:
        session.get(url, timeout=(PATIENCE, PATIENCE)).raise_for_status()


@client("urllib")
def urllib_open(url: str) -> None:
    with urllib.request.urlopen(url, b"{}", timeout=PATIENCE) as response:
        response.read()


@client("http")
def http_client(url: str) -> None:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=PATIENCE)
    try:
        connection.request("POST", "/", b"{}")
        connection.getresponse().read()
    finally:
        connection.close()


@client("urllib3")
def urllib3_pool(url: str) -> None:
    import urllib3

    with urllib3.PoolManager(retries=urllib3.Retry(1, backoff_factor=0), timeout=PATIENCE) as pool:
        pool.request("POST", url, body=b"{}")


@client("urllib3")
def urllib3_without_retries(url: str) -> None:
    import urllib3

    with urllib3.PoolManager(retries=False, timeout=PATIENCE) as pool:
        pool.request("POST", url, body=b"{}")


@client("aiohttp")
async def aiohttp_total(url: str) -> None:
    import aiohttp

    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE)) as session,
        session.post(url, json={}, raise_for_status=True) as response,
    ):
        await response.read()


@client("aiohttp")
async def aiohttp_steps(url: str) -> None:
    import aiohttp

    limits = aiohttp.ClientTimeout(sock_connect=PATIENCE, sock_read=PATIENCE)
    async with (
        aiohttp.ClientSession(timeout=limits) as session,
        session.post(url, json={}, raise_for_status=True) as response,
    ):
        await response.read()


@client("socket")
def plain_socket(url: str) -> None:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=PATIENCE) as plain:
        if parts.scheme == "https":
            ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname).close()
        plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        plain.recv(1)
        raise ValueError("an empty answer")


@client("asyncio")
async def plain_stream(url: str) -> None:
    parts = urlsplit(url)
    opening = asyncio.open_connection(parts.hostname, parts.port, ssl=parts.scheme == "https" or None)
    reader, writer = await asyncio.wait_for(opening, PATIENCE)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.wait_for(reader.readexactly(1), PATIENCE)
    finally:
        writer.close()


@client("openai", to_model=True)
def openai_blocking(url: str) -> None:
    import openai

    with openai.OpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        made.chat.completions.create(model="m", messages=ASKED)


@client("openai", to_model=True)
async def openai_async(url: str) -> None:
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        await made.responses.create(model="m", input="hello")


@client("anthropic", to_model=True)
def anthropic_blocking(url: str) -> None:
    import anthropic

    with anthropic.Anthropic(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        made.messages.create(model="m", messages=ASKED, max_tokens=9)


@client("anthropic", to_model=True)
async def anthropic_async(url: str) -> None:
    import anthropic

    async with anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        await made.messages.create(model="m", messages=ASKED, max_tokens=9)


def google_client(url: str) -> Any:
    from google import genai

    options: Any = {"base_url": url, "timeout": round(PATIENCE * 1000), "retry_options": {"attempts": 1}}
    return genai.Client(api_key=KEY, http_options=options)


@client("google.genai", to_model=True)
def google_blocking(url: str) -> None:
    with google_client(url) as made:
        made.models.generate_content(model="m", contents="hello")


@client("google.genai", to_model=True)
async def google_async(url: str) -> None:
    async with google_client(url).aio as made:
        await made.models.generate_content(model="m", contents="hello")


@client("ollama", to_model=True)
def ollama_blocking(url: str) -> None:
    import ollama

    ollama.Client(host=url, timeout=PATIENCE).chat(model="m", messages=ASKED)


@client("langchain_openai", to_model=True)
def langchain_openai_blocking(url: str) -> None:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    ChatOpenAI(model="m", base_url=url, api_key=SecretStr(KEY), max_retries=0, timeout=PATIENCE).invoke("hello")


@client("langchain_openai", to_model=True)
async def langchain_openai_async(url: str) -> None:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    made = ChatOpenAI(model="m", base_url=url, api_key=SecretStr(KEY), max_retries=0, timeout=PATIENCE)
    await made.ainvoke("hello")


@client("langchain_anthropic", to_model=True)
async def langchain_anthropic_async(url: str) -> None:
    from langchain_anthropic import ChatAnthropic

    options: Any = {"model": "m", "base_url": url, "api_key": KEY, "max_retries": 0, "timeout": PATIENCE}
    await ChatAnthropic(**options).ainvoke("hello")


@client("langchain_google_genai", to_model=True)
def langchain_google_blocking(url: str) -> None:
    from langchain_google_genai import ChatGoogleGenerativeAI

    options: Any = {"model": "m", "base_url": url, "google_api_key": KEY, "max_retries": 1, "timeout": PATIENCE}
    ChatGoogleGenerativeAI(**options).invoke("hello")


@client("langchain_ollama", to_model=True)
def langchain_ollama_blocking(url: str) -> None:
    from langchain_ollama import ChatOllama

    ChatOllama(model="m", base_url=url, client_kwargs={"timeout": PATIENCE}).invoke("hello")


@client("pydantic_ai", to_model=True)
async def pydantic_ai_agent(url: str) -> None:
    import openai
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async with openai.AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        await Agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=made))).run("hello")


@client("agents", to_model=True)
async def openai_agents_runner(url: str) -> None:
    import openai

    import agents

    async with openai.AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0, timeout=PATIENCE) as made:
        model = agents.OpenAIChatCompletionsModel(model="m", openai_client=made)
        settings = agents.RunConfig(tracing_disabled=True)
        await agents.Runner.run(agents.Agent(name="a", model=model), "hello", run_config=settings)


@client("mcp")
async def mcp_session(url: str) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        await asyncio.wait_for(session.initialize(), 4 * PATIENCE)


@client("a2a")
async def a2a_card(url: str) -> None:
    import httpx
    from a2a.client import A2ACardResolver

    async with httpx.AsyncClient(timeout=PATIENCE) as made:
        await A2ACardResolver(httpx_client=made, base_url=url).get_agent_card()
