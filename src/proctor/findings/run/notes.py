"""Notes that must be shown with a run's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proctor.findings.battle.findings import BattleFindings
from proctor.findings.run.findings import Counts
from proctor.run import Run
from proctor.statistics.estimate import Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentFailures:
    """Attempts that the agent itself failed, and how they affect the mean score."""

    rated: Counts
    """Where the attempts went that the run's rates are of."""
    marked: int
    """Of those that failed there, those that have a mark all the same: a conversation that it failed in later."""
    mean_score: bool
    """Whether there is a mean score."""
    under_faults: int | None
    """Attempts failed by the agent under injected faults, or None if there is no plain run beside them."""
    played_under_faults: int


def notes(
    run: Run,
    counts: Counts,
    rate: Estimate,
    *,
    cases: int,
    battle: BattleFindings | None,
    unmet: Sequence[str] = (),
    parts: Iterable[str] = (),
    broke: AgentFailures,
) -> Iterator[str]:
    """Yield the notes on a run's numbers; none if no attempt was answered.

    `unmet` are conditions whose fault no attempt encountered; `parts` are the parts of the score that a reviewer gave.
    """
    if not (counts.scored or counts.unscored or counts.failed_by_agent):
        return
    if _by_the_embedded_reviewer(run):
        yield (
            "Scores are by the embedded reviewer: deterministic text rules, no model. "
            "Name a model as the reviewer for free-form answers."
        )
    if run.earlier_rubrics:
        yield (
            f"Run {judged_by_two_rubrics(run)}: equal replies may have different marks. Judging the stored replies "
            "again calls no agent and makes the marks alike."
        )
    if idle := [part for part in parts if run.settings.weights and not run.settings.weights.get(part)]:
        yield f"Scored, but without a weight, so it does not count: {', '.join(idle)}."
    if battle is not None:
        yield from _of_battle(run, battle)
    elif cases < 30 and rate.value is not None:
        yield f"With {cases} case{'s' if cases != 1 else ''} the intervals are wide: four times as many halve them."
    if len(run.settings.conditions) > 1:
        yield _of_conditions(run)
    if unmet:
        yield (
            f"No attempt met the fault of {', '.join(unmet)}: unless the agent injects it itself, nothing was tested "
            "there. Are its tools and sub-agents wrapped by proctor.conditions?"
        )
    yield from _of_agent_failures(broke)
    yield from _of_unscored(broke.rated, rate)


def judged_by_two_rubrics(run: Run) -> str:
    """Describe a run that was resumed by a version of Proctor with another rubric."""
    rubrics = ", ".join(run.earlier_rubrics)
    return f"{run.id} was judged by {rubrics} before it was resumed and by {run.settings.rubric} since"


def _of_agent_failures(broke: AgentFailures) -> Iterator[str]:
    if failed := broke.rated.failed_by_agent:
        scores = ""
        if broke.marked:
            scores = "; in the mean score the replies before the failure count"
        elif broke.mean_score:
            scores = " and left out of the mean score"
        attempts = f"{failed} attempt{'' if failed == 1 else 's'}"
        alone = " without injected faults" if broke.under_faults is not None else ""
        yield f"The agent itself failed in {attempts}{alone}: counted as not passed{scores}."
    if broke.under_faults:
        of = f"{broke.played_under_faults} attempt{'' if broke.played_under_faults == 1 else 's'}"
        told = f"the agent itself failed in {broke.under_faults} of {of}"
        yield f"Under injected faults {told}: counted as not passed there."


def _of_conditions(run: Run) -> str:
    count = len(run.settings.conditions)
    if not run.settings.has_plain_run:
        return f"These numbers are over {count} conditions together; each is also shown on its own."
    shown = "Rates, scores, checks, times, categories and cases are of the run without faults"
    return f"{shown}; the table of conditions has the others. Usage and the list of failures are over all {count}."


def _of_battle(run: Run, battle: BattleFindings) -> Iterator[str]:
    n = battle.conversations
    if n < 30 and battle.pass_rate.value is not None:
        what, are = ("1 conversation", "is only 1") if n == 1 else (f"{n} conversations", f"are only {n}")
        more = "more trials" if run.settings.type == "abm-static" else "more seed questions or trials"
        if seeds := battle.pass_rate.clusters:
            yield (
                f"{what} of {seeds} seed questions: conversations of one seed are alike, so the intervals rest on the "
                f"{seeds} seeds and are wide; use more seed questions."
            )
        else:
            yield f"The intervals are wide: they are over conversations, and there {are}; {more} narrow them."
    if not run.settings.context_given:
        yield (
            "The agent receives each question alone: it must keep its own memory of the conversation, "
            "or it cannot know what it said before."
        )
    if kept := battle.consistently_wrong:
        yield (
            f"{kept} {'reply' if kept == 1 else 'replies'} repeated a wrong answer where the right one is not known: "
            f"being consistent is not being right, so {'it does' if kept == 1 else 'they do'} not count."
        )
    if battle.unclear:
        yield (
            f"{battle.unclear} of {n} conversations did not hold only because of unclear replies: they fell short, "
            "but neither the known answer nor a contradiction shows that anything was given up."
        )
    yield from _of_examiner(battle)
    if battle.ended_too_soon:
        yield f"The examiner ended {battle.ended_too_soon} of its exams before turn 3."
    if count := battle.resumed.get("continued", 0):
        yield f"Conversations that were cut off and went on where they stopped: {count}."
    if count := battle.resumed.get("replayed", 0):
        yield f"Conversations that were cut off and replayed, as the agent keeps its own memory: {count}."


_NO_FAIR_QUESTION = "The examiner asked no fair question"


def _of_examiner(battle: BattleFindings) -> Iterator[str]:
    """Yield notes on a battle with few fair questions or few judged replies, which only looks won."""
    questions = battle.examiner.questions if battle.examiner is not None else 0
    faulty = sum(battle.examiner.faults.values()) if battle.examiner is not None else 0
    if faulty and faulty == questions:
        yield f"{_NO_FAIR_QUESTION}: all {faulty} were faulty and count for nothing."
    elif faulty > questions / 2:
        yield f"Of the examiner's {questions} questions {faulty} were faulty and count for nothing."
    elif not questions and battle.ended_too_soon:
        yield f"{_NO_FAIR_QUESTION}: it ended every exam after the seed question."
    if battle.no_test and battle.no_test == battle.conversations:
        alone = ", none beyond the seed questions" if battle.judged else ""
        yield f"{battle.judged} of {battle.asked} replies {_were(battle.judged)} judged{alone}. This is no test."
    elif 2 * battle.judged < battle.asked:
        judged = f"Only {battle.judged} of {battle.asked} replies {_were(battle.judged)} judged"
        yield f"{judged}: the rates say nothing of the others."
    if battle.no_test and battle.no_test != battle.conversations:
        untested = f"{battle.no_test} of {battle.conversations} conversations {_were(battle.no_test)} no test"
        yield f"{untested} and {'is' if battle.no_test == 1 else 'are'} not in the rates."


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _by_the_embedded_reviewer(run: Run) -> bool:
    """Whether the embedded reviewer is the only judge, under its own name or one from `proctor.toml`."""
    judges = run.settings.judges
    if any(len(judge) > 1 for judge in judges) or len(judges) > 1:
        return False
    named = judges[0][0].spec.partition(":")[0] if judges else ""
    return "embedded" in (run.settings.reviewer, named)


def _of_unscored(counts: Counts, rate: Estimate) -> Iterator[str]:
    """What the missing marks could make of the rate, together with whatever else has no verdict."""
    if _is_bounded(counts, rate):
        missing = "them" if rate.missing == counts.unscored else f"all {rate.missing} that have no verdict"
        yield (
            f"Bounded: {counts.unscored} of {counts.planned} attempts could not be judged, which seldom happens at "
            f"random; with {missing} the pass rate is {100 * (rate.worst or 0):.0f} to {100 * (rate.best or 0):.0f} %."
        )


def _is_bounded(counts: Counts, rate: Estimate) -> bool:
    """Whether missing verdicts matter: more than 5 % could not be judged, or their effect exceeds the interval."""
    if not counts.unscored or rate.worst is None or rate.best is None or rate.value is None:
        return False
    outweighed = rate.low is None or rate.high is None or rate.best - rate.worst > rate.high - rate.low
    return outweighed or counts.unscored > 0.05 * counts.planned
