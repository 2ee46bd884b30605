"""What the trade's words mean, one sentence each, for pages that use them."""

from __future__ import annotations

from collections.abc import Iterator

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
    "flaky": "A case that passes only sometimes.",
    "baseline": "The run that later ones are held against: the first, or the last that changed for real.",
    "look": "One comparison of a run with the baseline; the more looks, the more a change has to show.",
    "strict": "Marks fewer changes: on average at most 5 % of all marks are false, however long the history.",
    "apart by": "One chart for each agent, or for each value of a label, instead of one for all runs.",
    "left out": "Shown and not compared, because it is not complete or cannot be read.",
}


def meanings(*terms: str) -> Iterator[tuple[str, str]]:
    """Those that a page uses, with what they mean."""
    yield from ((term, MEANINGS[term]) for term in terms)
