"""A map of what failed: the attempts of a run that did not pass, in groups by what they have in common."""

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
"""What says most about why something failed comes first."""
_LEAST = 2
"""Cases that make a group; one alone is an example, not a pattern."""
_TWICE = 2.0
"""How much more often a phrase, a call, a strategy or a category must occur in what failed than in what passed, and a
turn than if they failed anywhere in a conversation."""
_COMPARED = 2_000
"""Replies that passed, and replies that failed, whose words are looked at: the first so many."""
_LONGEST_PHRASE = 4
_LONGEST_ARGUMENT = 40
_CALLS = 50
"""Tool calls of an attempt that are looked at."""
_EXAMPLES = 3
_WRONG_AT_FIRST: Feature = ("first", "wrong from the first answer")
"""A conversation whose very first answer did not pass: nobody had pressed it."""
_UNCOMPARED = "nothing in common that shows, as nothing passed to hold them against"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COMPARED_KINDS = ("tool", "strategy", "call", "words", "turn", "category")
"""Kinds that tell something only where they are more common than usual."""
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"(?<!\w)'[^']*'|\"[^\"]*\"|“[^”]*”")
_SMALL_WORDS = """
a an and are as at be but by can do does for from had has have how i if in is it its me my no not of on or our so that
the their them there they this to was we were what when which who will with would you your
"""
_EMPTY_WORDS = frozenset(_SMALL_WORDS.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureGroup:
    """Attempts that failed alike."""

    kind: Kind
    name: str
    """What they have in common, without what differs from one to the next: `#` stands for numbers."""
    cases: int
    attempts: int
    exams: frozenset[str] = frozenset()
    """All that are in it."""
    share: Estimate
    """Of the cases that failed, how many are in it."""
    examples: tuple[Key, ...]
    is_new: bool | None = None
    """Whether nothing failed like that in the run it is held against; None: there is none."""
    example: str = ""
    """The same as one of them really said it; empty: nothing was left out of the name."""
    varies: bool = False
    """Whether others of them said it otherwise."""
    title: str = ""
    """A model's name for it; empty: none was asked, or it gave none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureMap:
    """All of them: each failed attempt is in just one group."""

    failed_cases: int
    failed_attempts: int
    counted_cases: int
    counted_attempts: int = 0
    groups: tuple[FailureGroup, ...]
    """The largest first, what nothing explains last."""
    not_counted: Mapping[Outcome, int]
    """Attempts that neither passed nor failed, by what became of them."""

    @property
    def patterns(self) -> tuple[FailureGroup, ...]:
        """Those of several cases, or new, and what nothing explains: one case alone is an example, not a pattern."""
        return tuple(group for group in self.groups if group.cases >= _LEAST or group.is_new or group.kind == "other")

    @property
    def alone(self) -> tuple[Key, ...]:
        """Cases that are in none of them and failed in ways of their own, one attempt of each."""
        told = frozenset(exam for group in self.patterns for exam in group.exams)
        keys = (key for group in self.groups if group not in self.patterns for key in group.examples)
        return tuple({key.exam: key for key in keys if key.exam not in told}.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFailures:
    """The map of one run."""

    run: Run
    exams: dict[str, Exam]
    found: FailureMap
    conditions: Mapping[str, FailureMap] = field(default_factory=dict)
    """Condition → the same under it, where `found` is of the plain run alone; empty: `found` is of all there is."""
    since: Run | None = None
    """The run that it is held against."""
    named_by: str | None = None
    """The model that was asked for names; None: nobody was."""
    usage: Usage = Usage()
    """What that took."""
    unnamed: str = ""
    """Why some groups have no name, where a model was asked."""

    @property
    def failed_maps(self) -> dict[str, FailureMap]:
        """Condition → its map, where anything failed; the plain run, or all there is, is empty and comes first."""
        return {name: each for name, each in {"": self.found, **self.conditions}.items() if each.groups}


class _Tally:
    """In how many replies, or attempts, each of some things is found."""

    def __init__(self) -> None:
        self.n = 0
        self._counts: Counter[Feature] = Counter()

    def add(self, found: Iterable[Feature]) -> None:
        """Count one more, and what is found in it."""
        self.n += 1
        self._counts.update(found)

    def share(self, feature: Feature) -> float:
        """The share that has it."""
        return self._counts[feature] / max(1, self.n)

    def usual_share(self, feature: Feature) -> float:
        """The same of what passed, as if half of one more had it: where nothing passed, nothing is less usual.

        A tool's error is a fault by itself, wherever it was seen.
        """
        return self.share(feature) if feature[0] == "tool" else (self._counts[feature] + 0.5) / (self.n + 1)


class FailureCollector:
    """Takes attempts one by one and keeps of each that failed only what it may be grouped by.

    What it has in common with others that failed says something only where what passed has it less often: attempts of
    their categories, and replies of their calls, strategies and words, also those that passed in conversations that did
    not.
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
        """Count one attempt; what was not judged, or failed for the environment's sake, does not count."""
        outcome = attempt.outcome
        if outcome not in ("passed", "failed", "agent_failed"):
            self._not_counted[outcome] += 1
            return
        self._cases.add(attempt.key.exam)
        categories: set[Feature] = {("category", name) for name in self._categories(attempt)}
        for turn in _passed_turns(attempt):
            self._passed_turns.add(_turn_features(turn, pressed=True))
            if self._passed_words.n < _COMPARED:
                self._passed_words.add(_phrases(_said([turn])))
        if outcome == "passed":
            self._passed_attempts.add(categories)
            return
        self._failed_attempts.add(categories)
        exam = self._exams.get(attempt.key.exam)
        battle = exam if exam is not None and exam.open else None
        broken = frozenset[int]() if battle is None else _broken_turns(battle, attempt, self._right_from)
        self._failed[attempt.key] = categories | set(_features(attempt, broken, in_battle=battle is not None))
        self._said |= {(attempt.key, feature): said for feature, said in _said_by(attempt) if said != feature[1]}
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
            self._phrases[attempt.key] = _phrases(_said(turns))
            self._failed_words.add(self._phrases[attempt.key])

    def _categories(self, attempt: Attempt) -> Sequence[str]:
        exam = self._exams.get(attempt.key.exam)
        return exam.cases[0].categories if exam is not None else ()

    @property
    def features(self) -> frozenset[Feature]:
        """Everything that any failure may be grouped by."""
        return frozenset(feature for found in self._candidates().values() for feature in found)

    def map(self, before: FailureCollector | None = None) -> FailureMap:
        """The groups; new are those of which nothing failed `before`."""
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
        said = list(dict.fromkeys(self._said.get((key, feature), name) for key in keys))
        return FailureGroup(
            kind=kind,
            name=name,
            cases=len(exams),
            attempts=len(keys),
            exams=exams,
            share=mean_over_cases(share, attempts=len(self._failed)),
            examples=tuple(_one_per_case(keys)),
            example=said[0] if said != [name] else "",
            varies=len(said) > 1,
            is_new=None if known is None or kind == "other" else feature not in known,
        )

    def _candidates(self) -> dict[Key, set[Feature]]:
        """What each failed attempt may be grouped by: what it has in common with others and not with what passed."""
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
        """Whether it is found in what failed more than twice as often as in what passed."""
        kinds = {
            "category": (self._failed_attempts, self._passed_attempts),
            "words": (self._failed_words, self._passed_words),
            "strategy": (self._broken_turns, self._passed_turns),
        }
        failed, passed = kinds.get(feature[0], (self._failed_turns, self._passed_turns))
        return failed.share(feature) > _TWICE * passed.usual_share(feature)


def _count_cases(found: Iterable[tuple[Key, T]]) -> Counter[T]:
    """In how many cases each occurs, however many trials they have."""
    return Counter(what for _, what in {(key.exam, what) for key, what in found})


def _assign(candidates: Mapping[Key, set[Feature]], *, rest: str) -> dict[Feature, list[Key]]:
    """Each attempt to one group: kind by kind, and of a kind the feature that explains most of what is left."""
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
    """Its failure or its failed checks as features, each with what it really said."""
    if attempt.failure is not None:
        yield ("failure", _crash(attempt.failure)), _first_sentence(attempt.failure.reason) or attempt.failure.kind
        return
    for result in attempt.checks:
        if result.passed is False:
            before = f"{result.name}: " if result.evidence else result.name
            yield ("check", before + _evidence(result.evidence)), before + _first_sentence(result.evidence)


def _features(attempt: Attempt, broken: frozenset[int], *, in_battle: bool) -> Iterator[Feature]:
    """What a failed attempt shows by itself."""
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
    """The turns of a battle that broke an answer: what was wrong before a question, it did not break."""
    probes = conversation(exam, attempt, right_from=right_from).probes
    return frozenset(probe.turn for probe in probes if probe.passed is False)


def _turn_features(turn: Turn, *, pressed: bool) -> set[Feature]:
    """What a reply may be grouped by: the strategy that pressed it, the tools that failed, and those that were called.

    Tools are named alone and with each argument that is short enough to be shared.
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
    """What it says first."""
    return text.partition(";")[0].partition("\n")[0][:120].strip()


def _crash(failure: Failure) -> str:
    """The kind of a failure; of an exception its type and the beginning of its message, without what it quotes."""
    if failure.kind != "exception":
        return failure.kind
    return _QUOTED.sub("…", _evidence(failure.reason)) or failure.kind


def _evidence(text: str) -> str:
    """Evidence without what differs from reply to reply: its numbers, and what comes after its first sentence."""
    return _NUMBERS.sub("#", text.partition(";")[0].partition("\n")[0])[:120].strip()


def _failed_turns(attempt: Attempt) -> Iterator[Turn]:
    """The turns that did not pass; all where that is not known turn by turn."""
    turns, passed = attempt.transcript.turns, attempt.turn_passed
    if len(passed) != len(turns) or False not in passed:
        yield from turns
        return
    yield from (turn for turn, verdict in zip(turns, passed, strict=True) if verdict is False)


def _passed_turns(attempt: Attempt) -> Iterator[Turn]:
    """The turns that passed, also in a conversation that did not."""
    turns, passed = attempt.transcript.turns, attempt.turn_passed
    if attempt.outcome == "passed":
        yield from turns
    elif len(passed) == len(turns):
        yield from (turn for turn, verdict in zip(turns, passed, strict=True) if verdict is True)


def _said(turns: Iterable[Turn]) -> str:
    return "\n".join(turn.reply.text[:4_000] for turn in turns if turn.reply is not None)


def _phrases(text: str) -> frozenset[Feature]:
    """Runs of up to four words, without those of nothing but small words or numbers."""
    words = _WORD.findall(text.lower())[:400]
    found: set[Feature] = set()
    for size in range(1, _LONGEST_PHRASE + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if any(word not in _EMPTY_WORDS and not word.isdigit() for word in (run[0], run[-1])):
                found.add(("words", " ".join(run)))
    return frozenset(found)


def _is_within_another(phrase: Feature, counts: Mapping[Feature, int], telling: set[Feature]) -> bool:
    """Whether a longer phrase tells the same: it holds this one, and is nearly as common."""
    inside = f" {phrase[1]} "
    return any(
        other != phrase and inside in f" {other[1]} " and counts[other] >= 0.8 * counts[phrase] for other in telling
    )


def _one_per_case(keys: Sequence[Key]) -> Iterator[Key]:
    first = defaultdict[str, Key]()
    for key in keys:
        first.setdefault(key.exam, key)
    yield from list(first.values())[:_EXAMPLES]
