"""What reviewers produce: Review, Score, Part, Unscored, CheckResult, Contradiction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from proctor.usage import Usage

Whom = Literal["agent", "examiner", "conversation"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Unweighted score of one aspect of a reply."""

    name: str
    """correctness, reasoning, context, consistency, completeness, relevance, difficulty …"""
    value: float
    """From 0 to 1."""
    explanation: str = ""
    unsure: bool = False
    """Whether the reviewer itself is uncertain: the part should be reviewed by a model or a person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """One score by one reviewer; its value is derived from parts and weights."""

    turn: int | None
    """Turn that was scored, or None for the whole conversation."""
    of: Whom
    """Who is scored: the agent or the examiner."""
    parts: tuple[Part, ...]
    """Unweighted, so that other weights can be applied later."""
    value: float
    """Weighted mean of the parts."""
    by: str
    """Name of the reviewer."""
    explanation: str = ""
    """The reviewer's explanation."""
    passed_on: Usage | None = None
    """Usage of the second judge, asked because the first was unsure, or None if it was not asked."""

    @property
    def unsure(self) -> bool:
        """Whether any part is unsure."""
        return any(part.unsure for part in self.parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Unscored:
    """A score that could not be given; never counted as 0."""

    turn: int | None
    """The turn, or None for the whole conversation."""
    of: Whom
    """Whose score is missing."""
    by: str
    """Name of the reviewer."""
    reason: str
    passed_on: Usage | None = None
    """Usage of the second judge, asked because the first was unsure, or None if it was not asked."""
    divided: bool = False
    """Whether scores were given, but the judges disagree, so that only the verdict is missing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """Result of one deterministic check of one reply."""

    turn: int
    """Turn that was checked."""
    name: str
    """Name of the check."""
    passed: bool | None
    """None if not checkable."""
    evidence: str
    """What the check found."""
    value: float | None = None
    """Score from 0 to 1, if the check gives one."""


NO_ERROR = "no error"
"""Check that fails if the agent itself fails."""
ROLE = "role"
"""Check that only a model can decide."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Contradiction:
    """Two replies of one conversation that cannot both be true."""

    turns: tuple[int, int]
    """Numbers of the earlier and the later turn."""
    quotes: tuple[str, str]
    """Verbatim quotes from the two turns."""
    kind: str
    """number, date, name, yes-no, negation, model …"""
    reason: str
    """Why they cannot both be true."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """One reviewer's assessment of a turn, or of a whole conversation. The engine weighs it."""

    parts: tuple[Part, ...] = ()
    """Scores of the agent; empty if the reviewer has none to give."""
    weights: dict[str, float] = field(default_factory=dict)
    """Part → custom weight from the reviewer or the case; other parts have their default weight. Weights of the run
    take precedence."""
    weighed: float | None = None
    """Weighted score as stored, for a review loaded from the store; None to let the engine weigh the parts."""
    question_parts: tuple[Part, ...] = ()
    """Scores of the examiner's question."""
    unscored: str | None = None
    """Why no score could be given."""
    checks: tuple[CheckResult, ...] = ()
    """Results of deterministic checks."""
    contradictions: tuple[Contradiction, ...] = ()
    """Contradictions found by this review."""
    dropped: int = 0
    """Number of contradictions that were reported with an invalid quote or turn, and dropped."""
    explanation: str = ""
    """The reviewer's explanation."""
    usage: Usage | None = None
    """Cost of the review, including retries after unusable answers."""
    passed_on: Usage | None = None
    """The part of `usage` spent by the second judge, asked because the first was unsure, or None if it was not asked.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondOpinion:
    """A judgement of an attempt in addition to its run's: by another judge, or by the same judge again."""

    exam: str
    """Exam of the attempt, which is identified together with condition and trial."""
    condition: str = ""
    trial: int = 1
    judge: str
    """The judge's name, and a digest of how it is built."""
    repeat: int = 1
    """Number of the repetition by this judge, from 1."""
    passed: bool | None = None
    """The verdict, or None if none could be given."""
    value: float | None = None
    """The score, or None if none was given."""
    unscored: str = ""
    """Why there is no verdict."""
    unsure: bool = False
    """Whether the judge is unsure of a score, so that a second judge would be asked."""
    finished: bool = True
    """Whether it is complete; one that failed or was interrupted is not, and is continued the next time."""
    usage: Usage = Usage()
    """Total usage, including failed tries."""
    lost: Usage = Usage()
    """The part of `usage` that belongs to no review."""
    seconds: float = 0.0
    """Duration in seconds."""
    made: float = 0.0
    """Time it was made, in seconds since the epoch."""
    reviews: dict[int, tuple[Review, ...]] = field(default_factory=dict)
    """Turn → reviews already paid for, if it is not complete."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairVerdict:
    """A judge's verdict on two runs' replies to the same case, stored with the first of the runs."""

    exam: str
    other: str
    """Id of the other run."""
    judge: str
    """The judge's name, and a digest of how it is built."""
    digest: str
    """Digest of what the judge was shown."""
    score: float | None = None
    """1 if this run's reply is better, 0 if the other's is, ½ for a tie; None without a verdict."""
    flipped: bool = False
    """Whether the judge's verdict changed when the replies were swapped."""
    leans: float = 0.0
    """If flipped, the position bias: above 0 it favoured the reply shown first, below 0 the second; 0 if not recorded.
    """
    confidence: float | None = None
    explanations: tuple[str, ...] = ()
    """The judge's explanations, with this run's reply first, then with the other's first."""
    reason: str = ""
    """Why there is no verdict, or why the judge was not asked."""
    usage: Usage = Usage()
    made: float = 0.0
    """Time it was made, in seconds since the epoch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CanaryVerdicts:
    """Verdicts of a run's judge on canaries: replies whose verdict is known."""

    source: str
    """`standard`, or the file."""
    digest: str
    """Digest of the canaries."""
    judge: str
    """Digest of the judge and how it is built."""
    verdicts: dict[str, bool | None] = field(default_factory=dict)
    """Canary → whether it passed, or None without a verdict."""
    wrong: tuple[str, ...] = ()
    """Canaries with a wrong verdict."""
    changed: tuple[str, ...] = ()
    """Canaries whose verdict differs from that in the last run with the same judge and canaries."""
    since: str | None = None
    """That last run, or None."""
    reason: str = ""
    """Why some canaries have no verdict."""
    usage: Usage = Usage()
    """Usage of judging the canaries."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedFrom:
    """Origin of a run that was played and judged by another tool."""

    tool: str
    """Name of the tool, such as Inspect AI."""
    version: str
    """Version of the tool according to its file, or empty."""
    file: str
    """Name of the file."""
    digest: str
    """Digest of the file and the run in it, to avoid importing it twice."""
    judge: str
    """Source of the verdicts: a scorer, or the tool itself."""


STANDARD_WEIGHTS = {"correctness": 0.5, "reasoning": 0.3, "context": 0.2}
BATTLE_WEIGHTS = {"correctness": 0.4, "reasoning": 0.2, "context": 0.1, "consistency": 0.3}
JUDGE_WEIGHTS = {"correctness": 0.5, "completeness": 0.5}
QUESTION_WEIGHTS = {"relevance": 0.5, "difficulty": 0.5}


def weights_for(exam_type: str, parts: Collection[str] = ()) -> Mapping[str, float]:
    """Return the default weights: those of the exam type, of judges if completeness was scored, else 1."""
    known = STANDARD_WEIGHTS if exam_type == "standard" else BATTLE_WEIGHTS
    if "completeness" in parts:
        known = {**known, **JUDGE_WEIGHTS}
    return {**known, **{name: 1.0 for name in parts if name not in known}}


def weigh(parts: Iterable[Part], weights: Mapping[str, float]) -> float | None:
    """Return the weighted mean of the parts, renormalised over the parts present; None if none has a weight."""
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
    """Whether a score reaches a threshold, tolerating rounding errors of a weighted mean."""
    return value >= threshold - 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class LookPoint:
    """State of a gate at one interim look: surplus passes or a z statistic, between two bounds."""

    attempts: int
    value: float | None
    """The statistic, or None if the look is still to come."""
    low: float | None
    high: float | None
    """The gate is met at or above this, and not met at or below `low`; None if it cannot be decided at this look."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InterimVerdict:
    """Result of gates that are evaluated during the run."""

    verdicts: dict[str, Literal["met", "not met", "inconclusive"]]
    """Gate → met, not met or inconclusive; final, whatever is played later."""
    look: int
    looks: int
    """Number of planned looks; `look` is the one that settled it, from 1."""
    cases: int
    of: int
    """Number of cases in the benchmark; `cases` is the number counted at that look."""
    attempts: int
    """Attempts counted at that look."""
    z: float
    """Distance of the rate from the gate, in standard errors."""
    bound: float
    """The bound that was reached: a number of passes if each case is asked once, else a z."""
    hopeless: bool = False
    """Whether the run ended because a verdict had become unlikely."""
    path: tuple[LookPoint, ...] = ()
    """State of the first gate at each look; until a gate is settled, also the bounds of the looks to come."""

    @property
    def is_settled(self) -> bool:
        """Whether the test is over, with a verdict or inconclusive; else the run goes on, or was interrupted."""
        return bool(self.verdicts)
