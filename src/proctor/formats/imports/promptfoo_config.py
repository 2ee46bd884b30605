"""promptfoo configs: prompts with variables, and tests → cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from proctor.errors import InputError
from proctor.formats.imports.contract import ImportedRecord, ImportedRun, ImportLog, ImportWishes
from proctor.formats.imports.fields import ImportedQuestion, asked_in, case_of, fit_name, mapping, objects
from proctor.formats.imports.promptfoo_assertions import assertion_in, expected_there
from proctor.formats.imports.source_file import SourceFile

TOOL = "promptfoo"
_TAKEN = frozenset({"description", "prompts", "tests", "defaultTest", "scenarios"})
_VARIABLE = re.compile(r"\{\{-?\s*([\w.]+)\s*-?\}\}")
_PATH = re.compile(r"[\w./-]{1,100}\.(?:txt|md|json|yaml|yml|js|ts|py)")
_PLAIN = (".txt", ".md", ".json", ".yaml", ".yml")


class PromptfooConfig:
    """A config: cases alone."""

    tool = TOOL
    version = ""

    def __init__(self, file: SourceFile, wishes: ImportWishes) -> None:
        self._file = file
        self._wishes = wishes
        self._folder = file.path.resolve().parent
        found = file.yaml()  # JSON is YAML too
        if not isinstance(found, dict):
            raise InputError(f"{file.path} is no promptfoo config: expected an object with prompts and tests")
        self._config: dict[str, Any] = found
        self.name = fit_name(str(found.get("description") or "")) or file.path.stem

    def runs(self) -> Mapping[str, ImportedRun]:
        """A config has no results."""
        return {}

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Its tests, each with every combination of its variables."""
        for name, value in self._config.items():
            if name not in _TAKEN and value not in (None, {}, []):
                log.leave_out(f"keys of the config: {name}", len(value) if isinstance(value, list) else 1)
        prompts = [*self._prompts(log)]
        for place, test in self._tests(log):
            cleaned = log.without_secrets(_merge(self._config.get("defaultTest"), test))
            yield from self._cases(place, cleaned, prompts, log)

    def _cases(self, place: str, test: dict[str, Any], prompts: list[str], log: ImportLog) -> Iterator[ImportedRecord]:
        expected = expected_there(test, log).as_case()
        for variables in _combinations(test, self._folder, log):
            asked = asked_there(prompts, variables, self._wishes, log)
            case = case_of(
                asked,
                own_id=str(test.get("description") or "") or None,
                place=place,
                log=log,
                metadata=mapping(test.get("metadata")),
                **expected,
            )
            if case is not None:
                yield ImportedRecord(case=case, place=place, own_id=bool(test.get("description")))

    def _prompts(self, log: ImportLog) -> Iterator[str]:
        given = self._config.get("prompts")
        for each in given if isinstance(given, list) else [given]:
            text = each.get("raw") or each.get("id") if isinstance(each, dict) else each
            if isinstance(text, str) and (text.startswith("file://") or _PATH.fullmatch(text)):
                text = _text_of_file(text, self._folder)
            if isinstance(text, str):
                yield text
            elif each is not None:
                log.leave_out("prompts made by a program, or in a file that is not there")

    def _tests(self, log: ImportLog) -> Iterator[tuple[str, dict[str, Any]]]:
        given = self._config.get("tests")
        for number, each in enumerate(given if isinstance(given, list) else [given] if given else [], 1):
            if isinstance(each, dict):
                yield f"test {number}", each
            elif isinstance(each, str):
                yield from self._tests_in_file(each, log)
        for scenario in objects(self._config.get("scenarios")):
            pairs = product(objects(scenario.get("config")) or [{}], objects(scenario.get("tests")) or [{}])
            for number, (config, test) in enumerate(pairs, 1):
                yield f"scenario test {number}", _merge(config, test)

    def _tests_in_file(self, name: str, log: ImportLog) -> Iterator[tuple[str, dict[str, Any]]]:
        path = _path_of(name, self._folder)
        if path is None or path.suffix.lower() not in (".csv", ".tsv", ".yaml", ".yml", ".json", ".jsonl"):
            log.leave_out("tests made by a program, or in a file that is not there")
            return
        file = SourceFile(path)
        found: Iterator[tuple[str, Any]]
        if file.kind == "yaml":
            found = ((f"test {number}", each) for number, each in enumerate(objects(file.yaml()), 1))
        else:
            found = file.items(log)
        for place, each in found:
            if isinstance(each, dict):
                yield f"{path.name}, {place}", _test_of_row(each, log) if file.kind == "csv" else each


def asked_there(
    prompts: list[str], variables: Mapping[str, Any], wishes: ImportWishes, log: ImportLog
) -> ImportedQuestion:
    """The question: the prompt with its variables, where there is one prompt; else the variables themselves."""
    if len(prompts) == 1:
        return chat_or_text(_render(prompts[0], variables, log), wishes, log)
    if len(prompts) > 1:
        log.note(f"there are {len(prompts)} prompts, which are part of what is tested: the question is the variables")
    shown = {name: value for name, value in variables.items() if not name.startswith("_")}
    if wishes.question is not None or len(shown) <= 1:
        return asked_in(shown, wishes, log)
    return ImportedQuestion(question="\n".join(f"{name}: {_said(value)}" for name, value in shown.items()))


def chat_or_text(prompt: str, wishes: ImportWishes, log: ImportLog) -> ImportedQuestion:
    """A prompt may be a conversation, written as JSON."""
    if prompt.lstrip().startswith("["):
        try:
            return asked_in(json.loads(prompt), wishes, log)
        except (ValueError, RecursionError):
            pass
    return ImportedQuestion(question=prompt)


def _render(template: str, variables: Mapping[str, Any], log: ImportLog) -> str:
    filled = _VARIABLE.sub(lambda met: _said(variables[met[1]]) if met[1] in variables else met[0], template)
    if "{%" in filled or "{{" in filled:
        log.leave_out("expressions in prompts that are no plain variable, left as they stand")
    return filled


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _combinations(test: Mapping[str, Any], folder: Path, log: ImportLog) -> Iterator[dict[str, Any]]:
    """Every combination of the variables that are lists, as promptfoo makes them."""
    variables = test.get("vars")
    if not isinstance(variables, dict):
        if variables is not None:
            log.leave_out("variables in files")
        yield {}
        return
    options = test.get("options")
    whole = isinstance(options, dict) and options.get("disableVarExpansion")
    named = {
        str(name): value if isinstance(value, list) and not whole else [value] for name, value in variables.items()
    }
    for values in product(*named.values()):
        yield {name: _read_variable(value, folder, log) for name, value in zip(named, values, strict=True)}


def _read_variable(value: Any, folder: Path, log: ImportLog) -> Any:
    if not isinstance(value, str) or not value.startswith("file://"):
        return value
    text = _text_of_file(value, folder)
    if text is None:
        log.leave_out("variables made by a program, or in a file that is not there")
    return value if text is None else text


def _path_of(name: str, folder: Path) -> Path | None:
    """A file beside the config; nothing outside its folder is read."""
    path = (folder / name.removeprefix("file://")).resolve()
    return path if path.is_relative_to(folder) and path.is_file() else None


def _text_of_file(name: str, folder: Path) -> str | None:
    path = _path_of(name, folder)
    if path is None or path.suffix.lower() not in _PLAIN:
        return None
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None


def _merge(common: Any, test: Mapping[str, Any]) -> dict[str, Any]:
    """A test with what holds for all."""
    if not isinstance(common, Mapping):
        return dict(test)
    merged = {**common, **test}
    for name in ("vars", "metadata", "options"):
        if isinstance(common.get(name), Mapping) and isinstance(test.get(name), Mapping):
            merged[name] = {**common[name], **test[name]}
    if isinstance(common.get("assert"), list):
        merged["assert"] = [*common["assert"], *objects(test.get("assert"))]
    return merged


def _test_of_row(row: Mapping[str, Any], log: ImportLog) -> dict[str, Any]:
    """A row of a table of tests: columns are variables, but for those that begin with two underscores."""
    test: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}}
    for name, cell in row.items():
        if not name.startswith("__"):
            test["vars"][name] = cell
        elif name.startswith("__expected") and cell:
            test["assert"].append(assertion_in(_said(cell)))
        elif name.startswith("__metadata:") and cell:
            test["metadata"][name.removeprefix("__metadata:")] = cell
        elif name == "__description" and cell:
            test["description"] = cell
        elif name == "__threshold" and cell:
            test["threshold"] = cell
        elif cell:
            log.leave_out(f"columns of a table of tests: {name}")
    return test
