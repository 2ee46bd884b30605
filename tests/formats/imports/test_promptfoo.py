"""promptfoo: templates in prompts, variables and assertions; files beside a config; what a test says besides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.formats.imports.made_files import promptfoo_result, promptfoo_results
from tests.formats.imports.reading import read

from proctor.benchmark import Case
from proctor.errors import InputError


def _cases(folder: Path, **config: Any) -> list[Case]:
    path = folder / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump({"providers": ["echo"], **config}), encoding="utf-8")
    return [each.case for each in read(path)[0]]


_TEMPLATED = {"type": "icontains", "value": "{{expected}}"}


def test_a_config_and_its_results_are_filled_in_alike(tmp_path: Path) -> None:
    variables = {"question": "Capital of {{country}}?", "country": "Spain", "expected": "Madrid"}
    options = {"prefix": "Please. ", "suffix": " Briefly."}
    [case] = _cases(
        tmp_path,
        prompts=["Answer: {{ question }}"],
        defaultTest={"assert": [_TEMPLATED], "options": options},
        tests=[{"vars": variables}],
    )
    result = promptfoo_result("?", vars=variables, testCase={"vars": variables, "assert": [_TEMPLATED]})
    result["prompt"]["raw"] = "Please. Answer: Capital of Spain? Briefly."
    [record] = read(promptfoo_results(tmp_path / "results.json", [result]))[0]

    assert case == record.case
    assert case.question == "Please. Answer: Capital of Spain? Briefly."
    assert case.expect.keywords == ("re:(?i:Madrid)",)
    assert case.metadata == {"expected": "Madrid"}


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("Q: {{question | upper}}", "Q: CAPITAL?"),
        ("{{ thing.name }} {{ thing['of'][0] | trim }}", "Seine France"),
        ("{{ missing | default('none') }}{# a remark #}", "none"),
        ('[{"role": "user", "content": "{{quoted}}"}]', 'say "hi"'),
        ("- role: user\n  content: '{{question}}'\n", "Capital?"),
        ("{% if question %}{{question}}{% endif %}", "Capital?"),
    ],
)
def test_a_prompt_is_filled_in_and_where_that_cannot_be_its_variables_are_asked(
    tmp_path: Path, prompt: str, question: str
) -> None:
    variables = {"question": "Capital?", "thing": {"name": "Seine", "of": [" France "]}, "quoted": 'say "hi"'}

    [case] = _cases(tmp_path, prompts=[prompt], tests=[{"vars": variables, "options": {"disableVarExpansion": True}}])

    assert case.question == question


def test_of_several_prompts_only_the_variables_that_they_name_are_asked(tmp_path: Path) -> None:
    [case] = _cases(tmp_path, prompts=["1 {{q}}", "2 {{q}}"], tests=[{"vars": {"q": "Capital?", "expected": "Paris"}}])

    assert (case.question, case.metadata) == ("Capital?", {"expected": "Paris"})


def test_prompts_with_labels_of_their_own_are_asked_by_the_variables_that_they_name(tmp_path: Path) -> None:
    variables = {"question": "Capital?", "expected": "Paris"}
    path = promptfoo_results(tmp_path / "results.json", [promptfoo_result("?", vars=variables)], columns=2)
    told = json.loads(path.read_text(encoding="utf-8"))
    for number, prompt in enumerate(told["results"]["prompts"]):
        prompt["label"] = f"prompt {number}"
    path.write_text(json.dumps(told), encoding="utf-8")

    [record], _ = read(path)

    assert record.case.question == "Capital?"
    assert record.case.metadata["expected"] == "Paris"


def test_files_beside_a_config_are_read_by_name_and_by_pattern(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.txt").write_text("Answer: {{question}}\n", encoding="utf-8")
    (tmp_path / "tests.csv").write_text(
        'question,__expected,__suffix\nCapital of Spain?,contains:Madrid," Please."\nRate,grade: it is kind,\n',
        encoding="utf-8",
    )

    cases = _cases(tmp_path, prompts=["file://prompts/*.txt"], tests=[{"path": "file://tests.csv"}])

    assert [case.question for case in cases] == ["Answer: Capital of Spain? Please.", "Answer: Rate"]
    assert cases[0].expect.keywords == ("re:(?-i:Madrid)",)
    assert [*cases[1].criteria.values()] == ["it is kind"]


def test_what_a_test_says_besides_is_listed_and_a_limit_of_nothing_is_none(tmp_path: Path) -> None:
    test = {
        "vars": {"question": "Capital?"},
        "provider": "openai:gpt-4",
        "options": {"transform": "output.trim()"},
        "threshold": 0.5,
        "assert": [{"type": "latency", "threshold": 0, "metric": "speed", "weight": 2}],
    }
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump({"prompts": ["{{question}}"], "tests": [test]}), encoding="utf-8")

    [record], log = read(path)

    assert record.case.expect.limits == {}
    assert log.left_out == {
        "assertions: latency": 1,
        "keys of tests: provider": 1,
        "options of tests: transform": 1,
        "settings of assertions: metric": 1,
        "settings of assertions: weight": 1,
        "thresholds of tests": 1,
    }


def test_results_are_read_as_yaml_too_and_a_table_is_refused_in_a_sentence(tmp_path: Path) -> None:
    plain = promptfoo_results(tmp_path / "results.json", [promptfoo_result("Capital?"), promptfoo_result("River?")])
    written = tmp_path / "results.yaml"
    written.write_text(yaml.safe_dump(json.loads(plain.read_text(encoding="utf-8"))), encoding="utf-8")
    table = tmp_path / "results.csv"
    table.write_text("question,[echo] x,Status,Score,Grader Reason\nCapital?,Paris,PASS,1.00,ok\n", encoding="utf-8")

    assert read(written)[0] == read(plain)[0]
    with pytest.raises(InputError, match=r"write the results with -o results\.json"):
        read(table)


def test_a_reply_that_calls_a_tool_keeps_the_call(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": "Paris"}'}}
    result = promptfoo_result("Capital?", response={"output": [call]})

    [record], log = read(promptfoo_results(tmp_path / "results.json", [result]))

    assert record.result is not None
    assert record.result.reply is not None
    assert [(each.name, each.arguments) for each in record.result.reply.tool_calls] == [("search", {"q": "Paris"})]
    assert not log.left_out


@pytest.mark.parametrize("word", ["false", None, 1])
def test_a_result_is_a_success_only_where_it_says_true(tmp_path: Path, word: Any) -> None:
    odd = {**promptfoo_result("Rome?"), "success": word}
    records, log = read(promptfoo_results(tmp_path / "results.json", [promptfoo_result("France?"), odd]))
    assert [each.result.passed for each in records if each.result] == [True]
    assert log.skipped == [("result 2", "it is not a result: it does not say whether it succeeded")]


def test_an_assertion_without_a_verdict_is_not_checkable(tmp_path: Path) -> None:
    found = promptfoo_result("France?")
    found["gradingResult"]["componentResults"][0]["pass"] = "false"
    [record], _ = read(promptfoo_results(tmp_path / "results.json", [found]))
    assert record.result is not None
    assert [check.passed for check in record.result.review.checks] == [None]
