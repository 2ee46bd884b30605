"""Detect questions without content: placeholders, templates, markup and labels."""

from __future__ import annotations

import re

_MARKUP = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>]{0,200}>|&[a-z]{2,8};|\{\{?[^{}]{0,60}\}?\}|\$\w+|%\w*s\b|\[[^\[\]]{0,60}\](?!\()|```\w*",
    re.DOTALL,
)
"""Tags, entities, code fences, and unfilled template variables."""
_LABEL = re.compile(r"[\s#*>`\"'“”-]*(?:(?:next|final|follow[- ]?up|my|your|the) )?\w+(?: ?#? ?\d+)?\s*:(?!\S)\s*")
_NUMBERED = re.compile(r"[^\W\d]{0,2}\d+|[^\W\d]")
"""A number, a letter, or a label such as Q7."""
_PLACES = """
turn question questions prompt probe step message msg item test placeholder text string str content input output reply
response user assistant examiner agent system role query null none nil nan undefined unknown empty todo tbd tba na blank
sample foo bar baz qux lorem ipsum dolor sit amet insert write enter type here next new another follow up followup your
my the an of for to be added goes strategy variable rephrase negation swap drift ok okay
"""
_STANDS_FOR = frozenset(_PLACES.split())
"""Words that form a placeholder if there are no others."""
_FEWEST_LETTERS = 2
"""Minimum number of different letters in a real word."""
_LONGEST = 400
"""Maximum characters of a placeholder; longer texts always have content."""
_LONGEST_SHOWN = 40


def says_nothing(question: str) -> bool:
    """Whether a question has no content besides markup, templates, labels and placeholders."""
    if len(question) > _LONGEST:
        return False
    bare = _LABEL.sub("", _MARKUP.sub(" ", question), count=1) or _MARKUP.sub(" ", question)
    words = re.findall(r"\w+(?:['’]\w+)*", bare)
    if len(words) == 1 and "_" in words[0]:  # an identifier
        return True
    return all(_stands_for_one(piece) for word in words for piece in word.casefold().split("_") if piece)


def _stands_for_one(word: str) -> bool:
    if not word.isascii():  # in other scripts, a single character may be a word
        return False
    return _NUMBERED.fullmatch(word) is not None or len(set(word)) < _FEWEST_LETTERS or word in _STANDS_FOR


def shorten_question(question: str) -> str:
    """Shorten a question for quoting in a fault."""
    line = " ".join(question.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
