"""What was thought of it: Review, Score, Part, Unscored, CheckResult, Contradiction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from proctor.usage import Usage

Whom = Literal["agent", "examiner", "conversation"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One aspect of a mark, unweighted."""

    name: str
    """correctness, reasoning, context, consistency, completeness, relevance, difficulty …"""
    value: float
    """0 to 1."""
    explanation: str = ""
    """Why."""
    unsure: bool = False
    """Whether the reviewer itself does not know: worth a look by a model or a person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """One mark by one reviewer; its value is derived from parts and weights."""

    turn: int | None
    """The turn marked; None: the whole conversation."""
    of: Whom
    """Who is marked."""
    parts: tuple[Part, ...]
    """Unweighted, so that other weights can be applied later."""
    value: float
    """The weighted mean of the parts."""
    by: str
    """The reviewer's name."""
    explanation: str = ""
    """The reviewer's words."""
    passed_on: Usage | None = None
    """What the second judge took, where the first was unsure and asked it; None: nothing was passed on."""

    @property
    def unsure(self) -> bool:
        """Whether any part of it is."""
        return any(part.unsure for part in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Unscored:
    """A mark that could not be given. Never a 0."""

    turn: int | None
    """The turn; None: the whole conversation."""
    of: Whom
    """Whose mark is missing."""
    by: str
    """The reviewer's name."""
    reason: str
    """Why."""
    passed_on: Usage | None = None
    """What the second judge took, where the first was unsure and asked it; None: nothing was passed on."""
    divided: bool = False
    """Whether there are marks, but the judges who gave them are divided: what is missing is the verdict."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """One deterministic check of one reply."""

    turn: int
    """The turn checked."""
    name: str
    """The check."""
    passed: bool | None
    """None: not checkable."""
    evidence: str
    """What it saw."""
    value: float | None = None
    """A score between 0 and 1, where the check has one."""


NO_ERROR = "no error"
"""The check that an agent's own failure fails."""
ROLE = "role"
"""The check that only a model can decide."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contradiction:
    """Two replies of one conversation that cannot both be true."""

    turns: tuple[int, int]
    """Earlier and later."""
    quotes: tuple[str, str]
    """Verbatim from their turns."""
    kind: str
    """number, date, name, yes-no, negation, model …"""
    reason: str
    """Why they cannot both be true."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """What one reviewer says of one turn, or of a whole conversation. The engine weighs it."""

    parts: tuple[Part, ...] = ()
    """Marks of the agent; empty: it has nothing to say."""
    weights: dict[str, float] = field(default_factory=dict)
    """Part → weight, where reviewer or case have their own; others weigh as usual. Those of the run come first."""
    weighed: float | None = None
    """The mark as it was weighed, of a review that is taken from the store; None: the engine weighs it."""
    question_parts: tuple[Part, ...] = ()
    """Marks of the examiner's question."""
    unscored: str | None = None
    """Why no mark could be given."""
    checks: tuple[CheckResult, ...] = ()
    """Deterministic checks."""
    contradictions: tuple[Contradiction, ...] = ()
    """Found by this review."""
    dropped: int = 0
    """Contradictions that it named besides, with a quote that stands in no reply."""
    explanation: str = ""
    """The reviewer's words."""
    usage: Usage | None = None
    """What the review cost, repairs included."""
    passed_on: Usage | None = None
    """Of that, what the second judge took, where the first was unsure and asked it; None: nothing was passed on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondOpinion:
    """What a judge says of an attempt beside its run: a second opinion, or the same judge once more."""

    exam: str
    """Which attempt of the run: its exam, condition and trial."""
    condition: str = ""
    trial: int = 1
    judge: str
    """Who says it: the judge's name, and a digest of how it is built."""
    repeat: int = 1
    """Which time this judge was asked."""
    passed: bool | None = None
    """The verdict; None: none could be given."""
    value: float | None = None
    """The mark; None: none was given."""
    unscored: str = ""
    """Why there is no verdict."""
    unsure: bool = False
    """Whether it is not sure of a mark, so that a second judge would be asked."""
    finished: bool = True
    """Whether it is over; one that failed or was cut off is not, and goes on the next time."""
    usage: Usage = Usage()
    """What it cost, failed tries included."""
    lost: Usage = Usage()
    """Of that, what no review tells."""
    seconds: float = 0.0
    """How long it took."""
    made: float = 0.0
    """When, in seconds since 1970."""
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Of one that is not over, the reviews of its turns that are paid already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairVerdict:
    """What a judge says of two runs' replies to one case, stored with the first of them."""

    exam: str
    other: str
    """The other run's id."""
    judge: str
    """Who says it: the judge's name, and a digest of how it is built."""
    digest: str
    """Of what the judge was shown."""
    score: float | None = None
    """1: this run's reply is better, 0: the other's is, ½: a tie; None: there is no verdict."""
    flipped: bool = False
    """Whether the judge said otherwise when the replies changed places."""
    leans: float = 0.0
    """Where it did: above 0 it favoured the reply that was shown first, below 0 the second; 0: that was not kept."""
    confidence: float | None = None
    explanations: tuple[str, ...] = ()
    """The judge's words with this run's reply first, then with the other's first."""
    reason: str = ""
    """Why there is no verdict, or why nobody was asked for it."""
    usage: Usage = Usage()
    made: float = 0.0
    """When, in seconds since 1970."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CanaryVerdicts:
    """What the judge of a run said of replies whose verdict is known."""

    source: str
    """standard, or the file."""
    digest: str
    """Of the canaries."""
    judge: str
    """A digest of who judged, and how."""
    verdicts: dict[str, bool | None] = field(default_factory=dict)
    """Canary → whether it passed; None: it got no verdict."""
    wrong: tuple[str, ...] = ()
    """Those with another verdict than they must get."""
    changed: tuple[str, ...] = ()
    """Those with another verdict than in the last run with the same judge and canaries."""
    since: str | None = None
    """That run; None: there is none."""
    reason: str = ""
    """Why some have no verdict."""
    usage: Usage = Usage()
    """What judging them took."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFrom:
    """Where a run comes from that was played and judged elsewhere."""

    tool: str
    """Such as Inspect AI."""
    version: str
    """Of the tool, as its file tells it; empty: it does not."""
    file: str
    """The name of the file."""
    digest: str
    """Of the file and of the run in it: what was imported once is not imported again."""
    judge: str
    """Whose verdicts they are: a scorer, or the tool itself."""


STANDARD_WEIGHTS = {"correctness": 0.5, "reasoning": 0.3, "context": 0.2}
BATTLE_WEIGHTS = {"correctness": 0.4, "reasoning": 0.2, "context": 0.1, "consistency": 0.3}
JUDGE_WEIGHTS = {"correctness": 0.5, "completeness": 0.5}
QUESTION_WEIGHTS = {"relevance": 0.5, "difficulty": 0.5}


def weights_for(exam_type: str, parts: Collection[str] = ()) -> Mapping[str, float]:
    """The weights of a run that was given none: its type's, a judge's where completeness was judged, else 1."""
    known = STANDARD_WEIGHTS if exam_type == "standard" else BATTLE_WEIGHTS
    if "completeness" in parts:
        known = {**known, **JUDGE_WEIGHTS}
    return {**known, **{name: 1.0 for name in parts if name not in known}}


def weigh(parts: Iterable[Part], weights: Mapping[str, float]) -> float | None:
    """The mean of the parts by their weights, renormalised over the parts that are there; None: none has a weight."""
    total = weighted = 0.0
    for part in parts:
        weight = weights.get(part.name, 0.0)
        total += weight
        weighted += weight * part.value
    return weighted / total if total > 0 else None


def part_means(scores: Collection[Score]) -> dict[str, float]:
    """Part of the agent's marks → its mean over replies and judges."""
    marked = [score for score in scores if score.of == "agent"]
    if len(marked) == 1:
        return {part.name: part.value for part in marked[0].parts}
    values: dict[str, list[float]] = {}
    for score in marked:
        for part in score.parts:
            values.setdefault(part.name, []).append(part.value)
    return {name: sum(each) / len(each) for name, each in values.items()}


def reaches(value: float, threshold: float) -> bool:
    """Whether a score reaches a threshold, forgiving the last digits of a weighted mean."""
    return value >= threshold - 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class LookPoint:
    """Where a gate stood at one look: passes above what the gate asks for, or a z, between two bounds."""

    attempts: int
    value: float | None
    """None: it is not taken yet."""
    low: float | None
    high: float | None
    """At or above this it is met, at or below `low` it is not; None: not at this look."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InterimVerdict:
    """What became of gates that are looked at as the run goes on."""

    verdicts: dict[str, Literal["met", "not met", "inconclusive"]]
    """Gate → met, not met or inconclusive; it stays, whatever is played later."""
    look: int
    looks: int
    """At which look it was settled, from 1, and how many were planned."""
    cases: int
    of: int
    """Cases counted at that look, and those of the benchmark."""
    attempts: int
    """Attempts counted at that look."""
    z: float
    """How far the rate is from the gate, in standard errors."""
    bound: float
    """What was reached: so many passes where each case is asked once, else a z."""
    hopeless: bool = False
    """Whether it was given up because no verdict was in sight."""
    path: tuple[LookPoint, ...] = ()
    """Where the first gate stood at each look; as long as none is settled, also the bounds of those ahead."""

    @property
    def is_settled(self) -> bool:
        """Whether there is a verdict, or none was to be had; else the run goes on, or was interrupted."""
        return bool(self.verdicts)
