"""The tools that an agent has, looked up for the doctor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.agents.minded import mcp as minded

from proctor.benchmark import Case, Expectation
from proctor.cli import cli
from proctor.codec import benchmark_of
from proctor.config import Config
from proctor.errors import UsageError
from proctor.workflows.doctor import atools_of, find_problems


def test_the_doctor_finds_expected_tools_that_an_mcp_server_does_not_offer(tmp_path: Path) -> None:
    pytest.importorskip("mcp.server.mcpserver", reason="the MCP SDK (mcp 2) is not installed")
    suite = tmp_path / "suite.yaml"
    suite.write_text("cases:\n  - {question: How loud?, expect: {tools_used: [shot, add]}}\n", "utf-8")
    done = CliRunner().invoke(cli, ["doctor", str(suite), "--agent", f"mcp:{minded.line('echoing')}", "--json"])
    assert done.exit_code == 1, done.output
    told = [each for each in json.loads(done.stdout)["complaints"] if each["kind"] == "unknown-tool"]
    assert [(each["message"], each["advice"]) for each in told] == [
        ("the agent has no tool “shot”; it is expected, so no reply passes", "did you mean “shout”?")
    ]


async def test_an_agent_that_cannot_tell_is_said_to() -> None:
    with pytest.raises(UsageError, match=r"'demo:librarian' cannot list its tools.*--tool"):
        await atools_of("demo:librarian", config=Config())


def test_a_check_that_nobody_offers_is_an_error_as_a_run_would_be_refused() -> None:
    cases = [Case(id="c", question="q", expect=Expectation(checks=("nope", "python:mine:own")))]
    first = find_problems(benchmark_of(cases, name="b"))[0]
    assert (first.kind, first.severity, first.cases) == ("unknown-check", "error", ("c",))
    assert first.message.startswith("there is no check 'nope'")
