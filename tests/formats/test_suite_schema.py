"""The schema for editors and the reader come from one declaration: they agree."""

from __future__ import annotations

import json
import string
from dataclasses import fields
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proctor.errors import InputError
from proctor.fault_injection.condition import Condition, parse
from proctor.findings.orchestration.expected import read_step
from proctor.formats.suites.suite import read_bytes, suite_schema

VALIDATOR = Draft202012Validator(suite_schema())
at_leisure = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)

FULL: dict[str, Any] = {
    "name": "n",
    "description": "d",
    "passing_score": 0.5,
    "expect": {"exclusions": ["a"]},
    "conditions": {
        "slow": {"tool": "t", "delay": 2.0, "fails": 1, "answers": None, "missing": True, "budget": 1, "tokens": 0},
        "other": {"sub_agent": "s", "missing": True},
    },
    "cases": [
        {
            "id": "i",
            "category": ["c"],
            "question": "q",
            "context": "c",
            "reference": "r",
            "reasoning": "s",
            "passing_score": 1,
            "expect": {
                "tools_used": ["t"],
                "tools_not_used": ["u"],
                "keywords": ["k", "re:k+"],
                "exclusions": ["x"],
                "citations": {"min": 1, "sources": ["s.md"], "quotes": True},
                "tool_calls": [
                    {
                        "name": "t",
                        "arguments": {"a": [1, None]},
                        "ignore": ["b"],
                        "optional": ["c"],
                        "match": {"a": {"any_of": [1], "pattern": "x", "tolerance": 0, "fold": False}},
                        "step": 1,
                        "may_be_absent": True,
                    }
                ],
                "tool_threshold": 1.0,
                "ordered": False,
                "extra_allowed": True,
                "result_used": None,
                "sub_agents": ["r"],
                "steps": [
                    "plan",
                    {"kind": "tool", "name": "n", "agent": "a", "min": 0, "max": 2, "ordered": True},
                    {"kind": "tool", "after": ["plan", {"name": "n"}], "parallel_with": {"agent": "b"}},
                ],
                "limits": {"tool_calls": 1, "seconds": 0.5, "tokens": 10, "cost": 0},
                "checks": ["c"],
            },
        }
    ],
}


def read(document: object) -> bool:
    """Whether the reader takes it."""
    return read_bytes(json.dumps(document).encode(), name="a.yaml").benchmark is not None


def valid(document: object) -> bool:
    """Whether the schema does."""
    return bool(VALIDATOR.is_valid(document))


def changed(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """The full suite with one value changed."""
    document: dict[str, Any] = json.loads(json.dumps(FULL))
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


def test_the_schema_is_one_of_draft_2020_12() -> None:
    Draft202012Validator.check_schema(suite_schema())
    assert suite_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_key_is_described_to_the_editor() -> None:
    for record in suite_schema()["$defs"].values():
        assert all(declared["description"] for declared in record["properties"].values())


def test_a_suite_that_uses_everything_is_valid() -> None:
    assert read(FULL)
    assert valid(FULL)


@pytest.mark.parametrize(
    "text",
    [
        "cases: [{question: 5, id: 7, reference: true, category: c}]",
        "cases: [{question: q, expect: {citations: true, keywords: [1, on]}}]",
        "cases: [{question: q, expect: {citations: 2, tool_calls: []}, context: null}]",
    ],
)
def test_short_forms_are_valid(text: str) -> None:
    assert read_bytes(text.encode(), name="a.yaml").benchmark is not None
    assert valid(yaml.safe_load(text))


EXPECT = ("cases", 0, "expect")
CALL = (*EXPECT, "tool_calls", 0)
WRONG: list[tuple[tuple[str | int, ...], object]] = [
    (("cases",), []),
    (("cases",), None),
    (("cases",), {"question": "q"}),
    (("cases", 0), "q"),
    (("cases", 0, "question"), ""),
    (("cases", 0, "question"), " \n"),
    (("cases", 0, "question"), None),
    (("cases", 0, "question"), ["q"]),
    (("cases", 0, "question"), "x" * 6001),
    (("cases", 0, "id"), "x" * 201),
    (("cases", 0, "category"), {"a": 1}),
    (("cases", 0, "passing_score"), 1.01),
    (("cases", 0, "passing_score"), "0.5"),
    (("passing_score",), -0.1),
    (("conditions",), ["slow"]),
    (("conditions", "slow"), "t"),
    ((*EXPECT, "keywords"), "k"),
    ((*EXPECT, "keywords"), [None]),
    ((*EXPECT, "keywords"), [["k"]]),
    ((*EXPECT, "ordered"), "yes"),
    ((*EXPECT, "ordered"), 1),
    ((*EXPECT, "citations"), "yes"),
    ((*EXPECT, "citations"), -1),
    ((*EXPECT, "citations", "min"), 1.5),
    ((*EXPECT, "limits", "seconds"), 0),
    ((*EXPECT, "limits", "tokens"), -1),
    ((*EXPECT, "limits", "cost"), "free"),
    ((*EXPECT, "steps", 0), ["plan"]),
    ((*EXPECT, "steps", 1, "min"), -1),
    ((*EXPECT, "steps", 2, "after"), [["plan"]]),
    (("conditions", "slow", "delay"), 0),
    (("conditions", "slow", "fails"), 0.5),
    ((*EXPECT, "tool_calls"), {"name": "t"}),
    ((*CALL, "name"), None),
    ((*CALL, "arguments"), []),
    ((*CALL, "step"), 1.5),
    ((*CALL, "match", "a", "any_of"), []),
    ((*CALL, "match", "a", "tolerance"), -1),
    ((*CALL, "match", "a"), "x"),
]


def test_a_condition_is_declared_as_it_is_read_when_it_is_put_in_force() -> None:
    declared = suite_schema()["$defs"]["condition"]["properties"]
    assert set(declared) == {field.name for field in fields(Condition)} - {"name"}
    for name, fault in FULL["conditions"].items():
        assert parse(name, fault)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{}", "the condition is empty"),
        ("{tool: t}", "it does not say what is wrong with it"),
        ("{delay: 1}", "it does not say what this affects"),
        ("{tool: t, sub_agent: s, missing: true}", "declare one for each"),
        ("{tool: t, missing: false}", "expected true"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused_here_and_there(written: str, said: str) -> None:
    (problem,) = read_bytes(f"conditions: {{c: {written}}}\ncases: [{{question: q}}]".encode(), name="a.yaml").errors
    assert said in problem.message
    with pytest.raises(InputError):
        parse("c", yaml.safe_load(written))


def test_a_condition_cannot_have_a_name_that_means_another_choice() -> None:
    (problem,) = read_bytes(b"conditions: {all: {budget: 1}}\ncases: [{question: q}]", name="a.yaml").errors
    assert "a condition cannot be called 'all'" in problem.message


def test_steps_are_declared_as_they_are_judged() -> None:
    for step in FULL["cases"][0]["expect"]["steps"]:
        assert read_step(step)
    with pytest.raises(InputError) as refused:
        read_step({"unknown": 1})
    known = str(refused.value).rpartition("expected one of ")[2].rstrip(".").split(", ")
    assert set(suite_schema()["$defs"]["step"]["properties"]) == set(known)


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_what_the_reader_refuses_the_schema_refuses(path: tuple[str | int, ...], value: object) -> None:
    assert not read(changed(path, value))
    assert not valid(changed(path, value))


BETWEEN_KEYS = (
    "a step needs", "is above max", "is compared with", "the rule for", "does not say", "the condition is",
    "expected true; leave", "declare one for each",
)  # fmt: skip
"""What must hold between several keys, which the schema leaves to the reader: null is no key there."""


def well_shaped(document: Any) -> bool:
    """Whether the reader finds no fault but such as lie between several keys."""
    problems = read_bytes(json.dumps(document).encode(), name="a.yaml").errors
    return all(any(words in problem.message for words in BETWEEN_KEYS) for problem in problems)


def places(document: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place where keys stand."""
    if isinstance(document, dict):
        return [path, *(found for key, value in document.items() for found in places(value, (*path, key)))]
    if isinstance(document, list):
        return [found for index, value in enumerate(document) for found in places(value, (*path, index))]
    return []


FREE = {("conditions",), (*CALL, "arguments"), (*CALL, "match")}
KEYS = sorted({key for record in suite_schema()["$defs"].values() for key in record["properties"]})


@at_leisure
@given(
    place=st.sampled_from([place for place in places(FULL) if place not in FREE]),
    key=st.sampled_from(KEYS) | st.text(string.ascii_letters + "_- ", min_size=1),
)
def test_reader_and_schema_agree_on_which_keys_are_known_where(place: tuple[str | int, ...], key: str) -> None:
    document = changed((*place, key), None)
    assert well_shaped(document) == valid(document)


def keyed(document: Any, place: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    """The places of the values under one place."""
    for step in place:
        document = document[step]
    return [(*place, key) for key in document]


VALUES = [inner for place in places(FULL) if place not in FREE for inner in keyed(FULL, place)]
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.sampled_from(["a", "plan", "", "0.5"])


@at_leisure
@given(place=st.sampled_from(VALUES), value=SCALARS | st.lists(SCALARS, max_size=2) | st.just({}))
def test_reader_and_schema_agree_on_which_values_may_stand_where(place: tuple[str | int, ...], value: object) -> None:
    document = changed(place, value)
    assert well_shaped(document) == valid(document)
