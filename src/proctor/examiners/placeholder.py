"""Questions that are empty of meaning: placeholders, templates, markup and labels where a question should stand."""

from __future__ import annotations

import re

_MARKUP = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>]{0,200}>|&[a-z]{2,8};|\{\{?[^{}]{0,60}\}?\}|\$\w+|%\w*s\b|\[[^\[\]]{0,60}\](?!\()|```\w*",
    re.DOTALL,
)
"""Tags, entities, fences, and names that a template was to fill."""
_LABEL = re.compile(r"[\s#*>`\"'“”-]*(?:(?:next|final|follow[- ]?up|my|your|the) )?\w+(?: ?#? ?\d+)?\s*:(?!\S)\s*")
_NUMBERED = re.compile(r"[^\W\d]{0,2}\d+|[^\W\d]")
"""A number, a letter, or a label of both such as Q7."""
_PLACES = """
turn question questions prompt probe step message msg item test placeholder text string str content input output reply
response user assistant examiner agent system role query null none nil nan undefined unknown empty todo tbd tba na blank
sample foo bar baz qux lorem ipsum dolor sit amet insert write enter type here next new another follow up followup your
my the an of for to be added goes strategy variable rephrase negation swap drift ok okay
"""
_STANDS_FOR = frozenset(_PLACES.split())
"""Words that, with nothing else beside them, hold the place of a question."""
_FEWEST_LETTERS = 2
"""A word has at least so many different ones."""
_LONGEST = 400
"""Characters of what may hold the place of a question; whatever is longer says something."""
_LONGEST_SHOWN = 40


def says_nothing(question: str) -> bool:
    """Whether nothing is left that asks anything once markup, templates, labels and placeholders are taken away."""
    if len(question) > _LONGEST:
        return False
    bare = _LABEL.sub("", _MARKUP.sub(" ", question), count=1) or _MARKUP.sub(" ", question)
    words = re.findall(r"\w+(?:['’]\w+)*", bare)
    if len(words) == 1 and "_" in words[0]:  # an identifier
        return True
    return all(_stands_for_one(piece) for word in words for piece in word.casefold().split("_") if piece)


def _stands_for_one(word: str) -> bool:
    if not word.isascii():  # a single sign may be a word elsewhere
        return False
    return _NUMBERED.fullmatch(word) is not None or len(set(word)) < _FEWEST_LETTERS or word in _STANDS_FOR


def shown(question: str) -> str:
    """A question as a fault quotes it."""
    line = " ".join(question.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
