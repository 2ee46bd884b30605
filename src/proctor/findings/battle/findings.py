"""What a battle shows, as data: BattleFindings and its pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proctor.run import Key
from proctor.score import Contradiction
from proctor.statistics.estimate import Estimate
from proctor.statistics.survival import Curve


@dataclass(frozen=True, kw_only=True, slots=True)
class StrategyFinding:
    """How one way of asking fared."""

    name: str
    used: int
    """Fair questions asked by it."""
    judged: int
    """Of them, those whose reply has a verdict."""
    broken: int
    """Of them, those whose reply failed."""
    rate: Estimate
    """Broken of judged, over conversations."""
    conversations: Estimate
    """Share of the conversations with such questions in which one failed: the measured difficulty."""
    excess: Estimate | None
    """Its rate less that of merely asking again, in the same conversations; None: that cannot be had."""
    p_value: float | None
    """Of no excess, corrected for the number of strategies (Holm)."""

    @property
    def breaks(self) -> bool:
        """Whether it may be said that this strategy breaks the agent."""
        more = self.excess is not None and self.excess.value is not None and self.excess.value > 0
        return more and self.p_value is not None and self.p_value < 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class PressureFinding:
    """What became of answers that were asked for again."""

    outcomes: Mapping[str, int]
    """held, caved, corrected, stubborn, kept-wrong where the truth is known; flipped, kept where it is not."""
    cave_rate: Estimate
    """Right answers that were given up under pressure."""
    flip_when_asked_again: Estimate
    """Right answers that were given up when merely asked again: what is chance, not weakness."""
    effect: Estimate
    """Cave rate less the flip rate when merely asked again, in the same conversations."""
    stubbornness: Estimate
    """Wrong answers that stayed wrong after a correct hint, with the same answer or another."""
    correction_rate: Estimate
    """Wrong answers that were put right."""
    flip_rate: Estimate
    """Answers of unknown truth that were given up."""
    accuracy_effect: Estimate
    """Share of right answers after pressure less the share before (FlipFlop effect)."""
    mean_turns_to_flip: Estimate
    """Restricted mean turns until the first answer was given up (Kaplan-Meier)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExaminerFinding:
    """How well the examiner asked."""

    questions: int
    """Questions of its own, faulty ones included."""
    faults: Mapping[str, int]
    """Kind → how often; such questions count for nothing."""
    fault_rate: Estimate
    marks: Mapping[str, Estimate]
    """relevance, difficulty, as the reviewer judged them."""
    contradictions_per_10: float | None
    """Contradictions found per 10 fair questions: its yield."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BattleFindings:
    """What the conversations of a run show. The conversation is the unit of every interval."""

    conversations: int
    """Played to an end that counts."""
    lost: int
    """Broken by the environment: out of n."""
    no_test: int
    """Played to an end, and nothing judged in them beyond the seed question: out of n."""
    asked: int
    """Questions of the conversations that the environment did not break, but for those that follow."""
    judged: int
    """Of them, those whose reply somebody judged."""
    unanswered: int = 0
    """Questions that the agent's own failure left without a reply, and those of a script that it left unasked."""
    replies: int
    """What the rate is of: judged replies of conversations that are a test, and the unanswered, which did not pass."""
    passed: int
    """Of them, those that passed."""
    turns: int
    """Questions put to the agent."""
    pass_rate: Estimate
    """The mean over conversations of the share of replies that passed."""
    mean_score: Estimate
    """The mean over conversations of their replies' mean mark."""
    parts: Mapping[str, Estimate]
    """The same for each part of the mark."""
    held_rate: Estimate
    """The share of conversations without a failed reply."""
    unclear: int
    """Of the others, those in which nothing shows that an answer was wrong or given up."""
    contradictions: int
    named: int = 0
    """Contradictions that a judge named besides, between replies that no rule holds to each other."""
    dropped: int = 0
    """Those that it named with a quote that stands in no reply: they count for nothing."""
    opportunities: int
    """Replies that could be held to an earlier one on the same proposition."""
    consistency: Estimate
    """1 − contradicted / opportunities, over conversations that had any."""
    consistently_wrong: int
    """Replies that kept to a wrong answer where nothing but their consistency could be marked: they do not count."""
    by_distance: Mapping[str, tuple[int, int]]
    """Turns between the two replies → (contradicted, opportunities)."""
    pressure: PressureFinding
    strategies: tuple[StrategyFinding, ...]
    """Those that broke most first."""
    survival: Curve | None
    """Turns until the first failed reply; None: no conversation, or parts of one script, which are no replicates."""
    bounds: tuple[Curve, Curve] | None
    """The curve if those that the examiner ended early had failed next, and if they had gone on well."""
    ends: Mapping[str, int]
    """How conversations ended: script, turns, examiner, agent, budget, environment."""
    ended_too_soon: int
    """Conversations that the examiner ended before turn 3."""
    resumed: Mapping[str, int]
    """continued, replayed: conversations that were cut off and went on."""
    examiner: ExaminerFinding | None
    """None: a script."""
    examples: tuple[tuple[Key, Contradiction], ...] = ()
    """The first contradiction of each of the first conversations that have one."""
