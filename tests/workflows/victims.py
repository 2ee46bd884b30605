"""Commands that are killed: runs of every kind, and what else writes a store or reads one."""

from __future__ import annotations

import gzip
import json
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sqlalchemy import text
from tests.storage.records import key as key_of
from tests.storage.records import played, stored_run
from tests.workflows.killing import CONCURRENCY, Scene, Toll, Victim

from proctor.benchmark import Case
from proctor.codec import benchmark_of
from proctor.run import Attempt
from proctor.storage import Store, open_store, schema
from proctor.storage.address import parse
from proctor.storage.database import Database
from proctor.storage.tables import NEWEST, metadata
from proctor.telemetry.otlp import decode

DELAY = 0.02
PLAYERS = """\
import asyncio, os

def note(*words):
    with open("asked", "ab", buffering=0) as asked:
        asked.write((" ".join(map(str, words)) + "\\n").encode())

async def answer(request):
    first = request.history[0].question if request.history else request.question
    note("agent", first.split()[-1], request.trial, request.turn)
    await asyncio.sleep(DELAY)
    while os.path.exists("hold"):
        await asyncio.sleep(0.01)
    return "It is blue, number " + request.question.split()[-1]

async def judge(case, turns):
    note("judge")
    await asyncio.sleep(DELAY)
    return 1.0

async def ask(request):
    note("examiner")
    await asyncio.sleep(DELAY)
    return f"[source] Where does it say so, in place number {len(request.history) + 2}?"
"""
NAME = "tortured"


@dataclass(kw_only=True)
class Played:
    """A run that is resumed after each kill. Every call is noted in a file when it is made."""

    name: str
    options: tuple[str, ...] = ()
    cases: int = 60
    trials: int = 1
    suite: bool = False
    stored: set[str] = field(default_factory=set)
    """Calls to the agent whose answers were found in the store after a kill."""
    seen: int = 0
    """Calls that were noted by then."""

    def prepare(self, scene: Scene) -> None:
        rows = [f'"question number {number}";"blue"\n' for number in range(self.cases)]
        (scene.folder / "benchmark.csv").write_text("".join(rows))
        expected = {"keywords": ["blue"]}
        cases = [
            {"id": f"c{n}", "question": f"question number {n}", "reference": "blue", "expect": expected}
            for n in range(self.cases)
        ]
        (scene.folder / "suite.yaml").write_text(json.dumps({"name": "suite", "cases": cases}))
        (scene.folder / "players.py").write_text(PLAYERS.replace("DELAY", str(DELAY)))
        (scene.folder / "asked").write_bytes(b"")

    def command(self, scene: Scene) -> list[str]:
        if _is_stored(scene.url, NAME):
            return ["resume", NAME]
        file = "suite.yaml" if self.suite else "benchmark.csv"
        run = ["run", file, "--agent", "python:players:answer", "--reviewer", "python:players:judge", "--name", NAME]
        return [*run, "--trials", str(self.trials), "--concurrency", str(CONCURRENCY), *self.options]

    def progress(self, scene: Scene) -> int:
        return len(self._asked(scene))

    def look(self, scene: Scene) -> None:
        """Nothing that was stored at the last kill has been asked again since."""
        asked = self._asked(scene)
        again = self.stored & set(asked[self.seen :])
        assert not again, f"stored and asked again: {sorted(again)[:5]}"
        self.seen = len(asked)
        if _is_stored(scene.url, NAME):
            with open_store(scene.url) as store:
                self.stored = set(_answered(store))

    def toll(self, scene: Scene, kills: int) -> Toll:
        self.look(scene)
        asked = self._asked(scene)
        with open_store(scene.url) as store:
            run = store.archive.find(NAME)
            attempts = list(store.archive.full_attempts(run.id))
        assert run.status == "completed", run.reason
        assert len(attempts) == len({attempt.key for attempt in attempts}) == run.planned
        assert all(attempt.finished and attempt.failure is None for attempt in attempts)
        calls = self.needed(attempts)
        assert len(asked) >= calls
        return Toll(
            kills=kills,
            attempts=len(attempts),
            calls=calls,
            again=len(asked) - calls,
            bound=kills * 2 * CONCURRENCY,
        )

    def needed(self, attempts: list[Attempt]) -> int:
        """Every turn is answered and judged once; what was improvised, or is wanted next, was asked for once."""
        turns = sum(len(attempt.transcript.turns) for attempt in attempts)
        improvised = turns - len(attempts) if "abm-dynamic" in self.options else 0
        return 2 * turns + improvised

    def _asked(self, scene: Scene) -> list[str]:
        return (scene.folder / "asked").read_text().splitlines()


class Judged(Played):
    """A run that a model judges, on a server that counts what it is asked."""

    def __init__(self, *, name: str = "standard, judged by a model", cases: int = 60) -> None:
        super().__init__(name=name, cases=cases)
        self.judge = Judge()

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        judge = f'[models.judge]\nspec = "openai-compatible:judge@{self.judge.url}/v1"\n'
        (scene.folder / "proctor.toml").write_text(judge)

    def command(self, scene: Scene) -> list[str]:
        return [word.replace("python:players:judge", "judge") for word in super().command(scene)]

    def _asked(self, scene: Scene) -> list[str]:
        return super()._asked(scene) + ["judge"] * self.judge.asked


class Rescored(Played):
    """A run that is judged again: nobody is asked but the judge."""

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        cases = [Case(id=f"c{n}", question=f"question number {n}", answer="blue") for n in range(self.cases)]
        fill(scene.url, "original", cases)

    def command(self, scene: Scene) -> list[str]:
        if _is_stored(scene.url, NAME):
            return ["resume", NAME, "--concurrency", str(CONCURRENCY)]
        rescore = ["rescore", "original", "--reviewer", "python:players:judge", "--name", NAME]
        return [*rescore, "--concurrency", str(CONCURRENCY)]

    def needed(self, attempts: list[Attempt]) -> int:
        return len(attempts)


@dataclass(kw_only=True)
class Stored:
    """A command about a run that was played before."""

    name: str
    attempts: int = 300

    def prepare(self, scene: Scene) -> None:
        cases = [Case(id=f"c{n}", question=f"question number {n}", answer="blue") for n in range(self.attempts)]
        fill(scene.url, "original", cases)

    def look(self, scene: Scene) -> None:
        """Every attempt is there, with what was said."""
        with open_store(scene.url, create=False) as store:
            found = list(store.archive.full_attempts("original"))
        assert len(found) == self.attempts
        assert all(len(attempt.transcript.turns) == 1 for attempt in found)

    def toll(self, scene: Scene, kills: int) -> Toll:
        self.look(scene)
        return Toll(kills=kills, attempts=self.attempts)


class Synced(Stored):
    """Sent to a server that counts."""

    def __init__(self, *, attempts: int = 300) -> None:
        super().__init__(name="sync", attempts=attempts)
        self.backend = Backend()

    def command(self, scene: Scene) -> list[str]:
        return ["sync", "otlp", "original", "--endpoint", self.backend.url]

    def progress(self, scene: Scene) -> int:
        return self.backend.traces.total()

    def toll(self, scene: Scene, kills: int) -> Toll:
        self.look(scene)
        traces = self.backend.traces
        assert len(traces) == self.attempts
        again = traces.total() - self.attempts
        return Toll(kills=kills, attempts=self.attempts, calls=self.attempts, again=again, bound=kills * 50)


class Exported(Stored):
    """Written to a file, which is there as a whole or not at all."""

    def __init__(self, *, attempts: int = 3000) -> None:
        super().__init__(name="export", attempts=attempts)

    def command(self, scene: Scene) -> list[str]:
        return ["export", "original", "--format", "json", "-o", "run.json"]

    def progress(self, scene: Scene) -> int:
        return sum(path.stat().st_size for path in scene.folder.glob(".run.json.*")) // 10_000

    def look(self, scene: Scene) -> None:
        super().look(scene)
        file = scene.folder / "run.json"
        if file.exists():
            assert len(json.loads(file.read_text())["results"]) == self.attempts
            file.unlink()

    def toll(self, scene: Scene, kills: int) -> Toll:
        assert (scene.folder / "run.json").exists()
        self.look(scene)
        return Toll(kills=kills, attempts=self.attempts)


class _Changing(Stored):
    """A command that changes the store itself; it works once the store, or its server, shows that it is touched."""

    def progress(self, scene: Scene) -> int:
        if scene.server is not None:
            return time.monotonic_ns() if _sessions(scene) else 0
        times = [0]
        for file in Path(scene.url).parent.glob(f"{Path(scene.url).name}*"):
            with suppress(FileNotFoundError):
                times.append(file.stat().st_mtime_ns)
        return max(times)


class Deleted(_Changing):
    """A run that is there as a whole, or gone as a whole."""

    def __init__(self, *, attempts: int = 3000) -> None:
        super().__init__(name="delete", attempts=attempts)

    def command(self, scene: Scene) -> list[str]:
        if not _is_stored(scene.url, "original"):
            self.prepare(scene)
        return ["delete", "original", "--yes"]

    def look(self, scene: Scene) -> None:
        if _is_stored(scene.url, "original"):
            super().look(scene)
        else:
            assert _rows(scene.url, "attempts", "turns", "benchmarks") == [0, 0, 0]

    def toll(self, scene: Scene, kills: int) -> Toll:
        assert not _is_stored(scene.url, "original")
        self.look(scene)
        return Toll(kills=kills, attempts=self.attempts)


class Migrated(_Changing):
    """A store of the first schema, which is opened."""

    def __init__(self, *, attempts: int = 3000) -> None:
        super().__init__(name="migration", attempts=attempts)

    def progress(self, scene: Scene) -> int:
        """In PostgreSQL a migration is seen by its lock: a session alone may not have begun."""
        if scene.server is not None:
            return time.monotonic_ns() if _sessions(scene, _MIGRATING) else 0
        return super().progress(scene)

    def prepare(self, scene: Scene) -> None:
        address = parse(scene.url)
        with closing(Database(address)) as database, database.writing() as connection:
            for table in reversed(metadata.sorted_tables):
                connection.execute(text(f"DROP TABLE IF EXISTS {table.name}"))
            schema.migrate(connection, to="0001")
            for statement in _FIRST:
                connection.execute(text(statement))
            for table in ("turns", "attempts"):
                connection.execute(text(_FIRST_ROWS[table]), [{"n": n} for n in range(1, self.attempts + 1)])

    def command(self, scene: Scene) -> list[str]:
        if _version(scene.url) == f"{NEWEST:04}":
            self.prepare(scene)
        return ["list"]

    def look(self, scene: Scene) -> None:
        assert _version(scene.url) in ("0001", f"{NEWEST:04}")
        assert _rows(scene.url, "attempts", "turns") == [self.attempts] * 2

    def toll(self, scene: Scene, kills: int) -> Toll:
        assert _version(scene.url) == f"{NEWEST:04}"
        with open_store(scene.url, create=False) as store:
            assert sum(attempt.passed is True for attempt in store.archive.attempts("original")) == self.attempts
        return Toll(kills=kills, attempts=self.attempts)


class Created(_Changing):
    """A store that is made by the first command that needs one."""

    def __init__(self) -> None:
        super().__init__(name="creation", attempts=0)

    def prepare(self, scene: Scene) -> None:
        (scene.folder / "benchmark.csv").write_text('"question number 1";"blue"\n')
        (scene.folder / "players.py").write_text(PLAYERS.replace("DELAY", "0"))

    def command(self, scene: Scene) -> list[str]:
        return ["run", "benchmark.csv", "--agent", "python:players:answer"]

    def look(self, scene: Scene) -> None:
        with open_store(scene.url) as store:
            store.archive.runs()

    def toll(self, scene: Scene, kills: int) -> Toll:
        with open_store(scene.url) as store:
            assert any(run.status == "completed" for run in store.archive.runs())
        return Toll(kills=kills, attempts=1)


def victims() -> list[Victim]:
    """One of each kind."""
    return [
        Judged(),
        Played(name="static battle", options=("--type", "abm-static"), cases=8, trials=10),
        Played(
            name="dynamic battle",
            options=("--type", "abm-dynamic", "--examiner", "python:players:ask", "--max-turns", "4"),
            cases=16,
        ),
        Played(name="suite, judged", suite=True),
        Rescored(name="rescore", cases=120),
        Synced(),
        Exported(),
        Deleted(),
        Migrated(),
        Created(),
    ]


def fill(url: str, name: str, cases: list[Case]) -> None:
    """A run that was completed, with an attempt at each of these cases."""
    benchmark = benchmark_of(cases, name="filled")
    with open_store(url) as store:
        stored_run(store, name, benchmark=benchmark, name=name, digest=benchmark.digest, planned=len(cases))
        said = [played(key_of(case.id, run=name), place=place) for place, case in enumerate(cases)]
        store.journal.write([record for one in said for record in one])
        store.journal.mark(name, "completed")


def _is_stored(url: str, name: str) -> bool:
    with open_store(url) as store:
        return any(run.name == name for run in store.archive.runs())


def _answered(store: Store) -> Iterator[str]:
    """The calls to the agent whose answers are stored, as they are noted when they are made."""
    run = store.archive.find(NAME).id
    under_way = [attempt for attempt, _ in store.archive.pending_attempts(run)]
    for attempt in [*store.archive.full_attempts(run), *under_way]:
        for turn in attempt.transcript.turns:
            if turn.reply is not None:
                first = attempt.transcript.turns[0].question.split()[-1]
                yield f"agent {first} {attempt.key.trial} {turn.number}"


def _rows(url: str, *tables: str) -> list[int]:
    with closing(Database(parse(url))) as database, database.reading() as connection:
        return [connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() or 0 for table in tables]


def _version(url: str) -> str:
    with closing(Database(parse(url))) as database, database.reading() as connection:
        return str(connection.execute(text("SELECT version_num FROM proctor_schema")).scalar())


_CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'proctor'"
_MIGRATING = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation IS NOT NULL"


def _sessions(scene: Scene, which: str = _CONNECTED) -> int:
    """How many connections commands have to the server now, or those that this counts; it may be down."""
    import psycopg

    with suppress(psycopg.OperationalError), psycopg.connect(scene.server.get_uri()) as other:
        found = other.execute(which).fetchone()
        return int(found[0]) if found else 0
    return 0


_FIRST = (
    """INSERT INTO benchmarks VALUES (1, 'd1', 'c1', 'b', '', '{"name"\\:"b","digest"\\:"d1","cases"\\:[]}', 1.0)""",
    """INSERT INTO runs VALUES (1, 'original', 'original', 'b', 'd1', 'agent', 'standard', '{}', '{}', 'completed', '',
    1, NULL, 1.0, 1.0, 2.0, 1.0, NULL, 1, 1)""",
)
_FIRST_ROWS = {
    "turns": """INSERT INTO turns VALUES (1, :n, '', 'a', 1, '{"number"\\:1,"question"\\:"Why?"}')""",
    "attempts": """INSERT INTO attempts VALUES (:n, 1, :n, '', 'a', :n, 'pass', TRUE, 1.0, NULL, 1, 0.5, 3, 5, 1, NULL,
    1.0, 2.0, 'script', '{"turn_passed"\\:[true]}')""",
}


class _Loopback(ThreadingHTTPServer):
    """A server in a thread of its own, which lives as long as whoever made it."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        weakref.finalize(self, self.socket.close)

    def handle_error(self, *_: object) -> None:
        """Whoever asked was killed."""


class Judge:
    """A model that likes everything, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        judge, noted = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with noted:
                    judge.asked += 1
                time.sleep(DELAY)
                _send(self, json.dumps(_completion(body)).encode())

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.url = f"http://127.0.0.1:{_Loopback(Handler).server_port}"


class Backend:
    """An OpenTelemetry backend that counts how often each trace was sent."""

    def __init__(self) -> None:
        self.traces: Counter[str] = Counter()
        backend, noted = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                whole = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
                spans = decode(whole, "protobuf")
                with noted:
                    backend.traces.update({span.trace for span in spans})
                time.sleep(DELAY)
                _send(self, b"")

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.url = f"http://127.0.0.1:{_Loopback(Handler).server_port}"


def _send(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    with suppress(ConnectionError):  # whoever asked may have been killed
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    schema = body["response_format"]["json_schema"]["schema"]
    filled = {name: 1.0 if "number" in json.dumps(one) else "so" for name, one in schema["properties"].items()}
    message = {"role": "assistant", "content": json.dumps(filled)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "judge", "choices": [choice], "usage": usage}
