"""Expected tool calls that are impossible: forbidden, over the limit, or of unknown tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence

from proctor.benchmark import Case, ExpectedCall
from proctor.doctor.problem import BenchmarkProblem, Severity, plural, problem, quote_list
from proctor.reading.text.fold import fold_name
from proctor.settings import nearest

_CLOSE_TO_ALL = 1 - 1e-9


def impossible_calls(cases: Sequence[Case]) -> Iterator[BenchmarkProblem]:
    """Find calls that are both required and ruled out."""
    for case in cases:
        if not (case.expect.tool_calls or case.expect.tools_used):
            continue
        yield from _forbidden(case)
        yield from _not_among_calls(case)
        yield from _beyond_limit(case)


def _key(case: Case) -> Callable[[str], str]:
    """Return the function that normalizes tool names for comparison."""
    return fold_name if case.expect.fold_names else str


def _calls(case: Case) -> tuple[ExpectedCall, ...]:
    return case.expect.tool_calls or ()


def _required_calls(case: Case) -> tuple[ExpectedCall, ...]:
    return tuple(call for call in _calls(case) if not call.may_be_absent)


def _forbidden(case: Case) -> Iterator[BenchmarkProblem]:
    key = _key(case)
    forbidden = set(map(key, case.expect.tools_not_used))
    asked = dict.fromkeys((*case.expect.tools_used, *(call.name for call in _required_calls(case))))
    both = [name for name in asked if key(name) in forbidden]
    if both:
        yield problem(
            "tool-forbidden",
            "error",
            [case],
            f"{quote_list(both)} is expected and is in tools_not_used: no reply passes",
            "remove it from one of the two",
        )
    absent = {call.name for call in _calls(case) if call.may_be_absent}
    optional = {name for name in absent if key(name) in forbidden} - set(both)
    if optional:
        yield problem(
            "tool-forbidden",
            "warning",
            [case],
            f"{quote_list(sorted(optional))} may be called by tool_calls, but is in tools_not_used",
            "remove it from one of the two",
        )


def _not_among_calls(case: Case) -> Iterator[BenchmarkProblem]:
    """Find required tools that tool_calls leaves no room for."""
    expect = case.expect
    if expect.tool_calls is None or (expect.extra_allowed and expect.tool_calls):
        return
    key = _key(case)
    named = {key(call.name) for call in expect.tool_calls}
    missing = [name for name in expect.tools_used if key(name) not in named]
    if missing and expect.tool_threshold >= _CLOSE_TO_ALL:
        yield problem(
            "tool-not-in-calls",
            "error",
            [case],
            f"{quote_list(missing)} must be used, but is not among tool_calls, where a further call counts as wrong",
            "add it to tool_calls, or set extra_allowed: true",
        )


def _beyond_limit(case: Case) -> Iterator[BenchmarkProblem]:
    limit = case.expect.limits.get("tool_calls")
    key = _key(case)
    calls = [key(call.name) for call in _required_calls(case)]
    needed = len(calls) + len(set(map(key, case.expect.tools_used)) - set(calls))
    if limit is not None and needed > limit:
        yield problem(
            "limit-too-small",
            "error",
            [case],
            f"{plural(needed, 'tool call')} {'is' if needed == 1 else 'are'} needed, and the limit is {limit:g}: "
            "no reply passes",
            f"raise limits.tool_calls to {needed} at least",
        )


def unknown_tools(cases: Sequence[Case], tools: Collection[str]) -> Iterator[BenchmarkProblem]:
    """Find tools that the agent does not have."""
    wanted: defaultdict[str, list[Case]] = defaultdict(list)
    avoided: defaultdict[str, list[Case]] = defaultdict(list)
    folded = {fold_name(tool) for tool in tools}
    for case in cases:
        known = folded if case.expect.fold_names else tools
        key = _key(case)
        for name in dict.fromkeys((*case.expect.tools_used, *(call.name for call in _calls(case)))):
            if key(name) not in known:
                wanted[name].append(case)
        for name in case.expect.tools_not_used:
            if key(name) not in known:
                avoided[name].append(case)
    yield from _find_unknown_tools(wanted, tools, "error", "is expected, so no reply passes")
    yield from _find_unknown_tools(avoided, tools, "information", "is forbidden, which cannot be broken")


def _find_unknown_tools(
    named: dict[str, list[Case]], tools: Collection[str], severity: Severity, consequence: str
) -> Iterator[BenchmarkProblem]:
    for name, cases in named.items():
        near = nearest(name, tools)
        yield problem(
            "unknown-tool",
            severity,
            cases,
            f"the agent has no tool “{name}”; it {consequence}",
            f"did you mean “{near}”?" if near else f"it has {quote_list(sorted(tools)) or 'no tools'}",
        )
