"""Files that the tools themselves have written, where their packages are installed."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.formats.imports.made_files import EVAL, langfuse_item, output_item

from proctor.formats.imports.contract import ImportedRecord, ImportLog, ImportOptions
from proctor.formats.imports.detect import open_source
from proctor.formats.imports.source_file import SourceFile

_INSPECT = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, match, scorer

@scorer(metrics={"*": [accuracy()]})
def several():
    async def score(state, target):
        return Score(value={"right": state.output.completion == target.text, "brief": 0.3})
    return score

def reply(input, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm/model", "4")
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output

samples = [Sample(id="sum", input="What is 2+2?", target="4", metadata={"topic": "maths"}),
           Sample(id=7, input="Capital of France?", target=["Paris", "paris"])]
task = Task(dataset=MemoryDataset(samples), scorer=several() if len(sys.argv) > 3 else match(), name="tiny", epochs=2)
log = eval(task, model=get_model("mockllm/model", custom_outputs=reply), log_dir=sys.argv[1], log_format=sys.argv[2],
           display="none")[0]
print(log.location)
"""
_OAIEVAL = """
import sys
import evals.record
from evals.base import RunSpec

spec = RunSpec(completion_fns=["dummy"], eval_name="sums.dev.v0", base_eval="sums", split="dev", run_config={},
               created_by="")
recorder = evals.record.LocalRecorder(sys.argv[1], run_spec=spec)
for number in range(2):
    with recorder.as_default_recorder(f"sums.dev.{number}"):
        evals.record.record_sampling(prompt=[{"role": "user", "content": f"{number}+{number}?"}], sampled=["0"])
        evals.record.record_match(number == 0, expected=str(2 * number), picked="0", sampled="0")
recorder.record_final_report({"accuracy": 0.5})
"""
_LANGFUSE = """
import json, re, sys
from langfuse.api import DatasetItem

given = {re.sub("([A-Z])", r"_\\1", key).lower(): value for key, value in json.loads(sys.argv[1]).items()}
print(DatasetItem(status="ACTIVE", **given).model_dump_json())
"""
_PROMPTFOO = """
description: geography
prompts: ["Answer: {{question}}"]
providers: [echo]
tests:
  - vars: {question: "Capital of {{country}}?", country: France, expected: france}
    assert: [{type: icontains, value: "{{expected}}"}]
  - vars: {question: "Fails"}
    assert: [{type: equals, value: Paris}]
  - vars: {question: "Nobody judges"}
"""


def _read(path: Path) -> tuple[str, list[ImportedRecord], ImportLog]:
    log = ImportLog()
    source = open_source(SourceFile(path), ImportOptions())
    return source.tool, [*source.records(log)], log


def _python_with(package: str) -> str:
    """A Python that has a package: this one, or the one that the environment names."""
    named = os.environ.get(f"PROCTOR_PYTHON_WITH_{package.upper()}", sys.executable)
    found = subprocess.run([named, "-c", f"import importlib.util as u; assert u.find_spec({package!r})"], check=False)
    if found.returncode:
        pytest.skip(f"{package} is not installed; PROCTOR_PYTHON_WITH_{package.upper()} may name a Python that has it")
    return named


def _make(python: str, program: str, *arguments: str) -> str:
    keys = {"OPENAI_API_KEY": "none-is-needed"}
    made = subprocess.run(
        [python, "-c", program, *arguments], check=True, capture_output=True, text=True, env={**os.environ, **keys}
    )
    return made.stdout.strip().splitlines()[-1] if made.stdout.strip() else ""


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_that_inspect_has_written_is_read(tmp_path: Path, form: str) -> None:
    python = _python_with("inspect_ai")
    if form == "eval":
        pytest.importorskip("zstandard", reason="logs are compressed with it")

    tool, records, log = _read(Path(_make(python, _INSPECT, str(tmp_path), form)))

    assert tool == "Inspect AI"
    found = {(record.case.id, record.trial): record for record in records}
    assert found.keys() == {("sum", 1), ("sum", 2), ("7", 1), ("7", 2)}
    marks = {key: record.result.review.parts[0].value for key, record in found.items() if record.result}
    assert marks == {("sum", 1): 1, ("sum", 2): 1, ("7", 1): 0, ("7", 2): 0}
    assert found["sum", 1].case.metadata == {"topic": "maths"}
    assert not log.skipped_count


def test_the_verdicts_of_a_scorer_of_inspect_that_gives_several_values_are_read(tmp_path: Path) -> None:
    path = Path(_make(_python_with("inspect_ai"), _INSPECT, str(tmp_path), "json", "several"))

    assert open_source(SourceFile(path), ImportOptions()).runs()["log"].weights == {"several.right": 1.0}
    marks = [part.value for each in _read(path)[1] if each.result for part in each.result.review.parts]
    assert sorted(marks) == [0, 0, 0.3, 0.3, 0.3, 0.3, 1, 1]


def test_results_and_config_of_promptfoo_are_read(tmp_path: Path) -> None:
    promptfoo = shutil.which(os.environ.get("PROCTOR_PROMPTFOO", "promptfoo"))
    if promptfoo is None:
        pytest.skip("promptfoo is not installed; PROCTOR_PROMPTFOO may name it")
    config, results = tmp_path / "promptfooconfig.yaml", tmp_path / "results.json"
    config.write_text(_PROMPTFOO, encoding="utf-8")
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": str(tmp_path)}
    subprocess.run(
        [promptfoo, "eval", "-c", str(config), "-o", str(results), "--no-cache", "--no-progress-bar", "--no-table"],
        check=False, capture_output=True, cwd=tmp_path, env={**os.environ, **quiet},
    )  # fmt: skip

    tool, records, _ = _read(results)

    assert tool == "promptfoo"
    assert [(each.result.passed, bool(each.result.review.unscored)) for each in records if each.result] == [
        (True, False),
        (False, False),
        (None, True),
    ]
    assert [each.case for each in _read(config)[1]] == [each.case for each in records]


def test_a_log_that_oaieval_has_recorded_is_read(tmp_path: Path) -> None:
    python = _python_with("evals")
    path = tmp_path / "log.jsonl"
    _make(python, _OAIEVAL, str(path))

    _, records, log = _read(path)

    assert [each.case.question for each in records] == ["0+0?", "1+1?"]
    assert [each.result.review.parts[0].value for each in records if each.result] == [1, 0]
    assert not log.skipped_count


def test_examples_as_the_langsmith_package_writes_them_are_read(tmp_path: Path) -> None:
    schemas = pytest.importorskip("langsmith.schemas")
    made = schemas.Example(
        id="8f0b2f6e-7c57-4a4e-9d0a-0d8a3a1f6b11",
        dataset_id="8f0b2f6e-7c57-4a4e-9d0a-0d8a3a1f6b12",
        inputs={"question": "What is 2 + 2?"},
        outputs={"answer": "4"},
        metadata={"dataset_split": ["base"]},
    )
    text = made.model_dump_json()
    lines, table = tmp_path / "dataset.jsonl", tmp_path / "dataset.csv"
    lines.write_text(text + "\n", encoding="utf-8")
    with table.open("w", encoding="utf-8", newline="") as file:
        told = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in json.loads(text).items()}
        writer = csv.DictWriter(file, told)
        writer.writeheader()
        writer.writerow(told)

    for path in (lines, table):
        tool, records, _ = _read(path)
        assert tool == "LangSmith"
        case = records[0].case
        assert (case.id, case.question, case.answer) == (str(made.id), "What is 2 + 2?", "4")
        assert case.metadata["dataset_split"] == ["base"]


def test_evals_and_output_items_are_those_of_the_openai_package(tmp_path: Path) -> None:
    """The files of the other tests are in the shape that the package declares."""
    evals = pytest.importorskip("openai.types")
    runs = pytest.importorskip("openai.types.evals.runs")
    evals.EvalRetrieveResponse.model_validate(EVAL)
    item: Any = runs.OutputItemListResponse.model_validate(output_item(1))
    path = tmp_path / "items.jsonl"
    path.write_text(item.model_dump_json() + "\n", encoding="utf-8")

    tool, records, _ = _read(path)

    assert tool == "OpenAI Evals"
    assert [(each.case.answer, each.result.passed) for each in records if each.result] == [("Hardware", True)]


def test_items_as_the_langfuse_package_gives_them_are_read(tmp_path: Path) -> None:
    python = _python_with("langfuse")
    given = {key: value for key, value in langfuse_item(1).items() if key != "status"}
    path = tmp_path / "items.jsonl"
    path.write_text(_make(python, _LANGFUSE, json.dumps(given)) + "\n", encoding="utf-8")

    tool, records, _ = _read(path)

    assert tool == "Langfuse"
    case = records[0].case
    assert (case.id, case.question, case.answer, case.metadata["level"]) == ("item-1", "What is 1 + 1?", "2", 1)
