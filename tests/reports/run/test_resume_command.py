"""The command that goes on with a paused run has to work at the first go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.models.paid import provider

import proctor
from proctor.config import Config
from proctor.reports.run.text import explain_resume, resume_command

CASES = [(f"What is {number} + 1, and why?", f"{number + 1}, for one was added") for number in range(8)]
PRICE = {"input": 1.0, "output": 4.0}


def told(line: str) -> dict[str, Any]:
    """The options of a command, as Python takes them."""
    words = line.split()
    assert words[:2] == ["proctor", "resume"]
    given = dict(zip(words[3::2], words[4::2], strict=True))
    kinds = {"--budget": ("budget", float), "--max-tokens": ("max_tokens", int)}
    return {kinds[option][0]: kinds[option][1](value) for option, value in given.items()}


@pytest.mark.parametrize(
    "means",
    [
        {"budget": 0.0001},
        {"budget": 0.006},
        {"max_tokens": 10},
        {"max_tokens": 1_500},
        {"budget": 0.0, "max_tokens": 0},
    ],
    ids=["too little money to begin", "some money", "too few tokens to begin", "some tokens", "nothing of either"],
)
async def test_it_offers_a_budget_that_is_enough_for_the_next_call(means: dict[str, Any], tmp_path: Path) -> None:
    async with provider() as served:
        models = {name: {"spec": f"openai-compatible:{name}@{served.url}", "price": PRICE} for name in "ar"}
        config, store = Config.model_validate({"models": models}), tmp_path / "s.db"
        result = await proctor.aevaluate(CASES, agent="a", reviewer="r", store=store, config=config, **means)
        is_known = result.findings.counts.played > 0
        assert explain_resume(result.findings).startswith(
            "continues the run" if is_known else "enough for the next call;"
        )
        pending_attempts = 1
        while result.run.status == "paused":
            before = len(served.answered)
            more = told(resume_command(result.findings))
            assert more.keys() == means.keys()
            result = await proctor.aresume(result.run.id, store=store, config=config, **more)
            assert len(served.answered) > before, f"{more} was not enough"
            pending_attempts += 1
    assert (result.run.status, pending_attempts > 1) == ("completed", True)
