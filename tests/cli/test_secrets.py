"""No secret stays: everything that a run writes, prints and sends is searched for those that were planted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import create_engine, inspect, text
from tests.cli.desk import Desk
from tests.cli.planting import CASES, CONFIG, ENVIRONMENT, JUDGE, LEAKY, PROGRAM, SECRETS, Echo, files_in, found_in
from tests.exporters.background import in_background
from tests.exporters.langfuse_stub import PUBLIC, SECRET, LangfuseStub
from tests.web.browsing import Browser

from proctor.codec import encode
from proctor.config import Config
from proctor.exporters import sender as courier
from proctor.storage import address, open_store
from proctor.web.server import create_app
from proctor.web.site.settings import WebSettings
from proctor.workflows.store_url import store_url as store_address

_RUNS = {
    "leaky": ["--agent", "leaky", "--reviewer", "judge"],
    "leaky-json": ["--agent", "leaky", "--reviewer", "judge", "--json", "--condition", "none"],
    "battle": ["--agent", "leaky", "--type", "abm-dynamic", "--examiner", "agent:errand", "--max-turns", "3"],
    "static": ["--agent", "remote", "--type", "abm-static"],
    "remote": ["--agent", "remote", "--reviewer", "{model}", "--retries", "0"],
    "errand": ["--agent", "errand", "--reviewer", "exact"],
}
_FORMATS = ("html", "json", "csv", "junit", "markdown", "annotations")


@pytest.fixture
def echo() -> Iterator[tuple[Echo, str]]:
    echo = Echo()
    with in_background(echo.answer) as server:
        yield echo, server.url


def _environment(store: str) -> dict[str, str]:
    """That of a process that knows every secret."""
    return {**os.environ, **ENVIRONMENT, "PROCTOR_STORE": store, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": "."}


def _proctor(folder: Path, store: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "proctor", *arguments]
    environment = {**_environment(store), **more}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, check=False)


def _with_password(url: str) -> str:
    """The address of a store with a password in it, which PostgreSQL does not ask for here."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"postgres:{SECRETS['PROCTOR_STORE']}@{host}").geturl()


def _rows(store: str) -> Iterator[tuple[str, bytes]]:
    """Every row of every table."""
    engine = create_engine(address.parse(store).url)
    with engine.connect() as connection:
        for table in inspect(connection).get_table_names():
            for row in connection.execute(text(f'SELECT * FROM "{table}"')):
                yield table, b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in row)
    engine.dispose()


def _attempts(store: str) -> Iterator[tuple[str, bytes]]:
    """Every run and attempt as it is read from the store."""
    with open_store(store) as opened:
        for run in opened.archive.runs():
            yield run.id, encode(run).encode()
            for attempt in opened.archive.full_attempts(run.id):
                yield f"{run.name}: {attempt.key.exam}", encode(attempt).encode()


def _pages(folder: Path, store: str, ids: list[str]) -> Iterator[tuple[str, bytes]]:
    """What the web app shows of the runs."""
    settings = WebSettings(store=store, folder=folder / ".proctor", config=folder / "proctor.toml", processes=0)
    one, two = ids[:2]
    paths = ["/", "/runs", "/settings", "/agents", "/api/agents", "/api/runs", f"/compare?a={one}&b={two}"]
    for run in ids:
        paths += [f"/runs/{run}", f"/api/runs/{run}", f"/api/runs/{run}/attempts"]
        paths += [f"/runs/{run}/export/{form}" for form in _FORMATS]
    with Browser(create_app(settings)) as browser:
        for path in paths:
            answer = browser.get(path)
            assert answer.status_code < 500, (path, answer.text[:500])
            yield path, answer.content


def _read_again(desk: Desk, store: str, ids: list[str]) -> Iterator[tuple[str, bytes]]:
    """What commands show of the runs; files of exports come to lie in the folder."""
    for run in ids:
        commands = [["show", run], ["show", run, "--json"], ["show", run, "--all"]]
        commands += [["export", run, "--format", form, "-o", f"{run}.{form}"] for form in _FORMATS]
        for command in commands:
            said = desk(*command, "--store", store)
            yield " ".join(command), (said.out + said.err).encode()
    said = desk("list", "--json", "--store", store)
    yield "list", (said.out + said.err).encode()


def _sent(desk: Desk, store: str, ids: list[str], echo: tuple[Echo, str]) -> Iterator[tuple[str, bytes]]:
    """What other services are sent of the runs."""
    server, url = echo
    stub = LangfuseStub()
    with in_background(stub.answer) as langfuse:
        os.environ["LANGFUSE_BASE_URL"] = langfuse.url
        for run in ids:
            for to in (["otlp", run, "--endpoint", url], ["langfuse", run]):
                said = desk("sync", *to, "--store", store)
                yield "sync", (said.out + said.err).encode()
    assert server.bodies
    yield from (("otlp", body) for body in server.bodies)
    yield "langfuse", encode([(path, str(body)) for _, path, body in stub.requests]).encode()


def test_nothing_that_a_run_leaves_holds_a_secret(
    desk: Desk, echo: tuple[Echo, str], store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("PUBLIC_KEY", PUBLIC), ("SECRET_KEY", SECRET), ("BASE_URL", "")):
        monkeypatch.setenv(f"LANGFUSE_{name}", value)
    monkeypatch.setattr(courier, "BACKOFF", 0.0)
    store, folder = _with_password(store_url), desk.folder
    for name, content in (("leaky.py", LEAKY), ("judge.py", JUDGE), ("program.py", PROGRAM), ("cases.csv", CASES)):
        desk.write(name, content)
    desk.write("proctor.toml", CONFIG.format(url=echo[1], python=sys.executable))
    model = f"openai-compatible:tiny@{echo[1]}/v1"
    printed = []
    postgres = "://" in store  # there only what differs: the rows, what is read of them, a password in the address
    runs = {name: _RUNS[name] for name in ("leaky", "static")} if postgres else _RUNS
    for name, options in runs.items():
        options = [option.format(model=model) for option in options]
        done = _proctor(folder, store, "run", "cases.csv", "--name", f"{name} {SECRETS['CRM_API_KEY']}", *options)
        assert done.returncode in (0, 4), (name, done.stderr.decode()[-3000:])
        printed += [(f"{name} stdout", done.stdout), (f"{name} stderr", done.stderr)]
    printed += [] if postgres else _wrong(folder, store, echo[1])
    assert found_in(printed) == []
    with open_store(store) as opened:
        ids = [run.id for run in opened.archive.runs()]
    assert len(ids) == len(runs)
    stored = list(_attempts(store))
    assert found_in(stored) == []
    told = b"\n".join(content for _, content in stored)
    known = ("CRM_API_KEY", "DB_URL", "FRONT_DOOR", "ERRAND", "OPENAI_COMPATIBLE_API_KEY")
    for name in known[:2] if postgres else known:
        assert f"${name}".encode() in told, f"{name} never came as far as the store"
    assert found_in(_rows(store)) == []
    assert found_in(_read_again(desk, store, ids)) == []
    if not postgres:
        assert found_in(_sent(desk, store, ids, echo)) == []
    assert found_in(_pages(folder, store, ids)) == []
    assert found_in(files_in(folder)) == []


def _wrong(folder: Path, store: str, url: str) -> list[tuple[str, bytes]]:
    """What is printed where a command cannot do what is asked."""
    commands = (
        ["agents", "test", "remote"],
        ["agents", "test", "leaky", "--question", "q 2"],
        ["agents", "test", "errand", "--question", "q 2", "--json"],
        ["run", "cases.csv", "--agent", f"command:true {SECRETS['CRM_API_KEY']}"],
        ["run", f"{SECRETS['CRM_API_KEY']}.csv", "--agent", "leaky"],
        ["show", SECRETS["CRM_API_KEY"]],
        ["list", "--store", f"postgresql://u:{SECRETS['PROCTOR_STORE']}@127.0.0.1:1/none?connect_timeout=1"],
        ["sync", "otlp", "last", "--endpoint", url.replace("://", f"://u:{SECRETS['CRM_API_KEY']}@")],
    )
    printed = []
    for number, command in enumerate(commands):
        done = _proctor(folder, store, *command, PROCTOR_TRACEBACK="1" if number % 2 else "")
        printed += [(f"{command} stdout", done.stdout), (f"{command} stderr", done.stderr)]
    return printed


# secrets that are written out ---------------------------------------------------------------------------


def test_a_secret_on_the_command_line_is_refused_before_anything_is_stored(desk: Desk) -> None:
    said = desk.run("command:true --token hunter2")
    assert said.code == 2
    assert "${NAME}" in said.err
    assert "hunter2" not in said.out + said.err
    assert not (desk.folder / ".proctor").exists()


def test_a_command_gets_the_value_and_the_store_its_name(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRAND", "errand-99ab12cd77")
    desk.write("program.py", "import sys\nprint('yes' if sys.argv[1] == 'errand-99ab12cd77' else 'no')\n")
    spec = f"command:{sys.executable} program.py ${{ERRAND}}"
    assert desk.run(spec, "--reviewer", "exact", "--gate", "pass_rate >= 0.1").code == 0
    assert desk("list", "--json").json[0]["agent"] == spec


def test_a_variable_that_a_command_names_must_be_set(desk: Desk) -> None:
    said = desk.run("command:true ${NOT_SET_ANYWHERE}")
    assert said.code == 2
    assert "the environment has no NOT_SET_ANYWHERE" in said.err


def test_the_store_may_be_named_by_a_variable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESULTS", str(desk.folder / "named.db"))
    desk.write("proctor.toml", 'store = "${RESULTS}"\n')
    assert desk.run("demo:librarian").code == 0
    assert (desk.folder / "named.db").exists()


def test_a_password_with_odd_letters_is_quoted_in_the_address_of_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROCTOR_STORE", raising=False)
    monkeypatch.setenv("DB_PASS", "p@ss/word")
    url = store_address(None, Config(store="postgresql://me:${DB_PASS}@db/runs"))
    assert address.parse(url).url.password == "p@ss/word"
