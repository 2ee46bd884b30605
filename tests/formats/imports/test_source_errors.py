"""An error of another tool is a failure here, of the agent or of the environment."""

from __future__ import annotations

import pytest

from proctor.formats.imports.source_file import source_failure


@pytest.mark.parametrize(
    ("message", "owner", "kind"),
    [
        ("429 Too Many Requests", "environment", "rate_limit"),
        ("rate_limit_exceeded Rate limit reached", "environment", "rate_limit"),
        ("ConnectionError: Failed to resolve 'api.example.com'; Name or service not known", "environment", "dns"),
        ("connect ECONNREFUSED 127.0.0.1:11434", "environment", "refused"),
        ("API error: 503 Service Unavailable", "environment", "http"),
        ("Request timed out.", "environment", "timeout"),
        ("socket hang up", "environment", "dropped"),
        ("docker: cannot start the sandbox", "environment", "resources"),
        ("RuntimeError('the solver broke')", "agent", "exception"),
        ("KeyError: 'answer'", "agent", "exception"),
        ("ValueError: 512 items, expected at most 500", "agent", "exception"),
        ("Error code: 500 - {'error': 'oops'}", "environment", "http"),
        ("HTTP 401", "environment", "http"),
        ("status=429", "environment", "rate_limit"),
        ("", "agent", "exception"),
    ],
)
def test_outages_are_the_environment_s_and_all_else_is_the_agent_s_own(message: str, owner: str, kind: str) -> None:
    failure = source_failure(message)

    assert (failure.owner, failure.kind) == (owner, kind)
    assert failure.reason


def test_what_breaks_in_a_scorer_is_not_the_agent_s() -> None:
    failure = source_failure("ValueError: no grade", detail="Traceback\n  File inspect_ai/scorer/_model.py, line 3")

    assert (failure.stage, failure.owner) == ("reviewer", "environment")
