"""Evaluate the steps that a case expects of an orchestrator, without a model.

An expected step is a mapping; a plain string stands for its kind.

    kind, name, agent   select steps: all given keys must match; at least one is required
    min, max            minimum (default 1, or 0 if max is 0) and maximum number of such steps
    after               each of them must follow a step that this selects: a kind, a name or an agent, a mapping of
                        kind, name and agent, or a list of those, all of which must be followed
    ordered             true: must be found after the entry above it, as a subsequence of the steps taken
    parallel_with       one of them must run at the same time as a step that this selects, as for `after`

A step follows another if it begins inside it or after the other has ended. Without `after` and `ordered`, any order is
accepted and steps may run in parallel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.benchmark import Expectation
from proctor.errors import InputError
from proctor.findings.orchestration.step_tree import OTHER, Node, StepTree, kind_of, plain, read
from proctor.transcript import Step

_SELECTING = ("kind", "name", "agent")
_KEYS = (*_SELECTING, "after", "parallel_with", "ordered", "min", "max")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selector:
    """Selects steps by kind, name or agent."""

    kind: str | None = None
    name: str | None = None
    agent: str | None = None
    any: str | None = None
    """Matches a kind, a name or an agent."""

    def matches(self, node: Node) -> bool:
        """Whether the selector matches a step."""
        if self.any is not None:
            return _is_kind(node, self.any) or _is_name(node, self.any) or _is_agent(node, self.any)
        return (
            (self.kind is None or _is_kind(node, self.kind))
            and (self.name is None or _is_name(node, self.name))
            and (self.agent is None or _is_agent(node, self.agent))
        )

    def __str__(self) -> str:
        """Format the selector, such as `delegate researcher 'find sources'`."""
        name = None if self.name is None else repr(self.name)
        return " ".join(piece for piece in (self.any, self.kind, self.agent, name) if piece)


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedStep:
    """One parsed entry of `Expectation.steps`."""

    which: Selector
    after: tuple[Selector, ...] = ()
    parallel_with: tuple[Selector, ...] = ()
    ordered: bool = False
    least: int = 1
    most: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepVerdict:
    """Verdict on one expected step."""

    wanted: str
    """Description of the expected step."""
    passed: bool | None
    """Whether the step was taken as expected, or None if that cannot be checked."""
    evidence: str
    """Evidence for the verdict."""
    steps: tuple[str, ...] = ()
    """Ids of the matching steps."""


def missing_sub_agents(expect: Expectation, steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the expected sub-agents that neither received a delegation nor did any work."""
    return missing_from(read(steps), expect)


def missing_from(tree: StepTree, expect: Expectation) -> tuple[str, ...]:
    """Like `missing_sub_agents`, for steps that are already parsed."""
    active = {plain(node.agent) for node in tree.nodes if node.agent and node.kind != "error"}
    return tuple(name for name in expect.sub_agents if plain(name) not in active)


def judge_steps(expected: Sequence[Mapping[str, Any] | str], steps: Sequence[Step]) -> tuple[StepVerdict, ...]:
    """Return a verdict on each expected step, in order; entries that cannot be parsed are not checkable."""
    return tuple(verdict for _, verdict in judge(expected, read(steps)))


def judge(
    expected: Sequence[Mapping[str, Any] | str], tree: StepTree
) -> Iterator[tuple[ExpectedStep | None, StepVerdict]]:
    """Like `judge_steps`, for steps that are already parsed; yield each expected step with its verdict."""
    needed: Counter[Selector] = Counter()
    reached: list[Node] | None = None
    for entry in expected:
        try:
            wanted = read_step(entry)
        except InputError as error:
            yield None, StepVerdict(wanted=repr(entry), passed=None, evidence=str(error))
            continue
        needed[wanted.which] += wanted.least
        found = [node for node in tree.nodes if wanted.which.matches(node)]
        in_order = [node for node in found if reached is None or any(tree.follows(node, each) for each in reached)]
        yield wanted, _verdict(wanted, needed[wanted.which], found, in_order, tree)
        if wanted.most != 0:
            reached = in_order if wanted.ordered else found


def read_steps(expected: Iterable[Mapping[str, Any] | str]) -> tuple[ExpectedStep, ...]:
    """Parse all entries of `Expectation.steps`; raise InputError at the first invalid one."""
    return tuple(read_step(entry) for entry in expected)


def read_step(entry: Mapping[str, Any] | str) -> ExpectedStep:
    """Parse one entry of `Expectation.steps`; raise InputError if it is invalid."""
    known = {"kind": entry} if isinstance(entry, str) else dict(entry)
    unknown = [key for key in known if key not in _KEYS]
    if unknown:
        raise InputError(f"An expected step has the key {unknown[0]!r}; expected one of {', '.join(_KEYS)}.")
    most = _count(known, "max")
    least = _count(known, "min")
    ordered = known.get("ordered", False)
    if not isinstance(ordered, bool):
        raise InputError(f"An expected step has ordered={ordered!r}; expected true or false.")
    if least is not None and most is not None and least > most:
        raise InputError(f"An expected step has min={least!r} above max={most!r}; expected min to be at most max.")
    return ExpectedStep(
        which=_selector({key: known[key] for key in _SELECTING if known.get(key) is not None}),
        after=_references(known.get("after")),
        parallel_with=_references(known.get("parallel_with")),
        ordered=ordered,
        least=least if least is not None else int(most != 0),
        most=most,
    )


def _count(known: Mapping[str, Any], key: str) -> int | None:
    value = known.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise InputError(f"An expected step has {key}={value!r}; expected a whole number of at least 0.")
    return value


def _references(given: object) -> tuple[Selector, ...]:
    if given is None:
        return ()
    return tuple(map(_selector, given if isinstance(given, (list, tuple)) else [given]))


def _selector(given: object) -> Selector:
    if isinstance(given, str) and given.strip():
        return Selector(any=given)
    if isinstance(given, Mapping) and given and all(key in _SELECTING for key in given):
        texts = {key: value for key, value in given.items() if isinstance(value, str) and value.strip()}
        if len(texts) == len(given):
            return Selector(**texts)
    raise InputError(
        f"An expected step names a step by {given!r}; expected a kind, a name or an agent, "
        "or a mapping of kind, name and agent to text."
    )


def _is_kind(node: Node, kind: str) -> bool:
    """Whether a step has this kind; custom kinds are compared by their normalized spelling."""
    known = kind_of(kind)
    return node.kind == known if known != OTHER else plain(node.step.kind) == plain(kind)


def _is_name(node: Node, name: str) -> bool:
    return plain(node.step.name) == plain(name)


def _is_agent(node: Node, agent: str) -> bool:
    return node.agent is not None and plain(node.agent) == plain(agent)


def _verdict(
    wanted: ExpectedStep, needed: int, found: Sequence[Node], in_order: Sequence[Node], tree: StepTree
) -> StepVerdict:
    problem, checkable = _problem(wanted, needed, found, in_order, tree)
    ids = tuple(node.step.id for node in found)
    evidence = problem or (f"taken: {', '.join(ids)}" if ids else "not taken, as expected")
    return StepVerdict(
        wanted=_in_words(wanted), passed=(not problem) if checkable else None, evidence=evidence, steps=ids
    )


def _problem(
    wanted: ExpectedStep, needed: int, found: Sequence[Node], in_order: Sequence[Node], tree: StepTree
) -> tuple[str, bool]:
    """Return what is wrong (empty if nothing), and whether it can be checked at all."""
    if len(found) < needed:
        seen = ", ".join(dict.fromkeys(node.step.kind for node in tree.nodes)) or "none"
        return f"taken {len(found)} of {needed} times; kinds seen: {seen}", True
    if wanted.most is not None and len(found) > wanted.most:
        return f"taken {len(found)} times, expected at most {wanted.most}", True
    if wanted.ordered and found and not in_order:
        return "not taken after the step above it in the list", True
    for which in wanted.after:
        before = [node for node in tree.nodes if which.matches(node)]
        early = [node for node in found if not any(tree.follows(node, each) for each in before)]
        if early:
            return f"{early[0].step.id} does not follow {which}" + ("" if before else ", which was not taken"), True
    return _not_parallel(wanted, found, tree)


def _not_parallel(wanted: ExpectedStep, found: Sequence[Node], tree: StepTree) -> tuple[str, bool]:
    for which in wanted.parallel_with:
        others = [node for node in tree.nodes if which.matches(node)]
        if not others:
            return f"not in parallel with {which}, which was not taken", True
        verdicts = {_overlap(node, each, tree) for node in found for each in others}
        if True not in verdicts:
            times_known = None not in verdicts
            return (
                f"not in parallel with {which}" if times_known else "the steps do not report their times",
                times_known,
            )
    return "", True


def _overlap(one: Node, other: Node, tree: StepTree) -> bool | None:
    """Whether two steps overlap in time, or None if times are missing; a step never overlaps its own sub-steps."""
    if one is other or tree.inside(one, other) or tree.inside(other, one):
        return False
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return None
    return max(one.start, other.start) < min(one.end, other.end)


def _in_words(wanted: ExpectedStep) -> str:
    pieces = [str(wanted.which)]
    if wanted.ordered:
        pieces.append("in order")
    if wanted.after:
        pieces.append(f"after {' and '.join(map(str, wanted.after))}")
    if wanted.parallel_with:
        pieces.append(f"in parallel with {' and '.join(map(str, wanted.parallel_with))}")
    if wanted.most is not None:
        pieces.append(f"at most {wanted.most} times")
    return " ".join(pieces)
