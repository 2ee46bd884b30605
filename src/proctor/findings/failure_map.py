"""Failure map: group the attempts of a run that did not pass by what they have in common."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from proctor.benchmark import Exam
from proctor.findings.battle.conversation import conversation
from proctor.findings.battle.transitions import RIGHT_FROM
from proctor.run import Attempt, Failure, Key, Outcome, Run
from proctor.statistics.estimate import Estimate
from proctor.statistics.intervals import Sums, mean_over_cases
from proctor.transcript import Turn
from proctor.usage import Usage

Kind = Literal["failure", "check", "tool", "call", "first", "strategy", "words", "turn", "category", "other"]
Feature = tuple[Kind, str]
T = TypeVar("T")

_ORDER: tuple[Kind, ...] = ("failure", "tool", "check", "first", "strategy", "call", "words", "turn", "category")
"""Feature kinds in order of how much they explain, most telling first."""
_LEAST = 2
"""Fewest cases in a group; a single case is an example, not a pattern."""
_TWICE = 2.0
"""Minimum ratio of a feature's frequency among failures to that among passes, or, for a turn, to an even spread."""
_COMPARED = 2_000
"""Maximum number of passed replies, and of failed ones, whose words are compared."""
_LONGEST_PHRASE = 4
_LONGEST_ARGUMENT = 40
_CALLS = 50
"""Maximum number of tool calls examined per attempt."""
_EXAMPLES = 3
_WRONG_AT_FIRST: Feature = ("first", "wrong from the first answer")
"""The first answer of the conversation was wrong, before any pressure."""
_UNCOMPARED = "nothing in common that shows, as nothing passed to hold them against"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COMPARED_KINDS = ("tool", "strategy", "call", "words", "turn", "category")
"""Kinds that are informative only where they are more frequent among failures than among passes."""
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"(?<!\w)'[^']*'|\"[^\"]*\"|“[^”]*”")
_SMALL_WORDS = """
a an and are as at be but by can do does for from had has have how i if in is it its me my no not of on or our so that
the their them there they this to was we were what when which who will with would you your
"""
_EMPTY_WORDS = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureGroup:
    """A group of attempts that failed in the same way."""

    kind: Kind
    name: str
    """What the attempts have in common, with variable parts removed; `#` stands for numbers."""
    cases: int
    attempts: int
    exams: frozenset[str] = frozenset()
    """All that are in it."""
    share: Estimate
    """Share of the failed cases that are in this group."""
    examples: tuple[Key, ...]
    is_new: bool | None = None
    """Whether no attempt of the earlier run failed like this, or None without an earlier run."""
    example: str = ""
    """The name as it appeared in one attempt, or empty if nothing was removed from it."""
    varies: bool = False
    """Whether the wording differs between attempts."""
    title: str = ""
    """Name given by a model; empty if none was asked or it gave none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureMap:
    """All failed attempts of a run, each in exactly one group."""

    failed_cases: int
    failed_attempts: int
    counted_cases: int
    counted_attempts: int = 0
    groups: tuple[FailureGroup, ...]
    """Groups, largest first; unexplained failures come last."""
    not_counted: Mapping[Outcome, int]
    """Attempts that neither passed nor failed, by outcome."""

    @property
    def patterns(self) -> tuple[FailureGroup, ...]:
        """Groups with several cases, new groups, and the unexplained rest."""
        return tuple(group for group in self.groups if group.cases >= _LEAST or group.is_new or group.kind == "other")

    @property
    def alone(self) -> tuple[Key, ...]:
        """Cases that are in none of them and failed in ways of their own, one attempt of each."""
        told = frozenset(exam for group in self.patterns for exam in group.exams)
        keys = (key for group in self.groups if group not in self.patterns for key in group.examples)
        return tuple({key.exam: key for key in keys if key.exam not in told}.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFailures:
    """The failure map of one run."""

    run: Run
    exams: dict[str, Exam]
    found: FailureMap
    conditions: Mapping[str, FailureMap] = field(default_factory=dict)
    """Condition → its failure map, if `found` covers the plain run only; empty if `found` covers everything."""
    since: Run | None = None
    """The earlier run it is compared with."""
    named_by: str | None = None
    """The model that was asked to name the groups, or None."""
    usage: Usage = Usage()
    """Usage of the naming model."""
    unnamed: str = ""
    """Why some groups have no name although a model was asked."""

    @property
    def failed_maps(self) -> dict[str, FailureMap]:
        """Condition → its failure map, for those with failures; the plain run (or everything) is "" and comes first."""
        return {name: each for name, each in {"": self.found, **self.conditions}.items() if each.groups}


class _Tally:
    """Counts how many replies or attempts have each feature."""

    def __init__(self) -> None:
        self.n = 0
        self._counts: Counter[Feature] = Counter()

    def add(self, found: Iterable[Feature]) -> None:
        """Count one reply or attempt and its features."""
        self.n += 1
        self._counts.update(found)

    def share(self, feature: Feature) -> float:
        """Return the share of replies or attempts with this feature."""
        return self._counts[feature] / max(1, self.n)

    def usual_share(self, feature: Feature) -> float:
        """Return the share with this feature among passes, smoothed by half a count so that it is never 0.

        Errors of tools are not smoothed: they are faults in themselves.
        """
        return self.share(feature) if feature[0] == "tool" else (self._counts[feature] + 0.5) / (self.n + 1)


class FailureCollector:
    """Collects attempts one by one and keeps only the features of the failed ones.

    A feature is informative only if it is rarer among passes. Categories are compared with those of passed attempts;
    calls, strategies and words with those of passed replies, including replies in conversations that failed.
    """

    def __init__(self, exams: Mapping[str, Exam], *, right_from: float = RIGHT_FROM) -> None:
        self._exams = exams
        self._right_from = right_from
        self._failed: dict[Key, set[Feature]] = {}
        self._said: dict[tuple[Key, Feature], str] = {}
        self._phrases: dict[Key, frozenset[Feature]] = {}
        self._passed_attempts, self._failed_attempts = _Tally(), _Tally()
        self._passed_turns, self._failed_turns, self._broken_turns = _Tally(), _Tally(), _Tally()
        self._passed_words, self._failed_words = _Tally(), _Tally()
        self._turns = 1
        self._cases: set[str] = set()
        self._not_counted: Counter[Outcome] = Counter()

    def add(self, attempt: Attempt) -> None:
        """Count one attempt; attempts without a verdict or failed by the environment are only tallied by outcome."""
        outcome = attempt.outcome
        if outcome not in ("passed", "failed", "agent_failed"):
            self._not_counted[outcome] += 1
            return
        self._cases.add(attempt.key.exam)
        categories: set[Feature] = {("category", name) for name in self._categories(attempt)}
        for turn in _passed_turns(attempt):
            self._passed_turns.add(_turn_features(turn, pressed=True))
            if self._passed_words.n < _COMPARED:
                self._passed_words.add(_phrases(_join_replies([turn])))
        if outcome == "passed":
            self._passed_attempts.add(categories)
            return
        self._failed_attempts.add(categories)
        exam = self._exams.get(attempt.key.exam)
        battle = exam if exam is not None and exam.open else None
        broken = frozenset[int]() if battle is None else _broken_turns(battle, attempt, self._right_from)
        self._failed[attempt.key] = categories | set(_features(attempt, broken, in_battle=battle is not None))
        self._said |= {
            (attempt.key, feature): wording for feature, wording in _said_by(attempt) if wording != feature[1]
        }
        self._turns = max(self._turns, len(attempt.transcript.turns))
        if outcome == "failed":
            self._add_failed_turns(attempt, broken)

    def _add_failed_turns(self, attempt: Attempt, broken: frozenset[int]) -> None:
        turns = list(_failed_turns(attempt))
        for turn in turns:
            features = _turn_features(turn, pressed=turn.number in broken)
            self._failed_turns.add(features)
            if turn.number in broken or turn.number == 1:
                self._broken_turns.add(features)
        if len(self._phrases) < _COMPARED:
            self._phrases[attempt.key] = _phrases(_join_replies(turns))
            self._failed_words.add(self._phrases[attempt.key])

    def _categories(self, attempt: Attempt) -> Sequence[str]:
        exam = self._exams.get(attempt.key.exam)
        return exam.cases[0].categories if exam is not None else ()

    @property
    def features(self) -> frozenset[Feature]:
        """All features by which failures may be grouped."""
        return frozenset(feature for found in self._candidates().values() for feature in found)

    def map(self, before: FailureCollector | None = None) -> FailureMap:
        """Group the failures; a group is new if no failure in `before` has its feature."""
        known = None if before is None else before.features
        members = _assign(self._candidates(), rest="nothing in common" if self._passed_turns.n else _UNCOMPARED)
        failed = {key.exam for key in self._failed}
        groups = [self._group(feature, keys, len(failed), known) for feature, keys in members.items()]
        groups.sort(key=lambda group: (group.kind == "other", -group.cases, group.name))
        return FailureMap(
            failed_cases=len(failed),
            failed_attempts=len(self._failed),
            counted_cases=len(self._cases),
            counted_attempts=self._passed_attempts.n + self._failed_attempts.n,
            groups=tuple(groups),
            not_counted=dict(self._not_counted),
        )

    def _group(
        self, feature: Feature, keys: Sequence[Key], failed: int, known: frozenset[Feature] | None
    ) -> FailureGroup:
        kind, name = feature
        exams = frozenset(key.exam for key in keys)
        share = Sums(failed, total=len(exams), squares=len(exams))
        wordings = list(dict.fromkeys(self._said.get((key, feature), name) for key in keys))
        return FailureGroup(
            kind=kind,
            name=name,
            cases=len(exams),
            attempts=len(keys),
            exams=exams,
            share=mean_over_cases(share, attempts=len(self._failed)),
            examples=tuple(_one_per_case(keys)),
            example=wordings[0] if wordings != [name] else "",
            varies=len(wordings) > 1,
            is_new=None if known is None or kind == "other" else feature not in known,
        )

    def _candidates(self) -> dict[Key, set[Feature]]:
        """Return the features by which each failed attempt may be grouped."""
        telling = self._telling_phrases() | self._telling_features()
        found: dict[Key, set[Feature]] = {}
        for key, features in self._failed.items():
            shown = features | self._phrases.get(key, frozenset())
            found[key] = {each for each in shown if each[0] not in _COMPARED_KINDS or each in telling}
        return found

    def _telling_phrases(self) -> set[Feature]:
        counts = _count_cases((key, phrase) for key, phrases in self._phrases.items() for phrase in phrases)
        least = max(_LEAST, 0.05 * len({key.exam for key in self._phrases}))
        telling = {phrase for phrase, count in counts.items() if count >= least and self._is_unusual(phrase)}
        return {phrase for phrase in telling if not _is_within_another(phrase, counts, telling)}

    def _telling_features(self) -> set[Feature]:
        compared = ((key, each) for key, found in self._failed.items() for each in found if each[0] in _COMPARED_KINDS)
        failed = max(1, len({key.exam for key in self._failed}))
        return {
            feature
            for feature, count in _count_cases(compared).items()
            if count >= _LEAST
            and (count / failed > _TWICE / self._turns if feature[0] == "turn" else self._is_unusual(feature))
        }

    def _is_unusual(self, feature: Feature) -> bool:
        """Whether the feature is more than twice as frequent among failures as among passes."""
        kinds = {
            "category": (self._failed_attempts, self._passed_attempts),
            "words": (self._failed_words, self._passed_words),
            "strategy": (self._broken_turns, self._passed_turns),
        }
        failed, passed = kinds.get(feature[0], (self._failed_turns, self._passed_turns))
        return failed.share(feature) > _TWICE * passed.usual_share(feature)


def _count_cases(found: Iterable[tuple[Key, T]]) -> Counter[T]:
    """Count the cases in which each item occurs, regardless of the number of trials."""
    return Counter(what for _, what in {(key.exam, what) for key, what in found})


def _assign(candidates: Mapping[Key, set[Feature]], *, rest: str) -> dict[Feature, list[Key]]:
    """Assign each attempt to one group: kind by kind, always the feature that covers the most remaining cases."""
    left, members = dict(candidates), dict[Feature, list[Key]]()
    for kind in _ORDER:
        while counts := _count_cases((key, each) for key, found in left.items() for each in found if each[0] == kind):
            feature, count = min(counts.items(), key=lambda item: (-item[1], -len(item[0][1]), item[0]))
            if count < _LEAST and kind not in ("failure", "check", "first"):
                break
            members[feature] = [key for key, features in left.items() if feature in features]
            left = {key: features for key, features in left.items() if feature not in features}
    if left:
        members["other", rest] = list(left)
    return members


def _said_by(attempt: Attempt) -> Iterator[tuple[Feature, str]]:
    """Yield the failure or the failed checks as features, each with its original wording."""
    if attempt.failure is not None:
        yield ("failure", _crash(attempt.failure)), _first_sentence(attempt.failure.reason) or attempt.failure.kind
        return
    for result in attempt.checks:
        if result.passed is False:
            before = f"{result.name}: " if result.evidence else result.name
            yield ("check", before + _evidence(result.evidence)), before + _first_sentence(result.evidence)


def _features(attempt: Attempt, broken: frozenset[int], *, in_battle: bool) -> Iterator[Feature]:
    """Yield the features of one failed attempt."""
    yield from (feature for feature, _ in _said_by(attempt))
    if attempt.failure is not None:
        return
    if in_battle and attempt.turn_passed[:1] == (False,):
        yield _WRONG_AT_FIRST
    turns = list(_failed_turns(attempt))
    if len(attempt.transcript.turns) > 1 and turns:
        yield "turn", f"turn {turns[0].number}"
    for turn in turns:
        yield from _turn_features(turn, pressed=turn.number in broken)


def _broken_turns(exam: Exam, attempt: Attempt, right_from: float) -> frozenset[int]:
    """Return the turns of a battle that broke a previously right answer."""
    probes = conversation(exam, attempt, right_from=right_from).probes
    return frozenset(probe.turn for probe in probes if probe.passed is False)


def _turn_features(turn: Turn, *, pressed: bool) -> set[Feature]:
    """Return the features of a reply: the strategy that pressed it, the tools that failed and the calls made.

    A call is listed by the tool's name alone and with each argument short enough to recur.
    """
    calls = [] if turn.reply is None else turn.reply.tool_calls[:_CALLS]
    found: set[Feature] = {("call", call.name) for call in calls}
    found |= {("tool", call.name) for call in calls if call.error}
    if pressed and turn.strategy:
        found.add(("strategy", turn.strategy))
    for call in calls:
        for name, value in call.arguments.items():
            if isinstance(value, str | int | float) and len(str(value)) <= _LONGEST_ARGUMENT:
                found.add(("call", f"{call.name}({name}={value})"))
    return found


def _first_sentence(text: str) -> str:
    """Return the text up to the first semicolon or line break, shortened."""
    return text.partition(";")[0].partition("\n")[0][:120].strip()


def _crash(failure: Failure) -> str:
    """Return the kind of a failure; for an exception, the start of its message without quoted parts."""
    if failure.kind != "exception":
        return failure.kind
    return _QUOTED.sub("…", _evidence(failure.reason)) or failure.kind


def _evidence(text: str) -> str:
    """Return the start of the evidence with its numbers masked."""
    return _NUMBERS.sub("#", text.partition(";")[0].partition("\n")[0])[:120].strip()


def _failed_turns(attempt: Attempt) -> Iterator[Turn]:
    """Yield the turns that did not pass, or all turns if there are no verdicts per turn."""
    turns, passed = attempt.transcript.turns, attempt.turn_passed
    if len(passed) != len(turns) or False not in passed:
        yield from turns
        return
    yield from (turn for turn, verdict in zip(turns, passed, strict=True) if verdict is False)


def _passed_turns(attempt: Attempt) -> Iterator[Turn]:
    """Yield the turns that passed, also of failed conversations."""
    turns, passed = attempt.transcript.turns, attempt.turn_passed
    if attempt.outcome == "passed":
        yield from turns
    elif len(passed) == len(turns):
        yield from (turn for turn, verdict in zip(turns, passed, strict=True) if verdict is True)


def _join_replies(turns: Iterable[Turn]) -> str:
    return "\n".join(turn.reply.text[:4_000] for turn in turns if turn.reply is not None)


def _phrases(text: str) -> frozenset[Feature]:
    """Return the n-grams of up to four words that neither begin nor end in stop words or numbers only."""
    words = _WORD.findall(text.lower())[:400]
    found: set[Feature] = set()
    for size in range(1, _LONGEST_PHRASE + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if any(word not in _EMPTY_WORDS and not word.isdigit() for word in (run[0], run[-1])):
                found.add(("words", " ".join(run)))
    return frozenset(found)


def _is_within_another(phrase: Feature, counts: Mapping[Feature, int], telling: set[Feature]) -> bool:
    """Whether a longer phrase contains this one and is nearly as frequent."""
    inside = f" {phrase[1]} "
    return any(
        other != phrase and inside in f" {other[1]} " and counts[other] >= 0.8 * counts[phrase] for other in telling
    )


def _one_per_case(keys: Sequence[Key]) -> Iterator[Key]:
    first = defaultdict[str, Key]()
    for key in keys:
        first.setdefault(key.exam, key)
    yield from list(first.values())[:_EXAMPLES]
