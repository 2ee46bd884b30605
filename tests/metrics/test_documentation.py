from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from proctor.metrics.agentic import AgenticMetric, AgenticSummary, Batch, Dataset, ToolCorrectnessScore
from proctor.metrics.settings import AgenticOptions

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "agentic.md").read_text()


def test_the_example_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]


@pytest.mark.parametrize("kind", [AgenticMetric, AgenticSummary, Batch, Dataset, ToolCorrectnessScore, AgenticOptions])
def test_every_field_and_option_is_on_the_page(kind: Any) -> None:
    names = getattr(kind, "model_fields", None) or kind.__annotations__
    assert [name for name in names if f"`{name}`" not in PAGE] == []
