"""pytest plugin: run suite files as tests, and provide fixtures that test an agent.

pytest loads this in every session wherever Proctor is installed, so nothing is imported until a suite is collected or a
fixture is used.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from proctor.pytest_plugin.failure import NotPassed, NoVerdict

if TYPE_CHECKING:
    from proctor.pytest_plugin.examination import Examination
    from proctor.pytest_plugin.one_question import Examine, Examined, assert_passes, cases


__all__ = ["Examine", "Examined", "NoVerdict", "NotPassed", "assert_passes", "cases"]
_LAZY = ("Examine", "Examined", "assert_passes", "cases")
_EXAMINATION = pytest.StashKey["Examination"]()


def __getattr__(name: str) -> Any:
    """Import the public names lazily."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from proctor.pytest_plugin import one_question as examining

    return getattr(examining, name)


# --- options -------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the `--proctor-…` options and their configuration keys."""
    group = parser.getgroup("proctor", "testing AI agents")
    group.addoption("--proctor-agent", metavar="NAME|SPEC", help="The agent to test, such as python:my_agent:answer.")
    group.addoption(
        "--proctor-reviewer", metavar="NAME|SPEC", help="The reviewer that judges in addition to the checks of a suite."
    )
    group.addoption("--proctor-trials", type=int, metavar="N", help="How often each case is asked [default: 1].")
    group.addoption("--proctor-passes", type=int, metavar="N", help="How many trials must pass [default: all].")
    group.addoption("--proctor-store", metavar="PATH|URL", help="Keep the results there [default: they are not kept].")
    group.addoption("--proctor-summary", type=Path, metavar="FILE", help="Append a summary in Markdown to FILE.")
    group.addoption("--proctor-html", type=Path, metavar="FILE", help="Write the report as one page to FILE.")
    group.addoption("--proctor-annotations", action="store_true", help="Annotate the suite on GitHub where it fails.")
    parser.addini("proctor_agent", "The agent to test, unless --proctor-agent names one.")
    parser.addini("proctor_suites", "Which files are suites, as patterns like those of python_files.", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and validate options before anything is asked."""
    config.addinivalue_line("markers", "proctor: a case of a Proctor suite, run by an agent.")
    if config.getoption("xmlpath", None):
        config.pluginmanager.register(JUnitErrors(config))
    if any(config.getoption(f"proctor_{name}") is not None for name in ("trials", "passes", "store")):
        _examination(config).check()


def _examination(config: pytest.Config) -> Examination:
    """Return the session's Examination, created on first use."""
    if _EXAMINATION not in config.stash:
        from proctor.pytest_plugin.examination import Examination

        config.stash[_EXAMINATION] = Examination(config)
    return config.stash[_EXAMINATION]


# --- tests ---------------------------------------------------------------------------------------


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite that is named on the command line or matches `proctor_suites`."""
    if not claims(file_path, parent.session):
        return None
    from proctor.pytest_plugin.collector import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path, examination=_examination(parent.config))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Mark reports of cases without a verdict, in whichever phase that was detected."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, NoVerdict):
        report.proctor_no_verdict = True
        if report.when == "setup":  # in this phase pytest does not let the item format the error
            report.longrepr = item.repr_failure(call.excinfo)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Report a missing verdict as an error, even if `examine` raised it in the middle of a test."""
    return ("error", "E", "ERROR") if report.failed and hasattr(report, "proctor_no_verdict") else None


# --- fixtures ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def proctor_agent(pytestconfig: pytest.Config) -> object:
    """Who is examined: as --proctor-agent or the configuration says. Define your own to hand in an object."""
    return _examination(pytestconfig).agent()


@pytest.fixture
def examine(proctor_agent: object, pytestconfig: pytest.Config) -> Examine:
    """Ask the agent one question and judge its reply: `assert examine("…", expect={"keywords": ["…"]})`."""
    from proctor.pytest_plugin.one_question import Examine

    return Examine(_examination(pytestconfig), proctor_agent)


# --- the end -------------------------------------------------------------------------------------


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Close the agents and save the requested reports."""
    if _EXAMINATION in session.config.stash:
        session.config.stash[_EXAMINATION].finish(session)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Make the process end with pytest's exit code, whatever an agent has registered for its end."""
    if _EXAMINATION in config.stash:
        config.stash[_EXAMINATION].end_with_its_code()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print each suite's pass rate with its interval, which a count of tests does not show."""
    lines: Sequence[str] = config.stash[_EXAMINATION].lines if _EXAMINATION in config.stash else ()
    lines = lines or _unwritten(config)
    if lines:
        from proctor.reports.words import harmless

        terminalreporter.section("proctor")
        for line in lines:
            terminalreporter.write_line(harmless(line))


def _unwritten(config: pytest.Config) -> list[str]:
    """Return a line about requested outputs that were not written because no suite was played."""
    names = ("store", "summary", "html", "annotations")
    asked = [f"--proctor-{name}" for name in names if config.getoption(f"proctor_{name}")]
    if not asked or config.getoption("collectonly"):
        return []
    what = "it tells of suites, and none was played; what `examine` asks is in pytest's own report, such as --junitxml"
    return [f"{', '.join(asked)}: nothing was written: {what}"]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker how tests are distributed, since it only sees its own."""
    node.workerinput["proctor_dist"] = node.config.getoption("dist")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the results of an xdist worker; a crashed one has none."""
    found: Sequence[str] = getattr(node, "workeroutput", {}).get("proctor", ())
    if found:
        _examination(node.config).receive(found)


_ENDINGS = (".yaml", ".yml", ".jsonl", ".csv")
_TOLD_BY = {
    ".yaml": re.compile(rb"^[\"']?cases[\"']?\s*:", re.MULTILINE),
    ".yml": re.compile(rb"^[\"']?cases[\"']?\s*:", re.MULTILINE),
    ".jsonl": re.compile(rb"^\s*\{.*\"question\"\s*:", re.MULTILINE),
}
_READ = 2**18


def claims(path: Path, session: pytest.Session) -> bool:
    """Whether to collect a file as a suite.

    A file named on the command line must also look like one unless --proctor-agent is given, since other plugins
    collect YAML files as well.
    """
    ending, config = path.suffix.lower(), session.config
    if ending not in _ENDINGS:
        return False
    if any(_below(path, config.rootpath).match(pattern) for pattern in config.getini("proctor_suites")):
        return True
    if not session.isinitpath(path):
        return False
    return config.getoption("proctor_agent") is not None or _looks_like_a_suite(path, ending)


def _below(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def _looks_like_a_suite(path: Path, ending: str) -> bool:
    if ending not in _TOLD_BY:
        return False
    try:
        with path.open("rb") as file:
            return _TOLD_BY[ending].search(file.read(_READ)) is not None
    except OSError:
        return False


class JUnitErrors:
    """Reports missing verdicts as errors in JUnit files, for which pytest has no public API."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Change the failure that pytest has just written into an error, and adjust the counts."""
        yield
        from _pytest.junitxml import xml_key

        file = self._config.stash.get(xml_key, None)
        if file is None or report.when != "call" or not hasattr(report, "proctor_no_verdict"):
            return
        for node in file.node_reporter(report).nodes:
            if node.tag == "failure":
                node.tag = "error"
                file.stats["failure"] -= 1
                file.stats["error"] += 1
