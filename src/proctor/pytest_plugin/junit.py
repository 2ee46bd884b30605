"""pytest's own JUnit file, in which whatever is raised in the middle of a test would be a failure."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from _pytest.junitxml import xml_key


class JUnitErrors:
    """Writes what nobody could judge as an error, also where `examine` noticed it; there is no public way to say so."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Rename what pytest has just written of such a test, and count it again."""
        yield
        file = self._config.stash.get(xml_key, None)
        if file is None or report.when != "call" or not hasattr(report, "proctor_no_verdict"):
            return
        for node in file.node_reporter(report).nodes:
            if node.tag == "failure":
                node.tag = "error"
                file.stats["failure"] -= 1
                file.stats["error"] += 1
