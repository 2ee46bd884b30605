"""Uploaded files that are not saved yet, so that nobody has to upload them again while correcting the form."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from proctor.formats.charset import decode
from proctor.redaction import private
from proctor.reports.words import clean
from proctor.web.site.forms import Form

LONGEST_TEXT = 1_000_000
"""Maximum size in bytes of a file that can be edited in the form."""
_KEPT = 200
_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A file in its current state in the form."""

    file: str
    """File name; the extension determines the format."""
    content: bytes
    too_large: bool = False
    """Whether the file exceeded the limit and its content was discarded."""

    @property
    def text(self) -> str:
        """Text for editing in the form; empty if it is too long or not text."""
        read = decode(self.content) if len(self.content) <= LONGEST_TEXT else None
        return "" if read is None or read.problem is not None else clean(read.text)


class Drafts:
    """Drafts stored in a folder by content digest; the oldest are deleted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, draft: Draft) -> str:
        """Store the content; return its key."""
        name = hashlib.sha256(draft.content).hexdigest()[:32]
        private.write(private.make_folder(self._folder) / name, draft.content)
        for old in sorted(self._folder.iterdir(), key=_age)[:-_KEPT]:
            old.unlink(missing_ok=True)
        return name

    def find(self, name: str) -> bytes | None:
        """Return the content stored under this key, or None if there is none any more."""
        if _ID.fullmatch(name) is None:
            return None
        with suppress(OSError):
            return (self._folder / name).read_bytes()
        return None

    def file_in(self, form: Form) -> Draft | None:
        """Return the form's file: a new upload, else its text if edited, else the stored draft."""
        if (upload := form.files.get("file")) is not None:
            return Draft(file=upload.name, content=upload.content, too_large=upload.too_large)
        called = form.text("called") or "pasted.csv"
        content, text = self.find(form.text("kept")), plain_lines(form.text("text"))
        kept = None if content is None else Draft(file=called, content=content)
        if text.strip() and (kept is None or text != plain_lines(kept.text)):
            return Draft(file=called, content=text.encode())
        return kept


def plain_lines(text: str) -> str:
    """Convert line ends to LF; browsers submit CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0
