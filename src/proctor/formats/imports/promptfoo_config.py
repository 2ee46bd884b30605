"""Import promptfoo configs: prompts with variables, and tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from yaml import YAMLError, safe_load

from proctor.errors import InputError
from proctor.formats.imports.contract import ImportedRecord, ImportedRun, ImportLog, ImportOptions
from proctor.formats.imports.fields import (
    ImportedQuestion,
    asked_in,
    case_of,
    fit_name,
    is_conversation,
    list_keys,
    mapping,
    objects,
)
from proctor.formats.imports.promptfoo_assertions import assertion_in, expected_there
from proctor.formats.imports.promptfoo_templates import as_text, is_open, names_in, render, render_data
from proctor.formats.imports.source_file import SourceFile

TOOL = "promptfoo"
_TAKEN = frozenset({"description", "prompts", "tests", "defaultTest", "scenarios"})
_OF_A_TEST = frozenset({"description", "vars", "assert", "metadata", "options", "threshold"})
_OPTIONS = frozenset({"prefix", "suffix", "disableVarExpansion"})
_BETWEEN = re.compile(r"\n-{3,}\s*\n")
_PATH = re.compile(r"[\w./*?\[\]-]{1,100}\.(?:txt|md|json|yaml|yml|js|ts|py)")
_PLAIN = (".txt", ".md", ".json", ".yaml", ".yml")
_OBJECTS = (".json", ".yaml", ".yml")
_TABLES = (".csv", ".tsv", ".jsonl", *_OBJECTS)


class PromptfooConfig:
    """A config, which has only cases."""

    tool = TOOL
    version = ""

    def __init__(self, file: SourceFile, options: ImportOptions) -> None:
        self._file = file
        self._options = options
        self._folder = file.path.resolve().parent
        found = file.yaml()  # JSON is valid YAML
        if not isinstance(found, dict):
            raise InputError(f"{file.path} is not a promptfoo config: expected an object with prompts and tests")
        self._config: dict[str, Any] = found
        self.name = fit_name(str(found.get("description") or "")) or file.path.stem

    def runs(self) -> Mapping[str, ImportedRun]:
        """Return no runs, since a config has no results."""
        return {}

    def records(self, log: ImportLog) -> Iterator[ImportedRecord]:
        """Yield the tests, once for each combination of their variables."""
        for name, value in self._config.items():
            if name not in _TAKEN and value not in (None, {}, []):
                log.leave_out(f"keys of the config: {name}", len(value) if isinstance(value, list) else 1)
        prompts = [*self._prompts(log)]
        common = self._common(log)
        for place, test in self._tests(log):
            cleaned = log.without_secrets(_merge(common, test))
            _list_keys(cleaned, log)
            yield from self._cases(place, cleaned, prompts, log)

    def _cases(self, place: str, test: dict[str, Any], prompts: list[str], log: ImportLog) -> Iterator[ImportedRecord]:
        options = mapping(test.get("options"))
        around = [f"{options.get('prefix') or ''}{each}{options.get('suffix') or ''}" for each in prompts]
        for variables in _combinations(test, self._folder, log):
            asked = asked_there(around, variables, self._options, log)
            expected = expected_there(test, variables, log)
            case = case_of(
                asked,
                own_id=str(test.get("description") or "") or None,
                place=place,
                log=log,
                metadata=mapping(test.get("metadata")),
                **expected.as_case(),
            )
            if case is not None:
                own = bool(test.get("description"))
                yield ImportedRecord(case=case, place=place, own_id=own, lost=expected.lost)

    def _common(self, log: ImportLog) -> Any:
        """Return the default test, whose settings apply to all tests."""
        given = self._config.get("defaultTest")
        if not isinstance(given, str):
            return given
        paths = [path for path in _paths_of(given, self._folder) if path.suffix.lower() in _OBJECTS]
        if not paths:
            log.leave_out("a defaultTest made by a program, or in a file that is not there")
        return SourceFile(paths[0]).yaml() if paths else None

    def _prompts(self, log: ImportLog) -> Iterator[str]:
        given = self._config.get("prompts")
        for each in given if isinstance(given, list) else [given]:
            text = each.get("raw") or each.get("id") if isinstance(each, dict) else each
            texts = [text] if isinstance(text, str) else []
            if isinstance(text, str) and (text.startswith("file://") or _PATH.fullmatch(text)):
                texts = _texts_of_files(text, self._folder)
            yield from texts
            if not texts and each is not None:
                log.leave_out("prompts made by a program, or in a file that is not there")

    def _tests(self, log: ImportLog) -> Iterator[tuple[str, dict[str, Any]]]:
        given = self._config.get("tests")
        for number, each in enumerate(given if isinstance(given, list) else [given] if given else [], 1):
            named = each.get("path") if isinstance(each, dict) and "vars" not in each else each
            if isinstance(named, str):
                yield from self._tests_in_files(named, log)
            elif isinstance(each, dict):
                yield f"test {number}", each
        for scenario in objects(self._config.get("scenarios")):
            pairs = product(objects(scenario.get("config")) or [{}], objects(scenario.get("tests")) or [{}])
            for number, (config, test) in enumerate(pairs, 1):
                yield f"scenario test {number}", _merge(config, test)

    def _tests_in_files(self, name: str, log: ImportLog) -> Iterator[tuple[str, dict[str, Any]]]:
        paths = [path for path in _paths_of(name, self._folder) if path.suffix.lower() in _TABLES]
        if not paths:
            log.leave_out("tests made by a program, or in a file that is not there")
        for path in paths:
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
    prompts: list[str], variables: Mapping[str, Any], options: ImportOptions, log: ImportLog
) -> ImportedQuestion:
    """Build the question: the rendered prompt if there is only one, otherwise the variables."""
    given = {name: render_data(value, variables) for name, value in variables.items() if not name.startswith("_")}
    used = set[str]().union(*(names_in(prompt, variables) for prompt in prompts))
    if len(prompts) == 1:
        rendered = _render(prompts[0], variables)
        if not is_open(rendered):
            asked = chat_or_text(rendered, options, log)
            return replace(asked, others={name: given[name] for name in given if name not in used} | asked.others)
        log.note("the prompt is more than a text with variables: the question is the variables")
    elif len(prompts) > 1:
        log.note(f"there are {len(prompts)} prompts, which are part of what is tested: the question is the variables")
    shown = {name: value for name, value in given.items() if name in used} or given
    others = {name: value for name, value in given.items() if name not in shown}
    if options.question is not None or len(shown) <= 1:
        asked = asked_in(shown, options, log)
        return replace(asked, others=others | asked.others)
    text = "\n".join(f"{name}: {as_text(value)}" for name, value in shown.items())
    return ImportedQuestion(question=text, others=others)


def _render(prompt: str, variables: Mapping[str, Any]) -> str:
    """Render a prompt; in a JSON conversation each text separately, so that quotes in variables do no harm."""
    if prompt.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.dumps(render_data(json.loads(prompt), variables), ensure_ascii=False)
    return render(prompt, variables)


def chat_or_text(prompt: str, options: ImportOptions, log: ImportLog) -> ImportedQuestion:
    """Extract the question from a prompt that is plain text or a conversation in JSON or YAML."""
    read: Any = None
    with suppress(ValueError, RecursionError, YAMLError):
        if prompt.lstrip().startswith(("[", "{")):
            read = json.loads(prompt)
        elif prompt.lstrip().startswith("- role:"):
            read = safe_load(prompt)
    messages = [read] if isinstance(read, dict) else read
    return asked_in(messages, options, log) if is_conversation(messages) else ImportedQuestion(question=prompt)


def _list_keys(test: Mapping[str, Any], log: ImportLog) -> None:
    """Log the keys of a test that are not imported."""
    list_keys(test, _OF_A_TEST, "keys of tests", log)
    list_keys(mapping(test.get("options")), _OPTIONS, "options of tests", log)


def _combinations(test: Mapping[str, Any], folder: Path, log: ImportLog) -> Iterator[dict[str, Any]]:
    """Yield every combination of the variables that are lists, as promptfoo does."""
    variables = test.get("vars")
    if not isinstance(variables, dict):
        if variables is not None:
            log.leave_out("variables in files")
        yield {}
        return
    options = test.get("options")
    keeps_lists = isinstance(options, dict) and options.get("disableVarExpansion")
    named = {
        str(name): value if isinstance(value, list) and not keeps_lists else [value]
        for name, value in variables.items()
    }
    for values in product(*named.values()):
        yield {name: _read_variable(value, folder, log) for name, value in zip(named, values, strict=True)}


def _read_variable(value: Any, folder: Path, log: ImportLog) -> Any:
    if not isinstance(value, str) or not value.startswith("file://"):
        return value
    texts = _texts_of_files(value, folder, apart=False)
    if not texts:
        log.leave_out("variables made by a program, or in a file that is not there")
    return texts[0] if texts else value


def _paths_of(name: str, folder: Path) -> list[Path]:
    """Resolve a file name or glob pattern next to the config; files outside its folder are never read."""
    pattern = name.removeprefix("file://").removeprefix("./")
    try:
        found = sorted(folder.glob(pattern)) if any(each in pattern for each in "*?[") else [folder / pattern]
    except (ValueError, NotImplementedError, OSError):  # invalid pattern, or one that leaves the folder
        return []
    inside = [path.resolve() for path in found]
    return [path for path in inside if path.is_relative_to(folder) and path.is_file()]


def _texts_of_files(name: str, folder: Path, *, apart: bool = True) -> list[str]:
    """Read the texts of files; with `apart`, lines of dashes separate prompts."""
    texts: list[str] = []
    for path in _paths_of(name, folder):
        if path.suffix.lower() in _PLAIN:
            with suppress(OSError, UnicodeDecodeError):
                text = path.read_text(encoding="utf-8-sig")
                texts += _BETWEEN.split(text) if apart and path.suffix.lower() == ".txt" else [text]
    return [text.strip() if apart else text for text in texts]


def _merge(common: Any, test: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a test with the default test."""
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
    """Convert a row of a test table: columns are variables, except those that begin with two underscores."""
    test: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}, "options": {}}
    for name, cell in row.items():
        if not name.startswith("__"):
            test["vars"][name] = cell
        elif name.startswith("__expected") and cell:
            test["assert"].append(assertion_in(as_text(cell)))
        elif name in ("__prefix", "__suffix") and cell:
            test["options"][name.removeprefix("__")] = cell
        elif name.startswith("__metadata:") and cell:
            test["metadata"][name.removeprefix("__metadata:")] = cell
        elif name == "__description" and cell:
            test["description"] = cell
        elif name == "__threshold" and cell:
            test["threshold"] = cell
        elif cell:
            log.leave_out(f"columns of a table of tests: {name}")
    return test
