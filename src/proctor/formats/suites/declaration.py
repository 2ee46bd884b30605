"""Declaration of the suite format, shared by the reader and the JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from proctor.formats.rules import LONGEST
from proctor.formats.suites.shapes import Anything, Flag, Keyword, Number, OneOf, Pattern, Schema, Text
from proctor.formats.suites.structures import Either, Field, ListOf, MapOf, Record
from proctor.formats.synonyms import synonyms
from proctor.settings import BOUNDS, MOST_CRITERIA, why_no_criterion
from proctor.transcript import LieKind

_LONGEST_NAME = 200

_name = Text(longest=_LONGEST_NAME, one_line=True)
_names = ListOf(item=_name)
_prose = Text(longest=LONGEST)
_share = Number(least=0, most=1)
_trials = Number(least=BOUNDS["trials"].least, most=BOUNDS["trials"].most, whole=True)
_keywords = ListOf(item=Keyword())
_FORMS = "in any plain inflection (error, errors), `=error` in this very form, `re:` for patterns."


def _rule_has_something_to_compare(call: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, rule in call.get("match", {}).items():
        if not rule:
            yield "match", f"the rule for {name!r} is empty; give it any_of, pattern, tolerance, fold or whole"
        elif name not in call.get("arguments", {}) and not rule.keys() & {"any_of", "pattern"}:
            yield "match", f"nothing is compared with {name!r}; state it under arguments, or give any_of or pattern"


MATCH = Record(
    name="match",
    fields={
        "any_of": Field(shape=ListOf(item=Anything(), filled=True), about="Values any of which is accepted."),
        "pattern": Field(shape=Pattern(), about="A regular expression that must match all of the value."),
        "tolerance": Field(shape=Number(least=0), about="How far a number may be from the one expected."),
        "fold": Field(shape=Flag(), about="Whether case, blanks and punctuation of a text are ignored."),
        "whole": Field(shape=Flag(), about="Whether a whole number must be written as one: 5.0 will not do for 5."),
    },
    hints={"regex": "did you mean 'pattern'?", "one_of": "did you mean 'any_of'?", "enum": "did you mean 'any_of'?"},
)
CALL = Record(
    name="call",
    fields={
        "name": Field(shape=_name, about="The tool's name.", required=True),
        "arguments": Field(shape=MapOf(value=Anything()), about="The arguments it should be given."),
        "ignore": Field(shape=_names, about="Arguments that may be anything, or absent."),
        "optional": Field(shape=_names, about="Arguments that count only where they were used."),
        "match": Field(shape=MapOf(value=MATCH), about="Argument → how it is compared, where not by equality."),
        "step": Field(shape=Number(whole=True), about="Its place in a partial order; equal steps come in any order."),
        "may_be_absent": Field(shape=Flag(), about="Whether the call may be left out."),
        "must_use_result": Field(
            shape=Flag(), about="Whether its result must come back in the reply or a later call; false: it need not."
        ),
    },
    hints={
        "args": "did you mean 'arguments'?",
        "parameters": "did you mean 'arguments'?",
        "tool": "did you mean 'name'?",
    },
    rules=(_rule_has_something_to_compare,),
)
CITATIONS = Record(
    name="citations",
    fields={
        "min": Field(shape=Number(least=0, whole=True), about="The minimum number of citations; 1 by default."),
        "sources": Field(shape=_names, about="The sources that may be cited; none: any."),
        "quotes": Field(shape=Flag(), about="Whether each quote must be in its source, word for word."),
    },
)


def _step_makes_sense(step: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if not step.keys() & {"kind", "name", "agent"}:
        yield "", "a step needs a kind, a name or an agent"
    if step.get("min", 0) > step.get("max", step.get("min", 0)):
        yield "min", f"min={step['min']} is above max={step['max']}; no reply can hold both"


_which = {
    "kind": Field(shape=_name, about="plan, delegate, tool, re-plan, error, or a kind of your own."),
    "name": Field(shape=_name, about="What is done."),
    "agent": Field(shape=_name, about="The sub-agent that does it."),
}
WHICH = Record(name="which", fields=_which, rules=(_step_makes_sense,))
_other_steps = Either(shapes=(_name, WHICH, ListOf(item=Either(shapes=(_name, WHICH)))))
_count = Number(least=0, whole=True)
STEP = Record(
    name="step",
    fields={
        **_which,
        "min": Field(shape=_count, about="The minimum number of them; 1 by default."),
        "max": Field(shape=_count, about="The maximum number of them."),
        "after": Field(
            shape=_other_steps, about="Steps that it must follow, each by a kind, a name, an agent, or keys."
        ),
        "parallel_with": Field(shape=_other_steps, about="Steps that it must run at the same time with."),
        "ordered": Field(shape=Flag(), about="Whether it must come after the step above it."),
    },
    rules=(_step_makes_sense,),
)
LIMITS = Record(
    name="limits",
    fields={
        "tool_calls": Field(shape=_count, about="The most tool calls."),
        "seconds": Field(shape=Number(above=0), about="The most seconds."),
        "tokens": Field(shape=_count, about="The most tokens, input and output together."),
        "cost": Field(shape=Number(least=0), about="The most it may cost."),
    },
    hints={"time": "did you mean 'seconds'?", "calls": "did you mean 'tool_calls'?"},
)
EXPECT = Record(
    name="expect",
    fields={
        "tools_used": Field(shape=_names, about="Tools that must be called."),
        "tools_not_used": Field(shape=_names, about="Tools that must not be called."),
        "keywords": Field(shape=_keywords, about=f"Words or phrases that must be in the reply; {_FORMS}"),
        "exclusions": Field(shape=_keywords, about=f"Words or phrases that must not be in the reply; {_FORMS}"),
        "citations": Field(
            shape=Either(shapes=(Flag(), Number(least=0, whole=True), CITATIONS)),
            about="Whether the reply must cite: true, how many, or `{min, sources, quotes}`.",
        ),
        "tool_calls": Field(shape=ListOf(item=CALL), about="The calls expected; `[]`: no call at all."),
        "tool_threshold": Field(shape=_share, about="The tool correctness that `tool_calls` must reach."),
        "ordered": Field(shape=Flag(), about="Whether the order of `tool_calls` matters."),
        "extra_allowed": Field(shape=Flag(), about="Whether calls beyond the expected ones are free."),
        "fold_names": Field(
            shape=Flag(), about="Whether case and separators of tools' names are ignored: getWeather, get_weather."
        ),
        "result_used": Field(shape=Flag(), about="Your word on whether tool results were used; else it is judged."),
        "sub_agents": Field(shape=_names, about="Sub-agents that an orchestrator must delegate to."),
        "steps": Field(
            shape=ListOf(item=Either(shapes=(_name, STEP))),
            about="Steps that an orchestrator must take; a word alone is a kind.",
        ),
        "limits": Field(shape=LIMITS, about="Upper bounds of one reply."),
        "role": Field(shape=_prose, about="The role that the reply must keep to; a model judges it."),
        "checks": Field(shape=_names, about="Your own checks, by name."),
    },
    hints={
        "tools": "did you mean 'tools_used'?",
        "forbidden_tools": "did you mean 'tools_not_used'?",
        "sources": "write it under citations, as in {sources: [a.md]}",
        "quotes": "write it under citations, as in {quotes: true}",
        "forbidden": "did you mean 'exclusions'?",
    },
)
CRITERION = Record(
    name="criterion",
    fields={
        "asks": Field(shape=_prose, about="What the model is asked to score.", required=True),
        "weight": Field(
            shape=Number(above=0, most=1_000_000),
            about="Its weight in the score; 1 by default. `--weights` override it.",
        ),
    },
    hints={"text": "did you mean 'asks'?", "ask": "did you mean 'asks'?", "weights": "did you mean 'weight'?"},
)
CASE = Record(
    name="case",
    fields={
        "id": Field(shape=_name, about="Unique within the suite; made from question and context unless given."),
        "category": Field(shape=Either(shapes=(_name, _names)), about="What it tests: one or several."),
        "question": Field(shape=_prose, about="What the agent is asked, word for word.", required=True),
        "context": Field(shape=_prose, about="The summary of the conversation so far, handed to the agent."),
        "reference": Field(shape=_prose, about="The expected answer, for the judge."),
        "reasoning": Field(shape=_prose, about="The reasoning that leads to it."),
        "passing_score": Field(shape=_share, about="The judge's score at which this case passes."),
        "trials": Field(
            shape=_trials,
            about="How often this case is run, instead of --trials: more often if it is flaky, once if it is "
            "expensive. Not part of the benchmark's content; ignored in battles.",
        ),
        "criteria": Field(
            shape=Either(
                shapes=(
                    _prose,
                    MapOf(value=Either(shapes=(_prose, CRITERION)), why_no_name=why_no_criterion, most=MOST_CRITERIA),
                )
            ),
            about="What a model reviewer scores in addition: a text, or part → text or `{asks, weight}`; the case "
            "passes at a score of 0.7 unless a `passing_score` says otherwise.",
        ),
        "metadata": Field(
            shape=MapOf(value=Anything()),
            about="Anything else, by name: shown with the case, a column each in CSV, in JSON, and to "
            "filter by with `proctor show RUN --where NAME=VALUE`. Not part of the benchmark's content: changing "
            "it leaves runs comparable.",
        ),
        "review": Field(
            shape=OneOf(words=("needed", "done")),
            about="Of a draft: `needed` until a person has looked at it, then `done`. `proctor check` counts those "
            "that need it, and every report of a run says how many of its cases nobody has reviewed. Not "
            "part of the benchmark's content.",
        ),
        "expect": Field(shape=EXPECT, about="What is expected of the reply."),
    },
    synonyms=synonyms(("question", "reference", "reasoning", "category")),
    hints={
        **dict.fromkeys(EXPECT.fields, "write it under expect"),
        **dict.fromkeys(("reply", "verdict"), "it belongs to canaries, which --canaries FILE names"),
    },
    noted=True,
)
_FAULT_KEYS = ("fails", "delay", "answers", "missing", "lies")
_PLACE_KEYS = ("tool", "sub_agent")


def _condition_makes_sense(condition: dict[str, Any]) -> Iterator[tuple[str, str]]:
    places = [key for key in _PLACE_KEYS if key in condition]
    faults = [key for key in _FAULT_KEYS if key in condition]
    if not condition:
        yield "", "the condition is empty; say what goes wrong, as in {tool: search, fails: 2}"
    if len(places) > 1:
        yield places[1], "a condition affects a tool or a sub_agent; declare one for each"
    if places and not faults:
        yield places[0], f"it does not say what is wrong with it; add one of {', '.join(_FAULT_KEYS)}"
    if faults and not places:
        yield faults[0], "it does not say what this affects; add tool or sub_agent"
    if "lies" in condition and (clashing := [key for key in ("fails", "missing") if key in condition]):
        yield clashing[0], "what gives nothing back cannot lie; declare a condition for each"
    if "times" in condition and "lies" not in condition:
        yield "times", "it says how many calls lie; add lies"
    if condition.get("missing") is False:
        yield "missing", "expected true; leave it out where the tool is there"


def _condition_names_are_free(header: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in sorted(header.get("conditions", {}).keys() & {"all", "none"}):
        yield "conditions", f"a condition cannot be called {name!r}, which means something else where one is chosen"


CONDITION = Record(
    name="condition",
    fields={
        "tool": Field(shape=_name, about="The tool that is at fault."),
        "sub_agent": Field(shape=_name, about="The sub-agent that is at fault."),
        "fails": Field(shape=Number(least=1, whole=True), about="How many calls fail before it works."),
        "delay": Field(shape=Number(above=0), about="Seconds that every call comes late."),
        "answers": Field(shape=Anything(), about="What it answers, whatever it is asked."),
        "missing": Field(shape=Flag(), about="true: it is not there at all."),
        "lies": Field(
            shape=OneOf(words=get_args(LieKind)),
            about=f"How what it gives back is wrong: {', '.join(get_args(LieKind))}; with answers, the lie itself.",
        ),
        "times": Field(
            shape=Number(least=1, whole=True),
            about="How many calls return a wrong result before it is right again; all of them unless given.",
        ),
        "budget": Field(shape=_count, about="Tool calls that an attempt may make."),
        "tokens": Field(shape=_count, about="Tokens that an attempt may spend."),
    },
    rules=(_condition_makes_sense,),
)
HEADER = Record(
    name="header",
    fields={
        "name": Field(shape=_name, about="What people call the suite; the file's name unless given."),
        "description": Field(shape=_prose, about="What it is for."),
        "passing_score": Field(shape=_share, about="The judge's score at which a case passes; none: checks decide."),
        "sources": Field(shape=_name, about="The folder where cited sources can be read, from the suite's own folder."),
        "expect": Field(shape=EXPECT, about="What is expected of every reply, besides its case's own expectations."),
        "conditions": Field(shape=MapOf(value=CONDITION), about="Name → the fault that is injected."),
    },
    hints={
        **dict.fromkeys(CASE.fields, "it belongs to a case"),
        "cases": "cases follow, one a line",
    },
    rules=(_condition_names_are_free,),
    noted=True,
)
SUITE = Record(
    name="suite",
    fields={
        **HEADER.fields,
        "cases": Field(shape=ListOf(item=CASE, filled=True), about="The cases, at least one.", required=True),
    },
    hints={name: hint for name, hint in HEADER.hints.items() if name != "cases"},
    rules=HEADER.rules,
    noted=True,
)


def suite_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of a YAML suite, for editors."""
    records = (SUITE, CASE, CRITERION, EXPECT, CALL, MATCH, CITATIONS, STEP, WHICH, LIMITS, CONDITION)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Proctor suite",
        "description": "Cases with what is expected of the replies.",
        **SUITE.schema(),
        "$defs": {record.name: record.definition() for record in records},
    }
