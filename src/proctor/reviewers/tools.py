"""Tool correctness: compare expected with used calls in four aspects, with explanations.

- selection: matched calls over all calls expected or used, counting repeated calls each time;
- parameters: correct arguments of matched calls over the expected calls;
- sequence: how far the required order was kept, over the expected calls;
- utilisation: matched calls whose result was used, over those that can be judged.

The overall score is their weighted mean over the aspects that apply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite

from proctor.benchmark import Expectation, ExpectedCall
from proctor.errors import InputError
from proctor.reading.mentions import Mentions, result_used
from proctor.reviewers.arguments import brief, differences
from proctor.reviewers.assignment import AssignedCall, assign, order_kept
from proctor.score import reaches
from proctor.settings import did_you_mean
from proctor.transcript import Reply, ToolCall

ASPECTS = ("selection", "parameters", "sequence", "utilization")
"""Keys of `tool_weights`, in the spelling that users of the metric write."""
EQUAL_WEIGHTS = dict.fromkeys(ASPECTS, 0.25)


@dataclass(frozen=True, kw_only=True, slots=True)
class CallMatch:
    """An expected call, the used call matched to it, and how well they agree."""

    expected: ExpectedCall
    used: ToolCall
    place: int
    """Expected position; calls with equal positions may come in any order."""
    time: int
    """Actual position; calls with equal positions ran in parallel."""
    fit: float
    """Share of correct arguments."""
    result_used: bool | None = None
    """Whether the result was used, or None if that cannot be judged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolScore:
    """Tool correctness of a reply."""

    selection: float
    """Matched calls over all calls expected or used."""
    parameters: float
    """Correct arguments of matched calls, over the expected calls."""
    sequence: float
    """How far the required order was kept; 1 if order does not matter."""
    utilisation: float
    """Matched calls whose result was used, over those that can be judged."""
    overall: float
    """Weighted mean of the aspects that apply."""
    is_correct: bool
    """Whether the overall score reaches the threshold and every result that must be used was used, as far as known."""
    matches: tuple[CallMatch, ...] = ()
    """Matched calls, in the expected order."""
    missing: tuple[ExpectedCall, ...] = ()
    """Required calls that were not made."""
    extra: tuple[ToolCall, ...] = ()
    """Calls that were made but not expected; empty if extra calls are allowed."""
    ordered: bool = False
    """Whether the order was judged."""
    utilisation_by: str = "results"
    """Basis of the utilisation score: `results`, the caller's `word`, or `nothing` (then it has no weight)."""
    undecided: tuple[CallMatch, ...] = ()
    """Calls whose result must be used, but where that cannot be determined."""

    @property
    def explanation(self) -> str:
        """Description of what matched, and what was missing, extra, wrong, out of order or unused."""
        return "; ".join(_explanation_pieces(self)) or "no tool call was expected and none was made"


def score_expectation(
    expect: Expectation, reply: Reply, *, question: str = "", weights: Mapping[str, float] = EQUAL_WEIGHTS
) -> ToolScore | None:
    """Score the tool calls of a reply, or return None if the expectation lists no calls.

    An empty list means that no call may be made, so extra calls are then not allowed.
    """
    if expect.tool_calls is None:
        return None
    return score_calls(
        expect.tool_calls,
        reply.tool_calls,
        ordered=expect.ordered,
        extra_allowed=expect.extra_allowed and bool(expect.tool_calls),
        flag=expect.result_used,
        question=question,
        answer=reply.text,
        weights=weights,
        threshold=expect.tool_threshold,
        fold_names=expect.fold_names,
    )


def best_score(
    expectations: Iterable[Expectation],
    reply: Reply,
    *,
    question: str = "",
    weights: Mapping[str, float] = EQUAL_WEIGHTS,
) -> ToolScore | None:
    """Return the best score against several valid trajectories, the first on a tie; None if none lists calls."""
    scores = [score_expectation(each, reply, question=question, weights=weights) for each in expectations]
    return max((score for score in scores if score is not None), key=lambda score: score.overall, default=None)


def score_calls(
    expected: Sequence[ExpectedCall],
    used: Sequence[ToolCall],
    *,
    ordered: bool = False,
    extra_allowed: bool = False,
    flag: bool | None = None,
    question: str = "",
    answer: str = "",
    weights: Mapping[str, float] = EQUAL_WEIGHTS,
    threshold: float = 1.0,
    fold_names: bool = False,
) -> ToolScore:
    """Score used calls against expected ones; `flag` is the caller's statement whether results were used."""
    pairs = assign(expected, used, fold_names=fold_names)
    matched = {pair.expected for pair in pairs}
    missing = tuple(call for i, call in enumerate(expected) if i not in matched and not call.may_be_absent)
    extra: tuple[ToolCall, ...] = ()
    if not extra_allowed and len(pairs) < len(used):
        taken = {pair.used for pair in pairs}
        extra = tuple(call for j, call in enumerate(used) if j not in taken)
    if not pairs:
        value = 0.0 if missing or extra else 1.0
        return _uniform(value, missing=missing, extra=extra, ordered=ordered, threshold=threshold)
    matches = _matches(pairs, expected, used, question, answer)
    return _score_matches(matches, missing, extra, ordered=ordered, flag=flag, weights=weights, threshold=threshold)


def _uniform(
    value: float, *, missing: tuple[ExpectedCall, ...], extra: tuple[ToolCall, ...], ordered: bool, threshold: float
) -> ToolScore:
    """Return a score with the same value for all aspects, for when no calls match."""
    return ToolScore(
        selection=value,
        parameters=value,
        sequence=value,
        utilisation=value,
        overall=value,
        is_correct=reaches(value, threshold),
        missing=missing,
        extra=extra,
        ordered=ordered,
    )


def _score_matches(
    matches: tuple[CallMatch, ...],
    missing: tuple[ExpectedCall, ...],
    extra: tuple[ToolCall, ...],
    *,
    ordered: bool,
    flag: bool | None,
    weights: Mapping[str, float],
    threshold: float,
) -> ToolScore:
    found, wanted = len(matches), len(matches) + len(missing)
    utilisation, rests_on = _utilisation(matches, flag)
    selection = found / (wanted + len(extra))
    parameters = sum(match.fit for match in matches) / wanted
    sequence = found / wanted * order_kept((m.place, m.time) for m in matches) if ordered else 1.0
    values = (selection, parameters, sequence, utilisation)
    overall = _overall(values, weights, utilisation_applies=rests_on != "nothing")
    required = [match for match in matches if match.expected.must_use_result]
    result_uses = [flag if match.result_used is None else match.result_used for match in required]
    return ToolScore(
        selection=selection,
        parameters=parameters,
        sequence=sequence,
        utilisation=utilisation,
        overall=overall,
        is_correct=reaches(overall, threshold) and False not in result_uses,
        matches=matches,
        missing=missing,
        extra=extra,
        ordered=ordered,
        utilisation_by=rests_on,
        undecided=tuple(match for match, used in zip(required, result_uses, strict=True) if used is None),
    )


def _overall(values: tuple[float, ...], weights: Mapping[str, float], *, utilisation_applies: bool) -> float:
    weighing = [weights[aspect] for aspect in ASPECTS]
    if not utilisation_applies:
        weighing[-1] = 0.0
    total = sum(weighing)
    if not total:
        return 1.0
    return min(1.0, sum(weight * value for weight, value in zip(weighing, values, strict=True)) / total)


def _utilisation(matches: tuple[CallMatch, ...], flag: bool | None) -> tuple[float, str]:
    counting = [match for match in matches if match.expected.must_use_result is not False]
    judged = [match.result_used for match in counting if match.result_used is not None]
    if not counting:
        return 1.0, "nothing"
    if judged:
        return sum(judged) / len(judged), "results"
    if flag is not None:
        return float(flag), "word"
    return 1.0, "nothing"


def _matches(
    pairs: list[AssignedCall], expected: Sequence[ExpectedCall], used: Sequence[ToolCall], question: str, answer: str
) -> tuple[CallMatch, ...]:
    places = _steps(expected)
    times = _steps(used)
    uses = _uses(pairs, used, times, question, answer)
    return tuple(
        CallMatch(
            expected=expected[pair.expected],
            used=used[pair.used],
            place=places[pair.expected],
            time=times[pair.used],
            fit=pair.fit,
            result_used=use,
        )
        for pair, use in zip(pairs, uses, strict=True)
    )


def _steps(calls: Sequence[ExpectedCall] | Sequence[ToolCall]) -> list[int]:
    """Return the calls' step numbers if all have one, else their indices."""
    steps = [call.step for call in calls]
    return list(range(len(calls))) if None in steps else [step for step in steps if step is not None]


def _uses(
    pairs: list[AssignedCall], used: Sequence[ToolCall], times: list[int], question: str, answer: str
) -> list[bool | None]:
    """Return for each pair whether its result appears in the answer or in a later call."""
    judged = [used[pair.used].result_known and used[pair.used].error is None for pair in pairs]
    if not any(judged):
        return [None] * len(pairs)
    asked, answered = Mentions(question), Mentions(answer)
    arguments = [Mentions(call.arguments) for call in used]
    uses: list[bool | None] = []
    for pair, judgeable in zip(pairs, judged, strict=True):
        if not judgeable:
            uses.append(None)
            continue
        later = (arguments[j] for j, time in enumerate(times) if time > times[pair.used])
        known = (asked, arguments[pair.used])
        uses.append(result_used(used[pair.used].result, known, chain((answered,), later)))
    return uses


def _explanation_pieces(score: ToolScore) -> list[str]:
    pieces = [f"matched {_call(match.used)}" for match in score.matches if match.fit == 1.0]
    for match in score.matches:
        if match.fit < 1.0:
            wrong = ", ".join(differences(match.expected, match.used))
            pieces.append(f"matched {match.used.name} with wrong arguments: {wrong}")
    pieces += [f"missing {_call(call)}" for call in score.missing]
    pieces += [f"extra {_call(call)}" for call in score.extra]
    return pieces + _order_phrases(score) + _use_phrases(score)


def _order_phrases(score: ToolScore) -> list[str]:
    if not score.ordered or order_kept((match.place, match.time) for match in score.matches) == 1.0:
        return []
    came = _in_turn([(match.time, match.used) for match in score.matches])
    wanted = _in_turn([(match.place, match.expected) for match in score.matches])
    return [f"out of order: {came}, expected {wanted}"]


def _in_turn(calls: Sequence[tuple[int, ExpectedCall | ToolCall]]) -> str:
    """Format calls in order of time, parallel calls joined by `and`."""
    moments: dict[int, list[str]] = {}
    for time, call in sorted(calls, key=lambda timed: timed[0]):
        moments.setdefault(time, []).append(_call(call))
    return " → ".join(" and ".join(names) for names in moments.values())


def _use_phrases(score: ToolScore) -> list[str]:
    if not score.matches:
        return []
    if score.undecided:
        names = ", ".join(_call(match.used) for match in score.undecided)
        return [f"the result of {names} must be used, and nothing shows whether it was: record it"]
    if score.utilisation_by == "nothing":
        free = all(match.expected.must_use_result is False for match in score.matches)
        return [] if free else ["use of results not applicable: no result to judge by"]
    if score.utilisation_by == "word":
        return [] if score.utilisation else ["results not used, by the caller's word"]
    unused = [match for match in score.matches if match.result_used is False]
    return [f"result of {_call(each.used)} not used" for each in unused if each.expected.must_use_result is not False]


def _call(call: ExpectedCall | ToolCall) -> str:
    inside = ", ".join(f"{name}={brief(value, 40)}" for name, value in call.arguments.items())
    return f"{call.name}({inside})"


def tool_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    """Validate weights: all aspects, none negative, positive sum; normalised to sum to 1."""
    if weights is None:
        return dict(EQUAL_WEIGHTS)
    if not isinstance(weights, Mapping):
        raise InputError(f"tool_weights={weights!r} is not a dict; expected the keys {', '.join(ASPECTS)}")
    for name in weights:
        if name not in ASPECTS:
            meant = did_you_mean(name, ASPECTS, otherwise=f"expected the keys {', '.join(ASPECTS)}")
            raise InputError(f"tool_weights has the unknown key {name!r}; {meant}")
    lacking = [aspect for aspect in ASPECTS if aspect not in weights]
    if lacking:
        raise InputError(f"tool_weights lacks {', '.join(map(repr, lacking))}; give all of {', '.join(ASPECTS)}")
    return _normalise_weights(weights)


def _normalise_weights(weights: Mapping[str, float]) -> dict[str, float]:
    for name, weight in weights.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not isfinite(weight) or weight < 0:
            raise InputError(f"tool_weights[{name!r}]={weight!r}; expected a number that is not negative")
    largest = max(weights.values())
    if largest <= 0:
        raise InputError(f"tool_weights={dict(weights)!r} are all zero; give at least one a positive weight")
    shares = {aspect: weights[aspect] / largest for aspect in ASPECTS}  # the sum of huge weights would be infinite
    return {aspect: share / sum(shares.values()) for aspect, share in shares.items()}
