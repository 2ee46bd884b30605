"""Render a comparison as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proctor.findings.comparison import CategoryChange, Compared
from proctor.reports import numbers
from proctor.reports.comparison import words
from proctor.reports.comparison.cost import cost_per_pass_line, first_tokens
from proctor.reports.comparison.text import draw_difference, scale_of
from proctor.reports.markup import plain
from proctor.statistics.flips import Flip

_SHOWN = 10
_AXIS = 21


def render(compared: Compared) -> str:
    """Render the sentence, warnings, measures, changed cases and categories."""
    sections = [
        _sentence(compared), _warnings(compared), _measures(compared), _facts(compared), _cases(compared, "broken"),
        _cases(compared, "fixed"), _cases(compared, "changed"), _cases(compared, "flaky"),
        _categories("condition", compared.conditions, words.HOLM_CONDITIONS),
        _categories("category", compared.categories, words.HOLM),
    ]  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in map(list, sections) if lines) + "\n"


def _sentence(compared: Compared) -> Iterator[str]:
    signs = {"better": "✓ ", "worse": "✗ ", "not shown": ""}
    yield f"### {signs[compared.shown]}{words.sentence(compared)}"
    yield ""
    for side, run in (("A", compared.a.run), ("B", compared.b.run)):
        named = "" if run.name in ("", run.id) else f", {plain(run.name)}"
        yield f"- {side}: {plain(words.title_of(run))}{named}, run `{run.id}`"


def _warnings(compared: Compared) -> Iterator[str]:
    lines = [f"> ! {plain(warning, 500)}" for warning in words.warnings(compared)]
    if lines:
        yield "\n>\n".join(lines)


def _measures(compared: Compared) -> Iterator[str]:
    rows = list(words.rows(compared))
    if not rows:
        return
    scale = scale_of([row.comparison.difference for row in rows])
    yield f"| | A | B | B − A | 95 % interval | −{100 * scale:g} … +{100 * scale:g} |"
    yield "|:--|--:|--:|--:|:--|:--|"
    for row in rows:
        picture = f"`{draw_difference(row.comparison.difference, _AXIS, scale).plain}`"
        yield f"| {row.label} | {row.a} | {row.b} | **{row.difference}** | {row.interval} | {picture} |"


def _facts(compared: Compared) -> Iterator[str]:
    facts = (words.chance(compared), words.basis(compared), words.missing(compared), words.would_have_shown(compared))
    yield from (f"- {fact}" for fact in facts if fact)
    if people := words.by_people(compared):
        yield f"- As people judge: {people}"
    if cost := cost_per_pass_line(compared):
        yield f"- Cost: {cost}"
    if times := first_tokens(compared):
        yield f"- First token: {times}"
    counted = [
        f"{words.FLIPS[flip].sign} {numbers.whole(number)} {words.FLIPS[flip].word}"
        for flip in words.FLIPS
        if (number := len(compared.flipped(flip)))
    ]
    yield f"- {' · '.join(counted)}"


def _cases(compared: Compared, flip: Flip) -> Iterator[str]:
    changes = compared.flipped(flip)
    if not changes:
        return
    outcome = words.FLIPS[flip]
    yield f"| | {outcome.word} | | A | B | score |"
    yield "|:--|:--|:--|--:|--:|--:|"
    for change in changes[:_SHOWN]:
        case, passes = change.b, [words.passes(change, side) for side in ("a", "b")]
        yield (
            f"| {outcome.sign} | {plain(case.id, 40)} | {plain(case.question)} | {passes[0]} | {passes[1]} "
            f"| {words.marks(change)} |"
        )
    if len(changes) > _SHOWN:
        yield f"| | | and {numbers.whole(len(changes) - _SHOWN)} more: `{words.list_command(compared)}` | | | |"


def _categories(title: str, changes: Mapping[str, CategoryChange], legend: str) -> Iterator[str]:
    if not changes:
        return
    yield f"| {title} | cases | A → B | B − A | 95 % interval | |"
    yield "|:--|--:|--:|--:|:--|:--|"
    for name, category in changes.items():
        difference, interval = numbers.difference_of(category.tested.comparison.difference)
        verdict = words.verdict_of(category)
        verdict_text = verdict if isinstance(verdict, str) else f"{verdict.sign} {verdict.word}"
        row = (
            plain(words.condition_name(name)),
            category.cases,
            words.from_to(category),
            difference,
            interval,
            verdict_text,
        )
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
    yield f"{legend}."
