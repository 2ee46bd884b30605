"""Checks of citations: are there enough, do they name the right sources, do the quotes stand there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.markers import Marker, markers
from proctor.reviewers.checks.quotes import missing_part, near_miss, parts, shown
from proctor.reviewers.checks.source_names import among
from proctor.reviewers.checks.sources import Sources, SourceText
from proctor.transcript import Citation, Reply, Turn

_LISTED = 5
"""Citations that evidence names."""


_MOST = 200
"""Citations that are looked up, so that a reply cannot keep the reviewer busy for long."""


class _CitationVerdict(NamedTuple):
    """What is to be said of one citation."""

    right: bool | None
    said: str


@check("citations present")
def citations_present(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """There are enough citations: in the reply's list, or as marks in its text, whichever are more."""
    if expect.citations is None:
        return None
    named, count = [citation.source for citation in reply.citations], len(reply.citations)
    if count < expect.citations and len(marked := markers(reply.text)) > count:
        named, count = [marker.written for marker in marked], len(marked)
    named = list(dict.fromkeys(named))
    more = ", …" if len(named) > _LISTED else ""
    said = f"{count} cited, at least {expect.citations} needed" + f": {', '.join(named[:_LISTED])}{more}" * bool(named)
    return Outcome(count >= expect.citations, said)


@check("citation accuracy")
def citation_accuracy(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Each cited source is an expected one, and each quote stands in its source."""
    if not expect.sources and not expect.quotes:
        return None
    marked = () if reply.citations else markers(reply.text)
    cited = reply.citations or _citations_in(marked)
    if not cited and not marked and expect.citations == 0:
        return Outcome(True, "nothing is cited, and nothing has to be")
    if not cited:
        return Outcome(None, "no source is cited by name, so there is nothing to look up")
    judged = [_judge(citation, expect, reply, sources) for citation in cited[:_MOST]]
    if len(cited) > _MOST:
        judged.append(_CitationVerdict(None, f"of {len(cited):,} citations only the first {_MOST} are looked up"))
    wrong = [one.said for one in judged if one.right is False]
    unknown = [one.said for one in judged if one.right is None]
    right = [one.said for one in judged if one.right]
    passed = False if wrong else None if unknown else True
    counted = len(right) + len(wrong)
    return Outcome(passed, "; ".join([*wrong, *unknown, *right]), len(right) / counted if counted else None)


def _citations_in(marked: Iterable[Marker]) -> tuple[Citation, ...]:
    return tuple(Citation(source=marker.source) for marker in marked if marker.source)


def _judge(citation: Citation, expect: Expectation, reply: Reply, sources: Sources) -> _CitationVerdict:
    source = _judge_source(citation.source, expect, sources)
    if source.right is not True or not expect.quotes:
        return source
    reading = sources.read(citation.source, reply)
    if reading.absent and not expect.sources:
        return _CitationVerdict(False, f"there is no source {citation.source}: {reading.whence}")
    return _judge_quote(citation, reading)


def _judge_source(source: str, expect: Expectation, sources: Sources) -> _CitationVerdict:
    if not source.strip():
        return _CitationVerdict(False, "a citation names no source")
    if not expect.sources:
        return _CitationVerdict(True, source)
    if among(source, expect.sources) is None:
        return _CitationVerdict(False, f"{source} is not an expected source; expected {' or '.join(expect.sources)}")
    others = [name for name in sources.possible(source) if among(name, expect.sources) is None]
    if others:
        return _CitationVerdict(
            None, f"{source} is an expected source, or it is {' or '.join(others)}: it lacks the extension"
        )
    return _CitationVerdict(True, f"{source} is an expected source")


def _judge_quote(citation: Citation, reading: SourceText) -> _CitationVerdict:
    pieces = parts(citation.quote or "")
    if not pieces:
        return _CitationVerdict(None, f"{citation.source} is cited without a quote, so there is none to look up")
    if reading.text is None:
        return _CitationVerdict(None, f"{citation.source} cannot be read: {reading.whence}")
    quote = shown(citation.quote or "")
    missing = missing_part(pieces, reading.text)
    if missing is None:
        return _CitationVerdict(True, f"{quote} stands in {reading.whence}")
    nearest = near_miss(missing[0], reading.text, missing[1])
    return _CitationVerdict(False, f"{quote} does not stand in {reading.whence}{': ' * bool(nearest)}{nearest}")
