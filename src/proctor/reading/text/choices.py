"""Split an answer into alternative spellings, and a list into its items."""

from __future__ import annotations

import re

from proctor.reading.text.lazy import lazy
from proctor.reading.text.units import UNITS

_EXPLICIT = lazy(r"(?<=\s)/(?=\s)|\|")
_YES_OR_NO = lazy(r"\s*(?:yes|no)\b[\s,.;:-]+\w", re.IGNORECASE)
_OR = lazy(r",?\sor\s(?!(?:more|less|so|fewer|later|earlier|older|higher|lower)\b)", re.IGNORECASE)
_COMMA_OR = lazy(r",\sor\s", re.IGNORECASE)
_SLASH = lazy(r"/")
_MEASURED = lazy(r"\d ?[^\W\d]+/[^\W\d]+\b")
"""Match an amount with a compound unit: 99 mg/dL."""
_PATH = lazy(
    r"[/~.]\S{1,200}|[A-Z][\w.-]{0,60}(?:/[A-Z][\w.-]{0,60}){2,12}/?|\S{0,100}[\w-]/[\w-]{1,60}\.[a-z]{2,4}|\w+://\S+"
)
"""Match a path: `Legal/Contracts/Signed`, `/var/log`."""
_FIRM = lazy(r"[A-Z][\w'.-]{0,40}(?: [A-Z][\w'.-]{0,40})? & [A-Z][\w'.-]{0,40}(?: [A-Z][\w'.-]{0,40})?\.?")
_BRACKETS = lazy(r"[(\[]([^()\[\]]*)[)\]]")
_NAMING = lazy(r"^(?:or|also(?: known as| called)?|a\.?k\.?a\.?|i\.?e\.?|formerly|now|=)[\s,:]+", re.IGNORECASE)
_LETTERS = lazy(r"[^\W\d_]{2}")
_COMMA = lazy(r",\s(?!\d{3}\b)")
_AND = lazy(r"\s(?:and|&)\s", re.IGNORECASE)
_MARKED = lazy(r"[;\n]")
_ITEM = lazy(r"[;\n](?:\s?[-*•]\s)?|,\s(?:and|or)\s|,\s(?!\d{3}\b)|\s(?:and|&)\s", re.IGNORECASE)
_OF_SHARE = lazy(
    r"(?:an? |the |one |two |three |four )?(?:whole|half|all|third|quarter|fifth|tenth)s?(?: of (?:it|them))?"
)
_VERB = lazy(
    r"\b(?:it|they|you|he|she|we|is|are|was|were|be|been|must|may|can|will|has|have|do|does|did|should)\b"
    r"|(?:\A|[.!?]\s)\s*(?:It|They|You|He|She|We|Is|Are|Was|Were|Be|Must|Can|Has|Have|Do|Does|Did|Should)\b"
)
"""In the middle of a sentence May is a month and Will a person."""
_PLAIN = lazy(r"(?<!\S)[a-z]{4,}")
_LEAST_SENTENCE, _LEAST_WITHOUT_VERB, _LEAST_PLAIN = 4, 6, 3
_MOST_WORDS = 6
_ITEM_WORDS = 4
_MARKED_ITEM_WORDS = 8


def alternatives(answer: str) -> tuple[str, ...]:
    """Return the alternative answers.

    ` / ` with spaces and `|` always separate them; `or` and a bare slash do if all parts are short (a sentence with
    `or` in it is one answer). Text in brackets may be omitted, or given alone.
    """
    found: list[str] = []
    for explicit in _EXPLICIT.split(answer):
        for one in _apart_at_or(explicit.strip()):
            for other in _apart_at_slash(one):
                found.extend(_with_brackets(other))
    return tuple(dict.fromkeys(text for text in found if text)) or (answer,)


def is_sentence(text: str) -> bool:
    """Whether an expected answer is a sentence: it ends with a full stop and seems to have a verb."""
    count = len(text.split())
    if count < _LEAST_SENTENCE or not text.rstrip().endswith("."):
        return False
    if _VERB.search(text):
        return True
    return count >= _LEAST_WITHOUT_VERB and "," not in text and len(_PLAIN.findall(text)) >= _LEAST_PLAIN


def _apart_at_or(text: str) -> list[str]:
    parts = _OR.split(text)
    if len(parts) == 1 or _YES_OR_NO.match(text) or is_sentence(text):  # `yes, if they offer goods or services`
        return [text]
    if _COMMA_OR.search(text):  # `a, b, or c`; without that comma, the others belong to names
        parts = [piece for part in parts for piece in _COMMA.split(part)]
    return [part.strip(" ,") for part in parts] if all(_is_short(part) for part in parts) else [text]


def _apart_at_slash(text: str) -> list[str]:
    if "/" not in text or text.lower() in UNITS or _MEASURED.search(text) or _PATH.fullmatch(text.strip()):
        return [text]
    parts = [part.strip() for part in _SLASH.split(text)]
    names = all(_is_short(part) and _LETTERS.search(part) and not _is_acronym(part) for part in parts)
    return parts if names else [text]


def _is_short(part: str) -> bool:
    return 0 < len(part.split()) <= _MOST_WORDS


def _is_acronym(part: str) -> bool:
    """Whether a part is an acronym: TCP/IP and AC/DC are single names."""
    return part.isupper() and len(part) <= 4


def _with_brackets(text: str) -> list[str]:
    inside = [_NAMING.sub("", part.strip()) for part in _BRACKETS.findall(text)]
    if not inside or all(len(part) == 1 for part in inside):
        return [text]  # labels: `(a) and (c)`
    outside = " ".join(_BRACKETS.sub(" ", text).split())
    share = _OF_SHARE.fullmatch(outside.lower().replace("-", " "))
    return [
        text,
        outside,
        *(part for part in inside if (share or _LETTERS.search(part)) and len(part.split()) <= _MOST_WORDS),
    ]


def items(answer: str) -> tuple[str, ...]:
    """Return the items of a list; empty if the text is none (one comma makes no list: `Landover, Maryland`)."""
    marked = _MARKED.search(answer) is not None
    if not marked and (is_sentence(answer) or _FIRM.fullmatch(answer.strip())):
        return ()
    if not (marked or _AND.search(answer) or len(_COMMA.findall(answer)) > 1):
        return ()
    parts = [part.strip(" .,;:") for part in _ITEM.split(answer)]
    parts = list(dict.fromkeys(part for part in parts if part))
    longest = _MARKED_ITEM_WORDS if marked else _ITEM_WORDS
    if len(parts) < 2 or any(len(part.split()) > longest for part in parts):
        return ()
    return tuple(parts)
