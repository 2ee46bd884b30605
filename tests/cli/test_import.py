"""`proctor import`: what other tools have left behind becomes a suite and stored runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.desk import Desk, Said
from tests.formats.imports.made_files import (
    EVAL,
    as_json,
    as_lines,
    inspect_eval,
    inspect_header,
    inspect_sample,
    langfuse_item,
    oaieval_log,
    output_item,
    promptfoo_result,
    promptfoo_results,
)

from proctor.formats.suites.suite import read_suite

_SECRET = "sk-abcdefghijklmnop1234"


def _outcomes(said: Said) -> list[dict[str, int]]:
    return [run["outcomes"] for file in said.json["files"] for run in file["runs"]]


def _file(said: Said) -> dict[str, Any]:
    found: dict[str, Any] = said.json["files"][0]
    return found


def _log(desk: Desk, name: str = "log.eval", **header: Any) -> str:
    """Two samples, two epochs: one passes twice, one broke once and has no mark once."""
    samples = [
        inspect_sample("capital", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital?"}],
                       None, error={"message": "APIConnectionError: connection refused", "traceback": ""}),
        inspect_sample("sum", "What is 2+2?", metadata={"topic": "maths"}, reply="4"),
        inspect_sample("sum", "What is 2+2?", epoch=2, reply="4"),
        inspect_sample("capital", [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital?"}],
                       None, epoch=2),
    ]  # fmt: skip
    return str(inspect_eval(desk.folder / name, samples, **header))


def test_an_inspect_log_becomes_a_run_with_its_verdicts_and_epochs_are_trials(desk: Desk) -> None:
    said = desk("import", _log(desk), "--json")

    assert said.code == 0
    assert _outcomes(said) == [{"environment_failed": 1, "passed": 2, "unscored": 1}]
    attempts = desk.attempts()
    assert [(each.key.exam, each.key.trial, each.outcome) for each in attempts] == [
        ("sum", 1, "passed"),
        ("sum", 2, "passed"),
        ("capital", 1, "environment_failed"),
        ("capital", 2, "unscored"),
    ]
    first = attempts[0]
    assert first.transcript.turns[0].reply is not None
    assert (first.transcript.turns[0].reply.text, first.usage.input_tokens, first.seconds) == ("4", 10, 2.0)
    assert attempts[2].failure is not None
    assert attempts[2].failure.kind == "refused"


def test_a_report_says_where_a_run_comes_from_and_whose_verdicts_it_shows(desk: Desk) -> None:
    desk("import", _log(desk))

    assert "Imported from Inspect AI 0.3.285 (log.eval)" in " ".join(desk("show", "last").out.split())
    shown = desk("show", "last", "--json").json
    assert (shown["imported"]["tool"], shown["imported"]["judge"], shown["agent"]) == (
        "Inspect AI",
        "match",
        "mockllm/model",
    )
    assert desk("list", "--json").json[0]["imported"]["file"] == "log.eval"
    assert "proctor resume" not in desk("show", "last").out
    assert desk("history").code == 0
    assert desk("label", "last", "--to", "sheet.csv").code == 0


def test_the_suite_is_the_benchmark_of_the_run_so_that_own_runs_compare_with_it(desk: Desk) -> None:
    desk("import", _log(desk), "-o", "suite.yaml", "--store", "s.db")
    imported = desk("show", "last", "--store", "s.db", "--json").json

    assert read_suite(desk.folder / "suite.yaml").digest == imported["digest"]
    assert [case.metadata for case in read_suite(desk.folder / "suite.yaml").cases] == [{"topic": "maths"}, {}]
    rescored = desk("rescore", imported["run"], "--reviewer", "embedded", "--store", "s.db", "--json").json
    agent = desk.agent("def answer(question): return '4'")
    own = desk("run", "suite.yaml", "--agent", agent, "--trials", "2", "--store", "s.db", "--json").json
    assert desk("compare", rescored["run"], own["run"], "--store", "s.db").code == 0
    assert "imported" not in rescored


def test_an_imported_run_is_not_resumed_and_its_judge_cannot_be_asked_again(desk: Desk) -> None:
    desk("import", _log(desk))

    resumed = desk("resume", "last")
    assert resumed.code == 2
    assert "was run in Inspect AI and only imported" in resumed.error
    again = desk("rescore", "last", "--repeats", "2")
    assert again.code == 2
    assert "those of match in Inspect AI" in again.error
    weighed = desk("rescore", "last", "--passing-score", "0.2", "--json").json
    assert (weighed["pass_rate"]["value"], weighed["imported"]["judge"]) == (1, "match")


def test_the_same_file_is_stored_once_unless_it_is_asked_for_again(desk: Desk) -> None:
    log = _log(desk)

    first, second = desk("import", log, "--json"), desk("import", log, "--json")
    assert _file(second)["runs"][0]["imported_before"] is True
    assert _file(second)["runs"][0]["id"] == _file(first)["runs"][0]["id"]
    desk("import", log, "--again")
    assert len(desk("list", "--json").json) == 2


def test_an_import_that_was_broken_off_is_done_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    log = _log(desk)
    with monkeypatch.context() as patched:
        patched.setattr("proctor.workflows.import_attempts._sound", lambda reply: 1 / 0)
        assert desk("import", log).code == 4

    broken = desk("list", "--json").json[0]
    assert (broken["status"], broken["reason"]) == ("cancelled", "its import was broken off; import the file again")
    assert _outcomes(desk("import", log, "--json")) == [{"environment_failed": 1, "passed": 2, "unscored": 1}]


def test_where_several_scorers_marked_and_no_headline_says_whose_mark_decides_one_is_asked_for(desk: Desk) -> None:
    sample = inspect_sample("sum", "2+2?", scores={"match": {"value": "I"}, "length": {"value": 0.9}})
    log = str(inspect_eval(desk.folder / "two.eval", [sample], scorers=["match", "length"]))

    refused = desk("import", log)
    assert refused.code == 2
    assert "--scorer NAME" in refused.error
    assert _outcomes(desk("import", log, "--scorer", "length", "--json")) == [{"passed": 1}]
    assert _outcomes(desk("import", log, "--scorer", "length", "--passing-score", "0.95", "--json")) == [{"failed": 1}]
    by_other = desk("rescore", "last", "--weights", "match=1", "--json").json
    assert by_other["pass_rate"]["value"] == 0


@pytest.mark.parametrize(
    ("value", "outcome"),
    [("C", "passed"), ("I", "failed"), ("P", "failed"), ("N", "failed"), (True, "passed"), (0.7, "passed"),
     ("0.69", "failed"), (7, "unscored"), ({"a": 1}, "passed"), ([1], "unscored"), (None, "unscored")],
)  # fmt: skip
def test_a_mark_decides_and_what_is_no_mark_is_no_verdict(desk: Desk, value: Any, outcome: str) -> None:
    log = inspect_eval(desk.folder / "log.eval", [inspect_sample("sum", "2+2?", value)])

    assert _outcomes(desk("import", str(log), "--json")) == [{outcome: 1}]


def test_a_log_that_did_not_end_there_is_not_completed_here(desk: Desk) -> None:
    log = as_json(
        desk.folder / "log.json", {**inspect_header(status="cancelled"), "samples": [inspect_sample("a", "?")]}
    )

    desk("import", str(log))

    run = desk("list", "--json").json[0]
    assert (run["status"], run["reason"]) == ("cancelled", "it was cancelled in Inspect AI")


def test_promptfoo_results_are_a_run_for_each_prompt_and_provider(desk: Desk) -> None:
    unjudged = promptfoo_result("Nobody judges", gradingResult={"pass": True, "reason": "No assertions"})
    unjudged["testCase"]["assert"] = []
    broken = promptfoo_result("Broken", passed=False, failureReason=2, error="503 Service Unavailable")
    broken |= {"gradingResult": None, "response": {"error": "503 Service Unavailable"}}
    results = [promptfoo_result("Capital?"), promptfoo_result("Capital?"), unjudged, broken]
    other = [promptfoo_result("Capital?", column=1, passed=False)]
    path = promptfoo_results(desk.folder / "results.json", results + other, columns=2)

    said = desk("import", str(path), "-o", "suite.yaml", "--json")

    assert _outcomes(said) == [{"passed": 2, "unscored": 1, "environment_failed": 1}, {"failed": 1}]
    cases = read_suite(desk.folder / "suite.yaml").cases
    assert [case.question for case in cases] == ["Capital?", "Nobody judges", "Broken"]
    assert cases[0].expect.keywords == ("re:(?i:paris)",)
    assert cases[0].metadata == {"topic": "geography"}
    assert desk.attempts(_file(said)["runs"][1]["id"])[0].checks[0].name == "icontains"


def test_a_promptfoo_config_is_the_suite_of_its_results(desk: Desk) -> None:
    desk.write(
        "promptfooconfig.yaml",
        "description: geography\nprompts: ['Answer: {{question}}']\nproviders: [echo]\ntests:\n"
        "  - vars: {question: [Capital?, River?]}\n    metadata: {topic: geography}\n"
        "    assert: [{type: icontains, value: paris}, {type: javascript, value: 'true'}]\n",
    )
    path = promptfoo_results(desk.folder / "results.json", [promptfoo_result("Capital?"), promptfoo_result("River?")])

    said = desk("import", "promptfooconfig.yaml", "-o", "config.yaml", "--json")
    desk("import", str(path), "-o", "results.yaml")

    assert _file(said)["no_counterpart"] == {"assertions: javascript": 2, "keys of the config: providers": 1}
    digests = {read_suite(desk.folder / name).digest for name in ("config.yaml", "results.yaml")}
    assert len(digests) == 1


def test_what_has_no_counterpart_is_listed_with_how_often_it_was_met(desk: Desk) -> None:
    result = promptfoo_result("Capital?")
    result["testCase"]["assert"] += [{"type": "rouge-n", "value": "x"}, {"type": "rouge-n", "value": "y"}]
    path = promptfoo_results(desk.folder / "results.json", [result])

    assert "no counterpart: assertions: rouge-n (2)" in desk("import", str(path)).out


_LANGSMITH = {
    "id": "8f0b",
    "inputs": {"question": "What is 2 + 2?", "context": "Sums."},
    "outputs": {"answer": "4"},
    "metadata": {"dataset_split": ["base"]},
}


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_a_langsmith_dataset_is_read_in_every_form(desk: Desk, form: str) -> None:
    path = desk.folder / f"dataset.{form}"
    if form == "json":
        as_json(path, [_LANGSMITH])
    elif form == "jsonl":
        as_lines(path, [_LANGSMITH])
    else:
        cells = [json.dumps(value) if isinstance(value, dict) else str(value) for value in _LANGSMITH.values()]
        quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
        path.write_text(f"id,inputs,outputs,metadata\n{quoted}\n", encoding="utf-8")

    said = desk("import", str(path), "-o", "suite.yaml", "--json")

    assert _file(said)["tool"] == "LangSmith"
    case = read_suite(desk.folder / "suite.yaml").cases[0]
    assert (case.id, case.question, case.answer, case.context) == ("8f0b", "What is 2 + 2?", "4", "Sums.")
    assert case.metadata == {"dataset_split": ["base"]}


def test_a_conversation_is_asked_by_its_last_question_with_what_was_said_before_as_context(desk: Desk) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "2 + 2?"},
                {"role": "assistant", "content": "4"}]  # fmt: skip
    as_lines(desk.folder / "tuning.jsonl", [{"messages": messages}])

    desk("import", "tuning.jsonl", "-o", "suite.yaml")

    case = read_suite(desk.folder / "suite.yaml").cases[0]
    assert (case.question, case.answer) == ("2 + 2?", "4")
    assert case.context == "system: Be brief.\n\nuser: Hi\n\nassistant: Hello"


def test_langfuse_items_are_read_and_archived_ones_are_told(desk: Desk) -> None:
    items = [langfuse_item(1), langfuse_item(2, status="ARCHIVED"), langfuse_item(3, input=None)]
    as_json(desk.folder / "items.json", {"data": items, "meta": {"page": 1}})

    said = desk("import", "items.json", "-o", "suite.yaml", "--json")

    assert said.code == 1
    assert _file(said)["no_counterpart"] == {"archived items": 1}
    assert _file(said)["not_taken_first"] == [{"where": "record 3", "why": "it has no question"}]
    suite = read_suite(desk.folder / "suite.yaml")
    assert (suite.name, suite.cases[0].id, suite.cases[0].answer) == ("sums", "item-1", "2")
    assert suite.cases[0].metadata["level"] == 1


def test_a_large_export_is_recognised_by_its_beginning(desk: Desk) -> None:
    as_json(
        desk.folder / "items.json", {"data": [langfuse_item(each, note="x" * 900) for each in range(100)], "meta": {}}
    )

    assert _file(desk("import", "items.json", "-o", "suite.jsonl", "--json"))["cases"] == 100


def test_openai_results_carry_their_graders_verdicts(desk: Desk) -> None:
    late = output_item(
        3, passed=False, error={"code": "rate_limit_exceeded", "message": "Rate limit reached"}, output=[]
    )
    late["results"] = []
    as_lines(desk.folder / "items.jsonl", [output_item(1), output_item(2, passed=False), late])
    as_json(desk.folder / "eval.json", EVAL)

    said = desk("import", "items.jsonl", "eval.json", "-o", "suite.yaml", "--json")

    assert _outcomes(said) == [{"passed": 1, "failed": 1, "environment_failed": 1}]
    set_up = dict.fromkeys(("max_completion_tokens", "seed", "temperature", "top_p"), 3)
    assert _file(said)["no_counterpart"] == {
        "graders: python": 3,
        **{f"how a model was set up: {name}": times for name, times in set_up.items()},
    }
    case = read_suite(desk.folder / "suite.yaml").cases[0]
    assert (case.id, case.question, case.answer) == ("1", "My monitor 1 is dark", "Hardware")
    assert desk.attempts()[0].checks[0].name == "Match"


def test_openai_data_takes_its_question_from_the_key_that_is_named(desk: Desk) -> None:
    as_lines(desk.folder / "data.jsonl", [{"item": {"subject": "Monitor", "body": "It is dark", "label": "Hardware"}}])

    refused = desk("import", "data.jsonl", "-o", "suite.yaml")
    assert refused.code == 2
    assert "name it with `proctor import --question KEY`" in refused.error
    desk("import", "data.jsonl", "-o", "suite.yaml", "--question", "body")
    case = read_suite(desk.folder / "suite.yaml").cases[0]
    assert (case.question, case.answer, case.metadata) == ("It is dark", "Hardware", {"subject": "Monitor"})


def test_a_log_of_oaieval_is_a_run_and_its_samples_are_a_suite(desk: Desk) -> None:
    oaieval_log(desk.folder / "log.jsonl", [True, False])
    as_lines(desk.folder / "samples.jsonl", [{"input": [{"role": "user", "content": "2+2?"}], "ideal": ["4", "four"]}])

    assert _outcomes(desk("import", "log.jsonl", "--json")) == [{"passed": 1, "failed": 1}]
    desk("import", "samples.jsonl", "-o", "suite.jsonl")
    case = read_suite(desk.folder / "suite.jsonl").cases[0]
    assert (case.question, case.answer, case.metadata) == ("2+2?", "4", {"ideal": ["4", "four"]})


def _cut(path: Path, keep: float) -> str:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    return str(path)


def _many(desk: Desk, ending: str) -> Path:
    samples = [inspect_sample(number, f"What is {number}?") for number in range(20)]
    if ending == "eval":
        return inspect_eval(desk.folder / "log.eval", samples)
    return as_json(desk.folder / "log.json", {**inspect_header(), "samples": samples})


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_of_a_log_that_was_cut_off_all_that_is_whole_is_taken_and_the_rest_is_told(desk: Desk, ending: str) -> None:
    said = desk("import", _cut(_many(desk, ending), 0.6), "--json")

    assert said.code == 1
    assert said.json["complete"] is False
    assert _file(said)["cut_off"]
    assert 5 <= _outcomes(said)[0]["passed"] < 20
    run = desk("list", "--json").json[0]
    assert (run["status"], run["reason"]) == ("cancelled", "its file is cut off")


def test_of_lines_that_were_cut_off_the_whole_ones_are_taken(desk: Desk) -> None:
    path = as_lines(desk.folder / "items.jsonl", [langfuse_item(number) for number in range(9)])

    said = desk("import", _cut(path, 0.95), "-o", "suite.yaml", "--json")

    assert (said.code, _file(said)["cases"]) == (1, 8)
    assert _file(said)["cut_off"] == "its last line, 9, is incomplete"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("empty.json", "", "is empty"),
        ("other.json", '{"hello": 1}', "does not look like a file of any tool"),
        ("other.jsonl", '{"hello": 1}\n', "does not look like a file of any tool"),
        ("other.csv", '"Who?";"Ada"\n', "does not look like a file of any tool"),
        ("other.csv", 'inputs,outputs\n"Who"?,Ada\n', "line 2 cannot be read"),
        ("log.json", '{"version": 9, "eval": {"task": "t"}}', "is newer than 2"),
        ("results.json", '{"evalId": "e", "results": {"version": 9, "results": []}}', "is newer than 3"),
        ("log.eval", "this is no archive", "is not an Inspect AI log"),
        ("notes.txt", "some words", "does not look like a JSON, YAML, CSV or .eval file"),
        ("broken.json", '{"evalId": 1, "results": {oops}}' + " " * 100, "is not JSON"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(desk: Desk, name: str, text: str, told: str) -> None:
    desk.write(name, text)

    said = desk("import", name, "-o", "suite.yaml")

    assert said.code == 2
    assert told in said.error
    assert not (desk.folder / "suite.yaml").exists()


def test_secrets_in_a_log_reach_neither_the_store_nor_the_suite(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "hunter2-hunter2")
    sample = inspect_sample(
        "sum", f"Use {_SECRET}, what is 2+2?", reply="hunter2-hunter2", metadata={"header": "Bearer abc123def456"}
    )
    log = inspect_eval(desk.folder / "log.eval", [sample])

    said = desk("import", str(log), "-o", "suite.yaml", "--store", "s.db", "--json")

    assert _file(said)["masked_secrets"] == 3
    kept = (desk.folder / "s.db").read_bytes() + (desk.folder / "suite.yaml").read_bytes()
    for secret in (_SECRET, "hunter2-hunter2", "abc123def456"):
        assert secret.encode() not in kept


def test_aliases_of_aliases_are_refused_before_they_are_written_out(desk: Desk) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for last, name in zip("abcdef", "bcdefg", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{last}'] * 10)}]")
    desk.write("promptfooconfig.yaml", "\n".join([*lines, "prompts: [hello]", "tests: *g", ""]))

    said = desk("import", "promptfooconfig.yaml", "-o", "suite.yaml")

    assert said.code == 2
    assert "holds more than 1,000,000 values" in said.error


def test_text_that_cannot_be_stored_is_mended(desk: Desk) -> None:
    path = as_lines(desk.folder / "data.jsonl", [{"item": {"question": "Half \ud800 and \0?", "answer": "\0"}}])

    assert desk("import", str(path), "-o", "suite.yaml").code == 0
    assert read_suite(desk.folder / "suite.yaml").cases[0].question == "Half ? and \ufffd?"


def test_every_tool_that_is_read_can_be_named(desk: Desk) -> None:
    from proctor.formats.imports.detect import TOOLS

    assert f"[{'|'.join(TOOLS)}]" in desk("import", "--help").out


def test_a_file_of_cases_alone_needs_a_place_for_them(desk: Desk) -> None:
    as_lines(desk.folder / "dataset.jsonl", [_LANGSMITH])

    said = desk("import", "dataset.jsonl")

    assert said.code == 2
    assert "holds cases and no results; say where they go with -o SUITE.yaml" in said.error


def test_a_question_that_no_suite_holds_is_told_and_stays_in_the_run(desk: Desk) -> None:
    log = inspect_eval(desk.folder / "log.eval", [inspect_sample("a", "x" * 7000), inspect_sample("b", "short")])

    said = desk("import", str(log), "-o", "suite.yaml", "--json")

    assert said.code == 1
    assert "7,000 characters" in _file(said)["not_taken_first"][0]["why"]
    assert _outcomes(said) == [{"passed": 2}]
    assert said.json["cases_written"] == 1


def test_a_case_that_stands_in_two_of_the_files_is_written_once(desk: Desk) -> None:
    item = {"item": {"question": "2 + 2?", "answer": "4"}}
    as_lines(desk.folder / "data.jsonl", [item, item])
    as_lines(desk.folder / "again.jsonl", [item, item])

    desk("import", "data.jsonl", "again.jsonl", "-o", "suite.yaml")

    first, second = read_suite(desk.folder / "suite.yaml").cases  # a file may ask the same twice
    assert second.id == f"{first.id}-2"


def test_a_list_of_evals_alone_has_no_case_and_says_what_to_name(desk: Desk) -> None:
    as_json(desk.folder / "evals.json", {"object": "list", "data": [EVAL], "has_more": False})

    refused = desk("import", "evals.json", "-o", "suite.yaml")

    assert refused.code == 2
    assert "name data, output items, or one run" in refused.error


def test_a_folder_of_logs_is_imported_and_what_no_tool_has_written_is_told(desk: Desk) -> None:
    folder = desk.folder / "logs"
    folder.mkdir()
    for name in ("one", "two"):
        inspect_eval(folder / f"{name}.eval", [inspect_sample(name, f"What is {name}?")], sample_ids=[name])
    as_json(folder / "eval-set.json", {"eval_set_id": "x", "tasks": []})

    said = desk("import", "logs", "--json")

    assert said.code == 1
    assert _outcomes(said) == [{"passed": 1}, {"passed": 1}]
    odd = next(file for file in said.json["files"] if file["not_taken"])
    assert "does not look like a file of any tool" in odd["not_taken_first"][0]["why"]
    (desk.folder / "empty").mkdir()
    assert "there is no file in empty that could be imported" in desk("import", "empty").error


def test_tests_whose_assertions_have_no_counterpart_are_told_one_by_one_and_pass_nobody(desk: Desk) -> None:
    desk.write(
        "promptfooconfig.yaml",
        "description: geography\nprompts: ['{{q}}']\ntests:\n"
        "  - {description: code, vars: {q: One?}, assert: [{type: javascript, value: 'true'}]}\n"
        "  - {description: bare, vars: {q: Two?}}\n"
        "  - description: share\n    vars: {q: Three?}\n    threshold: 0.5\n"
        "    assert: [{type: contains, value: a}, {type: contains, value: b}]\n"
        "  - {description: held, vars: {q: Four?}, assert: [{type: contains, value: four}]}\n",
    )
    said = desk("import", "promptfooconfig.yaml", "-o", "suite.yaml").out
    no_one = "there is neither a reference nor anything to expect, so no one will judge it"
    assert f"undecided: test 1 (“code”): {no_one}; no counterpart here: assertions: javascript" in said
    assert f"undecided: test 2 (“bare”): {no_one}\n" in said
    assert f"undecided: test 3 (“share”): {no_one}; no counterpart here: tests with a threshold over several" in said
    assert "“held”" not in said
    again = desk("import", "promptfooconfig.yaml", "-o", "suite.yaml", "--json")
    assert (again.code, _file(again)["undecided"], len(_file(again)["undecided_first"])) == (0, 3, 3)
    desk("run", "suite.yaml", "--agent", desk.agent("def answer(question):\n    return 'four'\n"))
    assert {each.key.exam: each.passed for each in desk.attempts()} == {
        "code": None, "bare": None, "share": None, "held": True,
    }  # fmt: skip


def test_a_trial_that_stands_twice_in_a_log_is_listed_and_only_what_is_stored_is_counted(desk: Desk) -> None:
    samples = [inspect_sample("sum", "What is 2+2?", "C", reply="4"),
               inspect_sample("sum", "What is 2+2?", "I", epoch=2, reply="5"),
               inspect_sample("sum", "What is 2+2?", "C", epoch=2, reply="4"),
               inspect_sample("other", "What is 3+3?", "C", reply="6")]  # fmt: skip
    desk.write("log.json", json.dumps({**inspect_header(), "samples": samples}))
    said = desk("import", "log.json", "--json")
    assert said.code == 1
    assert _outcomes(said) == [{"passed": 2, "failed": 1}]
    assert _file(said)["not_taken"] == 1
    assert "trial 2 of “sum” stands in the file before; the first counts" in _file(said)["not_taken_first"][0]["why"]
    assert [(each.key.exam, each.key.trial, each.passed) for each in desk.attempts()] == [
        ("sum", 1, True), ("sum", 2, False), ("other", 1, True),
    ]  # fmt: skip
