"""Words and patterns of one's own that are masked: OwnList."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from proctor.errors import InputError
from proctor.redaction.personal_numbers import Span
from proctor.settings import compile_pattern, why_no_pattern

PATTERN = "re:"
"""How a line starts that is a pattern."""
_SECONDS = 1.0
"""That a pattern may take on one text."""


class OwnList:
    """Words and patterns of one's own, from a file: one a line, a pattern after `re:`, `#` begins a comment."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._made = [compile_pattern(pattern, folded=True) for pattern in patterns]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> OwnList:
        """The list in a file; raises InputError with the line that cannot be used."""
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            said = getattr(error, "strerror", None) or "it is no UTF-8 text"
            raise InputError(f"cannot read {os.fspath(path)!r}: {said}; expected one word or pattern a line") from error
        patterns = []
        for number, line in enumerate(map(str.strip, lines), 1):
            if line and not line.startswith("#"):
                pattern = _pattern(line)
                if not pattern or (wrong := why_no_pattern(pattern)) is not None:
                    said = wrong if pattern else "it is empty"
                    raise InputError(f"{os.fspath(path)}:{number}: this pattern does not compile: {said}")
                patterns.append(pattern)
        return cls(patterns)

    def places_in(self, text: str) -> Iterator[Span]:
        """Where they stand; raises InputError where a pattern takes too long, for then nobody knows."""
        for number, made in enumerate(self._made, 1):
            try:
                found = [each.span() for each in made.finditer(text, timeout=_SECONDS)]
            except TimeoutError as error:
                raise InputError(
                    f"entry {number} of the list to mask takes more than {_SECONDS:g} s on one text; simplify it"
                ) from error
            yield from ((start, end) for start, end in found if end > start)


def _pattern(line: str) -> str:
    """A line's own pattern, or its words wherever they stand by themselves."""
    if line.startswith(PATTERN):
        return line.removeprefix(PATTERN).strip()
    return rf"(?<!\w){re.escape(line)}(?!\w)"
