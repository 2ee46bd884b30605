"""Checks of citations: whether there are enough, name the right sources, and quote them correctly."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from proctor.benchmark import Expectation
from proctor.reviewers.checks.contract import Outcome, check
from proctor.reviewers.checks.sources import Sources, SourceText, among, missing_part, near_miss, parts, shown
from proctor.transcript import Citation, Reply, Turn

_MARKER = re.compile(
    r"""
    [\[(（【] (?:
      (?<=\[) (?<!!\[) [^\[\]\n]{1,200} \]\( (?P<link> [^()\s]{1,500} ) (?:\s"[^"\n]{0,200}")? \)
    | (?<=\[) \^? (?P<number> \d{1,3} (?: \s?[,–-]\s?\d{1,3} ){0,9} ) \]
    | (?<=\[) (?P<id> (?=[^\[\]\s]{0,200}[\d./#:]) (?=[^\[\]\s]{0,200}[^\W\d_]) [^\[\]\s]{2,200} ) \] (?!\()
    | (?<!【) \s? (?:sources?|refs?|references?|来源|出处|出典) \s?[:：]\s? (?P<named> [^()（）\[\]\n]{1,300} ) [)）\]]
    | (?<=【) [^【】\n]{1,200} 】
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_APART = re.compile(r"\s*[;,、]\s*")


class Marker(NamedTuple):
    """A citation in the text."""

    written: str
    """The citation as written."""
    source: str | None
    """The cited source, or None if the citation is only a number."""


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_VARIABLE = re.compile(
    r"(?:(?<![^\W_])(?:[a-z]|arrs?|lst|xs|args|argv|nums|df|dict|obj|buf|str|tup|vec|params|vals|cols)"
    r"|[A-Za-z]\w{0,40}_\w{0,40})\Z"
)
_LIKELY_VARIABLE = re.compile(
    r"(?<![^\W_])(?:arrays?|lists?|items|elements|data|rows?|columns|values|numbers|matrix|vector|map|results?|buffer|string"
    r"|tuple|stack|queue|tokens|words|lines|parts|keys|match|groups|nodes?|children|input|output)\Z"
)
_OF_CODE = re.compile(
    r"\b(?:python|javascript|typescript|java|ruby|golang|rust|c\+\+|indexe[ds]|index|indices|arrays?|zero-based|variables?"
    r"|loops?|functions?|code)\b",
    re.IGNORECASE,
)
_OPERATES = re.compile(r"\s?(?:[-+*/]?=|\(\)|\.[a-z_]+\b\(?)")
_LONGEST_VARIABLE = 90
_NEAR = 80


def markers(text: str) -> list[Marker]:
    """Return the distinct citations in the text, in order."""
    code = [match.span() for match in _CODE.finditer(text)] if "`" in text else []
    found: list[Marker] = []
    end = -1  # end of the last index: brackets directly after it are another index
    for match in _MARKER.finditer(text):
        if _is_index(match, code) or match.start() == end:
            end = match.end()
        else:
            found += _read(match)
    return list(dict.fromkeys(found))


def _is_index(match: re.Match[str], code: list[tuple[int, int]]) -> bool:
    """Whether a bracketed number is an array index, `arr[1]`, rather than a citation: `28 days[1]`."""
    if match["number"] is None or match[0].startswith("[^"):
        return False
    text, start = match.string, match.start()
    place = bisect_right(code, (start, len(text)))
    if place and start < code[place - 1][1]:
        return True
    before = text[max(0, start - _LONGEST_VARIABLE) : start]
    if not before or not (before[-1].isalnum() or before[-1] == "_"):
        return False
    if match["number"] == "0" or _VARIABLE.search(before) or _OPERATES.match(text, match.end()):
        return True
    around = text[max(0, start - _NEAR) : start + _NEAR]
    return _LIKELY_VARIABLE.search(before) is not None and _OF_CODE.search(around) is not None


def _read(match: re.Match[str]) -> list[Marker]:
    written = match[0]
    if match["link"]:
        return [Marker(written, match["link"])]
    if match["number"]:
        return [Marker(f"[{number}]", None) for number in _numbers(match["number"])]
    if match["id"]:
        return [Marker(written, match["id"])]
    if match["named"]:
        return [Marker(written, name) for name in _APART.split(match["named"].strip()) if name]
    return [Marker(written, None)]


def _numbers(listed: str) -> list[str]:
    """1, 3-5 → 1, 3, 4, 5."""
    numbers: list[str] = []
    for piece in re.split(r"\s?,\s?", listed):
        first, *rest = (int(number) for number in re.findall(r"\d+", piece))
        numbers += map(str, range(first, (rest or [first])[-1] + 1))
    return numbers


_LISTED = 5
"""Maximum number of citations listed in the evidence."""


_MOST = 200
"""Maximum number of citations to look up, so that a reply cannot keep the reviewer busy for long."""


class _CitationVerdict(NamedTuple):
    """The verdict on one citation."""

    right: bool | None
    said: str


@check("citations present")
def citations_present(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that there are enough citations: in the reply's list or as markers in its text, whichever has more."""
    if expect.citations is None:
        return None
    named, count = [citation.source for citation in reply.citations], len(reply.citations)
    if count < expect.citations and len(marked := markers(reply.text)) > count:
        named, count = [marker.written for marker in marked], len(marked)
    named = list(dict.fromkeys(named))
    more = ", …" if len(named) > _LISTED else ""
    evidence = f"{count} cited, at least {expect.citations} needed" + f": {', '.join(named[:_LISTED])}{more}" * bool(
        named
    )
    return Outcome(count >= expect.citations, evidence)


@check("citation accuracy")
def citation_accuracy(expect: Expectation, turn: Turn, reply: Reply, sources: Sources) -> Outcome | None:
    """Check that each cited source is expected and that each quote occurs in its source."""
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
