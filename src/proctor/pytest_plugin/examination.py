"""State of one pytest session: its options, its event loop, and the suites it has played."""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.config import NAME, Config, load_config
from proctor.errors import ProctorError
from proctor.plugins import exits
from proctor.pytest_plugin.failure import NoVerdict
from proctor.pytest_plugin.loop import Loop
from proctor.settings import BOUNDS, shown

if TYPE_CHECKING:
    from proctor.pytest_plugin.play import PlayedSuite, SuitePlay

_codes: list[int] = []
"""Exit code of each session in this process, in order."""


def tell_of_early_end(done: str) -> None:
    """Report that a session's process is being ended prematurely; pytest has restored the original streams."""
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"proctor: {done} was called before pytest was over; no verdict is complete\n")
        sys.__stderr__.flush()


def keep_exit_code(code: int) -> None:
    """After a session, make the process end with this code even if `os._exit` is called during Python's shutdown."""
    exits.leave_program()  # a program that continues after pytest may end as it wants
    if not _codes:
        register = getattr(threading, "_register_atexit", atexit.register)  # runs before other exit handlers
        register(_end)
        atexit.register(_end)
    _codes.append(code)


def _end() -> None:
    exits.end_program(_codes[-1])


_WHOLE_FILES = ("no", "each", "loadfile", "loadscope")
"""xdist distribution modes in which a process runs all tests it sees of a file."""
_NO_AGENT = (
    "no agent to examine: give --proctor-agent, or set proctor_agent in pytest's configuration or agent under [run] "
    "in proctor.toml, define a fixture proctor_agent that returns one, or say examine(…, agent=…)"
)


class Examination:
    """State of a session, one per xdist worker."""

    def __init__(self, config: pytest.Config) -> None:
        self.loop = Loop()
        self.lines: list[str] = []
        """Lines for the terminal summary."""
        self._config = config
        self._session: pytest.Session | None = None
        self._is_worker = hasattr(config, "workerinput")
        if not self._is_worker:
            exits.begin_program(tell_of_early_end, code=pytest.ExitCode.INTERNAL_ERROR)
        self._declared: Config | None = None
        self._plays: dict[Path, SuitePlay | ProctorError] = {}
        self._received: list[PlayedSuite] = []
        self._agents: dict[str, Any] = {}

    def option(self, name: str) -> Any:
        """Return the value of `--proctor-NAME`."""
        return self._config.getoption(f"proctor_{name}")

    @property
    def declared(self) -> Config:
        """`proctor.toml` from the folder where pytest was started, else from its root folder."""
        if self._declared is None:
            folders = (self._config.invocation_params.dir, self._config.rootpath)
            found = next((folder / NAME for folder in folders if (folder / NAME).is_file()), None)
            self._declared = load_config(found) if found is not None else Config()
        return self._declared

    @property
    def sees_all_it_runs(self) -> bool:
        """Whether this process runs all tests it collected of a file, so that they can be asked together."""
        given: dict[str, Any] = getattr(self._config, "workerinput", {})
        return given.get("proctor_dist", "no") in _WHOLE_FILES

    def check(self) -> None:
        """Refuse invalid options and a store that cannot be opened, before anything is asked."""
        trials, passes = self.option("trials"), self.option("passes")
        for name, value in (("trials", trials), ("passes", passes)):
            if value is not None and not BOUNDS["trials"].holds(value):
                wanted = BOUNDS["trials"].requirement
                raise pytest.UsageError(f"--proctor-{name} {shown(value)} is not usable; expected {wanted}")
        if self.option("store") is not None and not self._is_worker:
            from proctor.storage import open_store

            try:
                open_store(self.option("store")).close()
            except ProctorError as error:
                raise pytest.UsageError(f"--proctor-store: {error}") from error

    def agent(self) -> str | None:
        """Return the agent's name or spec from options and configuration, or None."""
        try:
            named = self.option("agent") or self._config.getini("proctor_agent") or self.declared.run.agent
        except ProctorError as error:
            pytest.fail(str(error), pytrace=False)
        return str(named) if named else None

    def play(self, suite: Path, agent: object) -> SuitePlay:
        """Return the play of a suite; an error in preparing it is raised for each of its cases."""
        _must_be_named(agent)
        if suite not in self._plays:
            self._plays[suite] = self._prepare_play(suite, agent)
        found = self._plays[suite]
        if isinstance(found, ProctorError):
            raise found
        return found

    def _prepare_play(self, suite: Path, agent: object) -> SuitePlay | ProctorError:
        from proctor.pytest_plugin.play import SuitePlay

        settings = {"reviewer": self.option("reviewer"), "trials": self.option("trials")}
        try:
            play = SuitePlay(suite, agent=agent, config=self.declared, loop=self.loop, **settings)
            self._check_passes(play)
        except ProctorError as error:
            return error
        return play

    def _check_passes(self, play: SuitePlay) -> None:
        asked: int | None = self.option("passes")
        if asked is not None and asked > play.trials:
            raise ProctorError(f"--proctor-passes {asked} cannot be reached in {play.trials} trials of each case")

    def passes_needed(self, play: SuitePlay, case: str) -> int:
        """Return how many trials of a case must pass, at most as many as it has."""
        asked: int | None = self.option("passes")
        trials = play.trials_of(case)
        return trials if asked is None else min(asked, trials)

    def built(self, agent: object) -> object:
        """Return the agent for single questions; a named one is built once per session."""
        _must_be_named(agent)
        if not isinstance(agent, str):
            return agent
        if agent not in self._agents:
            from proctor.workflows.parts import build_agent, choose

            self._agents[agent] = build_agent(choose(agent, self.declared.agents, default="standard"), self.declared)
        return self._agents[agent]

    def receive(self, found: Sequence[str]) -> None:
        """Add the results of an xdist worker."""
        from proctor.codec import decode
        from proctor.pytest_plugin.play import PlayedSuite

        self._received += [decode(text, PlayedSuite) for text in found]

    def finish(self, session: pytest.Session) -> None:
        """Close all agents, then send the results to the xdist controller or report them."""
        self._session = session
        from proctor.pytest_plugin import play as playing

        plays = {path: play for path, play in self._plays.items() if not isinstance(play, ProctorError)}
        for play in plays.values():
            play.stop()
        for agent in (*(play.prepared.cast.agent for play in plays.values()), *self._agents.values()):
            playing.let_go(agent, self.loop)
        self.loop.close()
        played = [play.suite_so_far(self._name(path)) for path, play in plays.items()]
        if self._is_worker:
            from proctor.codec import encode

            self._config.workeroutput["proctor"] = [encode(each) for each in played]  # type: ignore[attr-defined]
        else:
            self._report([*played, *self._received])

    def end_with_its_code(self) -> None:
        """Ensure that no agent changes the session's exit code."""
        if not self._is_worker:
            code = int(getattr(self._session, "exitstatus", pytest.ExitCode.INTERNAL_ERROR))
            keep_exit_code(code)

    def _name(self, path: Path) -> str:
        root = self._config.rootpath
        return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()

    def _report(self, played: Sequence[PlayedSuite]) -> None:
        if not played:
            return
        from proctor.pytest_plugin import report as reporting

        try:
            self.lines += reporting.report(
                played,
                root=self._config.rootpath,
                store=self.option("store"),
                summary=self.option("summary"),
                html=self.option("html"),
                annotations=self.option("annotations"),
            )
        except (ProctorError, OSError) as error:
            pytest.exit(f"Proctor could not keep the results: {error}", returncode=pytest.ExitCode.INTERNAL_ERROR)


def _must_be_named(agent: object) -> None:
    if agent is None:
        raise NoVerdict(_NO_AGENT)
