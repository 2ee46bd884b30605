"""What the plugin costs those who have no suite."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.pytest_plugin.folder import Folder

from proctor import pytest_plugin

pytest_plugins = ["pytester"]


def test_loading_the_plugin_imports_nothing_but_pytest() -> None:
    code = "import pytest, sys\nbefore = set(sys.modules)\nimport proctor.pytest_plugin\n"
    code += "print(*set(sys.modules) - before)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(output.split()) == {
        "proctor",
        "proctor.pytest_plugin",
        "proctor.pytest_plugin.failure",
    }


def test_a_session_without_a_suite_imports_nothing_of_proctor(folder: Folder) -> None:
    folder.write(
        "test_it.py",
        "import sys\n"
        "def test_it(): assert not [name for name in sys.modules if name.startswith('proctor.pytest_plugin.ex')]\n",
    )
    result = folder.elsewhere()
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*= proctor =*")


def test_everything_that_tests_import_is_there() -> None:
    assert [name for name in pytest_plugin.__all__ if not hasattr(pytest_plugin, name)] == []
    with pytest.raises(AttributeError, match="nothing"):
        pytest_plugin.nothing  # noqa: B018


def test_options_and_fixtures_explain_themselves(folder: Folder) -> None:
    folder.start("--help").stdout.fnmatch_lines(
        ["testing AI agents:", "  --proctor-agent=NAME|SPEC", "*The agent to test, such as*"]
    )
    folder.start("--fixtures").stdout.fnmatch_lines(["proctor_agent [[]session scope[]] -- *", "examine -- *"])
    folder.start("--markers").stdout.fnmatch_lines(["@pytest.mark.proctor: a case of a Proctor suite*"])
