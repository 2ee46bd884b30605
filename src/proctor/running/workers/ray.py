"""Workers as actors of a Ray cluster: one started here, one that is found, or one given by its address.

The only file that imports ray, and only on demand. The brief with its secrets is passed as an argument of a call from
driver to worker, because Ray's cluster stores and displays runtime environments and constructor arguments.
"""

from __future__ import annotations

import json
import logging
import math
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from proctor.errors import UsageError
from proctor.failures import short_message
from proctor.plugins import exits
from proctor.redaction.names import says_secret
from proctor.running.workers import messages
from proctor.running.workers.link import Link, NoPlace, TransportLost, WorkerLost
from proctor.running.workers.messages import START, Brief, Hello, Order, WorkerReport
from proctor.running.workers.worker import CrewWorker, scrub_streams, take_place
from proctor.settings import given

LOCAL = "local"
_EXPECTED = "local (started here), auto (the one that runs on this machine) or an address such as HOST:6379"
_PORTS = 1 << 16
_PLACE = 30.0
"""Seconds to wait for the cluster to start a worker before others begin without it."""
_DIAL = 10.0
"""Timeout in seconds for connecting to a cluster's head."""
_LAST_LOOK = 0.5
"""Extra seconds to read what has arrived while this process was suspended."""
_LEFT_OUT = (".proctor", ".venv", ".git", "__pycache__")
"""Folders that are not uploaded to the cluster."""
_OF_A_MACHINE = ("RAY_", "LD_", "PYTHON", "CUDA_", "ROCR_", "NVIDIA_", "KUBERNETES_", "SSH_", "XDG_", "VIRTUAL_ENV")
"""Prefixes of environment variables that are specific to a machine."""
_log = logging.getLogger("proctor")
_ENDED = "Ray's own process on this machine has ended"
_JOB = "RAY_JOB_CONFIG_JSON_ENV_VAR"


class RayCluster:
    """Starts workers on a cluster. Satisfies `proctor.running.workers.link.Transport`."""

    kind = "ray"

    def __init__(self, address: str, *, workers: int | None = None, resources: Mapping[str, float] | None = None):
        """Connect; `resources` are what one worker needs: `cpu`, `gpu`, or a custom resource of the cluster."""
        check_address(address)
        self._needs = {"cpu": 1.0, **(resources or {})}
        self.is_remote = address != LOCAL
        self._recipe: tuple[bytes, Any] | None = None
        self._stack = ExitStack()
        if not self.is_remote:
            self._stack.enter_context(_variables(local_settings()))  # some are read when ray is imported
        self._ray = _ray()
        self._is_ours = not self._ray.is_initialized()
        if self._is_ours:
            self._connect(address, workers)
        self._check_room(address)

    def start(self, brief: Brief) -> Link:
        """Start an actor; `hello` waits until it is placed."""
        needs = dict(self._needs)
        options = {"num_cpus": needs.pop("cpu"), "num_gpus": needs.pop("gpu", 0), "resources": needs}
        try:
            actor = self._ray.remote(_Actor).options(**options, scheduling_strategy="SPREAD").remote()
            return _ActorLink(self._ray, actor, self._sent(brief), self._share(brief.recipe), self._describe_room)
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(f"no actor could be started: {_failure_sentence(error)}") from error

    def count(self) -> int:
        """Return how many workers the cluster has room for."""
        have = self._ray.cluster_resources()
        fit: list[float] = [have.get(_ray_resource(name), 0.0) / need for name, need in self._needs.items() if need]
        return max(1, math.floor(min(fit, default=1.0)))

    def pack(self, value: object) -> bytes:
        """Serialise a value for workers with cloudpickle, which supports definitions in the main script."""
        data: bytes = import_module("ray.cloudpickle").dumps(value)
        return data

    def close(self) -> None:
        """Disconnect from the cluster, and shut it down if it was started here."""
        if self._is_ours:
            self._ray.shutdown()
        self._stack.close()

    def _connect(self, address: str, workers: int | None) -> None:
        _check_listens(address)
        options: dict[str, Any] = {"address": address, "log_to_driver": False, "configure_logging": False}
        if self.is_remote:
            options |= _sent_folder()
        else:
            room = math.ceil(max(os.cpu_count() or 1, (workers or 1) * self._needs["cpu"]))
            options |= {"_node_ip_address": "127.0.0.1", "include_dashboard": False, "num_cpus": room}
        logging.getLogger("ray").setLevel(logging.ERROR)
        self._stack.enter_context(_hush())
        with _our_signals(), _hidden_secrets() if not self.is_remote else ExitStack():
            try:
                self._ray.init(**options)
            except Exception as error:
                self._stack.close()
                raise _unreachable(address, _failure_sentence(error)) from error

    def _check_room(self, address: str) -> None:
        """Raise if a local cluster lacks resources, before anything is stored: unlike others, it cannot grow."""
        have = self._ray.cluster_resources()
        lacking = [name for name, need in self._needs.items() if need > have.get(_ray_resource(name), 0)]
        if lacking and not self.is_remote:
            self.close()
            wanted = ", ".join(f"{name} = {self._needs[name]:g}" for name in lacking)
            raise UsageError(
                f"resources = {{{wanted}}} of the agent is more than this machine has; take ray={address!r} away, "
                "name a cluster that has it, or change [agents.NAME] resources"
            )

    def _describe_room(self) -> str:
        have, free = self._ray.cluster_resources(), self._ray.available_resources()
        room = ", ".join(
            f"{need:g} {name} ({free.get(_ray_resource(name), 0):g} of {have.get(_ray_resource(name), 0):g} free)"
            for name, need in self._needs.items()
        )
        return f"the cluster has not started it in {_PLACE:g} s; it takes {room}"

    def _sent(self, brief: Brief) -> Brief:
        """Return the brief for each worker, without the recipe: it has no secrets and is put into the cluster once."""
        brief = replace(brief, recipe=b"", is_remote=self.is_remote)
        if not self.is_remote:
            return brief
        folder = Path(brief.folder or ".").resolve()
        inside = (Path(entry).resolve() for entry in brief.path)
        below = tuple(str(path.relative_to(folder)) for path in inside if path.is_relative_to(folder))
        left_out = tuple(each for each in below if not set(Path(each).parts) & set(_LEFT_OUT))
        return replace(brief, folder=None, path=left_out)

    def _share(self, recipe: bytes) -> Any:
        if self._recipe is None or self._recipe[0] is not recipe:
            self._recipe = (recipe, self._ray.put(recipe))
        return self._recipe[1]


class _ActorLink:
    """Connection to one actor, as seen by the crew."""

    def __init__(self, ray: Any, actor: Any, brief: Brief, recipe: Any, describe_room: Any) -> None:
        self.name = f"worker {brief.number}"
        self._ray, self._actor, self._describe_room = ray, actor, describe_room
        self._brief: tuple[Brief, Any] | None = (brief, recipe)
        self._place: Any = None
        self._lock = threading.Lock()
        self._is_closed = False

    def hello(self) -> Hello:
        """Wait for placement, send the brief, and return the worker's hello. After NoPlace, call again."""
        assert self._brief is not None
        brief, recipe = self._brief
        self._place = self._place or self._actor.where.remote()
        try:
            self.process, machine = self._get(self._place, within=_PLACE)
        except _Silent as error:
            raise NoPlace(self._describe_room()) from error
        self._brief = None
        self.name = f"worker {brief.number} (process {self.process} on {machine})"
        hello: Hello = self._ask("hello", brief, recipe, within=START)
        return hello

    def exchange(self, order: Order) -> WorkerReport:
        """Send an order and wait for the report."""
        if _has_ended_here():
            raise TransportLost(_ENDED)
        report: WorkerReport = self._ask("exchange", order, within=messages.SILENCE)
        return report

    def close(self, within: float) -> None:
        """Give the worker `within` seconds to end by itself, then kill it and wait until it is dead."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            with suppress(WorkerLost):
                if within:
                    self._ask("leave", within=within)
            with suppress(Exception):
                self._ray.kill(self._actor)
            with suppress(WorkerLost):
                self._ask("where", within=1.0)

    def _ask(self, method: str, *arguments: Any, within: float) -> Any:
        return self._get(getattr(self._actor, method).remote(*arguments), within=within)

    def _get(self, answer: Any, *, within: float) -> Any:
        exceptions = self._ray.exceptions
        try:
            try:
                return self._ray.get(answer, timeout=within)
            except exceptions.GetTimeoutError:
                return self._ray.get(answer, timeout=_LAST_LOOK)
        except exceptions.GetTimeoutError:
            raise _Silent(f"it did not answer for {within:g} s") from None
        except (exceptions.RayError, ConnectionError, RuntimeError) as error:
            reason = _failure_sentence(error)
            if "owner has died" in reason:
                raise TransportLost(_ENDED) from error
            raise WorkerLost(reason) from error


class _Silent(WorkerLost):
    """The worker has not answered in time."""


class _Actor:
    """A worker in a process of the cluster. Calls run one after the other, in its main thread."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._worker: CrewWorker | None = None

    def where(self) -> tuple[int, str]:
        """Return its process id and its machine's IP address."""
        return os.getpid(), _ray().util.get_node_ip_address()

    def hello(self, brief: Brief, recipe: bytes) -> Hello:
        """Set up the driver's environment as far as this machine allows, and build the parts."""
        exits.install()
        path = [os.path.abspath(entry) for entry in brief.path] + sys.path if brief.is_remote else brief.path
        environment = _merge_variables(os.environ, brief.environment)
        take_place(replace(brief, path=tuple(dict.fromkeys(path)), environment=environment))
        scrub_streams()
        self._worker = CrewWorker(replace(brief, recipe=recipe))
        return self._stack.enter_context(self._worker.ready())

    def exchange(self, order: Order) -> WorkerReport:
        """Process an order and return the report."""
        assert self._worker is not None
        return self._worker.exchange(order)

    def leave(self) -> None:
        """Close the parts."""
        self._stack.close()


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise UsageError(
            "a run on Ray needs a package that is not installed: pip install 'proctor[ray]'; "
            "without it, --workers N runs in processes on this machine"
        ) from error


def check_address(address: object) -> None:
    """Reject an invalid cluster address, whether or not Ray is installed."""
    if isinstance(address, str) and "://" in address:
        raise UsageError(
            f"ray={address!r} is an address for Ray's clients, which Proctor is not; start it on a machine of the "
            "cluster with --ray auto, or as a job: ray job submit --working-dir . -- proctor run … --ray auto"
        )
    port = address.rpartition(":")[2] if isinstance(address, str) and ":" in address else ""
    if address not in (LOCAL, "auto") and not (port.isdecimal() and 0 < int(port) < _PORTS):
        raise UsageError(given("ray", address), f" names no cluster; expected {_EXPECTED}")


def _check_listens(address: str) -> None:
    """Fail immediately if nothing listens at the address: Ray itself would retry for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_DIAL).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _unreachable(address, short_message(error)) from error


def _unreachable(address: str, why: str) -> UsageError:
    return UsageError(f"no Ray cluster could be reached at ray={address!r}: {why}; expected {_EXPECTED}")


def _has_ended_here() -> bool:
    """Whether the Ray node of this process is dead, after which Ray itself would end this process 10 s later."""
    node = getattr(import_module("ray._private.worker"), "_global_node", None)
    started = getattr(node, "all_processes", {}).get("raylet", [])
    return any(each.process.poll() is not None for each in started)


def _ray_resource(name: str) -> str:
    """Return Ray's name of a resource."""
    return name.upper() if name in ("cpu", "gpu") else name


def _failure_sentence(error: BaseException) -> str:
    """Extract from a Ray error the one line that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    dead = next((line for line in lines if "is dead because" in line), None)
    if dead is not None:
        return dead.partition("is dead because ")[2].partition(". ")[0].rstrip(".")
    return lines[-1 if "creation task" in lines[0] or "Traceback" in str(error) else 0].rstrip(".")


def _merge_variables(own: Mapping[str, str], sent: Mapping[str, str]) -> dict[str, str]:
    """Return a worker's variables: its machine's, plus missing ones and all secrets from the driver."""
    taken = (name for name in sent if name not in own or says_secret(name, keys=True))
    return {**own, **{name: sent[name] for name in taken if not name.startswith(_OF_A_MACHINE)}}


def _sent_folder() -> dict[str, Any]:
    """Return options that upload the current folder, unless a Ray job has already done so."""
    with suppress(ValueError, AttributeError):
        if json.loads(os.environ.get(_JOB, "{}")).get("runtime_env", {}).get("working_dir"):
            return {}
    return {"runtime_env": {"working_dir": os.getcwd(), "excludes": list(_LEFT_OUT)}}


@cache
def local_settings() -> dict[str, str]:
    """Return variables for a local Ray cluster: loopback only, with authentication, without usage statistics."""
    known = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    if not any(name in os.environ for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")):
        known["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # else Ray writes a token into the home folder
    return known


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables temporarily."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _hush() -> Iterator[None]:
    """Suppress Ray's messages about dead workers on standard output; Proctor reports them itself."""
    driver = import_module("ray._private.worker")
    before = getattr(driver, "print_to_stdstream", None)
    if before is None:
        yield
        return
    vars(driver)["print_to_stdstream"] = lambda *told, **how: _log.debug("Ray: %s", told)
    try:
        yield
    finally:
        vars(driver)["print_to_stdstream"] = before


@contextmanager
def _hidden_secrets() -> Iterator[None]:
    """Remove secrets from the environment temporarily, so that processes started meanwhile do not inherit them."""
    hidden = {name: value for name, value in os.environ.items() if says_secret(name, keys=True)}
    hidden = {name: value for name, value in hidden.items() if not name.startswith("RAY_")}
    for name in hidden:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _our_signals() -> Iterator[None]:
    """Keep our SIGTERM handler: Ray's would end the process before answers received are stored."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM) if is_main else None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
