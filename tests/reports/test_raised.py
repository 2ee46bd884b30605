from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.reports.outcomes import raised_at
from proctor.run import Failure

OURS = Path(proctor.__file__).parent / "threads.py"


def failure(*frames: str) -> Failure:
    lines = "".join(f"  File {frame}\n    answer()\n" for frame in frames)
    detail = f"Traceback (most recent call last):\n{lines}KeyError: 'answer'\n"
    return Failure(stage="agent", owner="agent", reason="KeyError: 'answer'", detail=detail if frames else "")


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ((), ""),
        ((f'"{OURS}", line 95, in job',), ""),
        ((f'"{OURS}", line 95, in job', '"/opt/me/agent.py", line 12, in answer'), "agent.py, line 12, in answer"),
        (
            (
                '"/opt/me/agent.py", line 12, in answer',
                '"/opt/me/.venv/lib/python3.12/site-packages/x.py", line 1, in y',
            ),
            "agent.py, line 12, in answer",
        ),
        (('"/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode',), ""),
        (
            ('"C:\\code\\me\\bots.py", line 3, in <module>', '"<frozen importlib>", line 1, in f'),
            "bots.py, line 3, in <module>",
        ),
    ],
)  # fmt: skip
def test_the_innermost_place_in_ones_own_code_is_named_without_its_folder(frames: tuple[str, ...], said: str) -> None:
    assert raised_at(failure(*frames)) == said
