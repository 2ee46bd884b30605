"""Phrase the sentences that follow the first one of a comparison; what is not shown by the data is not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from proctor.findings.comparison import CategoryChange, Compared
from proctor.reports import numbers, outcomes
from proctor.reports.comparison import words
from proctor.reports.headline import paired_noun
from proctor.reports.numbers import plural, whole
from proctor.reports.outcomes import OutcomeLabel
from proctor.reports.words import one_line

_NAMED = 3
"""Maximum number of categories listed individually."""


def opening(compared: Compared) -> list[str]:
    """State which cases changed, in which categories the runs differ, and what could not have been detected."""
    if compared.headline.difference.value is None:
        return []
    sentence_groups = (_cases(compared), _held(compared), _categories(compared), _conditions(compared))
    return [*chain.from_iterable(sentence_groups), *_unseen(compared), *_missing(compared)]


def telling_case(compared: Compared) -> str:
    """Return the id of the first broken case, else of the first fixed one; empty if none changed."""
    changed = [*compared.flipped("broken"), *compared.flipped("fixed")]
    return changed[0].b.id if changed else ""


def _cases(compared: Compared) -> Iterator[str]:
    broken, fixed = (len(compared.flipped(flip)) for flip in ("broken", "fixed"))
    if not broken and not fixed:
        yield from _none_alone(compared)
        return
    noun = paired_noun(compared.b.run)
    summary = f"{plural(broken, noun)} broke and {whole(fixed)} {'was' if fixed == 1 else 'were'} fixed"
    once = {compared.a.run.settings.trials, compared.b.run.settings.trials} == {1}
    chance = ", which chance alone can bring where each is asked once"
    yield f"{summary}{chance if once and not words.is_likely(compared.headline) else ''}."


def _none_alone(compared: Compared) -> Iterator[str]:
    """State that no single case shows a change by its own trials, which does not rule one out for all together."""
    missing, changed = (len(compared.flipped(flip)) for flip in ("missing", "changed"))
    if missing == len(compared.cases):
        return
    counted = len(compared.cases) - missing
    shared = f" that {'counts' if counted == 1 else 'count'} in both runs" if missing else ""
    among = plural(counted, paired_noun(compared.b.run)) + shared
    together = "; together they show it" if compared.shown != "not shown" else ""
    if changed:
        yield f"{whole(changed)} of {among} perhaps changed, none shown by its own trials{together}."
    else:
        none_is = f"The {among} is not" if counted == 1 else f"None of {among} is"
        yield f"{none_is} shown to pass more or less often{' by itself' if together else ''}{together}."


def _held(compared: Compared) -> Iterator[str]:
    """State for battles whether whole conversations hold more or less often; the headline is about replies."""
    held = compared.held_rate
    if held is None or not held.confirmed:
        return
    value, interval = numbers.difference_of(held.difference)
    side = "more" if held.difference.side > 0 else "less"
    yield f"Whole conversations hold {side} often: {value} points ({interval})."


def _categories(compared: Compared) -> Iterator[str]:
    """State the categories that are better or worse, corrected for multiple comparisons."""
    for verdict in (outcomes.WORSE, outcomes.BETTER):
        named = list(_name_changes(compared.categories, verdict))
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        if named:
            yield f"{verdict.word.capitalize()} in {', '.join(named[:_NAMED])}{more}."


def _conditions(compared: Compared) -> Iterator[str]:
    """State the same for conditions other than the plain run, which the first sentence covers."""
    others = {name: each for name, each in compared.conditions.items() if name or not compared.of_plain_run}
    for verdict in (outcomes.WORSE, outcomes.BETTER):
        named = list(_name_changes(others, verdict))
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        if named:
            yield f"{verdict.word.capitalize()} under {', '.join(named[:_NAMED])}{more}."


def _name_changes(among: Mapping[str, CategoryChange], verdict: OutcomeLabel) -> Iterator[str]:
    for name, category in among.items():
        if words.verdict_of(category) is verdict:
            yield f"{one_line(words.condition_name(name), 60)} ({words.from_to(category)})"


def _unseen(compared: Compared) -> Iterator[str]:
    found, span = words.would_have_shown(compared), words.span_of(compared)
    if found and span:
        yield f"{found[0].upper()}{found[1:]}; what is possible here is what the interval holds, {span}."


def _missing(compared: Compared) -> Iterator[str]:
    missing = compared.pass_rate.difference.missing
    if missing:
        verb = "has" if missing == 1 else "have"
        yield f"{plural(missing, 'attempt')} {verb} no verdict, so this is not the whole picture."
