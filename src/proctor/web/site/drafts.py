"""Files that were uploaded and not saved yet, so that nobody has to choose them again while the form is corrected."""

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
"""Bytes up to which a file can be corrected in the form itself."""
_KEPT = 200
_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A file as the form has it now."""

    file: str
    """What it is called; the ending tells its format."""
    content: bytes
    too_large: bool = False
    """Whether there was more of it than could be taken: then nothing of it is left."""

    @property
    def text(self) -> str:
        """What the form shows to be corrected; empty: it is too long for that, or no text."""
        read = decode(self.content) if len(self.content) <= LONGEST_TEXT else None
        return "" if read is None or read.problem is not None else clean(read.text)


class Drafts:
    """The drafts in one folder, by a digest of what is in them; the oldest go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, draft: Draft) -> str:
        """Keep its content, and say what it is found by."""
        name = hashlib.sha256(draft.content).hexdigest()[:32]
        private.write(private.make_folder(self._folder) / name, draft.content)
        for old in sorted(self._folder.iterdir(), key=_age)[:-_KEPT]:
            old.unlink(missing_ok=True)
        return name

    def find(self, name: str) -> bytes | None:
        """What was kept by this name; None: nothing, or no longer."""
        if _ID.fullmatch(name) is None:
            return None
        with suppress(OSError):
            return (self._folder / name).read_bytes()
        return None

    def file_in(self, form: Form) -> Draft | None:
        """The file that a form means: one just chosen, else its text where that was changed, else the kept one."""
        if (upload := form.files.get("file")) is not None:
            return Draft(file=upload.name, content=upload.content, too_large=upload.too_large)
        called = form.text("called") or "pasted.csv"
        content, text = self.find(form.text("kept")), plain_lines(form.text("text"))
        kept = None if content is None else Draft(file=called, content=content)
        if text.strip() and (kept is None or text != plain_lines(kept.text)):
            return Draft(file=called, content=text.encode())
        return kept


def plain_lines(text: str) -> str:
    """As it was before a browser made every line end with CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # somebody else has just removed it
        return 0.0
