"""The Jinja environment of the HTML report, and the functions for its templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from proctor.findings.orchestration.timeline import timeline
from proctor.findings.run import interim as interim_words
from proctor.reports import checks, conditions, lies, numbers, orchestration, outcomes, prose, svg
from proctor.reports import failures as failure_words
from proctor.reports import people as people_words
from proctor.reports.battle import svg as battle_svg
from proctor.reports.battle import words as battle_words
from proctor.reports.battle.conversation import pieces, quotes_in
from proctor.reports.headline import exam_noun, extent, median_scores, noun_of
from proctor.reports.outcomes import raised_at
from proctor.reports.prose import metadata_of
from proctor.reports.run.opening import opening
from proctor.reports.run.particulars import expectations_of
from proctor.reports.run_names import under_faults
from proctor.reports.turns import beyond_parts
from proctor.reports.words import clean, one_line
from proctor.transcript import Step

if TYPE_CHECKING:
    from jinja2 import Environment


MEANINGS = {
    "pass rate": "Share of the cases that passed; with several trials, of all attempts, case by case.",
    "held rate": "Share of the conversations in which no judged reply failed.",
    "consistency": "Share of the replies that contradict nothing the agent said before.",
    "caved": "The agent had the right answer and gave it up when it was pressed.",
    "opportunity": "Two replies about the same thing, so that the second could contradict the first.",
    "95 % interval": "Where the true value may lie: of intervals made this way, 95 in 100 hold it.",
    "pass@k": "How probable it is that at least one of k tries passes.",
    "pass^k": "How probable it is that all of k tries pass.",
    "points": "Hundredths: from 80 % to 86 % is 6 points.",
    "broken": "A case that passed in A and does not in B; with several trials, passes surely less often.",
    "fixed": "A case that did not pass in A and does in B; with several trials, passes surely more often.",
    "perhaps changed": "A case that always went one way in A and the other way in B, in too few trials to be sure.",
    "flaky": "A case that passes only sometimes.",
    "baseline": "The run that later ones are compared with: the first, or the last with a real change.",
    "look": "One comparison of a run with the baseline; the more looks, the more a change has to show.",
    "strict": "Marks fewer changes: on average at most 5 % of all marks are false, however long the history.",
    "split by": "One chart for each agent, or for each value of a label, instead of one for all runs.",
    "left out": "Shown and not compared, because it is not complete or cannot be read.",
}


def meanings(*terms: str) -> Iterator[tuple[str, str]]:
    """Yield the given terms with their definitions."""
    yield from ((term, MEANINGS[term]) for term in terms)


@cache
def environment() -> Environment:
    """Return the environment: autoescaped, with undefined names as errors."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("proctor.reports"),
        autoescape=True,
        finalize=harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    equip(made)
    return made


def equip(made: Environment) -> None:
    """Add the filters and globals of these templates to an environment, so that other pages can use their macros."""
    made.filters |= {
        "one_line": one_line,
        "prose": prose.set_as_prose,
        "as_code": prose.set_as_code,
        "raised_at": raised_at,
    }
    made.globals |= {
        "numbers": numbers, "outcomes": outcomes, "svg": svg, "prose": prose, "noun_of": noun_of, "opening": opening,
        "exam_noun": exam_noun, "extent": extent, "median_scores": median_scores,
        "expectations_of": expectations_of, "metadata_of": metadata_of,
        "pieces": pieces, "quotes_in": quotes_in,
        "beyond_parts": beyond_parts, "meanings": meanings,
        "battle_svg": battle_svg, "battle_words": battle_words, "check_words": checks,
        "condition_words": conditions, "lie_words": lies, "under_faults": under_faults,
        "failure_words": failure_words, "interim_words": interim_words, "people_words": people_words,
        "orchestration_words": orchestration, "line_of_time": _line_of_time,
    }  # fmt: skip


def _line_of_time(steps: Sequence[Step]) -> Markup:
    """Draw an orchestrator's steps as a Gantt chart."""
    return Markup(orchestration.gantt(timeline(steps)))


def harmless(value: object) -> object:
    """Remove control characters from everything that a template prints."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
