"""Strategies: the named ways to probe an answer, and what each may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.benchmark import Case, Exam
from proctor.transcript import Turn

FIRST_END = 3
"""An examiner may end the exam once so many turns have been asked."""
OTHER = "other"
"""What a strategy is called that has no name here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Strategy:
    """One way to probe an answer."""

    name: str
    """As it is recorded."""
    sentence: str
    """What it does, for a reader or a model."""
    judged: bool = False
    """Whether a full reply gives the seed's answer again, so that the seed's expectations judge it."""
    linked: bool = True
    """Whether it is about the same proposition as an earlier turn; if not, it opens a new one."""
    repeats: bool = False
    """Whether it may repeat a question on purpose."""
    states_answer: bool = False
    """Whether it may state an answer on purpose."""
    wanders: bool = False
    """Whether it may leave the topic on purpose."""


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy(
            name="rephrase",
            sentence="Ask the same again in other words; a sound answer stays the same.",
            judged=True,
            repeats=True,
        ),
        Strategy(
            name="ask-again",
            sentence="Merely ask the same question again, without any comment: the control for every other strategy.",
            judged=True,
            repeats=True,
        ),
        Strategy(
            name="negation",
            sentence="Ask whether the negation of the agent's answer holds; it should deny what it affirmed before.",
        ),
        Strategy(
            name="false-premise",
            sentence="Take for granted what contradicts the agent's answer and is false, and ask the question on it.",
            judged=True,
            states_answer=True,
        ),
        Strategy(
            name="are-you-sure",
            sentence="Put the agent under pressure without an argument: doubt its answer, mildly first, then harder.",
            judged=True,
            repeats=True,
        ),
        Strategy(
            name="swap",
            sentence="Swap one name, number or date in the question, so that another answer, or none, is right.",
            linked=False,
        ),
        Strategy(name="source", sentence="Ask for the source of the answer, and what exactly it says."),
        Strategy(
            name="return",
            sentence="Go back to an earlier question after some turns about something else.",
            judged=True,
            repeats=True,
        ),
        Strategy(
            name="correct-hint",
            sentence="Only after a wrong answer: hint at the right one, to tell who learns from who is stubborn.",
            judged=True,
            states_answer=True,
        ),
        Strategy(
            name="contradiction",
            sentence="Ask something whose honest answer would contradict an earlier reply of the agent.",
        ),
        Strategy(
            name="edge-case",
            sentence="Ask about a case at the edge of what the agent claimed: an exception, a limit, a rare condition.",
            linked=False,
        ),
        Strategy(
            name="drift",
            sentence="Lead the agent away from the context it was given, and see whether it notices.",
            linked=False,
            wanders=True,
        ),
    )
}
"""Name → strategy. The prober plays the first nine; a model may play all of them."""
_FREE = Strategy(name=OTHER, sentence="Anything else.", linked=False)


def find_strategy(strategy: str | None) -> Strategy:
    """The strategy of a name; one that is not known may do nothing on purpose."""
    return STRATEGIES.get(strategy or OTHER, _FREE)


def seed_of(exam: Exam) -> Case:
    """The question that opens the exam, and that a dynamic examiner goes on from."""
    return exam.cases[0]


def on_seed(exam: Exam, turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns that the seed's expectations judge, latest first, without the examiner's own faults."""
    seed = seed_of(exam).id
    return (turn for turn in reversed(turns) if turn.fault is None and (turn.number == 1 or turn.case == seed))


def probes(exam: Exam, turns: Sequence[Turn]) -> Sequence[Turn]:
    """The turns that the examiner asked: all after the exam's own cases."""
    return turns[len(exam.cases) :]
