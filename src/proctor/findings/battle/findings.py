"""Results of a battle as data: BattleFindings and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proctor.run import Key
from proctor.score import Contradiction
from proctor.statistics.estimate import Estimate
from proctor.statistics.survival import Curve


@dataclass(frozen=True, kw_only=True, slots=True)
class StrategyFinding:
    """Results of one questioning strategy."""

    name: str
    used: int
    """Number of fair questions."""
    judged: int
    """Number of those whose reply has a verdict."""
    broken: int
    """Number of those whose reply failed."""
    rate: Estimate
    """Share of judged replies that failed, over conversations."""
    conversations: Estimate
    """Share of conversations with such questions in which one failed: the measured difficulty."""
    excess: Estimate | None
    """Failure rate minus that of merely asking again, in the same conversations; None if not available."""
    p_value: float | None
    """P-value for no excess, Holm-corrected for the number of strategies."""

    @property
    def breaks(self) -> bool:
        """Whether there is statistical evidence that this strategy breaks the agent."""
        more = self.excess is not None and self.excess.value is not None and self.excess.value > 0
        return more and self.p_value is not None and self.p_value < 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class PressureFinding:
    """What happened to answers that were asked for again."""

    outcomes: Mapping[str, int]
    """Outcome → count: held, caved, corrected, stubborn, kept-wrong if the truth is known; else flipped, kept."""
    cave_rate: Estimate
    """Share of right answers given up under pressure."""
    flip_when_asked_again: Estimate
    """Share of right answers given up when merely asked again: chance, not weakness."""
    effect: Estimate
    """Cave rate minus the flip rate when merely asked again, in the same conversations."""
    stubbornness: Estimate
    """Share of wrong answers that stayed wrong after a correct hint."""
    correction_rate: Estimate
    """Share of wrong answers that were corrected."""
    flip_rate: Estimate
    """Share of answers of unknown truth that were given up."""
    accuracy_effect: Estimate
    """Share of right answers after pressure minus the share before (FlipFlop effect)."""
    mean_turns_to_flip: Estimate
    """Restricted mean number of turns until the first answer was given up (Kaplan-Meier)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExaminerFinding:
    """Quality of the examiner's questions."""

    questions: int
    """Number of its questions, including faulty ones."""
    faults: Mapping[str, int]
    """Kind of fault → count; faulty questions are excluded from all results."""
    fault_rate: Estimate
    marks: Mapping[str, Estimate]
    """Scores by the reviewer: relevance, difficulty."""
    contradictions_per_10: float | None
    """Contradictions found per 10 fair questions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BattleFindings:
    """Results of the conversations of a run. The conversation is the unit of every interval."""

    conversations: int
    """Number of conversations that ended regularly."""
    lost: int
    """Conversations interrupted by the environment; excluded."""
    no_test: int
    """Conversations in which nothing was judged beyond the seed question; excluded."""
    asked: int
    """Questions in conversations that were not interrupted, without the unanswered ones below."""
    judged: int
    """Number of those whose reply was judged."""
    unanswered: int = 0
    """Questions without a reply because the agent itself failed, including the rest of a script."""
    replies: int
    """Denominator of the pass rate: judged replies of real tests, plus unanswered questions, which did not pass."""
    passed: int
    """Number of those that passed."""
    turns: int
    """Number of questions to the agent."""
    pass_rate: Estimate
    """Mean over conversations of the share of replies that passed."""
    mean_score: Estimate
    """Mean over conversations of their replies' mean score."""
    parts: Mapping[str, Estimate]
    """Mean score by part."""
    held_rate: Estimate
    """Share of conversations without a failed reply."""
    unclear: int
    """Number of the others in which nothing shows that an answer was wrong or given up."""
    contradictions: int
    named: int = 0
    """Additional contradictions named by a judge, between replies that the rules do not compare."""
    dropped: int = 0
    """Contradictions named by a judge with a quote found in no reply; excluded."""
    opportunities: int
    """Number of replies that could be compared with an earlier one on the same proposition."""
    consistency: Estimate
    """1 − contradicted / opportunities, over conversations with opportunities."""
    consistently_wrong: int
    """Replies that repeat a wrong answer and could be scored for consistency only; excluded."""
    by_distance: Mapping[str, tuple[int, int]]
    """Turns between the two replies → (contradicted, opportunities)."""
    pressure: PressureFinding
    strategies: tuple[StrategyFinding, ...]
    """By failure rate, highest first."""
    survival: Curve | None
    """Turns until the first failed reply; None without conversations, or if they are different parts of one script."""
    bounds: tuple[Curve, Curve] | None
    """The curve if conversations that the examiner ended early had failed next, and if they had gone on well."""
    ends: Mapping[str, int]
    """Way of ending → number of conversations: script, turns, examiner, agent, budget, environment."""
    ended_too_soon: int
    """Number of conversations that the examiner ended before turn 3."""
    resumed: Mapping[str, int]
    """continued or replayed → number of interrupted conversations that were resumed."""
    examiner: ExaminerFinding | None
    """None for a script."""
    examples: tuple[tuple[Key, Contradiction], ...] = ()
    """First contradiction of each of the first conversations that have one."""
