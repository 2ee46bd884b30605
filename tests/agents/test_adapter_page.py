"""What docs/how-to/write-an-adapter.md says is so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import agrees, blocks, commands

from proctor import testing as contract

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-an-adapter.md"
TEXT = PAGE.read_text("utf-8")


def test_ten_lines_are_ten() -> None:
    adapter = next(block.text for block in blocks(PAGE) if block.language == "python")
    assert "def load" in adapter
    assert len([line for line in adapter.splitlines() if line.strip()]) == 10


def test_the_adapter_passes_the_contract_as_the_page_shows(tmp_path: Path) -> None:
    page = blocks(PAGE)
    (tmp_path / "my_adapters.py").write_text(page[0].text, "utf-8")
    (test,) = (block for block in page if block.file is not None)
    assert test.file is not None
    (tmp_path / test.file).write_text(test.text, "utf-8")
    (shown,) = (command for block in page if block.language == "console" for command in commands(block))
    words = [*shown.line.split()[1:], "-p", "no:cacheprovider", "-p", "no:asyncio"]
    plain = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=tmp_path, env=plain, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert agrees(*(re.sub(r"in [\d.]+s", "", text) for text in (shown.shown, done.stdout))), done.stdout


def test_every_name_of_the_contract_is_in_the_table() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", TEXT, re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert set(contract.__all__) <= told


def test_everything_that_an_adapter_may_not_be_able_to_do_is_told_in_the_docstring() -> None:
    source = Path(str(contract.agents.__file__)).read_text("utf-8")
    told = source.partition("cannot: ClassVar")[2].partition("def connected")[0]
    assert {name for name in re.findall(r'_needs\("(\w+)"\)', source) if f"`{name}`" not in told} == set()


def test_pytest_is_needed_only_to_run_it() -> None:
    code = "import sys, proctor, proctor.testing; print('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
