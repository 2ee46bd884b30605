"""Tool correctness against the official checker of the Berkeley Function-Calling Leaderboard.

    python bench/tools.py

Ground-truth calls of the Python categories are perturbed, each in every way of a fixed list, and both say whether the
result is right. The leaderboard's package is installed without its dependencies into bench/.envs/bfcl; its table of
models, which would need them, is replaced by a stub.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
import types
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from proctor.benchmark import ExpectedCall
from proctor.reviewers.tools import score_calls
from proctor.transcript import ToolCall

VERSION = "2026.3.23"
HOME = Path(__file__).parent / ".envs" / "bfcl"
CATEGORIES = ("simple_python", "multiple", "parallel", "parallel_multiple")

Call = tuple[str, dict[str, Any]]
Perturb = Callable[[list[Call], int], list[Call]]


def installed() -> Path:
    """The leaderboard's package, installed where it disturbs nothing."""
    package = HOME / "bfcl_eval"
    if not package.exists():
        wanted = f"bfcl-eval=={VERSION}"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(HOME), wanted], check=True
        )
    return package


def official_checker() -> Callable[[list[Any], list[Call], list[Any], str], dict[str, Any]]:
    """Their verdict, for (function descriptions, calls, ground truth, category): `valid` and `error`."""
    sys.path.insert(0, str(HOME))
    stub = types.ModuleType("bfcl_eval.constants.model_config")
    stub.MODEL_CONFIG_MAPPING = {"any": types.SimpleNamespace(underscore_to_dot=False)}  # type: ignore[attr-defined]
    sys.modules[stub.__name__] = stub
    python = importlib.import_module("bfcl_eval.constants.enums").Language.PYTHON
    ast_checker = importlib.import_module("bfcl_eval.eval_checker.ast_eval.ast_checker").ast_checker

    def verdict(functions: list[Any], calls: list[Call], truth: list[Any], category: str) -> dict[str, Any]:
        said = [{name: arguments} for name, arguments in calls]
        found: dict[str, Any] = ast_checker(functions, said, truth, python, category, "any")
        return found

    return verdict


def cases(package: Path, category: str) -> Iterator[tuple[list[Any], list[dict[str, dict[str, list[Any]]]]]]:
    """(function descriptions, ground truth) of a category."""
    folder = package / "data"
    questions = (folder / f"BFCL_v4_{category}.json").read_text().splitlines()
    answers = (folder / "possible_answer" / f"BFCL_v4_{category}.json").read_text().splitlines()
    for question, answer in zip(questions, answers, strict=True):
        yield json.loads(question)["function"], json.loads(answer)["ground_truth"]


# --- their ground truth, in our words -----------------------------------------------------------------------------


def expected(truth: list[dict[str, dict[str, list[Any]]]], functions: list[Any]) -> list[ExpectedCall]:
    """Lists of allowed values become `any_of`; an empty string among them means that the argument may be absent.

    Where their description of the function asks for a whole number, `whole` does too.
    """
    return [
        ExpectedCall(
            name=name,
            optional=tuple(argument for argument, values in arguments.items() if "" in values),
            match={
                argument: {
                    "any_of": [choice for value in values for choice in choices(value)],
                    "fold": True,
                    "whole": is_whole(functions, name, argument),
                }
                for argument, values in arguments.items()
            },
        )
        for call in truth
        for name, arguments in call.items()
    ]


def is_whole(functions: list[Any], name: str, argument: str) -> bool:
    """Whether they want no float here: the argument is described as anything but one."""
    described: dict[str, Any] = next((function for function in functions if function["name"] == name), {})
    kind = described.get("parameters", {}).get("properties", {}).get(argument, {}).get("type")
    return kind is not None and kind != "float"


def choices(value: Any) -> list[Any]:
    """Inside a dict each key has its own list of allowed values: every combination is spelt out."""
    if isinstance(value, dict):
        options = [
            [{} if choice == "" else {key: choice} for choice in allowed]
            if isinstance(allowed, list)
            else [{key: allowed}]
            for key, allowed in value.items()
        ]
        return [{k: v for part in combination for k, v in part.items()} for combination in product(*options)]
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [list(combination) for combination in product(*(choices(item) for item in value))]
    return [value]


def right_calls(truth: list[dict[str, dict[str, list[Any]]]]) -> list[Call]:
    """A right answer: the first allowed value of every argument that has one."""
    calls = []
    for call in truth:
        for name, arguments in call.items():
            given = {argument: [v for v in values if v != ""] for argument, values in arguments.items()}
            calls.append((name, {argument: choices(values[0])[0] for argument, values in given.items() if values}))
    return calls


# --- perturbations ------------------------------------------------------------------------------------------------


def unchanged(calls: list[Call], turn: int) -> list[Call]:
    return calls


def changed(calls: list[Call], turn: int, change: Callable[[Any], Any]) -> list[Call]:
    """One argument of one call changed; which one goes round with the case's number."""
    at = turn % len(calls)
    name, arguments = calls[at]
    if not arguments:
        return [*calls[:at], (name, {"surplus": 1}), *calls[at + 1 :]]
    argument = list(arguments)[turn % len(arguments)]
    return [*calls[:at], (name, {**arguments, argument: change(arguments[argument])}), *calls[at + 1 :]]


def wrong_value(calls: list[Call], turn: int) -> list[Call]:
    def change(value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if isinstance(value, (int, float)):
            return value + 17
        if isinstance(value, str):
            return f"{value} zebra"
        if isinstance(value, list):
            return [*value, value[0]] if value else ["zebra"]
        return {**value, "zebra": 1} if isinstance(value, dict) else "zebra"

    return changed(calls, turn, change)


def missing(calls: list[Call], turn: int) -> list[Call]:
    """An argument in even cases, a call in odd ones."""
    at = turn % len(calls)
    name, arguments = calls[at]
    if turn % 2 or not arguments:
        return [*calls[:at], *calls[at + 1 :]]
    dropped = list(arguments)[turn // 2 % len(arguments)]
    rest = {argument: value for argument, value in arguments.items() if argument != dropped}
    return [*calls[:at], (name, rest), *calls[at + 1 :]]


def extra(calls: list[Call], turn: int) -> list[Call]:
    """An argument in even cases, the same call again or another one in odd ones."""
    at = turn % len(calls)
    name, arguments = calls[at]
    if turn % 2 == 0:
        return [*calls[:at], (name, {**arguments, "surplus": 1}), *calls[at + 1 :]]
    return [*calls, calls[at] if turn % 4 == 1 else ("another_tool", {})]


def reordered(calls: list[Call], turn: int) -> list[Call]:
    """Calls and arguments backwards: right, because order does not matter here."""
    return [(name, dict(reversed(arguments.items()))) for name, arguments in reversed(calls)]


def type_changed(calls: list[Call], turn: int) -> list[Call]:
    def change(value: Any) -> Any:
        if isinstance(value, str):
            return [value]
        return list(value.items()) if isinstance(value, dict) else str(value)

    return changed(calls, turn, change)


def other_spelling(calls: list[Call], turn: int) -> list[Call]:
    """Texts in capitals with other spaces and stops: right under the leaderboard's rule for strings."""

    def spelt(value: Any) -> Any:
        if isinstance(value, str):
            return value.upper().replace(" ", "_") + "."
        return [spelt(item) for item in value] if isinstance(value, list) else value

    return [(name, {argument: spelt(value) for argument, value in arguments.items()}) for name, arguments in calls]


def whole_as_float(calls: list[Call], turn: int) -> list[Call]:
    """5 → 5.0, the same number unless a whole one is asked for."""

    def floated(value: Any) -> Any:
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return [(name, {argument: floated(value) for argument, value in arguments.items()}) for name, arguments in calls]


PERTURBATIONS: dict[str, Perturb] = {
    "unchanged": unchanged,
    "wrong value": wrong_value,
    "missing": missing,
    "extra": extra,
    "reordered": reordered,
    "type changed": type_changed,
    "other spelling": other_spelling,
    "5 → 5.0": whole_as_float,
}
WHY = """\
The rest is theirs: "Unexpected parameter" is in their ground truth but not in their description of the function; 'date'
is a greedy match that takes a call which another expected call needs; 'x' is a name of a variable, which they do not
fold. 5 → 5.0 is refused by them for whole numbers: so it is here with the rule `whole`, which is an option."""


def main() -> None:
    package = installed()
    official = official_checker()
    table: dict[str, Counter[tuple[bool, bool]]] = {name: Counter() for name in PERTURBATIONS}
    by_category: dict[str, Counter[bool]] = {category: Counter() for category in CATEGORIES}
    disagreements: list[str] = []
    timed = []
    for category in CATEGORIES:
        for turn, (functions, truth) in enumerate(cases(package, category)):
            wanted, right = expected(truth, functions), right_calls(truth)
            for name, perturb in PERTURBATIONS.items():
                calls = perturb(right, turn)
                used = [ToolCall(name=tool, arguments=arguments) for tool, arguments in calls]
                start = time.perf_counter()
                ours = score_calls(wanted, used).is_correct
                timed.append(time.perf_counter() - start)
                theirs = official(functions, calls, truth, category)
                table[name][ours, theirs["valid"]] += 1
                by_category[category][ours == theirs["valid"]] += 1
                if ours != theirs["valid"]:
                    disagreements.append(f"{category} {turn}, {name}: ours {ours}, theirs {reason(theirs)}")
    report(table, by_category, disagreements, median(timed))


def reason(theirs: dict[str, Any]) -> str:
    """Why they refuse: of several calls, the first complaint about a call of the right name."""
    complaints = [
        said
        for error in theirs["error"]
        if isinstance(error, dict)
        for part in error.values()
        for said in part["sub_error"]
    ]
    named = [said for said in complaints if not said.startswith("Function name")]
    return f"{theirs['valid']}: {(named or complaints or theirs['error'])[0]}"


def report(
    table: dict[str, Counter[tuple[bool, bool]]],
    by_category: dict[str, Counter[bool]],
    disagreements: list[str],
    seconds: float,
) -> None:
    print(
        f"{'perturbation':16} {'cases':>6} {'both right':>11} {'both wrong':>11} {'only ours':>10} {'only theirs':>12}"
    )
    for name, counts in table.items():
        agreed = (counts[True, True] + counts[False, False]) / counts.total()
        print(
            f"{name:16} {counts.total():6} {counts[True, True]:11} {counts[False, False]:11} {counts[True, False]:10} "
            f"{counts[False, True]:12}   {agreed:7.2%}"
        )
    for category, agreeing in by_category.items():
        print(f"{category:18} {agreeing[True]} of {agreeing.total()} agree: {agreeing[True] / agreeing.total():.2%}")
    agreed, total = sum(c[True] for c in by_category.values()), sum(c.total() for c in by_category.values())
    print(f"agreement of verdicts: {agreed} of {total} = {agreed / total:.2%} (target 99.5 %)")
    print(f"time of ours: {seconds * 1e6:.0f} µs a case, median")
    print(WHY)
    for line in disagreements:
        print(f"  {line}")


if __name__ == "__main__":
    main()
