"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import proctor.reading
from proctor.reading.text.lazy import LazyPattern, lazy


def test_it_does_what_a_compiled_pattern_does() -> None:
    late, now = lazy(r"(?P<word>b+)a", re.IGNORECASE), re.compile(r"(?P<word>b+)a", re.IGNORECASE)
    assert late.pattern == now.pattern
    text = "abBA baba"
    assert late.search(text)["word"] == now.search(text)["word"] == "bB"  # type: ignore[index]
    assert late.sub("-", text) == now.sub("-", text)
    assert late.findall(text) == now.findall(text)
    assert late.split(text) == now.split(text)
    assert late.fullmatch("ba") is not None
    assert [each.span() for each in late.finditer(text)] == [each.span() for each in now.finditer(text)]


def test_what_it_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="groupindex"):
        lazy("a").groupindex  # noqa: B018


def test_every_pattern_of_the_reader_can_be_compiled() -> None:
    names = [each.name for each in pkgutil.walk_packages(proctor.reading.__path__, "proctor.reading.")]
    found = [
        each for name in names for each in vars(importlib.import_module(name)).values() if isinstance(each, LazyPattern)
    ]
    for pattern in found:
        pattern.search("")
    assert len(found) > 400
